#include "sandbox/services/sts/trust_policy.h"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "sandbox/core/wildcard.h"

namespace instantstart::sandbox {
namespace {

/// Policies write one thing as itself or as a list of one.
std::vector<std::string> texts(const json::value& value) {
  if (value.is_string()) return {std::string(value.get_string())};
  std::vector<std::string> all;
  if (!value.is_array()) return all;
  for (const auto& item : value.get_array()) {
    if (item.is_string()) all.emplace_back(item.get_string());
  }
  return all;
}

std::vector<std::string> texts(const json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value ? texts(*value) : std::vector<std::string>();
}

bool names_action(const json::object& statement, const TrustQuestion& question) {
  const auto is_asked = [&](const std::string& action) {
    return matches_wildcard(to_lower(action), to_lower(question.action));
  };
  if (statement.contains("NotAction")) return !std::ranges::any_of(texts(statement, "NotAction"), is_asked);
  return std::ranges::any_of(texts(statement, "Action"), is_asked);
}

bool is_aws_principal(const std::string& named, const TrustQuestion& question) {
  if (question.principal_arn.empty()) return false;
  return named == "*" || named == question.account || named == question.principal_arn ||
         named == question.role_arn ||
         matches_wildcard(fmt::format("arn:aws*:iam::{}:root", question.account), named);
}

bool names_principal(const json::object& statement, const TrustQuestion& question) {
  const auto* principal = statement.if_contains("Principal");
  if (!principal) return false;
  if (principal->is_string()) return principal->get_string() == "*";
  if (!principal->is_object()) return false;
  const auto& by_kind = principal->get_object();
  return std::ranges::any_of(texts(by_kind, "AWS"),
                             [&](const std::string& named) { return is_aws_principal(named, question); }) ||
         std::ranges::any_of(texts(by_kind, "Federated"), [&](const std::string& named) {
           return question.provider_arn && named == *question.provider_arn;
         });
}

enum class Holds { yes, no, unknown };

/// IAM JSON policy elements: condition operators. Negated ones hold when the key has no value.
struct Operator {
  std::string_view name;
  bool negated;
  bool (*matches)(std::string_view wanted, std::string_view actual);
};
constexpr std::array<Operator, 8> k_operators{{
    {"StringEquals", false, [](std::string_view a, std::string_view b) { return a == b; }},
    {"StringNotEquals", true, [](std::string_view a, std::string_view b) { return a == b; }},
    {"StringEqualsIgnoreCase", false,
     [](std::string_view a, std::string_view b) { return to_lower(a) == to_lower(b); }},
    {"StringLike", false, &matches_wildcard},
    {"StringNotLike", true, &matches_wildcard},
    {"ArnEquals", false, &matches_wildcard},
    {"ArnLike", false, &matches_wildcard},
    {"Bool", false, [](std::string_view a, std::string_view b) { return to_lower(a) == to_lower(b); }},
}};

Holds key_holds(const Operator& op, bool if_exists, std::string_view key, const json::value& wanted,
                const TrustQuestion& question) {
  const auto actual = question.context.find(to_lower(key));
  if (actual == question.context.end()) return if_exists || op.negated ? Holds::yes : Holds::no;
  const bool matched = std::ranges::any_of(
      texts(wanted), [&](const std::string& text) { return op.matches(text, actual->second); });
  return matched != op.negated ? Holds::yes : Holds::no;
}

Holds operator_holds(std::string_view name, const json::value& keys, const TrustQuestion& question) {
  constexpr std::string_view k_if_exists = "IfExists";
  const bool if_exists = name.ends_with(k_if_exists);
  if (if_exists) name.remove_suffix(k_if_exists.size());
  const auto op = std::ranges::find(k_operators, name, &Operator::name);
  if (op == k_operators.end() || !keys.is_object()) return Holds::unknown;
  for (const auto& [key, wanted] : keys.get_object()) {
    if (key_holds(*op, if_exists, key, wanted, question) == Holds::no) return Holds::no;
  }
  return Holds::yes;
}

Holds conditions_hold(const json::object& statement, const TrustQuestion& question) {
  const auto* condition = statement.if_contains("Condition");
  if (!condition) return Holds::yes;
  if (!condition->is_object()) return Holds::unknown;
  Holds all = Holds::yes;
  for (const auto& [name, keys] : condition->get_object()) {
    const Holds holds = operator_holds(name, keys, question);
    if (holds == Holds::no) return holds;
    if (holds == Holds::unknown) all = holds;
  }
  return all;
}

enum class Effect { none, allow, deny };

Effect effect_of(const json::value& value, const TrustQuestion& question) {
  if (!value.is_object()) return Effect::none;
  const auto& statement = value.get_object();
  if (!names_action(statement, question) || !names_principal(statement, question)) return Effect::none;
  const Holds holds = conditions_hold(statement, question);
  const auto effect = texts(statement, "Effect");
  if (effect.size() != 1) return Effect::none;
  if (effect[0] == "Deny") return holds == Holds::no ? Effect::none : Effect::deny;
  return effect[0] == "Allow" && holds == Holds::yes ? Effect::allow : Effect::none;
}

}  // namespace

bool is_trusted(const json::object& policy, const TrustQuestion& question) {
  const auto* statements = policy.if_contains("Statement");
  if (!statements) return false;
  std::vector<Effect> effects;
  if (statements->is_array()) {
    for (const auto& statement : statements->get_array()) effects.push_back(effect_of(statement, question));
  } else {
    effects.push_back(effect_of(*statements, question));
  }
  return std::ranges::find(effects, Effect::deny) == effects.end() &&
         std::ranges::find(effects, Effect::allow) != effects.end();
}

}  // namespace instantstart::sandbox
