// Conditions of policy statements: "IAM JSON policy elements: Condition operators". Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace instantstart::sandbox {

/// {"StringLike": {"aws:PrincipalArn": ["a", "b"]}}
struct PolicyCondition {
  std::string test;  ///< "StringLike", "ForAnyValue:StringEqualsIfExists"
  std::string key;   ///< "aws:PrincipalArn", in any case.
  std::vector<std::string> values;
};

/// What is known of a request, by key in lower case: {"aws:principalarn", {"arn:…"}}.
using ConditionContext = std::map<std::string, std::vector<std::string>>;

/// The text with each ${key} replaced by the only value of that key, and ${*}, ${?}, ${$} by that character;
/// nullopt when there is no such value.
std::optional<std::string> with_variables(std::string_view text, const ConditionContext& context);

/// Strings, ARNs, Bool and Null, with IfExists, ForAllValues and ForAnyValue. nullopt for an operator that is
/// not known (numbers, dates, addresses): such an Allow should not apply, and such a Deny should.
std::optional<bool> holds(const PolicyCondition& condition, const ConditionContext& context);

}  // namespace instantstart::sandbox
