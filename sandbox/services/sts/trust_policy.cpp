#include "sandbox/services/sts/trust_policy.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "sandbox/core/policy_condition.h"
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

/// nullopt when it can't be said.
std::optional<bool> conditions_hold(const json::object& statement, const TrustQuestion& question) {
  const auto* condition = statement.if_contains("Condition");
  if (!condition) return true;
  if (!condition->is_object()) return std::nullopt;
  bool is_known = true;
  for (const auto& [test, keys] : condition->get_object()) {
    if (!keys.is_object()) {
      is_known = false;
      continue;
    }
    for (const auto& [key, wanted] : keys.get_object()) {
      const auto one = holds({std::string(test), std::string(key), texts(wanted)}, question.context);
      if (one == false) return false;
      is_known = is_known && one.has_value();
    }
  }
  return is_known ? std::optional(true) : std::nullopt;
}

enum class Effect { none, allow, deny };

Effect effect_of(const json::value& value, const TrustQuestion& question) {
  if (!value.is_object()) return Effect::none;
  const auto& statement = value.get_object();
  if (!names_action(statement, question) || !names_principal(statement, question)) return Effect::none;
  const auto applies = conditions_hold(statement, question);
  const auto effect = texts(statement, "Effect");
  if (effect.size() != 1) return Effect::none;
  if (effect[0] == "Deny") return applies == false ? Effect::none : Effect::deny;
  return effect[0] == "Allow" && applies == true ? Effect::allow : Effect::none;
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
