#include <map>
#include <set>

#include <fmt/core.h>

#include "base/error_codes.h"
#include "base/pattern.h"
#include "base/text.h"
#include "contract/action.h"
#include "contract/arguments.h"
#include "contract/problem.h"
#include "contract/type_faults.h"

namespace instantstart::contract {
namespace {

constexpr std::size_t k_longest_name = 40;     // leaves MCP hosts room for a prefix within their 64
constexpr std::size_t k_longest_summary = 80;  // one line of `--help`

bool is_scalar(const Type& type) {
  switch (type.kind) {
    case Kind::boolean:
    case Kind::integer:
    case Kind::number:
    case Kind::string:
    case Kind::enumeration: return true;
    default: return false;
  }
}

const Field* field_of(const Type& type, std::string_view name) {
  const auto found = std::ranges::find(type.fields, name, &Field::name);
  return found == type.fields.end() ? nullptr : &*found;
}

/// The route with its members' names left out: two such routes would take the same requests.
std::string shape_of(std::string_view path) {
  std::string shape;
  bool inside = false;
  for (const char c : path) {
    if (c == '}') inside = false;
    if (!inside) shape += c;
    if (c == '{') inside = true;
  }
  return shape;
}

/// Looks at one row by itself and at its place among the others.
class RowChecker {
 public:
  RowChecker(const std::vector<Action>& actions, const Action& action, std::vector<std::string>& faults)
      : actions_(actions), action_(action), spec_(action.spec), faults_(faults) {}

  void check() {
    texts();
    if (!kinds()) return;
    method();
    path();
    members();
    query();
    paging();
    growing();
    following();
    codes();
    answer();
    example();
  }

 private:
  template <class... Values>
  void add(fmt::format_string<Values...> words, Values&&... values) {
    faults_.push_back(fmt::format("{}: {}", spec_.name, fmt::format(words, std::forward<Values>(values)...)));
  }

  void texts() {
    static const Pattern k_name("^[a-z][a-z0-9]*(_[a-z0-9]+)+$");
    if (!k_name.matches(spec_.name)) add("the name is not noun_verb in lower_snake");
    if (spec_.name.size() > k_longest_name) add("the name is longer than {} characters", k_longest_name);
    if (spec_.summary.empty()) add("there is no summary");
    if (code_points(spec_.summary) > k_longest_summary) {
      add("the summary is longer than {} characters", k_longest_summary);
    }
    if (spec_.summary.contains('\n')) add("the summary has more than one line");
    if (spec_.doc.empty()) add("there is no doc");
  }

  /// False when the row is not whole, so that nothing else can be looked at.
  bool kinds() {
    if (!action_.request || !action_.response || !action_.make_request) {
      add("the row was not made by read_action, local_action or change_action");
      return false;
    }
    if (action_.request->kind != Kind::object) add("the request is not an object");
    if (action_.response->kind != Kind::object) add("the response is not an object");
    const std::size_t wanted = spec_.effect == Effect::read ? 0 : spec_.effect == Effect::local ? 1 : 2;
    if (action_.handler.index() != wanted) add("the effect doesn't fit the kind of handler");
    return true;
  }

  void method() {
    static const std::set<std::string_view> k_methods{"DELETE", "GET", "PATCH", "POST", "PUT"};
    const auto method = action_.method();
    if (!k_methods.contains(method)) add("the method {} is none of DELETE, GET, PATCH, POST, PUT", method);
    if (method == "GET" && spec_.effect != Effect::read) add("GET is for reads only");
    if (spec_.effect == Effect::read && method != "GET" && method != "POST")
      add("a read can't be {}", method);
  }

  void path() {
    static const Pattern k_path("^(/([a-z0-9][a-z0-9_-]*|\\{[a-z][a-z0-9_]*\\}))+$");
    if (!k_path.matches(spec_.path))
      add("the path {} is not made of lower-case words and {{members}}", spec_.path);
    std::set<std::string_view> names;
    for (const auto name : path_members(spec_.path)) {
      if (!names.insert(name).second) add("the path has {} twice", name);
      const Field* field = field_of(*action_.request, name);
      if (!field) {
        add("the path member {} is not in the request", name);
      } else if (!is_scalar(field->type()) || !field->required()) {
        add("the path member {} must be a required scalar", name);
      } else if (field->options.secret || field->type().secret) {
        add("the path member {} is a secret", name);
      }
    }
    for (const auto& other : actions_) {
      if (&other == &action_) continue;
      if (shape_of(other.spec.path) != shape_of(spec_.path)) continue;
      if (other.method() == action_.method()) add("{} has the same route", other.spec.name);
      if (other.spec.path != spec_.path)
        add("{} names the members of the same path otherwise", other.spec.name);
    }
  }

