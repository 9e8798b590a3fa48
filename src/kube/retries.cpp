#include "kube/retries.h"

#include <algorithm>

namespace instantstart::kube {
namespace {

constexpr milliseconds k_base{100};
constexpr milliseconds k_most{5'000};

/// A 5xx that a later attempt may not meet.
bool passes(const Status& status) {
  return status.code == 502 || status.code == 503 || status.code == 504 || status.reason == "ServerTimeout" ||
         status.reason == "Timeout" || status.retry_after.has_value();
}

}  // namespace

milliseconds backoff(int attempt, milliseconds base, milliseconds most, Random& random) {
  milliseconds full = base;
  for (int i = 1; i < attempt && full < most; ++i) full *= 2;
  full = std::min(full, most);
  return milliseconds(
      static_cast<milliseconds::rep>(static_cast<double>(full.count()) * (0.5 + random.unit() / 2)));
}

bool provably_did_not_run(const AttemptEnd& end) {
  if (end.kind == AttemptEnd::Kind::not_sent) return true;
  if (end.kind == AttemptEnd::Kind::lost) return false;
  const Status& status = end.status;
  const bool refused = status.code >= 300 && status.code < 500 && status.code != 408;
  return refused || status.webhook_failed() || to_error(status).code == "invalid_request";
}

RetryDecision decide_retry(const AttemptEnd& end, bool repeat_is_harmless, const RetryProgress& progress,
                           Random& random) {
  using Then = RetryDecision::Then;
  const Status& status = end.status;
  const bool refused = end.kind == AttemptEnd::Kind::refused;
  if (refused && status.code == 401 && !progress.token_renewed) return {.then = Then::renew_token};
  const bool did_not_run = provably_did_not_run(end);
  const Then otherwise = did_not_run || repeat_is_harmless ? Then::give_up : Then::outcome_unknown;
  if (progress.attempt >= k_max_attempts) return {.then = otherwise};
  const bool again = refused ? status.code == 429 || (repeat_is_harmless && !did_not_run && passes(status))
                             : did_not_run || repeat_is_harmless;
  if (!again) return {.then = otherwise};
  const milliseconds wait = status.retry_after.value_or(milliseconds{0});
  if (wait > k_longest_wait) return {.then = otherwise};
  return {.then = Then::repeat, .delay = std::max(wait, backoff(progress.attempt, k_base, k_most, random))};
}

}  // namespace instantstart::kube
