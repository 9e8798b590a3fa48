#include "domain/cluster_key.h"

#include <gtest/gtest.h>

namespace instantstart::domain {
namespace {

const ClusterKey k_demo{"demo_1", "us-west-2", "123456789012"};

TEST(ClusterKey, TextFormGoesBothWays) {
  EXPECT_EQ(to_text(k_demo), "demo_1.us-west-2.123456789012");
  EXPECT_EQ(parse_cluster_key(to_text(k_demo)), k_demo);
  EXPECT_EQ(subject_of(k_demo), "cluster/demo_1.us-west-2.123456789012");
}

TEST(ClusterKey, EveryPartHoldsItsRule) {
  for (const char* bad :
       {"", "demo", "demo.us-west-2", "demo.us-west-2.12345678901", "demo.us-west-2.1234567890123",
        "demo.us-west-2.12345678901x", "demo.nowhere.123456789012", "-demo.us-west-2.123456789012",
        ".us-west-2.123456789012", "a.b.us-west-2.123456789012", "demo.us-west-2.123456789012."}) {
    EXPECT_FALSE(parse_cluster_key(bad)) << bad;
  }
}

TEST(ClusterKey, ArnsOfEveryPartitionGoBothWays) {
  for (const char* partition : {"aws", "aws-cn", "aws-us-gov"}) {
    const auto arn = cluster_arn(k_demo, partition);
    EXPECT_EQ(arn, "arn:" + std::string(partition) + ":eks:us-west-2:123456789012:cluster/demo_1");
    EXPECT_EQ(key_of_arn(arn), k_demo);
  }
}

TEST(ClusterKey, OtherArnsAreNone) {
  for (const char* bad :
       {"arn:aws:eks:us-west-2:123456789012:nodegroup/demo/a/b",
        "arn:aws:sagemaker:us-west-2:123456789012:cluster/abc", "arn:aws:eks:us-west-2:123456789012:cluster/",
        "demo", "", "arn:aws:eks::123456789012:cluster/demo"}) {
    EXPECT_FALSE(key_of_arn(bad)) << bad;
  }
}

TEST(ArnText, ThePartitionIsAlwaysAnArgument) {
  const Place place{"aws-cn", "cn-north-1", "123456789012"};
  EXPECT_EQ(regional_arn(place, "eks", "cluster/a"), "arn:aws-cn:eks:cn-north-1:123456789012:cluster/a");
  EXPECT_EQ(global_arn(place, "iam", "role/a"), "arn:aws-cn:iam::123456789012:role/a");
  EXPECT_EQ(managed_policy_arn("aws-us-gov", "P"), "arn:aws-us-gov:iam::aws:policy/P");
}

}  // namespace
}  // namespace instantstart::domain
