#include "contract/arguments.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/text.h"

namespace instantstart::contract {
namespace {

/// The type of the members beside the action's own, or nullptr.
const Type* common_type(const Action& action) {
  if (action.spec.effect != Effect::read) return &type_of<ChangeOptions>();
  return action.spec.paged ? &type_of<PageOptions>() : nullptr;
}

/// Moves the members that `type` has out of `members`.
json::object taken_out(json::object& members, const Type& type) {
  json::object taken;
  for (const auto& field : type.fields) {
    if (auto found = members.find(field.name); found != members.end()) {
      taken[field.name] = std::move(found->value());
      members.erase(found);
    }
  }
  return taken;
}

/// The decoder knew only the action's own members when it looked for the nearest name.
void name_nearest_of_all(const Action& action, const json::object& own, std::vector<FieldProblem>& problems) {
  std::vector<std::string_view> names;
  for (const auto& member : members_of(action)) names.push_back(member.field->name);
  for (const auto& sent : own) {
    const std::string pointer = join_pointer("", sent.key());
    for (auto& problem : problems) {
      if (problem.rule == "unknown_field" && problem.pointer == pointer)
        problem.nearest = nearest(sent.key(), names);
    }
  }
}

}  // namespace

std::vector<Member> members_of(const Type& type) {
  std::vector<Member> members;
  for (const auto& field : type.fields) members.push_back({&type, &field});
  return members;
}

std::vector<Member> members_of(const Action& action) {
  auto members = members_of(*action.request);
  if (const Type* common = common_type(action))
    std::ranges::copy(members_of(*common), std::back_inserter(members));
  return members;
}

Result<Arguments> decode_arguments(const Action& action, const json::value& sent, DecodeOptions options) {
  Arguments arguments{.request = action.make_request(), .change = {}, .page = {}};
  json::value own = sent;
  std::vector<FieldProblem> common_problems;
  if (const Type* common = common_type(action); common && own.is_object()) {
    const json::value taken = taken_out(own.get_object(), *common);
    void* target = action.spec.paged ? static_cast<void*>(&arguments.page) : &arguments.change;
    common_problems = decode_into(*common, taken, target, options);
  }
  auto problems = decode_into(*action.request, own, arguments.request.get(), options);
  if (own.is_object()) name_nearest_of_all(action, own.get_object(), problems);
  std::ranges::move(common_problems, std::back_inserter(problems));
  if (!problems.empty()) return fail(invalid_request(std::move(problems)));
  return arguments;
}

}  // namespace instantstart::contract
