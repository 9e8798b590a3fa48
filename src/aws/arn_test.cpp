#include "aws/arn.h"

#include <gtest/gtest.h>

namespace instantstart::aws {
namespace {

TEST(Arn, ReadsAndWritesEveryForm) {
  const std::string_view texts[] = {
      "arn:aws:iam::123456789012:role/instantstart/node",
      "arn:aws-cn:sagemaker:cn-north-1:123456789012:cluster/abc",
      "arn:aws-us-gov:s3:::bucket/key:with:colons",
      "arn:aws:logs:us-west-2:123456789012:log-group:/aws/x:*",
      "arn:aws:iam::aws:policy/AmazonEKSClusterPolicy",
  };
  for (const auto text : texts) {
    const auto arn = parse_arn(text);
    ASSERT_TRUE(arn) << text;
    EXPECT_EQ(to_text(*arn), text);
  }
  EXPECT_EQ(*parse_arn("arn:aws:eks:us-west-2:123456789012:cluster/a"), (Arn{.partition = "aws",
                                                                             .service = "eks",
                                                                             .region = "us-west-2",
                                                                             .account = "123456789012",
                                                                             .resource = "cluster/a"}));
}

TEST(Arn, RefusesWhatIsNone) {
  for (const auto text :
       {"", "arn", "arn:aws:iam", "arn:aws:iam::1:", "arn::iam:::x", "arn:aws::::x", "urn:a:b:c:d:e"}) {
    const auto arn = parse_arn(text);
    ASSERT_FALSE(arn) << text;
    EXPECT_EQ(arn.error().code, "invalid_request");
  }
}

TEST(Arn, NameIsWhatStandsLast) {
  EXPECT_EQ(arn_name({.resource = "role/instantstart/node"}), "node");
  EXPECT_EQ(arn_name({.resource = "bucket"}), "bucket");
  EXPECT_EQ(arn_name({.resource = "log-group:name"}), "name");
}

}  // namespace
}  // namespace instantstart::aws
