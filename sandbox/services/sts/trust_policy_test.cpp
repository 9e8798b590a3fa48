#include "sandbox/services/sts/trust_policy.h"

#include <gtest/gtest.h>

namespace instantstart::sandbox {
namespace {

json::object policy(std::string_view statement) {
  return {{"Version", "2012-10-17"}, {"Statement", json::array{parse_json(statement).value()}}};
}

TrustQuestion by_user() {
  return {.action = "sts:AssumeRole",
          .account = "123456789012",
          .principal_arn = "arn:aws:iam::123456789012:user/ann",
          .role_arn = {},
          .provider_arn = {},
          .context = {}};
}

TrustQuestion by_pod() {
  return {.action = "sts:AssumeRoleWithWebIdentity",
          .account = "123456789012",
          .principal_arn = {},
          .role_arn = {},
          .provider_arn = "arn:aws:iam::123456789012:oidc-provider/oidc.eks.us-west-2.amazonaws.com/id/AB",
          .context = {{"oidc.eks.us-west-2.amazonaws.com/id/ab:sub", {"system:serviceaccount:default:app"}},
                      {"oidc.eks.us-west-2.amazonaws.com/id/ab:aud", {"sts.amazonaws.com"}}}};
}

TEST(TrustPolicyTest, PrincipalsOfTheAccount) {
  const auto trusts = [](std::string_view principal, const TrustQuestion& question) {
    json::object statement{
        {"Effect", "Allow"}, {"Action", "sts:AssumeRole"}, {"Principal", parse_json(principal).value()}};
    return is_trusted({{"Statement", std::move(statement)}}, question);
  };
  EXPECT_TRUE(trusts(R"("*")", by_user()));
  EXPECT_TRUE(trusts(R"({"AWS":"*"})", by_user()));
  EXPECT_TRUE(trusts(R"({"AWS":"123456789012"})", by_user()));
  EXPECT_TRUE(trusts(R"({"AWS":"arn:aws:iam::123456789012:root"})", by_user()));
  EXPECT_TRUE(trusts(R"({"AWS":["arn:aws:iam::1:user/x","arn:aws:iam::123456789012:user/ann"]})", by_user()));
  EXPECT_TRUE(trusts(R"({"AWS":"arn:aws-cn:iam::123456789012:root"})", by_user()));
  EXPECT_FALSE(trusts(R"({"AWS":"arn:aws:iam::123456789012:user/bob"})", by_user()));
  EXPECT_FALSE(trusts(R"({"AWS":"arn:aws:iam::210987654321:root"})", by_user()));
  EXPECT_FALSE(trusts(R"({"Service":"ec2.amazonaws.com"})", by_user()));
  EXPECT_FALSE(trusts("{}", by_user()));

  TrustQuestion session = by_user();
  session.principal_arn = "arn:aws:sts::123456789012:assumed-role/build/1";
  session.role_arn = "arn:aws:iam::123456789012:role/path/build";
  EXPECT_TRUE(trusts(R"({"AWS":"arn:aws:iam::123456789012:role/path/build"})", session));
  EXPECT_FALSE(trusts(R"({"AWS":"arn:aws:iam::123456789012:role/build"})", session));
}

TEST(TrustPolicyTest, ActionsMayHaveWildcardsAndAnyCase) {
  const auto trusts = [](std::string_view action) {
    return is_trusted({{"Statement", json::array{json::object{{"Effect", "Allow"},
                                                              {"Principal", {{"AWS", "*"}}},
                                                              {"Action", parse_json(action).value()}}}}},
                      by_user());
  };
  EXPECT_TRUE(trusts(R"("sts:AssumeRole")"));
  EXPECT_TRUE(trusts(R"("STS:assumerole")"));
  EXPECT_TRUE(trusts(R"(["sts:TagSession","sts:Assume*"])"));
  EXPECT_FALSE(trusts(R"("sts:AssumeRoleWithWebIdentity")"));
  EXPECT_FALSE(trusts(R"("sts:TagSession")"));
}

TEST(TrustPolicyTest, ADenyWins) {
  const json::object both{
      {"Statement",
       json::array{json::object{{"Effect", "Allow"}, {"Principal", {{"AWS", "*"}}}, {"Action", "sts:*"}},
                   json::object{{"Effect", "Deny"},
                                {"Principal", {{"AWS", "arn:aws:iam::123456789012:user/ann"}}},
                                {"Action", "sts:*"}}}}};
  EXPECT_FALSE(is_trusted(both, by_user()));
  TrustQuestion bob = by_user();
  bob.principal_arn = "arn:aws:iam::123456789012:user/bob";
  EXPECT_TRUE(is_trusted(both, bob));
}

TEST(TrustPolicyTest, AnExternalIdHasToBeGiven) {
  const auto guarded = policy(R"({"Effect":"Allow","Principal":{"AWS":"*"},"Action":"sts:AssumeRole",
                                  "Condition":{"StringEquals":{"sts:ExternalId":["a","b"]}}})");
  EXPECT_FALSE(is_trusted(guarded, by_user()));
  TrustQuestion with_id = by_user();
  with_id.context["sts:externalid"] = {"b"};
  EXPECT_TRUE(is_trusted(guarded, with_id));
  with_id.context["sts:externalid"] = {"c"};
  EXPECT_FALSE(is_trusted(guarded, with_id));
}

TEST(TrustPolicyTest, PodsAreTrustedByTheirServiceAccount) {
  constexpr std::string_view k_statement =
      R"({"Effect":"Allow","Action":"sts:AssumeRoleWithWebIdentity",
          "Principal":{"Federated":"arn:aws:iam::123456789012:oidc-provider/oidc.eks.us-west-2.amazonaws.com/id/AB"},
          "Condition":{"StringEquals":{"oidc.eks.us-west-2.amazonaws.com/id/AB:aud":"sts.amazonaws.com"},
                       "StringLike":{"oidc.eks.us-west-2.amazonaws.com/id/AB:sub":"system:serviceaccount:default:*"}}})";
  EXPECT_TRUE(is_trusted(policy(k_statement), by_pod()));
  TrustQuestion other = by_pod();
  other.context["oidc.eks.us-west-2.amazonaws.com/id/ab:sub"] = {"system:serviceaccount:kube-system:app"};
  EXPECT_FALSE(is_trusted(policy(k_statement), other));
  TrustQuestion issuer = by_pod();
  issuer.provider_arn = "arn:aws:iam::123456789012:oidc-provider/elsewhere";
  EXPECT_FALSE(is_trusted(policy(k_statement), issuer));
}

