#include "sandbox/services/iam/policy.h"

#include <gtest/gtest.h>

#include "sandbox/services/iam/conditions.h"

namespace instantstart::sandbox::iam {
namespace {

constexpr auto k_allowed = Decision::allowed;
constexpr auto k_denied = Decision::explicit_deny;
constexpr auto k_nothing = Decision::implicit_deny;

std::vector<NamedPolicy> policies(std::initializer_list<std::string_view> statements) {
  std::vector<NamedPolicy> list;
  for (const auto statement : statements) {
    auto document =
        parse_policy(std::string(R"({"Statement":)") + std::string(statement) + "}", PolicyKind::identity);
    EXPECT_TRUE(document) << statement << document.error();
    list.push_back({.id = std::to_string(list.size()), .document = document.value_or(PolicyDocument{})});
  }
  return list;
}

struct AccessCase {
  std::string_view statement, action, resource;
  Decision decision;
};

TEST(Evaluate, MatchesActionsAndResources) {
  constexpr AccessCase k_cases[] = {
      {R"({"Effect":"Allow","Action":"*","Resource":"*"})", "ec2:CreateVpc", "*", k_allowed},
      {R"({"Effect":"Allow","Action":"ec2:*","Resource":"*"})", "ec2:CreateVpc", "*", k_allowed},
      {R"({"Effect":"Allow","Action":"ec2:*","Resource":"*"})", "eks:CreateCluster", "*", k_nothing},
      {R"({"Effect":"Allow","Action":"EC2:createvpc","Resource":"*"})", "ec2:CreateVpc", "*", k_allowed},
      {R"({"Effect":"Allow","Action":"ec2:Describe*","Resource":"*"})", "ec2:DescribeVpcs", "*", k_allowed},
      {R"({"Effect":"Allow","Action":"ec2:Describe*","Resource":"*"})", "ec2:CreateVpc", "*", k_nothing},
      {R"({"Effect":"Allow","Action":"s3:GetObjec?","Resource":"*"})", "s3:GetObject", "*", k_allowed},
      {R"({"Effect":"Allow","Action":["a:B","c:D"],"Resource":"*"})", "c:D", "*", k_allowed},
      {R"({"Effect":"Allow","NotAction":"iam:*","Resource":"*"})", "ec2:CreateVpc", "*", k_allowed},
      {R"({"Effect":"Allow","NotAction":"iam:*","Resource":"*"})", "iam:CreateRole", "*", k_nothing},
      {R"({"Effect":"Allow","Action":"s3:*","Resource":"arn:aws:s3:::data/*"})", "s3:GetObject",
       "arn:aws:s3:::data/a/b", k_allowed},
      {R"({"Effect":"Allow","Action":"s3:*","Resource":"arn:aws:s3:::data/*"})", "s3:GetObject",
       "arn:aws:s3:::Data/a", k_nothing},
      {R"({"Effect":"Allow","Action":"s3:*","Resource":"arn:aws:s3:::data"})", "s3:ListBucket",
       "arn:aws:s3:::database", k_nothing},
      {R"({"Effect":"Allow","Action":"s3:*","Resource":"arn:aws:s3:::data/*"})", "s3:GetObject", "*",
       k_nothing},
      {R"({"Effect":"Allow","Action":"s3:*","NotResource":"arn:aws:s3:::secret/*"})", "s3:GetObject",
       "arn:aws:s3:::data/a", k_allowed},
      {R"({"Effect":"Allow","Action":"s3:*","NotResource":"arn:aws:s3:::secret/*"})", "s3:GetObject",
       "arn:aws:s3:::secret/a", k_nothing},
      {R"({"Effect":"Deny","Action":"s3:*","Resource":"*"})", "s3:GetObject", "*", k_denied},
      {R"({"Effect":"Allow","Action":"s3:*","Resource":"arn:aws:s3:::home/${aws:username}/*"})",
       "s3:GetObject", "arn:aws:s3:::home/bob/x", k_allowed},
      {R"({"Effect":"Allow","Action":"s3:*","Resource":"arn:aws:s3:::home/${aws:userid}/*"})", "s3:GetObject",
       "arn:aws:s3:::home/bob/x", k_nothing},
  };
  for (const auto& [statement, action, resource, decision] : k_cases) {
    const AccessRequest request{.action = std::string(action),
                                .resource = std::string(resource),
                                .context = {{"aws:username", {"bob"}}}};
    EXPECT_EQ(evaluate(policies({statement}), request).decision, decision) << statement << " " << action;
  }
}

TEST(Evaluate, ADenyWinsWhereverItStands) {
  constexpr std::string_view k_allow = R"({"Effect":"Allow","Action":"ec2:*","Resource":"*"})";
  constexpr std::string_view k_deny = R"({"Effect":"Deny","Action":"ec2:DeleteVpc","Resource":"*"})";
  const AccessRequest request{.action = "ec2:DeleteVpc", .resource = "*", .context = {}};
  for (const auto& order : {policies({k_allow, k_deny}), policies({k_deny, k_allow})}) {
    EXPECT_EQ(evaluate(order, request).decision, k_denied);
  }
  const auto verdict = evaluate(policies({k_allow, k_deny}), request);
  EXPECT_EQ(verdict.matched, std::vector<std::string>{"1"});
  EXPECT_EQ(evaluate(policies({k_allow, k_deny}), {.action = "ec2:CreateVpc", .resource = "*", .context = {}})
                .matched,
            std::vector<std::string>{"0"});
  EXPECT_EQ(evaluate({}, request).decision, k_nothing);
}

TEST(Evaluate, NamesTheKeysThatItMisses) {
  const auto list = policies(
      {R"({"Effect":"Allow","Action":"iam:PassRole","Resource":"*","Condition":{"StringEquals":{"iam:PassedToService":"sagemaker.amazonaws.com"}}})",
       R"({"Effect":"Allow","Action":"ec2:*","Resource":"*","Condition":{"StringEquals":{"aws:RequestTag/a":"b"}}})"});
  AccessRequest request{.action = "iam:PassRole", .resource = "*", .context = {}};
  const auto missing = evaluate(list, request);
  EXPECT_EQ(missing.decision, k_nothing);
  EXPECT_EQ(missing.missing_keys, std::set<std::string>{"iam:PassedToService"});
  request.context["iam:passedtoservice"] = {"sagemaker.amazonaws.com"};
  EXPECT_EQ(evaluate(list, request).decision, k_allowed);
  EXPECT_TRUE(evaluate(list, request).missing_keys.empty());
}

struct ConditionCase {
  PolicyCondition condition;
  bool holds;
};

TEST(Conditions, HaveAwsMeaning) {
  const AccessRequest request{.action = "",
                              .resource = "",
                              .context = {{"k", {"Value"}},
                                          {"list", {"a", "b"}},
                                          {"arn", {"arn:aws:iam::123456789012:role/team/x"}},
                                          {"secure", {"true"}},
                                          {"empty", {}}}};
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
      {{"NumericLessThan", "k", {"1"}}, false},
      {{"IpAddress", "k", {"10.0.0.0/8"}}, false},
      {{"Nonsense", "k", {"Value"}}, false},
  };
  for (const auto& [condition, expected] : k_cases) {
    EXPECT_EQ(holds(condition, request), expected)
        << condition.test << " " << condition.key << " " << condition.values.front();
  }
}

TEST(WithVariables, FillsInWhatTheRequestHas) {
  const AccessRequest request{
      .action = "", .resource = "", .context = {{"aws:username", {"bob"}}, {"two", {"a", "b"}}}};
  EXPECT_EQ(with_variables("x/${AWS:UserName}/y", request), "x/bob/y");
  EXPECT_EQ(with_variables("${*}${?}${$}", request), "*?$");
  EXPECT_EQ(with_variables("plain $ {}", request), "plain $ {}");
  EXPECT_FALSE(with_variables("${two}", request));
  EXPECT_FALSE(with_variables("${none}", request));
  EXPECT_FALSE(with_variables("${open", request));
}

}  // namespace
}  // namespace instantstart::sandbox::iam
