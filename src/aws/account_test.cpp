#include "aws/account.h"

#include <gtest/gtest.h>

#include "aws/shapes/ec2.h"
#include "aws/testing/run.h"
#include "aws/testing/scripted_http.h"

namespace instantstart::aws {
namespace {

class AccountTest : public testing::Test {
 protected:
  AccountTest() { environment.variables = {{"HOME", "/h"}, {"AWS_REGION", "us-west-2"}}; }

  Result<std::unique_ptr<Account>> open(AccountRequest request = {.user_agent = "t"}) {
    return Account::open(std::move(request), environment, http, time, random, Log());
  }

  net::VirtualTime time;
  SeededRandom random{1};
  FixedEnvironment environment;
  ScriptedHttp http{time};
};

const std::string k_role_answer =
    "<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>ASIAROLE</AccessKeyId><SecretAccessKey>s"
    "</SecretAccessKey><SessionToken>t</SessionToken><Expiration>2026-01-01T01:00:00Z</Expiration></"
    "Credentials>"
    "<AssumedRoleUser><Arn>arn:aws:sts::123456789012:assumed-role/r/me</Arn><AssumedRoleId>x</AssumedRoleId>"
    "</AssumedRoleUser></AssumeRoleResult></AssumeRoleResponse>";

TEST_F(AccountTest, ACallByARoleAssumesItFirstAndOnlyOnce) {
  environment.files["/h/.aws/config"] =
      "[profile r]\nrole_arn=arn:aws:iam::123456789012:role/r\nsource_profile=k\n"
      "[profile k]\naws_access_key_id=AKIDEXAMPLE\naws_secret_access_key=s\n";
  auto account = open({.profile = "r", .user_agent = "t"});
  ASSERT_TRUE(account) << account.error().message;
  http.then(200, k_role_answer).then(200, "<DescribeVpcsResponse/>").then(200, "<DescribeVpcsResponse/>");
  for (int i = 0; i < 2; ++i) {
    const auto called = run(time, (*account)->client().call<ec2::DescribeVpcs>({}));
    ASSERT_TRUE(called) << called.error().message;
  }
  EXPECT_NE(http.seen()[0].header("Authorization").find("Credential=AKIDEXAMPLE/"), std::string::npos);
  EXPECT_NE(http.seen()[0].request.body.find("RoleArn=arn%3Aaws%3Aiam%3A%3A123456789012%3Arole%2Fr"),
            std::string::npos);
  EXPECT_NE(http.seen()[2].header("Authorization").find("Credential=ASIAROLE/"), std::string::npos);
  EXPECT_EQ(http.seen()[2].header("X-Amz-Security-Token"), "t");
  const auto credentials = run(time, (*account)->credentials().get(net::Deadline::never()));
  EXPECT_EQ(credentials->account_id, "123456789012");
  EXPECT_EQ(credentials->source, "assume-role");
}

TEST_F(AccountTest, ExpiredRoleCredentialsAreRenewedInTheMiddleOfACall) {
  environment.files["/h/.aws/config"] =
      "[default]\nrole_arn=arn:aws:iam::123456789012:role/r\nsource_profile=default\n"
      "aws_access_key_id=AKIDEXAMPLE\naws_secret_access_key=s\n";
  auto account = open();
  http.then(200, k_role_answer)
      .then(400, "<Response><Errors><Error><Code>ExpiredToken</Code></Error></Errors></Response>")
      .then(200, k_role_answer)
      .then(200, "<DescribeVpcsResponse/>");
  EXPECT_TRUE(run(time, (*account)->client().call<ec2::DescribeVpcs>({})));
  EXPECT_TRUE(http.complete());
}

TEST_F(AccountTest, ManyCallsAtOnceAssumeTheRoleOnce) {
  environment.files["/h/.aws/config"] =
      "[default]\nrole_arn=arn:aws:iam::123456789012:role/r\nsource_profile=default\n"
      "aws_access_key_id=AKIDEXAMPLE\naws_secret_access_key=s\n";
  auto account = open();
  http.then(200, k_role_answer, {}, std::chrono::seconds(1));
  std::vector<std::optional<Result<ec2::DescribeVpcsResult>>> outcomes(50);
  for (auto& outcome : outcomes) {
    http.then(200, "<DescribeVpcsResponse/>");
    start(time, (*account)->client().call<ec2::DescribeVpcs>({}), outcome);
  }
  time.run_for(std::chrono::minutes(1));
  for (const auto& outcome : outcomes) ASSERT_TRUE(outcome && *outcome);
  EXPECT_EQ(http.seen().size(), 51U);
  EXPECT_TRUE(http.complete());
}

TEST_F(AccountTest, NeedsARegion) {
  environment.variables.erase("AWS_REGION");
  const auto account = open();
  ASSERT_FALSE(account);
  EXPECT_EQ(account.error().code, "invalid_request");
  EXPECT_TRUE(open({.region = "eu-west-1", .user_agent = "t"}));
}

TEST_F(AccountTest, TakesTheNumberOfAttempts) {
  environment.variables["AWS_MAX_ATTEMPTS"] = "1";
  environment.variables["AWS_ACCESS_KEY_ID"] = "AKIDEXAMPLE";
  environment.variables["AWS_SECRET_ACCESS_KEY"] = "s";
  auto account = open();
  http.then(503, "");
  EXPECT_EQ(run(time, (*account)->client().call<ec2::DescribeVpcs>({})).error().code, "unavailable");
  EXPECT_TRUE(http.complete());
  environment.variables["AWS_MAX_ATTEMPTS"] = "0";
  EXPECT_FALSE(open());
}

TEST_F(AccountTest, MakesEksTokensForItsRegion) {
  environment.variables["AWS_ACCESS_KEY_ID"] = "AKIDEXAMPLE";
  environment.variables["AWS_SECRET_ACCESS_KEY"] = "s";
  auto account = open({.region = "cn-north-1", .user_agent = "t"});
  const auto token = run(time, (*account)->eks_token("c", net::Deadline::never()));
  ASSERT_TRUE(token);
  EXPECT_TRUE(eks_token_url(token->token.reveal()).starts_with("https://sts.cn-north-1.amazonaws.com.cn/?"));
}

}  // namespace
}  // namespace instantstart::aws
