// Operation kinds and step kinds by name: what the engine can run.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "contract/plan.h"
#include "net/task.h"
#include "operations/step.h"

namespace instantstart::operations {

/// How far an operation's lease on its subject reaches.
enum class Scope {
  tree,  ///< Its subject and all below: nothing else may work there.
  leaf,  ///< Its subject alone; it runs beside operations above it, unless one of those removes the subject's
         ///< parent.
};

struct OperationKind {
  std::string name;  ///< Equal to the action that starts it, mostly.
  Scope scope = Scope::tree;
  bool removes = false;      ///< Takes its subject away: leaf operations below conflict with it.
  std::size_t parallel = 8;  ///< Steps that may run at once.
};

/// An operation that another one runs as a step.
struct PlannedChild {
  contract::Plan plan;
  json::object input;  ///< The request behind it, as its action would take it.
};
Type describe(PlannedChild*);

/// Plans the child of a step when the step's turn comes: it may look at what earlier steps made, and changes
/// nothing. Called again after a crash or a retry, until the child is there; the plan that is written down
/// before the start is the one that runs. Must be back at the context's deadline.
using ChildPlanner = std::function<Task<PlannedChild>(StepContext context, json::object input)>;

/// Filled by the composition before the engine is made, checked by the engine at its start: an unfinished
/// operation whose kinds are unknown is a fault that is reported, never skipped.
class KindRegistry {
 public:
  void add(OperationKind kind);
  void add(std::unique_ptr<const StepKind> step);
  /// A step kind that runs another operation, as k_child_operation_step does, but plans it late. Where the
  /// plan has no steps nothing is started, and the step is done.
  void add_child(std::string step_kind, ChildPlanner planner);

  const OperationKind* operation(std::string_view name) const;
  /// Those that run other operations are not among them: the engine has them.
  const StepKind* step(std::string_view name) const;
  const std::map<std::string, ChildPlanner, std::less<>>& child_planners() const { return planners_; }

 private:
  std::map<std::string, OperationKind, std::less<>> operations_;
  std::map<std::string, std::unique_ptr<const StepKind>, std::less<>> steps_;
  std::map<std::string, ChildPlanner, std::less<>> planners_;
};

}  // namespace instantstart::operations
