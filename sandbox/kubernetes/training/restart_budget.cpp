#include "sandbox/kubernetes/training/restart_budget.h"

#include <limits>

#include "sandbox/kubernetes/api/metadata.h"
#include "sandbox/kubernetes/cluster/workload.h"

namespace instantstart::sandbox::kubernetes {

Type describe(RestartCounts*) {
  using C = RestartCounts;
  return object_type<C>(
      "RestartCounts", "Restarts of a job.",
      {field<&C::all>("all", "Since it began."), field<&C::window>("window", "Its number."),
       field<&C::in_window>("in_window", "In place."), field<&C::full>("full", "Of the whole job."),
       field<&C::window_began>("window_began", "RFC 3339.", {.defaulted = true})});
}

RestartDecision decide_restart(const json::object& run_policy, RestartCounts counts, milliseconds window_age,
                               const std::string& now) {
  const bool limited = run_policy.contains("jobMaxRetryCount");
  const json::object& policy = member_object(run_policy, "restartPolicy");
  if (!limited && policy.empty()) return {.kind = RestartKind::none, .counts = counts, .limit = {}};
  if (limited && counts.all >= number_at(run_policy, "jobMaxRetryCount")) {
    return {.kind = RestartKind::none, .counts = counts, .limit = "jobMaxRetryCount"};
  }
  const std::int64_t left_out = limited ? std::numeric_limits<std::int64_t>::max() : 0;
  const std::int64_t period = number_at(policy, "evalPeriodSeconds");
  if (counts.window_began.empty()) counts.window_began = now;
  if (period > 0 && window_age > seconds(period)) {
    counts = {.all = counts.all, .window = counts.window + 1, .window_began = now};
  }
  RestartDecision decision{.kind = RestartKind::none, .counts = counts, .limit = {}};
  if (counts.in_window < number_at(policy, "numRestartBeforeFullJobRestart", left_out)) {
    decision.kind = RestartKind::in_place;
    ++decision.counts.in_window;
  } else if (counts.full < number_at(policy, "maxFullJobRestarts", left_out)) {
    decision.kind = RestartKind::whole_job;
    decision.counts.in_window = 0;
    ++decision.counts.full;
  } else {
    decision.limit = "maxFullJobRestarts";
    return decision;
  }
  ++decision.counts.all;
  return decision;
}

}  // namespace instantstart::sandbox::kubernetes
