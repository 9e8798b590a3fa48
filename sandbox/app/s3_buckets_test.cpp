// What the driver of mounted buckets is told, by the rights of its role.
#include "sandbox/app/s3_buckets.h"

#include <gtest/gtest.h>

#include "sandbox/app/late_host.h"
#include "sandbox/core/testing/world_fixture.h"
#include "sandbox/services/ec2/ec2.h"

namespace instantstart::sandbox {
namespace {

constexpr auto k_trust =
    R"({"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"AWS":"123456789012"},"Action":"sts:AssumeRole"}]})";
constexpr auto k_role = "arn:aws:iam::123456789012:role/driver";

class MountRights : public WorldFixture {
 protected:
  void SetUp() override {
    World& world = start().world();
    iam = std::make_unique<iam::Iam>(world);
    ec2 = std::make_unique<ec2::Ec2>(world);
    eks = std::make_unique<eks::Eks>(world, *iam, ec2->network(), host);
    s3 = std::make_unique<s3::S3>(world);
    buckets = std::make_unique<S3Buckets>(*s3, *iam, *eks);
    ASSERT_TRUE(process->load());
    ASSERT_TRUE(process->ask<aws::s3::CreateBucket>(
        *s3, {.bucket = "data", .create_bucket_configuration = {{.location_constraint = "us-west-2"}}}));
    ASSERT_TRUE(process->ask<aws::iam::CreateRole>(
        *iam, {.role_name = "driver", .assume_role_policy_document = k_trust}));
  }
  void TearDown() override {
    buckets.reset();
    eks.reset();
  }
  void allow(std::string_view resource, std::string_view condition = "{}") {
    ASSERT_TRUE(process->ask<aws::iam::PutRolePolicy>(
        *iam, {.role_name = "driver",
               .policy_name = "p",
               .policy_document = fmt::format(
                   R"({{"Version":"2012-10-17","Statement":[{{"Effect":"Allow","Action":"s3:ListBucket",)"
                   R"("Resource":"{}","Condition":{}}}]}})",
                   resource, condition)}));
  }
  std::string refusal(kubernetes::BucketMount mount) {
    mount.bucket = mount.bucket.empty() ? "data" : mount.bucket;
    return buckets->mount_refusal(mount).value_or("");
  }

  LateHost host;
  std::unique_ptr<iam::Iam> iam;
  std::unique_ptr<ec2::Ec2> ec2;
  std::unique_ptr<eks::Eks> eks;
  std::unique_ptr<s3::S3> s3;
  std::unique_ptr<S3Buckets> buckets;
};

TEST_F(MountRights, ABucketMustBeThere) {
  EXPECT_EQ(refusal({.bucket = "none"}), "Client error: The bucket does not exist");
  EXPECT_EQ(refusal({}), "");
}

TEST_F(MountRights, TheRoleMustListTheBucket) {
  EXPECT_NE(refusal({.role_arn = k_role}).find("not authorized to perform: s3:ListBucket"),
            std::string::npos);
  allow("arn:aws:s3:::other");
  EXPECT_NE(refusal({.role_arn = k_role}), "");
  allow("arn:aws:s3:::data");
  EXPECT_EQ(refusal({.role_arn = k_role}), "");
  EXPECT_NE(refusal({.role_arn = "arn:aws:iam::123456789012:role/none"}), "");
}

TEST_F(MountRights, AConditionOnThePrefixIsHeld) {
  allow("arn:aws:s3:::data", R"({"StringLike":{"s3:prefix":["runs/*"]}})");
  EXPECT_EQ(refusal({.prefix = "runs/", .role_arn = k_role}), "");
  EXPECT_NE(refusal({.prefix = "", .role_arn = k_role}), "");
}

TEST_F(MountRights, APodWithoutARoleHasNoCredentials) {
  EXPECT_NE(refusal({.namespace_name = "default", .service_account = "default", .of_pod = true}), "");
}

TEST_F(MountRights, WhatIsWrittenIsListedAndRead) {
  EXPECT_TRUE(buckets->write("data", "a/b", "bytes"));
  EXPECT_FALSE(buckets->write("none", "a/b", "bytes"));
  EXPECT_EQ(buckets->read("data", "a/b"), "bytes");
  EXPECT_EQ(buckets->read("data", "a"), std::nullopt);
  EXPECT_EQ(buckets->list("data", "a/", 10), std::vector<std::string>{"a/b"});
  EXPECT_TRUE(buckets->list("data", "b", 10).empty());
}

}  // namespace
}  // namespace instantstart::sandbox
