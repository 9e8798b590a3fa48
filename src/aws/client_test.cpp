#include "aws/client.h"

#include <gtest/gtest.h>

#include "aws/caching_credentials.h"
#include "aws/shapes/ec2.h"
#include "aws/shapes/eks.h"
#include "aws/shapes/iam.h"
#include "aws/shapes/s3.h"
#include "aws/shapes/sts.h"
#include "aws/testing/run.h"
#include "aws/testing/scripted_http.h"
#include "base/error_codes.h"

namespace instantstart::aws {
namespace {

const std::string k_identity =
    "<GetCallerIdentityResponse xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\"><GetCallerIdentityResult>"
    "<Arn>arn:aws:iam::123456789012:user/u</Arn><UserId>U</UserId><Account>123456789012</Account>"
    "</GetCallerIdentityResult></GetCallerIdentityResponse>";

std::string query_error(std::string_view code, std::string_view message = "m") {
  return "<ErrorResponse><Error><Type>Sender</Type><Code>" + std::string(code) + "</Code><Message>" +
         std::string(message) + "</Message></Error><RequestId>id-1</RequestId></ErrorResponse>";
}

std::string ec2_error(std::string_view code) {
  return "<Response><Errors><Error><Code>" + std::string(code) +
         "</Code><Message>m</Message></Error></Errors><RequestID>id-2</RequestID></Response>";
}

/// Hands out KEY1, KEY2 …: the next one after each refusal.
class NumberedKeys final : public CredentialsProvider {
 public:
  Task<Credentials> get(net::Deadline) override {
    if (failure) co_return fail(*failure);
    co_return Credentials{.access_key_id = "KEY" + std::to_string(number),
                          .secret_access_key = Secret("s3cret")};
  }
  void refused(const Credentials&) override { ++number; }

  int number = 1;
  std::optional<Error> failure;
};

class ClientTest : public testing::Test {
 protected:
  Result<sts::GetCallerIdentityResponse> identity(CallOptions options = {}) {
    return run(time, client.call<sts::GetCallerIdentity>({}, std::move(options)));
  }
  template <class Op>
  std::string code(typename Op::Input input, CallOptions options = {}) {
    const auto output = run(time, client.call<Op>(std::move(input), std::move(options)));
    if (output) return "ok";
    last = output.error();
    return output.error().code;
  }
  iam::DeleteRoleRequest role(std::string name = "r") {
    iam::DeleteRoleRequest input;
    input.role_name = std::move(name);
    return input;
  }
  std::string header(std::size_t number, std::string_view name) {
    return http.seen().at(number).header(name);
  }

