// How often the operator brings a job back: in place, with new pods, or not any more. Pure.
//
// jobMaxRetryCount limits all restarts. restartPolicy counts within windows of evalPeriodSeconds: after
// numRestartBeforeFullJobRestart restarts in place comes one of the whole job, of which there are at most
// maxFullJobRestarts. AWS says nothing of what is left out; here a number that is left out is no limit when
// jobMaxRetryCount is there, else 0. So a job without both fails with its first fault.
#pragma once

#include <cstdint>
#include <string>

#include "base/describe.h"
#include "base/json.h"
#include "base/time.h"

namespace instantstart::sandbox::kubernetes {

/// What status.restartCount and status.restartStatus say.
struct RestartCounts {
  std::int64_t all = 0;
  std::int64_t window = 0;     ///< Number of the current window.
  std::int64_t in_window = 0;  ///< In place, since the last full restart.
  std::int64_t full = 0;       ///< In this window.
  std::string window_began;    ///< RFC 3339; empty before the first fault.
};
Type describe(RestartCounts*);

enum class RestartKind { in_place, whole_job, none };

struct RestartDecision {
  RestartKind kind = RestartKind::none;
  RestartCounts counts;  ///< With this restart.
  std::string limit;     ///< Why not: "jobMaxRetryCount", "maxFullJobRestarts"; empty: none are asked for.
};

/// Of a fault. `window_age` is the simulated age of the current window.
RestartDecision decide_restart(const json::object& run_policy, RestartCounts counts, milliseconds window_age,
                               const std::string& now);

}  // namespace instantstart::sandbox::kubernetes
