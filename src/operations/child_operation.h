// The step kinds that run other operations: k_child_operation_step, and those of KindRegistry::add_child.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "operations/engine.h"
#include "operations/journal.h"
#include "operations/kind.h"
#include "operations/step.h"

namespace instantstart::operations {

/// The type under which a child stands in its parent's inventory; views show what the child made instead.
inline constexpr std::string_view k_child_resource = "operation";

/// What a child step sees of one child.
struct ChildSeen {
  std::string id;
  std::string kind;
  std::string token;
  OperationState state = OperationState::pending;
  bool rollback = false;
  std::int64_t steps_done = 0;
  std::int64_t steps_total = 0;
  std::optional<Question> question;  ///< needs_input: of the step that asks.
  std::optional<Error> error;        ///< failed, or needs_input for a step that is blocked.
  json::object outputs;              ///< succeeded
};
Type describe(ChildSeen*);

/// What a child step needs of the engine. A failing store is `unknown_outcome`: whether it committed isn't
/// known.
class ChildOperations {
 public:
  virtual ~ChildOperations() = default;
  /// Of one step, oldest first.
  virtual Task<std::vector<ChildSeen>> look(std::string parent_id, std::string step_id) = 0;
  /// One child a token, however often it is called.
  virtual Task<> start(journal::Parent parent, contract::Plan plan, json::object input,
                       std::string principal) = 0;
  virtual Task<> roll_back(std::string id) = 0;
};

using ChildStepKinds = std::map<std::string, std::unique_ptr<const StepKind>, std::less<>>;
/// All by name, with those that the registry has planners for. They live as long as both.
ChildStepKinds child_step_kinds(ChildOperations& children, const KindRegistry& registry);

}  // namespace instantstart::operations
