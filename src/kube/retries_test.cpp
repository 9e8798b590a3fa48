#include "kube/retries.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace instantstart::kube {
namespace {

using Kind = AttemptEnd::Kind;
using Then = RetryDecision::Then;

AttemptEnd refused(int code, std::string reason = "", std::string message = "") {
  return {.kind = Kind::refused,
          .status = {.code = code, .reason = std::move(reason), .message = std::move(message)}};
}

struct Row {
  AttemptEnd end;
  Then change;    ///< A call whose repeat might do harm.
  Then harmless;  ///< A read, or one that may run twice.
};

TEST(KubeRetries, OnlyWhatDidNotRunOrIsHarmlessIsSentAgain) {
  SeededRandom random(1);
  const std::vector<Row> table{
      {{.kind = Kind::not_sent}, Then::repeat, Then::repeat},
      {{.kind = Kind::lost}, Then::outcome_unknown, Then::repeat},
      {refused(401), Then::renew_token, Then::renew_token},
      {refused(429), Then::repeat, Then::repeat},
      {refused(404), Then::give_up, Then::give_up},
      {refused(408), Then::outcome_unknown, Then::give_up},
      {refused(409), Then::give_up, Then::give_up},
      {refused(500, "InternalError"), Then::outcome_unknown, Then::give_up},
      {refused(500, "ServerTimeout"), Then::outcome_unknown, Then::repeat},
      {refused(500, "InternalError", "failed calling webhook \"w\": refused"), Then::give_up, Then::give_up},
      {refused(500, "", "failed to create typed patch object (a): .b"), Then::give_up, Then::give_up},
      {refused(502), Then::outcome_unknown, Then::repeat},
      {refused(503, "ServiceUnavailable"), Then::outcome_unknown, Then::repeat},
      {refused(504, "Timeout"), Then::outcome_unknown, Then::repeat},
      {refused(301), Then::give_up, Then::give_up},
  };
  for (const Row& row : table) {
    const auto change = decide_retry(row.end, false, {}, random);
    const auto harmless = decide_retry(row.end, true, {}, random);
    EXPECT_EQ(change.then, row.change) << row.end.status.code << row.end.status.message;
    EXPECT_EQ(harmless.then, row.harmless) << row.end.status.code << row.end.status.message;
  }
}

TEST(KubeRetries, ATokenIsRenewedOnce) {
  SeededRandom random(1);
  EXPECT_EQ(decide_retry(refused(401), false, {.token_renewed = true}, random).then, Then::give_up);
}

TEST(KubeRetries, AttemptsEnd) {
  SeededRandom random(1);
  EXPECT_EQ(decide_retry({.kind = Kind::not_sent}, false, {.attempt = k_max_attempts}, random).then,
            Then::give_up);
  EXPECT_EQ(decide_retry({.kind = Kind::lost}, true, {.attempt = k_max_attempts}, random).then,
            Then::give_up);
}

TEST(KubeRetries, RetryAfterIsWaitedForWithinReason) {
  SeededRandom random(1);
  AttemptEnd busy = refused(429);
  busy.status.retry_after = seconds(3);
  EXPECT_EQ(decide_retry(busy, false, {}, random).delay, seconds(3));
  busy.status.retry_after = seconds(31);
  EXPECT_EQ(decide_retry(busy, false, {}, random).then, Then::give_up);
}

TEST(KubeRetries, BackoffDoublesUpToItsLimit) {
  SeededRandom random(1);
  for (int attempt = 1; attempt < 70; ++attempt) {
    const milliseconds full(std::min<std::int64_t>(100LL << std::min(attempt - 1, 20), 5000));
    const auto wait = backoff(attempt, milliseconds(100), milliseconds(5000), random);
    EXPECT_GE(wait, full / 2) << attempt;
    EXPECT_LE(wait, full) << attempt;
  }
}

}  // namespace
}  // namespace instantstart::kube
