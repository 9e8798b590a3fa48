#include <cstdio>
#include <cstdlib>
#include <numeric>

#include "base/text.h"
#include "contract/action.h"

namespace instantstart::contract {

ActionTable::ActionTable(std::vector<Action> actions)
    : actions_(std::move(actions)), by_name_(actions_.size()) {
  if (const auto found = faults(actions_); !found.empty()) {
    for (const auto& fault : found) std::fprintf(stderr, "action table: %s\n", fault.c_str());
    std::abort();
  }
  std::iota(by_name_.begin(), by_name_.end(), std::size_t{0});
  std::ranges::sort(by_name_, {},
                    [this](std::size_t i) -> std::string_view { return actions_[i].spec.name; });
}

const Action* ActionTable::find(std::string_view name) const {
  const auto name_at = [this](std::size_t i) -> std::string_view { return actions_[i].spec.name; };
  const auto found = std::ranges::lower_bound(by_name_, name, {}, name_at);
  return found != by_name_.end() && name_at(*found) == name ? &actions_[*found] : nullptr;
}

std::optional<std::string> ActionTable::nearest_name(std::string_view name) const {
  std::vector<std::string_view> names;
  for (const auto& action : actions_) names.emplace_back(action.spec.name);
  return nearest(name, names);
}

}  // namespace instantstart::contract
