#include <algorithm>

#include "base/text.h"
#include "capabilities/environments/environment_steps.h"

namespace instantstart::capabilities {
namespace {

using contract::Plan;
using contract::StepEffect;

std::string title_of(const Plan& plan) {
  const auto dangers = plan.dangers();
  return dangers.empty() ? plan.summary : join(dangers, "; ");
}

}  // namespace

StepEffect worst_effect(const Plan& plan) {
  StepEffect worst = StepEffect::none;
  const auto rank = [](StepEffect effect) { return std::pair(contract::is_dangerous(effect), effect); };
  for (const auto& step : plan.steps) {
    if (rank(step.effect) > rank(worst)) worst = step.effect;
  }
  return worst;
}

void StageList::add(Stage stage) {
  contract::PlannedStep step{.id = std::move(stage.id),
                             .kind = std::move(stage.kind),
                             .title = std::move(stage.title),
                             .effect = stage.effect,
                             .after = std::move(stage.after),
                             .calls = std::move(stage.calls),
                             .input = std::move(stage.input)};
  if (stage.plan) {
    step.title = title_of(*stage.plan);
    step.effect = worst_effect(*stage.plan);
    for (auto& child : stage.plan->steps) {
      std::ranges::move(child.calls, std::back_inserter(step.calls));
    }
    for (auto& warning : stage.plan->warnings) warn(std::move(warning));
  }
  std::erase_if(step.calls, [&](const contract::PlannedCall& call) {
    return listed_.contains({call.call, call.subject});
  });
  for (const auto& call : step.calls) listed_.emplace(call.call, call.subject);
  steps.push_back(std::move(step));
}

void StageList::warn(std::string warning) {
  if (std::ranges::count(warnings, warning) == 0) warnings.push_back(std::move(warning));
}

}  // namespace instantstart::capabilities
