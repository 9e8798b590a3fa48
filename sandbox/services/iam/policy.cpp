#include "sandbox/services/iam/policy.h"

#include <algorithm>

#include "base/text.h"
#include "sandbox/core/wildcard.h"

namespace instantstart::sandbox::iam {
namespace {

bool covers_action(const PolicyStatement& statement, const AccessRequest& request) {
  const std::string action = to_lower(request.action);
  const bool named = std::ranges::any_of(statement.actions, [&action](const std::string& pattern) {
    return matches_wildcard(to_lower(pattern), action);
  });
  return named != statement.all_but_actions;
}

bool covers_resource(const PolicyStatement& statement, const AccessRequest& request) {
  const bool named = std::ranges::any_of(statement.resources, [&request](const std::string& pattern) {
    const auto filled = with_variables(pattern, request.context);
    return filled && matches_wildcard(*filled, request.resource);
  });
  return named != statement.all_but_resources;
}

bool has_key(const AccessRequest& request, const std::string& key) {
  return request.context.contains(to_lower(key));
}

}  // namespace

Verdict evaluate(std::span<const NamedPolicy> policies, const AccessRequest& request) {
  Verdict verdict;
  std::vector<std::string> allowing;
  std::vector<std::string> denying;
  for (const auto& policy : policies) {
    for (const auto& statement : policy.document.statements) {
      if (!covers_action(statement, request) || !covers_resource(statement, request)) continue;
      for (const auto& condition : statement.conditions) {
        if (condition.test != "Null" && !has_key(request, condition.key))
          verdict.missing_keys.insert(condition.key);
      }
      const bool applies = std::ranges::all_of(statement.conditions, [&](const PolicyCondition& condition) {
        return holds(condition, request.context).value_or(!statement.allows);
      });
      if (applies) (statement.allows ? allowing : denying).push_back(policy.id);
    }
  }
  if (!denying.empty()) {
    verdict.decision = Decision::explicit_deny;
    verdict.matched = std::move(denying);
  } else if (!allowing.empty()) {
    verdict.decision = Decision::allowed;
    verdict.matched = std::move(allowing);
  }
  return verdict;
}

}  // namespace instantstart::sandbox::iam
