#include "sandbox/core/policy_condition.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "sandbox/core/wildcard.h"

namespace instantstart::sandbox {
namespace {

using Values = std::vector<std::string>;

bool same(std::string_view pattern, std::string_view value) { return pattern == value; }
bool same_in_any_case(std::string_view pattern, std::string_view value) {
  return to_lower(pattern) == to_lower(value);
}
bool like(std::string_view pattern, std::string_view value) { return matches_wildcard(pattern, value); }

/// Each of the six parts by itself: a star in the account doesn't reach into the resource.
bool arn_like(std::string_view pattern, std::string_view value) {
  for (int part = 0; part < 5; ++part) {
    const auto pattern_end = pattern.find(':');
    const auto value_end = value.find(':');
    if (pattern_end == std::string_view::npos || value_end == std::string_view::npos) return pattern == "*";
    if (!matches_wildcard(pattern.substr(0, pattern_end), value.substr(0, value_end))) return false;
    pattern.remove_prefix(pattern_end + 1);
    value.remove_prefix(value_end + 1);
  }
  return matches_wildcard(pattern, value);
}

struct Test {
  std::string_view name;
  bool (*matches)(std::string_view pattern, std::string_view value);
  bool negated;
};

constexpr std::array<Test, 11> k_tests{{{"StringEquals", same, false},
                                        {"StringNotEquals", same, true},
                                        {"StringEqualsIgnoreCase", same_in_any_case, false},
                                        {"StringNotEqualsIgnoreCase", same_in_any_case, true},
                                        {"StringLike", like, false},
                                        {"StringNotLike", like, true},
                                        {"ArnEquals", arn_like, false},
                                        {"ArnNotEquals", arn_like, true},
                                        {"ArnLike", arn_like, false},
                                        {"ArnNotLike", arn_like, true},
                                        {"Bool", same_in_any_case, false}}};

enum class Quantifier { one, all, any };

bool takes_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

bool takes_suffix(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

/// The condition's values with their variables filled in; those that can't be are left out, so match nothing.
Values filled(const PolicyCondition& condition, const ConditionContext& context) {
  Values values;
  for (const auto& value : condition.values) {
    if (auto text = with_variables(value, context)) values.push_back(std::move(*text));
  }
  return values;
}

bool null_holds(const PolicyCondition& condition, bool is_missing) {
  return std::ranges::any_of(
      condition.values, [is_missing](const auto& value) { return value == (is_missing ? "true" : "false"); });
}

}  // namespace

std::optional<std::string> with_variables(std::string_view text, const ConditionContext& context) {
  std::string result;
  while (true) {
    const auto start = text.find("${");
    result += text.substr(0, start);
    if (start == std::string_view::npos) return result;
    const auto end = text.find('}', start);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view name = text.substr(start + 2, end - start - 2);
    text.remove_prefix(end + 1);
    if (name == "*" || name == "?" || name == "$") {
      result += name;
      continue;
    }
    const auto found = context.find(to_lower(name));
    if (found == context.end() || found->second.size() != 1) return std::nullopt;
    result += found->second.front();
  }
}

std::optional<bool> holds(const PolicyCondition& condition, const ConditionContext& context) {
  const auto found = context.find(to_lower(condition.key));
  const bool is_missing = found == context.end() || found->second.empty();
  std::string_view name = condition.test;
  if (name == "Null") return null_holds(condition, is_missing);
  const Quantifier quantifier = takes_prefix(name, "ForAllValues:")  ? Quantifier::all
                                : takes_prefix(name, "ForAnyValue:") ? Quantifier::any
                                                                     : Quantifier::one;
  const bool if_exists = takes_suffix(name, "IfExists");
  const auto test = std::ranges::find(k_tests, name, &Test::name);
  if (test == k_tests.end()) return std::nullopt;
  if (is_missing)
    return if_exists || quantifier == Quantifier::all || (test->negated && quantifier == Quantifier::one);
  const Values patterns = filled(condition, context);
  const auto passes = [&](const std::string& value) {
    const bool matched = std::ranges::any_of(
        patterns, [&](const std::string& pattern) { return test->matches(pattern, value); });
    return matched != test->negated;
  };
  if (quantifier == Quantifier::all) return std::ranges::all_of(found->second, passes);
  if (quantifier == Quantifier::one && test->negated) return std::ranges::all_of(found->second, passes);
  return std::ranges::any_of(found->second, passes);
}

}  // namespace instantstart::sandbox
