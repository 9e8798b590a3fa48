#include <algorithm>
#include <map>
#include <ranges>
#include <set>

#include <fmt/format.h>

#include "base/pattern.h"
#include "base/text.h"
#include "contract/plan.h"

namespace instantstart::contract {
namespace {

using StepsById = std::map<std::string_view, const PlannedStep*>;

bool is_kind(std::string_view text) {
  static const Pattern k_kind("^[a-z][a-z0-9]*(_[a-z0-9]+)*$");
  return k_kind.matches(text);
}

/// A path alternates kinds and names: "cluster/a/group/workers". Conflicts between operations are found by
/// comparing paths piece by piece, so the pieces must be clean.
bool is_subject_path(std::string_view path) {
  static const Pattern k_name("^[^\\s\\pC]+$");
  const auto pieces = split(path, '/');
  if (pieces.size() % 2 != 0) return false;
  for (std::size_t i = 0; i < pieces.size(); i += 2) {
    if (!is_kind(pieces[i]) || !k_name.matches(pieces[i + 1])) return false;
  }
  return true;
}

void check_step(const PlannedStep& step, std::vector<std::string>& faults) {
  if (step.id.empty()) faults.push_back(fmt::format("a step has no id (title '{}')", step.title));
  if (!is_kind(step.kind)) {
    faults.push_back(fmt::format("step '{}': the kind '{}' is not lower_snake", step.id, step.kind));
  }
  if (step.title.empty()) faults.push_back(fmt::format("step '{}' has no title", step.id));
}

StepsById check_ids(const Plan& plan, std::vector<std::string>& faults) {
  StepsById by_id;
  for (const auto& step : plan.steps) {
    if (!by_id.emplace(step.id, &step).second)
      faults.push_back(fmt::format("two steps have the id '{}'", step.id));
  }
  for (const auto& step : plan.steps) {
    for (const auto& before : step.after) {
      if (!by_id.contains(before)) {
        faults.push_back(
            fmt::format("step '{}' comes after '{}', which is not in the plan", step.id, before));
      }
    }
  }
  return by_id;
}

/// Takes away, again and again, the steps whose predecessors are all gone; what stays waits for a cycle.
std::set<std::string_view> never_ready(const StepsById& by_id) {
  std::set<std::string_view> left;
  for (const auto& id : by_id | std::views::keys) left.insert(id);
  const auto waits = [&](std::string_view id) {
    return std::ranges::any_of(by_id.at(id)->after,
                               [&](const std::string& before) { return left.contains(before); });
  };
  while (std::erase_if(left, [&](std::string_view id) { return !waits(id); }) > 0) {
  }
  return left;
}

/// Every step that is never ready comes after another such, so walking back from any of them ends in the
/// cycle.
void check_cycle(const StepsById& by_id, std::vector<std::string>& faults) {
  const auto stuck = never_ready(by_id);
  if (stuck.empty()) return;
  std::vector<std::string> walked;
  std::string_view at = *stuck.begin();
  while (std::ranges::find(walked, at) == walked.end()) {
    walked.emplace_back(at);
    at =
        *std::ranges::find_if(by_id.at(at)->after, [&](const std::string& id) { return stuck.contains(id); });
  }
  walked.erase(walked.begin(), std::ranges::find(walked, at));
  walked.emplace_back(at);
  faults.push_back(fmt::format("steps wait for each other: {}", join(walked, " after ")));
}

}  // namespace

std::vector<std::string> plan_faults(const Plan& plan) {
  std::vector<std::string> faults;
  if (!is_kind(plan.kind)) faults.push_back(fmt::format("the kind '{}' is not lower_snake", plan.kind));
  if (plan.version < 1) faults.push_back(fmt::format("the version is {}, and the first is 1", plan.version));
  if (!is_subject_path(plan.subject)) {
    faults.push_back(fmt::format("the subject '{}' is not a path of kinds and names", plan.subject));
  }
  if (plan.summary.empty()) faults.emplace_back("there is no summary");
  for (const auto& step : plan.steps) check_step(step, faults);
  check_cycle(check_ids(plan, faults), faults);
  return faults;
}

}  // namespace instantstart::contract
