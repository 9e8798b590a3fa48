#include "sandbox/services/iam/policy.h"

#include <gtest/gtest.h>

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

TEST(Evaluate, AConditionThatIsNotKnownAllowsNothingAndDenies) {
  const AccessRequest request{.action = "ec2:CreateVpc", .resource = "*", .context = {}};
  EXPECT_EQ(
      evaluate(
          policies(
              {R"({"Effect":"Allow","Action":"*","Resource":"*","Condition":{"IpAddress":{"k":"10.0.0.0/8"}}})"}),
          request)
          .decision,
      k_nothing);
  EXPECT_EQ(
      evaluate(
          policies(
              {R"({"Effect":"Deny","Action":"*","Resource":"*","Condition":{"IpAddress":{"k":"10.0.0.0/8"}}})"}),
          request)
          .decision,
      k_denied);
}

}  // namespace
}  // namespace instantstart::sandbox::iam
