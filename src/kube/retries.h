// Which failed calls to an API server are sent again, and when. Pure: how an attempt ended goes in, a
// decision comes out.
//
// Sent again: what provably did not run (nothing left, 401 once with a new token, 429), and, of calls whose
// repeat is harmless, what broke off or ended in a 5xx that passes. All else is the caller's to look at: a
// repeated create could make two objects, a repeated delete could hit a successor of the same name.
#pragma once

#include <optional>

#include "base/random.h"
#include "base/time.h"
#include "kube/status.h"

namespace instantstart::kube {

inline constexpr int k_max_attempts = 5;
/// What a server asks for by Retry-After is waited for up to this; longer waits are the caller's.
inline constexpr seconds k_longest_wait{30};

struct AttemptEnd {
  enum class Kind {
    not_sent,  ///< Provably no byte of it left.
    lost,      ///< Sent, at least in part, and there is no usable answer.
    refused,   ///< The server said no: `status`.
  };

  Kind kind;
  Status status = {};
};

struct RetryProgress {
  int attempt = 1;  ///< The one that has just ended.
  bool token_renewed = false;
};

struct RetryDecision {
  enum class Then {
    repeat,           ///< After the delay.
    renew_token,      ///< Then repeat at once.
    give_up,          ///< What ended the attempt is the answer.
    outcome_unknown,  ///< It may have run.
  };

  Then then;
  milliseconds delay{0};
};

RetryDecision decide_retry(const AttemptEnd& end, bool repeat_is_harmless, const RetryProgress& progress,
                           Random& random);

/// True when this end proves that the call changed nothing: not sent, refused with a 4xx, or by a webhook
/// that could not be asked.
bool provably_did_not_run(const AttemptEnd& end);

/// Half to all of base × 2^(attempt − 1), at most `most`.
milliseconds backoff(int attempt, milliseconds base, milliseconds most, Random& random);

}  // namespace instantstart::kube
