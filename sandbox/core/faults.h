// The fault plan: what shall go wrong, by call, and how often. Set over the control API; durable, so a
// restart goes on where it was.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/describe.h"
#include "sandbox/core/world.h"

namespace instantstart::sandbox {

enum class FaultKind {
  error,         ///< Answers `code` with `status`; nothing is carried out.
  throttle,      ///< The throttling error as that service spells it; nothing is carried out.
  server_error,  ///< 500 as that service spells it; nothing is carried out.
  drop_request,  ///< Closes the connection without carrying it out.
  drop_reply,    ///< Carries it out and closes the connection without an answer.
  late_reply,    ///< Carries it out at once, answers after `delay_ms` of wall time.
  slow,          ///< Waits `delay_ms` of wall time, then carries it out.
  expired_credentials,
  access_denied,
  resource_failure,  ///< The call succeeds; what it makes fails later, with `code` as the reason.
};

struct FaultRule {
  std::string service;    ///< "ec2"; "*" is any
  std::string operation;  ///< "CreateSubnet"; "*" is any
  FaultKind kind = FaultKind::error;
  std::optional<std::string> code;  ///< Required by error and resource_failure.
  std::optional<std::string> message;
  std::optional<std::int32_t> status;    ///< HTTP, of error; 400 when absent.
  std::optional<std::int64_t> delay_ms;  ///< Required by late_reply and slow.
  std::int64_t skip = 0;                 ///< So many matching calls pass first.
  std::int64_t times = 1;                ///< Then so many are hit; 0 is all.
  std::optional<std::string> contains;   ///< Only calls whose request, as API JSON text, contains this.
  std::optional<double> probability;     ///< Of a hit, once `skip` calls have passed; by the world's seed.
  /// Only calls that this service makes on a client's behalf ("cloudformation.amazonaws.com"); absent: only
  /// calls of clients. Of the former, only kinds error, access_denied and resource_failure mean something.
  std::optional<std::string> invoked_by = {};
};

Type describe(FaultKind*);
Type describe(FaultRule*);

/// The name of the kind in JSON: "drop_reply".
std::string_view fault_kind_name(FaultKind kind);

/// A rule with what has become of it.
struct PlannedFault {
  FaultRule rule;
  std::int64_t seen = 0;  ///< Matching calls so far.
  std::int64_t hits = 0;

  bool used_up() const { return rule.times > 0 && hits >= rule.times; }
};
Type describe(PlannedFault*);

/// Rules are asked in order; the first that hits wins. A call counts as seen by every rule that matches it
/// and is asked. A reset of the world ends the plan.
class FaultPlan {
 public:
  explicit FaultPlan(World& world);

  void replace(const std::vector<FaultRule>& rules);
  /// Those that can still hit, in order, with what is left of skip and times.
  std::vector<FaultRule> rules() const;

  /// The rule that hits this call, if any; it counts as used.
  std::optional<FaultRule> hit(std::string_view service, std::string_view operation,
                               const json::object& request, std::string_view invoked_by = {});

 private:
  /// Counts the call; true when it is hit.
  bool count(std::size_t position, PlannedFault& planned) const;

  World& world_;
  Collection<PlannedFault> planned_;  ///< By position in the plan.
};

}  // namespace instantstart::sandbox