  net::VirtualTime time;
  SeededRandom random{7};
  NumberedKeys keys;
  ScriptedHttp http{time};
  std::string lines;
  Log log{time, LogLevel::debug, [this](std::string_view line) { lines += line; }};
  Client client{{.region = "us-west-2", .user_agent = "instantstart/1.2.3"}, keys, http, time, random, log};
  Error last;
};

TEST_F(ClientTest, SendsASignedRequestAndReadsTheAnswer) {
  http.then(200, k_identity, {{"x-amzn-RequestId", "abc"}});
  const auto output = identity();
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(output->account, "123456789012");
  const auto& request = http.seen().at(0).request;
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.url, "https://sts.us-west-2.amazonaws.com/");
  EXPECT_EQ(request.body, "Action=GetCallerIdentity&Version=2011-06-15");
  EXPECT_EQ(header(0, "User-Agent"), "instantstart/1.2.3");
  EXPECT_EQ(header(0, "amz-sdk-request"), "attempt=1; max=3");
  EXPECT_EQ(header(0, "amz-sdk-invocation-id").size(), 36U);
  EXPECT_EQ(header(0, "X-Amz-Date"), "20260101T000000Z");
  EXPECT_TRUE(
      header(0, "Authorization")
          .starts_with("AWS4-HMAC-SHA256 Credential=KEY1/20260101/us-west-2/sts/aws4_request, "
                       "SignedHeaders=amz-sdk-invocation-id;amz-sdk-request;content-type;host;x-amz-date, "));
}

TEST_F(ClientTest, LogsTheCallButNoSecret) {
  http.then(200, k_identity, {{"x-amzn-RequestId", "abc"}});
  identity();
  EXPECT_NE(lines.find("\"operation\":\"GetCallerIdentity\""), std::string::npos) << lines;
  EXPECT_NE(lines.find("\"request_id\":\"abc\""), std::string::npos) << lines;
  EXPECT_EQ(lines.find("s3cret"), std::string::npos);
}

TEST_F(ClientTest, GlobalServicesAreSignedForTheirOwnRegion) {
  http.then(200, "<DeleteRoleResponse/>");
  EXPECT_EQ(code<iam::DeleteRole>(role()), "ok");
  EXPECT_EQ(http.seen()[0].request.url, "https://iam.amazonaws.com/");
  EXPECT_NE(header(0, "Authorization").find("/us-east-1/iam/aws4_request"), std::string::npos);
}

TEST_F(ClientTest, BucketsMoveIntoTheHostName) {
  s3::HeadBucketRequest input;
  input.bucket = "my-bucket";
  http.then(200, "").then(200, "");
  EXPECT_EQ(code<s3::HeadBucket>(input), "ok");
  EXPECT_EQ(http.seen()[0].request.url, "https://my-bucket.s3.us-west-2.amazonaws.com/");
  EXPECT_FALSE(header(0, "X-Amz-Content-SHA256").empty());
  input.bucket = "with.dots";
  EXPECT_EQ(code<s3::HeadBucket>(input), "ok");
  EXPECT_EQ(http.seen()[1].request.url, "https://s3.us-west-2.amazonaws.com/with.dots");
}

TEST_F(ClientTest, WhatTheModelForbidsIsNotSent) {
  EXPECT_EQ(code<iam::DeleteRole>({}), "invalid_request");
  EXPECT_TRUE(http.seen().empty());
  EXPECT_EQ(last.detail.at("operation"), "DeleteRole");
}

TEST_F(ClientTest, RefusalsComeInOurCodes) {
  http.then(404, query_error("NoSuchEntity"));
  EXPECT_EQ(code<iam::DeleteRole>(role()), "not_found");
  EXPECT_EQ(last.detail.at("request_id"), "id-1");
  EXPECT_TRUE(http.complete());
}

TEST_F(ClientTest, MissingCredentialsEndTheCall) {
  keys.failure = Error{.code = "credentials_missing", .message = "none"};
  EXPECT_EQ(code<iam::DeleteRole>(role()), "credentials_missing");
  EXPECT_TRUE(http.seen().empty());
}

// -- repeats
// ---------------------------------------------------------------------------------------------------------

TEST_F(ClientTest, ReadsAreRepeatedAfterWhateverMayPass) {
  http.then_lost().then(500, "oops").then(200, k_identity);
  EXPECT_TRUE(identity());
  EXPECT_EQ(header(2, "amz-sdk-request"), "attempt=3; max=3");
  EXPECT_EQ(header(2, "amz-sdk-invocation-id"), header(0, "amz-sdk-invocation-id"));
}

TEST_F(ClientTest, RepeatsWaitAndAreSignedAnew) {
  http.then(400, query_error("Throttling"), {{"x-amz-retry-after", "2500"}}).then(200, k_identity);
  EXPECT_TRUE(identity());
  const auto waited = http.seen()[1].at - http.seen()[0].at;
  EXPECT_GE(waited, milliseconds(2'500));
  EXPECT_EQ(header(1, "X-Amz-Date"), to_rfc3339(time.wall()).substr(0, 4) + "0101T00000" +
                                         std::to_string(waited / std::chrono::seconds(1)) + "Z");
  EXPECT_NE(header(1, "Authorization"), header(0, "Authorization"));
}

TEST_F(ClientTest, AReadThatFailsThreeTimesIsUnavailable) {
  http.then_lost().then_lost().then_lost();
  EXPECT_EQ(code<sts::GetCallerIdentity>({}), "unavailable");
  EXPECT_TRUE(last.retryable);
  EXPECT_TRUE(http.complete());
}

TEST_F(ClientTest, AChangeIsSentAgainOnlyWhenItDidNotRun) {
  http.then_refused().then(400, query_error("Throttling")).then(200, "<DeleteRoleResponse/>");
  EXPECT_EQ(code<iam::DeleteRole>(role()), "ok");
  EXPECT_EQ(http.seen().size(), 3U);
}

TEST_F(ClientTest, ALostAnswerToAChangeIsAnUnknownOutcome) {
  http.then_lost();
  EXPECT_EQ(code<iam::DeleteRole>(role()), "unknown_outcome");
  EXPECT_EQ(http.seen().size(), 1U);
  EXPECT_EQ(last.detail.at("service"), "iam");
  EXPECT_EQ(last.detail.at("operation"), "DeleteRole");
}

TEST_F(ClientTest, AServiceFaultOfAChangeIsAnUnknownOutcomeWithItsRequestId) {
  http.then(500, query_error("ServiceFailure"));
  EXPECT_EQ(code<iam::DeleteRole>(role()), "unknown_outcome");
  EXPECT_EQ(last.detail.at("request_id"), "id-1");
  EXPECT_EQ(last.detail.at("aws_code"), "ServiceFailure");
  EXPECT_EQ(last.detail.at("http_status"), 500);
}

TEST_F(ClientTest, SilenceAfterAChangeIsAnUnknownOutcome) {
  http.then_silence();
  EXPECT_EQ(code<iam::DeleteRole>(role()), "unknown_outcome");
  EXPECT_EQ(time.steady().time_since_epoch(), std::chrono::seconds(15));
}

TEST_F(ClientTest, AnUnreadableAnswerToAChangeIsAnUnknownOutcome) {
  eks::CreateClusterRequest input;
  input.name = "c";
  input.role_arn = "arn:aws:iam::123456789012:role/r";
  input.resources_vpc_config.emplace();
  http.then(200, "<html>not JSON", {{"x-amzn-requestid", "id-3"}});
  EXPECT_EQ(code<eks::CreateCluster>(input), "unknown_outcome");
  EXPECT_EQ(last.detail.at("request_id"), "id-3");
}

TEST_F(ClientTest, ATokenMakesRepeatsHarmless) {
  ec2::CreateNatGatewayRequest input;
  input.subnet_id = "subnet-1";
  http.then_lost().then(200, "<CreateNatGatewayResponse><natGateway/></CreateNatGatewayResponse>");
  EXPECT_EQ(code<ec2::CreateNatGateway>(input, {.idempotency_token = "my-token"}), "ok");
  EXPECT_NE(http.seen()[0].request.body.find("ClientToken=my-token"), std::string::npos);
  EXPECT_EQ(http.seen()[0].request.body, http.seen()[1].request.body);
}

TEST_F(ClientTest, ATokenIsMadeWhereNoneIsGivenAndKeptWhereOneIs) {
  ec2::CreateNatGatewayRequest input;
  input.subnet_id = "subnet-1";
  http.then(200, "<CreateNatGatewayResponse/>").then(200, "<CreateNatGatewayResponse/>");
  EXPECT_EQ(code<ec2::CreateNatGateway>(input), "ok");
  EXPECT_NE(http.seen()[0].request.body.find("ClientToken="), std::string::npos);
  input.client_token = "own";
  EXPECT_EQ(code<ec2::CreateNatGateway>(input, {.idempotency_token = "other"}), "ok");
  EXPECT_NE(http.seen()[1].request.body.find("ClientToken=own"), std::string::npos);
}

TEST_F(ClientTest, WhatStaysLostIsUnknownEvenWithAToken) {
  ec2::CreateNatGatewayRequest input;
  input.subnet_id = "subnet-1";
  http.then_lost().then(503, ec2_error("Unavailable")).then_refused();
  EXPECT_EQ(code<ec2::CreateNatGateway>(input, {.idempotency_token = "t"}), "unknown_outcome");
  EXPECT_TRUE(http.complete());
}

TEST_F(ClientTest, ADefiniteNoAfterALostAttemptSaysSo) {
  http.then_lost().then(404, query_error("NoSuchEntity"));
  EXPECT_EQ(code<iam::DeleteRole>(role(), {.repeat_is_harmless = true}), "not_found");
  EXPECT_EQ(last.detail.at("earlier_attempt_may_have_run"), true);
}

TEST_F(ClientTest, ThrottlingAfterALostAttemptLeavesItUnknown) {
  http.then_lost().then(400, query_error("Throttling")).then(400, query_error("Throttling"));
  EXPECT_EQ(code<iam::DeleteRole>(role(), {.repeat_is_harmless = true}), "unknown_outcome");
}

TEST_F(ClientTest, ThrottlingToTheEndIsThrottled) {
  for (int i = 0; i < 3; ++i) http.then(400, query_error("Throttling"));
  EXPECT_EQ(code<iam::DeleteRole>(role()), "throttled");
  EXPECT_TRUE(last.retryable);
}

TEST_F(ClientTest, TheTransportMayRepeatOnlyWhatIsHarmless) {
  http.then(200, k_identity).then(200, "<DeleteRoleResponse/>");
  identity();
  code<iam::DeleteRole>(role());
  EXPECT_TRUE(http.seen()[0].request.idempotent);
  EXPECT_FALSE(http.seen()[1].request.idempotent);
}

TEST_F(ClientTest, ARequestThatCanNeverBeSentIsNotTriedAgain) {
  http.then([](const net::ClientRequest&) { return fail(codes::forbidden, "not a public address"); });
  EXPECT_EQ(code<sts::GetCallerIdentity>({}), "forbidden");
  EXPECT_TRUE(http.complete());
}

TEST_F(ClientTest, AnAnswerThatIsTooLargeDoesNotSayWhetherAChangeRan) {
  const auto too_large = [](const net::ClientRequest&) {
    Error error{.code = std::string(codes::upstream_error), .message = "too large"};
    error.detail["sent"] = true;
    return fail(std::move(error));
  };
  http.then(too_large);
  EXPECT_EQ(code<iam::DeleteRole>(role()), "unknown_outcome");
  for (int i = 0; i < 3; ++i) http.then(too_large);
  EXPECT_EQ(code<sts::GetCallerIdentity>({}), "upstream_error");
}

TEST_F(ClientTest, AQuotaIsNotAskedAgain) {
  http.then(409, query_error("LimitExceeded"));
  EXPECT_EQ(code<iam::DeleteRole>(role()), "quota_exceeded");
  EXPECT_TRUE(http.complete());
}

TEST_F(ClientTest, TheQuotaOfRepeatsIsTheServices) {
  for (int i = 0; i < 35; ++i) {
    http.then_lost();
    if (i < 35) http.then_lost().then_lost();
    if (http.complete()) break;
    code<sts::GetCallerIdentity>({});
  }
  // 500 tokens pay for 35 repeats at 14 each: two a call, then none.
  const auto before = http.seen().size();
  code<sts::GetCallerIdentity>({});
  EXPECT_EQ(http.seen().size(), before + 1);
}

// -- deadlines
// -------------------------------------------------------------------------------------------------------

TEST_F(ClientTest, AnAttemptThatTakesTooLongIsRepeatedWithinTheCallsTime) {
  http.then_silence().then(200, k_identity);
  EXPECT_TRUE(identity({.attempt_timeout = std::chrono::seconds(5)}));
  EXPECT_GE(http.seen()[1].at.time_since_epoch(), std::chrono::seconds(5));
}

TEST_F(ClientTest, TheCallEndsAtItsTimeoutOrTheDeadline) {
  http.then_silence();
  EXPECT_EQ(code<sts::GetCallerIdentity>({}, {.timeout = std::chrono::seconds(3)}), "deadline_exceeded");
  EXPECT_EQ(time.steady().time_since_epoch(), std::chrono::seconds(3));
  http.then_silence();
  EXPECT_EQ(code<sts::GetCallerIdentity>({}, {.deadline = net::Deadline::in(time, std::chrono::seconds(2))}),
            "deadline_exceeded");
  EXPECT_EQ(time.steady().time_since_epoch(), std::chrono::seconds(5));
}

TEST_F(ClientTest, ARepeatThatWouldComeTooLateIsNotWaitedFor) {
  http.then(400, query_error("Throttling"), {{"x-amz-retry-after", "4000"}});
  EXPECT_EQ(code<sts::GetCallerIdentity>({}, {.timeout = std::chrono::seconds(3)}), "throttled");
  EXPECT_EQ(time.steady().time_since_epoch(), milliseconds(0));
}

// -- credentials and clock
// -------------------------------------------------------------------------------------------

TEST_F(ClientTest, ExpiredCredentialsAreRenewedAndTheCallRepeatedOnce) {
  http.then(403, query_error("ExpiredToken")).then(200, "<DeleteRoleResponse/>");
  EXPECT_EQ(code<iam::DeleteRole>(role()), "ok");
  EXPECT_NE(header(0, "Authorization").find("Credential=KEY1/"), std::string::npos);
  EXPECT_NE(header(1, "Authorization").find("Credential=KEY2/"), std::string::npos);
}

TEST_F(ClientTest, CredentialsThatStayExpiredAreAnError) {
  http.then(403, query_error("ExpiredToken")).then(403, query_error("ExpiredToken"));
  EXPECT_EQ(code<iam::DeleteRole>(role()), "credentials_expired");
}

TEST_F(ClientTest, AnUnknownKeyIsNotUsedAgainButTheCallEnds) {
  http.then(403, query_error("InvalidClientTokenId"));
  EXPECT_EQ(code<iam::DeleteRole>(role()), "credentials_invalid");
  EXPECT_EQ(keys.number, 2);
}

TEST_F(ClientTest, AWrongClockIsCorrectedAndRemembered) {
  const net::Headers eight_minutes_later{{"Date", "Thu, 01 Jan 2026 00:08:00 GMT"}};
  http.then(403, query_error("SignatureDoesNotMatch"), eight_minutes_later)
      .then(200, k_identity)
      .then(200, k_identity);
  EXPECT_TRUE(identity());
  EXPECT_EQ(header(0, "X-Amz-Date"), "20260101T000000Z");
  EXPECT_EQ(header(1, "X-Amz-Date"), "20260101T000800Z");
  EXPECT_TRUE(identity());
  EXPECT_EQ(header(2, "X-Amz-Date"), "20260101T000800Z");
  EXPECT_EQ(client.aws_time() - time.wall(), std::chrono::minutes(8));
}

TEST_F(ClientTest, ACorrectedClockThatDoesNotHelpIsNotCorrectedForever) {
  for (int minute : {8, 30}) {
    http.then(403, query_error("RequestTimeTooSkewed"),
              {{"Date", "Thu, 01 Jan 2026 00:" + std::string(minute < 10 ? "0" : "") +
                            std::to_string(minute) + ":00 GMT"}});
  }
  EXPECT_EQ(code<sts::GetCallerIdentity>({}), "credentials_invalid");
  EXPECT_TRUE(http.complete());
}

TEST_F(ClientTest, UnsignedCallsNeedNoCredentials) {
  keys.failure = Error{.code = "credentials_missing", .message = "none"};
  sts::AssumeRoleWithWebIdentityRequest input;
  input.role_arn = "arn:aws:iam::123456789012:role/r";
  input.role_session_name = "me";
  input.web_identity_token = "token";
  http.then(200,
            "<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult/>"
            "</AssumeRoleWithWebIdentityResponse>");
  EXPECT_EQ(code<sts::AssumeRoleWithWebIdentity>(input), "ok");
  EXPECT_EQ(header(0, "Authorization"), "");
}

TEST_F(ClientTest, ErrorsCarryNoSecretOfTheRequest) {
  sts::AssumeRoleWithWebIdentityRequest input;
  input.role_arn = "arn:aws:iam::123456789012:role/r";
  input.role_session_name = "me";
  input.web_identity_token = "canary";
  http.then(400, query_error("InvalidIdentityToken", "bad"));
  code<sts::AssumeRoleWithWebIdentity>(input);
  EXPECT_EQ(last.code, "credentials_invalid");
  EXPECT_EQ((last.message + lines).find("canary"), std::string::npos);
}

}  // namespace
}  // namespace instantstart::aws
