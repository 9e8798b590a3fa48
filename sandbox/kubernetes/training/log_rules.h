// Log monitoring as the agent does it: rules over the standard output of local rank 0, matched from the
// beginning of each line. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/describe.h"
#include "base/json.h"
#include "base/time.h"
#include "base/untrusted_pattern.h"

namespace instantstart::sandbox::kubernetes {

struct LogRule {
  std::string name;
  UntrustedPattern pattern;
  std::optional<UntrustedPattern> stop;
  std::optional<seconds> start_within;
  std::optional<seconds> again_within;
  std::string comparison;  ///< "gt", or "" for a rule without a metric.
  std::int64_t threshold = 0;
  std::int64_t data_points = 1;
};

/// spec.runPolicy.logMonitoringConfiguration. As with the agent, one rule that can't be read drops them all.
std::vector<LogRule> log_rules_of(const json::object& job);

/// What was seen of one rule since the workers began.
struct RuleWatch {
  std::string rule;
  std::int64_t matches = 0;
  std::int64_t bad_in_a_row = 0;
  std::string last_match;  ///< RFC 3339
  bool retired = false;    ///< Its stop pattern matched.
};
Type describe(RuleWatch*);

std::vector<RuleWatch> fresh_watches(const std::vector<LogRule>& rules);

/// The name of the rule whose metric is bad now.
std::optional<std::string> watch_line(const std::vector<LogRule>& rules, std::vector<RuleWatch>& watches,
                                      std::string_view line, WallTime now);

struct Silence {
  std::optional<std::string> rule;    ///< One that has waited too long.
  std::optional<milliseconds> until;  ///< Else: the time (simulated) until one will have.
};
/// `scale` is simulated time per real time; `begun` is when the workers began.
Silence silence_of(const std::vector<LogRule>& rules, const std::vector<RuleWatch>& watches, WallTime begun,
                   WallTime now, std::int64_t scale);

}  // namespace instantstart::sandbox::kubernetes
