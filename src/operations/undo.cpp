#include "operations/undo.h"

#include <algorithm>

namespace instantstart::operations {
namespace {

bool comes_after(const StepRecord& step, const std::string& id) {
  return std::ranges::find(step.after, id) != step.after.end();
}

}  // namespace

std::set<std::string> dependents_of(std::span<const StepRecord> steps, const std::string& id) {
  std::set<std::string> found;
  std::vector<std::string> open{id};
  while (!open.empty()) {
    const std::string before = std::move(open.back());
    open.pop_back();
    for (const auto& step : steps) {
      if (step.phase != Phase::forward || !comes_after(step, before)) continue;
      if (found.insert(step.id).second) open.push_back(step.id);
    }
  }
  return found;
}

bool may_undo(std::span<const StepRecord> steps, const std::string& id) {
  const auto dependents = dependents_of(steps, id);
  return std::ranges::none_of(steps, [&](const StepRecord& step) {
    return step.phase == Phase::undo && step.state != StepState::done && dependents.contains(step.id);
  });
}

}  // namespace instantstart::operations
