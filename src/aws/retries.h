// Which failed calls are sent again, when, and what is said of those that are not. Pure: a failure goes in, a
// decision comes out. The decisions equal those of botocore's `standard` mode (retries/standard.py) but for
// the list below.
//
// Different from botocore, all of it because a call that changes something must not run twice:
// 1. A failure that leaves open whether the call ran (no answer, or a 5xx) is repeated only when a repeat is
//    harmless: the operation reads, its idempotency token is set, or the caller says so. Otherwise the
//    outcome is unknown.
// 2. LimitExceededException counts as throttling in botocore, whatever service says it. The services used
//    here say it of quotas that waiting does not raise (IAM, CloudWatch Logs, CloudFormation): it is repeated
//    only where the service's model marks it as throttling.
// 3. Expired credentials are renewed and the call repeated, once; it was refused before it ran.
// 4. A clock that AWS calls wrong is corrected by the answer's Date and the call repeated, once.
// 5. A repeat that would begin after the call's deadline is not waited for.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "aws/shapes/shape.h"
#include "base/random.h"
#include "base/time.h"

namespace instantstart::aws {

/// How one attempt failed.
struct Failure {
  enum class Kind {
    not_sent,  ///< Provably no byte of the request left.
    lost,      ///< Sent, at least in part; there is no usable answer.
    answered,  ///< AWS said no.
  };

  Kind kind = Kind::answered;
  int status = 0;                                ///< answered: HTTP status
  std::string code = {};                         ///< answered: AWS's error code; may be empty
  std::optional<milliseconds> retry_after = {};  ///< The header x-amz-retry-after.
};

enum class FailureClass { definite, transient, throttling };

/// botocore's classification, with difference 2.
FailureClass classify(const OperationInfo& operation, const Failure& failure);

/// True when the failure proves that the call did not run: not sent, throttled, or refused with a 4xx that is
/// not about time running out.
bool provably_did_not_run(const OperationInfo& operation, const Failure& failure);

/// Allows as many repeats as successes pay for: when AWS is down, the callers do not multiply their load. One
/// for each client (service and account context). Loop thread only.
class RetryQuota {
 public:
  static constexpr int k_capacity = 500;
  static constexpr int k_retry_cost = 14;
  static constexpr int k_throttling_retry_cost = 5;
  static constexpr int k_success_refund = 1;

  bool acquire(int amount);
  void release(int amount);
  int available() const { return available_; }

 private:
  int available_ = k_capacity;
};

/// What is remembered between the attempts of one call.
struct CallProgress {
  int attempt = 1;  ///< The one that has just ended.
  int max_attempts = 3;
  bool repeat_is_harmless = false;  ///< A read, a token is set, or the caller says so.
  bool credentials_renewed = false;
  bool clock_corrected = false;
  int quota_held = 0;  ///< What the last repeat took from the quota; given back when it succeeds.
};

struct RetryDecision {
  enum class Then {
    repeat,             ///< After the delay.
    renew_credentials,  ///< Then repeat at once.
    correct_clock,      ///< Then repeat at once.
    give_up,            ///< The failure is the answer.
    outcome_unknown,    ///< It may have run; nobody repeats it without looking first.
  };

  Then then;
  milliseconds delay{0};
};

/// `clock_is_off`: the answer's Date shows that the request was signed for another time (clock_skew.h). Takes
/// from the quota when it decides to repeat, and notes in `progress` what it decided.
RetryDecision decide_retry(const OperationInfo& operation, const Failure& failure, bool clock_is_off,
                           CallProgress& progress, RetryQuota& quota, Random& random);

/// Returns to the quota what a success earns.
void note_success(const CallProgress& progress, RetryQuota& quota);

/// rand(0, 1) × min(base × 2^(attempt − 1), 20 s); base is 1 s for throttling, else 50 ms. `retry_after`
/// raises it, by at most 5 s.
milliseconds backoff(FailureClass failure_class, int attempt, std::optional<milliseconds> retry_after,
                     Random& random);

/// The header's text in milliseconds; nullopt for what is no whole number of at least 0.
std::optional<milliseconds> parse_retry_after(std::string_view text);

/// The credentials of the request have expired; new ones will do.
bool is_expired_credentials(std::string_view aws_code);

}  // namespace instantstart::aws
