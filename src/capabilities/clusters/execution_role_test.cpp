#include "capabilities/clusters/execution_role.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "base/digest.h"
#include "capabilities/clusters/lifecycle_script.h"

namespace instantstart::capabilities {
namespace {

const ClusterTarget k_cluster{"demo", "us-west-2", "123456789012", std::nullopt};
const ClusterTarget k_in_china{"demo", "cn-north-1", "123456789012", std::nullopt};

TEST(ExecutionRolePolicy, AStarStandsOnlyForCallsThatNameNoResource) {
  const auto policy = execution_role_policy(k_cluster, "sagemaker-a", "arn:aws:kms:us-west-2:1:key/a");
  for (const auto& statement : policy.at("Statement").as_array()) {
    for (const auto& action : statement.at("Action").as_array()) {
      EXPECT_EQ(std::string_view(action.as_string()).find('*'), std::string_view::npos) << action;
      for (const auto& resource : statement.at("Resource").as_array()) {
        if (resource.as_string() != "*") continue;
        EXPECT_EQ(std::ranges::count(actions_without_resource(), std::string_view(action.as_string())), 1)
            << action;
      }
    }
  }
}

TEST(ExecutionRolePolicy, HasTheKeyOnlyWhereVolumesAreEncryptedWithOne) {
  const auto has_kms = [](const json::object& policy) {
    return instantstart::to_text(json::value(policy)).find("kms:") != std::string::npos;
  };
  EXPECT_FALSE(has_kms(execution_role_policy(k_cluster, "b", std::nullopt)));
  EXPECT_TRUE(has_kms(execution_role_policy(k_cluster, "b", "arn:aws:kms:us-west-2:1:key/a")));
}

TEST(ExecutionRolePolicy, IsOfTheClustersPartition) {
  const auto text = instantstart::to_text(json::value(execution_role_policy(k_in_china, "b", std::nullopt)));
  EXPECT_EQ(text.find("arn:aws:"), std::string::npos);
  EXPECT_NE(text.find("arn:aws-cn:s3:::b/*"), std::string::npos);
  EXPECT_EQ(instance_role_policy_arn(k_in_china),
            "arn:aws-cn:iam::aws:policy/AmazonSageMakerClusterInstanceRolePolicy");
}

TEST(ExecutionRoleTrust, IsForSageMakerOfThisAccountAlone) {
  const auto trust = execution_role_trust(k_cluster);
  const auto& statement = trust.at("Statement").at(0);
  EXPECT_EQ(statement.at("Principal").at("Service").as_string(), "sagemaker.amazonaws.com");
  EXPECT_EQ(statement.at("Condition").at("StringEquals").at("aws:SourceAccount").as_string(), "123456789012");
}

TEST(SameDocument, OrderOfKeysAndEncodingDoNotMatterAndContentDoes) {
  const auto wanted = execution_role_trust(k_cluster);
  EXPECT_TRUE(same_document(percent_encode(to_canonical_text(wanted)), wanted));
  auto other = k_cluster;
  other.account = "210987654321";
  EXPECT_FALSE(same_document(percent_encode(to_canonical_text(execution_role_trust(other))), wanted));
  EXPECT_FALSE(same_document("%zz", wanted));
}

TEST(LifecycleBucket, IsReadByTheManagedPolicyAndFitsS3sRules) {
  const auto bucket = lifecycle_bucket(k_cluster);
  EXPECT_TRUE(bucket.starts_with("sagemaker-"));
  EXPECT_LE(bucket.size(), 63);
  EXPECT_NE(bucket, lifecycle_bucket(k_in_china));
}

TEST(LifecycleScript, IsKeptUnderItsOwnDigest) {
  EXPECT_EQ(lifecycle_key(), "lifecycle/" + to_hex(sha256(lifecycle_script())) + "/on_create.sh");
  EXPECT_TRUE(lifecycle_script().starts_with("#!/bin/bash\nset -Eeuo pipefail\n"));
  EXPECT_TRUE(lifecycle_script().ends_with("exit 0\n"));
  for (const char* word : {"curl", "wget", "git "}) {
    EXPECT_EQ(lifecycle_script().find(word), std::string_view::npos) << "makes no network calls";
  }
}

}  // namespace
}  // namespace instantstart::capabilities
