#include "sandbox/core/policy_condition.h"

#include <gtest/gtest.h>

namespace instantstart::sandbox {
namespace {

struct ConditionCase {
  PolicyCondition condition;
  std::optional<bool> holds;
};

TEST(Conditions, HaveAwsMeaning) {
  const ConditionContext context{{"k", {"Value"}},
                                 {"list", {"a", "b"}},
                                 {"arn", {"arn:aws:iam::123456789012:role/team/x"}},
                                 {"secure", {"true"}},
                                 {"empty", {}}};
  const ConditionCase k_cases[] = {
      {{"StringEquals", "K", {"x", "Value"}}, true},
      {{"StringEquals", "k", {"value"}}, false},
      {{"StringEquals", "none", {"x"}}, false},
      {{"StringEquals", "empty", {"x"}}, false},
      {{"StringEqualsIfExists", "none", {"x"}}, true},
      {{"StringEqualsIfExists", "k", {"x"}}, false},
      {{"StringEqualsIgnoreCase", "k", {"VALUE"}}, true},
      {{"StringNotEquals", "k", {"x", "y"}}, true},
      {{"StringNotEquals", "k", {"x", "Value"}}, false},
      {{"StringNotEquals", "none", {"x"}}, true},
      {{"StringNotEqualsIgnoreCase", "k", {"VALUE"}}, false},
      {{"StringLike", "k", {"V*e"}}, true},
      {{"StringLike", "k", {"v*"}}, false},
      {{"StringNotLike", "k", {"V*"}}, false},
      {{"StringLike", "k", {"${k}"}}, true},
      {{"StringLike", "k", {"${none}"}}, false},
      {{"StringEquals", "k", {"${*}"}}, false},
      {{"ArnLike", "arn", {"arn:aws:iam::*:role/team/*"}}, true},
      {{"ArnEquals", "arn", {"arn:aws:iam::123456789012:role/*"}}, true},
      {{"ArnLike", "arn", {"arn:aws:*:role/team/x"}}, false},  // A star stays in its part.
      {{"ArnNotLike", "arn", {"arn:aws:iam::*:role/other/*"}}, true},
      {{"ArnLike", "k", {"arn:aws:iam::*:role/*"}}, false},
      {{"Bool", "secure", {"True"}}, true},
      {{"Bool", "secure", {"false"}}, false},
      {{"Null", "none", {"true"}}, true},
      {{"Null", "k", {"true"}}, false},
      {{"Null", "k", {"false"}}, true},
      {{"ForAnyValue:StringEquals", "list", {"b", "c"}}, true},
      {{"ForAnyValue:StringEquals", "list", {"c"}}, false},
      {{"ForAnyValue:StringEquals", "none", {"c"}}, false},
      {{"ForAnyValue:StringNotEquals", "none", {"c"}}, false},
      {{"ForAllValues:StringEquals", "list", {"a", "b", "c"}}, true},
      {{"ForAllValues:StringEquals", "list", {"a"}}, false},
      {{"ForAllValues:StringEquals", "none", {"a"}}, true},
      {{"NumericLessThan", "k", {"1"}}, std::nullopt},
      {{"IpAddress", "k", {"10.0.0.0/8"}}, std::nullopt},
      {{"Nonsense", "k", {"Value"}}, std::nullopt},
  };
  for (const auto& [condition, expected] : k_cases) {
    EXPECT_EQ(holds(condition, context), expected)
        << condition.test << " " << condition.key << " " << condition.values.front();
  }
}

TEST(WithVariables, FillsInWhatTheRequestHas) {
  const ConditionContext context{{"aws:username", {"bob"}}, {"two", {"a", "b"}}};
  EXPECT_EQ(with_variables("x/${AWS:UserName}/y", context), "x/bob/y");
  EXPECT_EQ(with_variables("${*}${?}${$}", context), "*?$");
  EXPECT_EQ(with_variables("plain $ {}", context), "plain $ {}");
  EXPECT_FALSE(with_variables("${two}", context));
  EXPECT_FALSE(with_variables("${none}", context));
  EXPECT_FALSE(with_variables("${open", context));
}

}  // namespace
}  // namespace instantstart::sandbox