  void members() {
    std::set<std::string_view> names;
    for (const auto& member : members_of(action_)) {
      if (!names.insert(member.field->name).second) {
        add("the member {} clashes with the one of {}", member.field->name, member.owner->name);
      }
    }
  }

  void query() {
    if (action_.has_body()) return;
    for (const auto& field : action_.request->fields) {
      const Type& type = field.type();
      if (!is_scalar(type) && !(type.kind == Kind::array && is_scalar(type.element()))) {
        add("the member {} can't travel in a query string, but a {} has no body", field.name,
            action_.method());
      }
    }
  }

  void paging() {
    if (spec_.paged && spec_.effect != Effect::read) add("only reads have pages");
    if (spec_.paged && !action_.handler_pages) add("it has pages, but the handler takes no PageOptions");
    if (!spec_.paged && action_.handler_pages) add("the handler takes PageOptions, but it has no pages");
    const Field* cursor = field_of(*action_.response, "next_cursor");
    if (spec_.paged && !(cursor && cursor->optional && cursor->type().kind == Kind::string)) {
      add("it has pages, but the response has no optional string next_cursor");
    }
  }

  /// A text that grows: what the command line needs to follow it.
  void growing() {
    if (!spec_.follows) return;
    if (spec_.effect != Effect::read) add("only reads follow a text");
    if (spec_.paged) add("it follows a text, so it can't have pages");
    const auto has = [](const Type& type, std::string_view name, Kind kind) {
      const Field* field = field_of(type, name);
      return field && field->type().kind == kind;
    };
    for (const auto name : {"offset", "wait_seconds"}) {
      if (!has(*action_.request, name, Kind::integer))
        add("it follows a text, but the request has no integer {}", name);
    }
    if (!has(*action_.response, "text", Kind::string)) add("it follows a text, but the response has none");
    if (!has(*action_.response, "next_offset", Kind::integer)) {
      add("it follows a text, but the response has no integer next_offset");
    }
    if (!has(*action_.response, "ended", Kind::boolean)) {
      add("it follows a text, but the response has no boolean ended");
    }
  }

  /// What tells that the change is complete.
  void following() {
    if (action_.is_change() && spec_.operation_kind.empty()) add("there is no operation_kind");
    if (!action_.is_change() && !spec_.operation_kind.empty())
      add("it starts no operation, but has an operation_kind");
    if (action_.is_change() && spec_.status_action.empty()) add("there is no status_action");
    if (spec_.status_action.empty()) return;
    if (spec_.effect == Effect::read) add("a read has no status_action");
    const auto named = [this](const Action& other) { return other.spec.name == spec_.status_action; };
    const auto found = std::ranges::find_if(actions_, named);
    if (found == actions_.end()) {
      add("the status_action {} is not in the table", spec_.status_action);
    } else if (found->spec.effect != Effect::read) {
      add("the status_action {} is not a read", spec_.status_action);
    }
  }

  void codes() {
    for (const auto& code : spec_.errors) {
      if (error_code_info(code).code != code) add("the error code {} is not registered", code);
    }
  }

  void answer() {
    for (const auto& member : secret_members(*action_.response)) {
      add("the response has the secret {}, and answers show none", member);
    }
  }

  void example() {
    for (const auto& member : members_of(action_)) {
      if ((member.field->options.secret || member.field->type().secret) &&
          spec_.example.contains(member.field->name)) {
        add("the example shows the secret {}", member.field->name);
      }
    }
    const auto decoded = decode_arguments(action_, spec_.example);
    if (decoded) return;
    for (const auto& problem : decoded.error().problems)
      add("the example's {} {}", problem.pointer, problem.message);
  }

  const std::vector<Action>& actions_;
  const Action& action_;
  const ActionSpec& spec_;
  std::vector<std::string>& faults_;
};

}  // namespace

std::vector<std::string> ActionTable::faults(const std::vector<Action>& actions) {
  std::vector<std::string> faults;
  std::set<std::string_view> names;
  for (const auto& action : actions) {
    if (!names.insert(action.spec.name).second)
      faults.push_back(fmt::format("{}: the name is twice", action.spec.name));
    RowChecker(actions, action, faults).check();
  }

  // Requests first: of them there are instances, on which the defaults and examples of shared types can be
  // tried.
  TypeChecker types;
  for (const auto& action : actions) {
    if (action.request && action.make_request) types.check(*action.request, action.make_request().get());
  }
  for (const auto& action : actions) {
    if (action.response) types.check(*action.response, nullptr);
  }
  ChangeAnswer answer;
  types.check(type_of<ChangeAnswer>(), &answer);
  Problem problem;
  types.check(type_of<Problem>(), &problem);
  for (auto& fault : types.release()) faults.push_back(std::move(fault));
  return faults;
}

}  // namespace instantstart::contract
