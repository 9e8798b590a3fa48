#include "aws/retries.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/text.h"

namespace instantstart::aws {
namespace {

constexpr std::chrono::duration<double, std::milli> k_throttling_base{1'000};
constexpr std::chrono::duration<double, std::milli> k_base{50};
constexpr std::chrono::duration<double, std::milli> k_longest_backoff{20'000};
constexpr milliseconds k_most_added{5'000};

/// botocore's TransientRetryableChecker.
constexpr auto k_transient_codes =
    std::to_array<std::string_view>({"RequestTimeout", "RequestTimeoutException", "PriorRequestNotComplete"});
constexpr auto k_transient_statuses = std::to_array({500, 502, 503, 504});

/// botocore's ThrottledRetryableChecker without LimitExceededException (difference 2).
constexpr auto k_throttling_codes = std::to_array<std::string_view>(
    {"Throttling", "ThrottlingException", "ThrottledException", "RequestThrottledException",
     "TooManyRequestsException", "ProvisionedThroughputExceededException", "TransactionInProgressException",
     "RequestLimitExceeded", "BandwidthLimitExceeded", "RequestThrottled", "SlowDown",
     "PriorRequestNotComplete", "EC2ThrottledException"});

constexpr auto k_expired_codes = std::to_array<std::string_view>(
    {"ExpiredToken", "ExpiredTokenException", "RequestExpired", "TokenRefreshRequired"});

template <class Range>
bool contains(const Range& range, const auto& value) {
  return std::ranges::find(range, value) != range.end();
}

const ErrorInfo* modelled(const OperationInfo& operation, std::string_view code) {
  for (const ErrorInfo* error : operation.errors) {
    if (error->code == code) return error;
  }
  return nullptr;
}

bool is_throttling(const Failure& failure, const ErrorInfo* model) {
  if (contains(k_throttling_codes, failure.code)) return true;
  if (model && model->retryable) return model->throttling;
  return failure.status == 429 && !model;
}

bool is_transient(const OperationInfo& operation, const Failure& failure, const ErrorInfo* model) {
  if (failure.kind != Failure::Kind::answered) return true;
  if (contains(k_transient_codes, failure.code) || contains(k_transient_statuses, failure.status))
    return true;
  if (model && model->retryable) return true;
  return operation.service->name == "sts" && failure.code == "IDPCommunicationError";
}

}  // namespace

FailureClass classify(const OperationInfo& operation, const Failure& failure) {
  const bool answered = failure.kind == Failure::Kind::answered;
  const ErrorInfo* model = answered ? modelled(operation, failure.code) : nullptr;
  if (answered && is_throttling(failure, model)) return FailureClass::throttling;
  return is_transient(operation, failure, model) ? FailureClass::transient : FailureClass::definite;
}

bool provably_did_not_run(const OperationInfo& operation, const Failure& failure) {
  if (failure.kind != Failure::Kind::answered) return failure.kind == Failure::Kind::not_sent;
  if (classify(operation, failure) == FailureClass::throttling) return true;
  if (failure.code == "RequestTimeout" || failure.code == "RequestTimeoutException") return false;
  // 501 and 505 refuse the request as such (RFC 9110 section 15.6).
  return failure.status < 500 || failure.status == 501 || failure.status == 505;
}

bool RetryQuota::acquire(int amount) {
  if (amount > available_) return false;
  available_ -= amount;
  return true;
}

void RetryQuota::release(int amount) { available_ = std::min(k_capacity, available_ + amount); }

RetryDecision decide_retry(const OperationInfo& operation, const Failure& failure, bool clock_is_off,
                           CallProgress& progress, RetryQuota& quota, Random& random) {
  using Then = RetryDecision::Then;
  const bool harmless = progress.repeat_is_harmless || provably_did_not_run(operation, failure);
  if (clock_is_off && !progress.clock_corrected) {
    progress.clock_corrected = true;
    return {.then = Then::correct_clock};
  }
  if (is_expired_credentials(failure.code) && !progress.credentials_renewed) {
    progress.credentials_renewed = true;
    return {.then = Then::renew_credentials};
  }
  if (!harmless) return {.then = Then::outcome_unknown};

  const auto failure_class = classify(operation, failure);
  if (failure_class == FailureClass::definite || progress.attempt >= progress.max_attempts) {
    return {.then = Then::give_up};
  }
  const int cost = failure_class == FailureClass::throttling ? RetryQuota::k_throttling_retry_cost
                                                             : RetryQuota::k_retry_cost;
  if (!quota.acquire(cost)) return {.then = Then::give_up};
  progress.quota_held = cost;
  return {.then = Then::repeat,
          .delay = backoff(failure_class, progress.attempt, failure.retry_after, random)};
}

void note_success(const CallProgress& progress, RetryQuota& quota) {
  quota.release(progress.quota_held > 0 ? progress.quota_held : RetryQuota::k_success_refund);
}

milliseconds backoff(FailureClass failure_class, int attempt, std::optional<milliseconds> retry_after,
                     Random& random) {
  const auto base = failure_class == FailureClass::throttling ? k_throttling_base : k_base;
  const auto most = std::min(base * std::exp2(std::max(attempt, 1) - 1), k_longest_backoff);
  const auto delay = std::chrono::round<milliseconds>(random.unit() * most);
  if (!retry_after) return delay;
  return std::max(delay, std::min(*retry_after, delay + k_most_added));
}

std::optional<milliseconds> parse_retry_after(std::string_view text) {
  const auto digits = trim(text);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size() || value < 0) return std::nullopt;
  return milliseconds(value);
}

bool is_expired_credentials(std::string_view aws_code) { return contains(k_expired_codes, aws_code); }

}  // namespace instantstart::aws
