// The engine's numbers: how long it waits, how often it tries.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/time.h"

namespace instantstart::operations {

/// An act with one request is sent so often before its step fails; operation_retry starts counting anew.
inline constexpr std::int64_t k_most_attempts = 5;
/// Acts of one step altogether, whatever they ask for: stops a step that runs away. The most that one needs
/// is an act for each batch of 25 nodes.
inline constexpr std::int64_t k_most_acts = 2'000;
/// Observes in a row that may fail.
inline constexpr std::int64_t k_most_failed_looks = 10;

/// Full jitter (Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015) between 0 and base *
/// 2^(n-1), capped.
inline constexpr milliseconds k_backoff_base{1'000};
inline constexpr milliseconds k_backoff_cap{60'000};

/// How long an observe may take.
inline constexpr milliseconds k_look_deadline{30'000};
/// A call that is not back at its deadline is cancelled this much later.
inline constexpr milliseconds k_grace{500};
/// A wait up to this long that shows nothing new is kept in memory alone: after a crash the step looks a
/// little early.
inline constexpr milliseconds k_short_wait{60'000};

/// Waits of the world in real time.
struct Pace {
  std::int64_t divisor = 1;
  milliseconds least_deadline{1'000};

  milliseconds wait(milliseconds world) const {
    return std::max(milliseconds(1), world / std::max<std::int64_t>(divisor, 1));
  }
  milliseconds deadline(milliseconds wanted) const {
    return std::max(wanted / std::max<std::int64_t>(divisor, 1), std::min(wanted, least_deadline));
  }
  /// Real time in the time of a world that runs faster.
  milliseconds world(milliseconds real) const { return real * std::max<std::int64_t>(divisor, 1); }
};

/// `jitter` is uniform in [0, 1); `n` counts failures, from 1.
inline milliseconds backoff(std::int64_t n, double jitter) {
  const auto shift = std::clamp<std::int64_t>(n - 1, 0, 20);
  const auto most = std::min(k_backoff_cap, k_backoff_base * (std::int64_t{1} << shift));
  return milliseconds(static_cast<std::int64_t>(jitter * static_cast<double>(most.count())));
}

}  // namespace instantstart::operations
