#include "operations/kind.h"

namespace instantstart::operations {

void KindRegistry::add(OperationKind kind) {
  std::string name = kind.name;
  operations_.insert_or_assign(std::move(name), std::move(kind));
}

void KindRegistry::add(std::unique_ptr<const StepKind> step) {
  std::string name(step->name());
  steps_.insert_or_assign(std::move(name), std::move(step));
}

void KindRegistry::add_child(std::string step_kind, ChildPlanner planner) {
  planners_.insert_or_assign(std::move(step_kind), std::move(planner));
}

const OperationKind* KindRegistry::operation(std::string_view name) const {
  const auto found = operations_.find(name);
  return found == operations_.end() ? nullptr : &found->second;
}

const StepKind* KindRegistry::step(std::string_view name) const {
  const auto found = steps_.find(name);
  return found == steps_.end() ? nullptr : found->second.get();
}

}  // namespace instantstart::operations
