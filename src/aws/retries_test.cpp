#include "aws/retries.h"

#include <gtest/gtest.h>

#include "aws/shapes/ec2.h"
#include "aws/shapes/iam.h"
#include "aws/shapes/logs.h"
#include "aws/shapes/sagemaker.h"
#include "aws/shapes/sts.h"

namespace instantstart::aws {
namespace {

using Kind = Failure::Kind;
using Then = RetryDecision::Then;

/// Always the same share of the longest delay.
class FixedRandom final : public Random {
 public:
  void fill(std::span<std::uint8_t> bytes) override {
    for (auto& byte : bytes) byte = 0xff;  // `unit` is just below 1
  }
};

Failure answered(int status, std::string code) { return {.status = status, .code = std::move(code)}; }

TEST(Classify, KnowsWhatIsTransientAndWhatIsThrottling) {
  struct Case {
    Failure failure;
    FailureClass expected;
  };
  const Case cases[] = {
      {answered(400, "ValidationError"), FailureClass::definite},
      {answered(500, "InternalFailure"), FailureClass::transient},
      {answered(501, "NotImplemented"), FailureClass::definite},
      {answered(502, ""), FailureClass::transient},
      {answered(503, "Unavailable"), FailureClass::transient},
      {answered(503, "SlowDown"), FailureClass::throttling},
      {answered(400, "RequestTimeout"), FailureClass::transient},
      {answered(400, "Throttling"), FailureClass::throttling},
      {answered(503, "RequestLimitExceeded"), FailureClass::throttling},
      {answered(429, ""), FailureClass::throttling},
      {answered(429, "SomethingElse"), FailureClass::throttling},
      {{.kind = Kind::not_sent}, FailureClass::transient},
      {{.kind = Kind::lost}, FailureClass::transient},
  };
  for (const auto& [failure, expected] : cases) {
    EXPECT_EQ(classify(ec2::CreateVpc::info(), failure), expected) << failure.status << failure.code;
  }
}

TEST(Classify, AQuotaIsNotThrottlingWhateverItIsCalled) {
  EXPECT_EQ(classify(logs::CreateLogGroup::info(), answered(400, "LimitExceededException")),
            FailureClass::definite);
  EXPECT_EQ(classify(iam::CreateRole::info(), answered(409, "LimitExceededException")),
            FailureClass::definite);
  EXPECT_EQ(classify(sagemaker::CreateCluster::info(), answered(400, "ResourceLimitExceeded")),
            FailureClass::definite);
}

TEST(Classify, IdentityProvidersOutagesAreStsOwn) {
  EXPECT_EQ(classify(sts::AssumeRoleWithWebIdentity::info(), answered(400, "IDPCommunicationError")),
            FailureClass::transient);
  EXPECT_EQ(classify(ec2::CreateVpc::info(), answered(400, "IDPCommunicationError")), FailureClass::definite);
}

TEST(ProvablyDidNotRun, OnlyWhenItWasRefusedOrNeverLeft) {
  struct Case {
    Failure failure;
    bool expected;
  };
  const Case cases[] = {
      {{.kind = Kind::not_sent}, true},         {{.kind = Kind::lost}, false},
      {answered(400, "Throttling"), true},      {answered(503, "SlowDown"), true},
      {answered(503, "Unavailable"), false},    {answered(500, "InternalFailure"), false},
      {answered(400, "RequestTimeout"), false}, {answered(403, "ExpiredToken"), true},
      {answered(409, "AlreadyExists"), true},   {answered(501, ""), true},
  };
  for (const auto& [failure, expected] : cases) {
    EXPECT_EQ(provably_did_not_run(ec2::CreateVpc::info(), failure), expected)
        << failure.status << failure.code;
  }
}

TEST(RetryQuota, RefusesWhatItDoesNotHoldAndNeverOverflows) {
  RetryQuota quota;
  EXPECT_FALSE(quota.acquire(501));
  EXPECT_TRUE(quota.acquire(500));
  EXPECT_FALSE(quota.acquire(1));
  quota.release(14);
  EXPECT_EQ(quota.available(), 14);
  quota.release(1000);
  EXPECT_EQ(quota.available(), 500);
}

TEST(Backoff, DoublesUpToTwentySeconds) {
  FixedRandom random;
  const auto seconds_of = [&](FailureClass failure_class, int attempt) {
    return std::chrono::duration<double>(backoff(failure_class, attempt, std::nullopt, random)).count();
  };
  EXPECT_DOUBLE_EQ(seconds_of(FailureClass::transient, 1), 0.05);
  EXPECT_DOUBLE_EQ(seconds_of(FailureClass::transient, 2), 0.1);
  EXPECT_DOUBLE_EQ(seconds_of(FailureClass::throttling, 1), 1);
  EXPECT_DOUBLE_EQ(seconds_of(FailureClass::throttling, 3), 4);
  EXPECT_DOUBLE_EQ(seconds_of(FailureClass::throttling, 9), 20);
}

TEST(Backoff, TheServicesWishRaisesItByAtMostFiveSeconds) {
  FixedRandom random;
  EXPECT_EQ(backoff(FailureClass::throttling, 1, milliseconds(10), random), milliseconds(1'000));
  EXPECT_EQ(backoff(FailureClass::throttling, 1, milliseconds(3'000), random), milliseconds(3'000));
  EXPECT_EQ(backoff(FailureClass::throttling, 1, milliseconds(60'000), random), milliseconds(6'000));
}

TEST(ParseRetryAfter, TakesWholeMillisecondsOnly) {
  EXPECT_EQ(parse_retry_after("1500"), milliseconds(1'500));
  EXPECT_EQ(parse_retry_after(" 0 "), milliseconds(0));
  for (const auto text : {"", "-1", "1.5", "soon", "99999999999999999999"})
    EXPECT_FALSE(parse_retry_after(text)) << text;
}

class DecideRetry : public testing::Test {
 protected:
  RetryDecision decide(const Failure& failure, bool clock_is_off = false) {
    return decide_retry(ec2::CreateVpc::info(), failure, clock_is_off, progress, quota, random);
  }

  CallProgress progress;
  RetryQuota quota;
  FixedRandom random;
};

TEST_F(DecideRetry, ACallThatChangesSomethingIsNotRepeatedWhenItMayHaveRun) {
  EXPECT_EQ(decide({.kind = Kind::lost}).then, Then::outcome_unknown);
  EXPECT_EQ(decide(answered(500, "InternalFailure")).then, Then::outcome_unknown);
  EXPECT_EQ(quota.available(), RetryQuota::k_capacity);
}

TEST_F(DecideRetry, ItIsRepeatedWhenItProvablyDidNotRun) {
  EXPECT_EQ(decide({.kind = Kind::not_sent}).then, Then::repeat);
  EXPECT_EQ(quota.available(), 486);
  EXPECT_EQ(decide(answered(503, "RequestLimitExceeded")).then, Then::repeat);
  EXPECT_EQ(quota.available(), 481);
}

TEST_F(DecideRetry, AHarmlessRepeatFollowsBotocore) {
  progress.repeat_is_harmless = true;
  EXPECT_EQ(decide({.kind = Kind::lost}).then, Then::repeat);
  progress.attempt = 2;
  EXPECT_EQ(decide(answered(500, "")).then, Then::repeat);
  progress.attempt = 3;
  EXPECT_EQ(decide(answered(500, "")).then, Then::give_up);
  progress.attempt = 1;
  EXPECT_EQ(decide(answered(400, "ValidationError")).then, Then::give_up);
}

TEST_F(DecideRetry, AnEmptyQuotaEndsRepeating) {
  progress.repeat_is_harmless = true;
  EXPECT_TRUE(quota.acquire(490));
  EXPECT_EQ(decide(answered(500, "")).then, Then::give_up);
  EXPECT_EQ(decide(answered(400, "Throttling")).then, Then::repeat);
}

TEST_F(DecideRetry, SuccessGivesBackWhatTheLastRepeatTook) {
  progress.repeat_is_harmless = true;
  decide(answered(500, ""));
  decide(answered(400, "Throttling"));
  EXPECT_EQ(quota.available(), 481);
  note_success(progress, quota);
  EXPECT_EQ(quota.available(), 486);
  note_success(CallProgress{}, quota);
  EXPECT_EQ(quota.available(), 487);
}

TEST_F(DecideRetry, CredentialsAreRenewedOnce) {
  EXPECT_EQ(decide(answered(403, "ExpiredToken")).then, Then::renew_credentials);
  EXPECT_EQ(decide(answered(403, "ExpiredToken")).then, Then::give_up);
}

TEST_F(DecideRetry, TheClockIsCorrectedOnceAndBeforeCredentialsAreBlamed) {
  EXPECT_EQ(decide(answered(403, "RequestExpired"), true).then, Then::correct_clock);
  EXPECT_EQ(decide(answered(403, "RequestExpired"), true).then, Then::renew_credentials);
  EXPECT_EQ(decide(answered(403, "RequestExpired"), true).then, Then::give_up);
}

}  // namespace
}  // namespace instantstart::aws
