// The step kinds of environments, and how their stages come into a plan.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "access/selection_store.h"
#include "base/describe.h"
#include "contract/plan.h"
#include "fleet/fleet.h"
#include "operations/step.h"

namespace instantstart::capabilities {

// Steps that run an operation which is planned when their turn comes; the input is that operation's request.
inline constexpr std::string_view k_dependencies_stage = "environment_dependencies";
inline constexpr std::string_view k_hyperpod_stage = "environment_hyperpod";
inline constexpr std::string_view k_storage_stage = "environment_storage";
inline constexpr std::string_view k_storage_removal_stage = "environment_storage_removal";
inline constexpr std::string_view k_hyperpod_removal_stage = "environment_hyperpod_removal";
inline constexpr std::string_view k_dependency_removal_stage = "environment_dependency_removal";
inline constexpr std::string_view k_control_plane_removal_stage = "environment_control_plane_removal";

inline constexpr std::string_view k_select_step = "environment_select";

// --- stages of a plan: pure
// ---------------------------------------------------------------------------------

struct Stage {
  std::string id;
  std::string kind;
  std::vector<std::string> after;
  json::object input;
  std::optional<contract::Plan> plan;  ///< Of the operation that it runs; absent: it can't be planned yet.
  std::string title;                   ///< Without a plan.
  contract::StepEffect effect = contract::StepEffect::none;  ///< …
  std::vector<contract::PlannedCall> calls;                  ///< …
};

/// Puts stages one after the other into a plan. A stage has the calls of its operation, the worst of its
/// effects, and what is dangerous in its title. A call that an earlier stage makes is not listed again.
class StageList {
 public:
  void add(Stage stage);
  void warn(std::string warning);

  bool has_calls() const { return !listed_.empty(); }
  std::vector<contract::PlannedStep> steps;
  std::vector<std::string> warnings;  ///< Each once.

 private:
  std::set<std::pair<std::string, std::string>> listed_;
};

/// The one that has to be confirmed before the others; else the one that changes most.
contract::StepEffect worst_effect(const contract::Plan& plan);

// --- selection
// ----------------------------------------------------------------------------------------------

struct SelectInput {
  std::string cluster;   ///< Key
  std::string asked_at;  ///< RFC 3339: what the starter selected later stays.
};
Type describe(SelectInput*);

/// Selects the cluster for who started the operation.
std::unique_ptr<const operations::StepKind> select_step(access::SelectionStore& selections,
                                                        fleet::Fleet& fleet);

}  // namespace instantstart::capabilities
