#include "sandbox/services/eks/principals.h"

#include <gtest/gtest.h>

namespace instantstart::sandbox::eks {
namespace {

TEST(ParsePrincipal, TakesEachKindApart) {
  const auto role = parse_principal("arn:aws-cn:iam::123456789012:role/team/a/dev");
  ASSERT_TRUE(role);
  EXPECT_EQ(role->kind, PrincipalKind::role);
  EXPECT_EQ(role->partition, "aws-cn");
  EXPECT_EQ(role->path, "/team/a/");
  EXPECT_EQ(role->name, "dev");
  const auto session = parse_principal("arn:aws:sts::123456789012:assumed-role/dev/me@here");
  ASSERT_TRUE(session);
  EXPECT_EQ(session->kind, PrincipalKind::session);
  EXPECT_EQ(session->name, "dev");
  EXPECT_EQ(session->session, "me@here");
  EXPECT_EQ(parse_principal("arn:aws:iam::123456789012:root")->kind, PrincipalKind::root);
  EXPECT_EQ(parse_principal("arn:aws:iam::123456789012:user/me")->kind, PrincipalKind::user);
}

TEST(ParsePrincipal, RefusesWhatIsNone) {
  for (const auto* text :
       {"", "dev", "arn:aws:iam::123:role/dev", "arn:aws:iam::123456789012:role/",
        "arn:aws:iam:us-west-2:123456789012:role/dev", "arn:aws:iam::123456789012:group/dev",
        "arn:aws:sts::123456789012:assumed-role/dev", "arn:aws:s3:::bucket"}) {
    EXPECT_FALSE(parse_principal(text)) << text;
  }
}

TEST(DefaultUsername, IsAsTheUserGuideSays) {
  const auto username = [](const char* arn, const char* type) {
    return default_username(parse_principal(arn).value(), arn, type);
  };
  const auto* role = "arn:aws:iam::123456789012:role/team/dev";
  EXPECT_EQ(username(role, "STANDARD"), "arn:aws:sts::123456789012:assumed-role/dev/{{SessionName}}");
  EXPECT_EQ(username("arn:aws:iam::123456789012:user/me", "STANDARD"), "arn:aws:iam::123456789012:user/me");
  EXPECT_EQ(username(role, "EC2_LINUX"), "system:node:{{EC2PrivateDNSName}}");
  EXPECT_EQ(username(role, "FARGATE_LINUX"), "system:node:{{SessionName}}");
}

TEST(ExpandUsername, FillsInEveryTemplate) {
  const auto caller = parse_principal("arn:aws:sts::123456789012:assumed-role/dev/a@b").value();
  EXPECT_EQ(expand_username("x:{{SessionName}}/{{SessionNameRaw}}/{{AccountID}}/{{SessionName}}", caller),
            "x:a-b/a@b/123456789012/a-b");
  EXPECT_EQ(expand_username("plain", caller), "plain");
}

}  // namespace
}  // namespace instantstart::sandbox::eks