TEST(TrustPolicyTest, WhatIsNotUnderstoodNeverAllows) {
  EXPECT_FALSE(is_trusted(policy(R"({"Effect":"Allow","Principal":{"AWS":"*"},"Action":"sts:AssumeRole",
                                     "Condition":{"NumericLessThan":{"aws:MultiFactorAuthAge":"60"}}})"),
                          by_user()));
  EXPECT_FALSE(is_trusted(policy(R"({"Principal":{"AWS":"*"},"Action":"sts:AssumeRole"})"), by_user()));
  EXPECT_FALSE(is_trusted({}, by_user()));
  EXPECT_FALSE(is_trusted({{"Statement", "text"}}, by_user()));
  const json::object denied{
      {"Statement", json::array{json::object{{"Effect", "Allow"}, {"Principal", "*"}, {"Action", "sts:*"}},
                                json::object{{"Effect", "Deny"},
                                             {"Principal", "*"},
                                             {"Action", "sts:*"},
                                             {"Condition", {{"Unheard", {{"a", "b"}}}}}}}}};
  EXPECT_FALSE(is_trusted(denied, by_user()));
}

TEST(TrustPolicyTest, IfExistsAndNegationHoldWithoutAValue) {
  const auto with = [](std::string_view condition) {
    json::object statement{{"Effect", "Allow"},
                           {"Principal", {{"AWS", "*"}}},
                           {"Action", "sts:*"},
                           {"Condition", parse_json(condition).value()}};
    return is_trusted({{"Statement", std::move(statement)}}, by_user());
  };
  EXPECT_TRUE(with(R"({"StringEqualsIfExists":{"sts:ExternalId":"a"}})"));
  EXPECT_TRUE(with(R"({"StringNotEquals":{"sts:ExternalId":"a"}})"));
  EXPECT_FALSE(with(R"({"StringEquals":{"sts:ExternalId":"a"}})"));
}

}  // namespace
}  // namespace instantstart::sandbox
