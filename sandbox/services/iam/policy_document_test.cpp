#include "sandbox/services/iam/policy_document.h"

#include <gtest/gtest.h>

#include "sandbox/services/iam/managed_policies.h"

namespace instantstart::sandbox::iam {
namespace {

struct DocumentCase {
  std::string_view text;
  std::string_view complaint;  ///< Empty: it is fine.
};

void expect(PolicyKind kind, std::span<const DocumentCase> cases) {
  for (const auto& [text, complaint] : cases) {
    const auto document = parse_policy(text, kind);
    EXPECT_EQ(document ? "" : document.error(), complaint) << text;
  }
}

TEST(ParsePolicy, IdentityPoliciesHaveResourcesAndNoPrincipal) {
  constexpr DocumentCase k_cases[] = {
      {R"({"Statement":{"Effect":"Allow","Action":"*","Resource":"*"}})", ""},
      {R"({"Version":"2008-10-17","Id":"x","Statement":[{"Sid":"a","Effect":"Deny","NotAction":["s3:*"],"NotResource":["arn:aws:s3:::a/*"]}]})",
       ""},
      {R"({"Statement":{"Effect":"Allow","Action":"s3:Get?bject","Resource":"*","Condition":{"NumericLessThan":{"s3:max-keys":10}}}})",
       ""},
      {"", "This policy contains invalid Json"},
      {"{", "This policy contains invalid Json"},
      {"[]", "Syntax errors in policy."},
      {"{}", "Missing required field Statement"},
      {R"({"Statement":[]})", "Syntax errors in policy."},
      {R"({"Statement":["x"]})", "Syntax errors in policy."},
      {R"({"Version":"2012","Statement":{"Effect":"Allow","Action":"*","Resource":"*"}})",
       "Syntax errors in policy."},
      {R"({"Extra":1,"Statement":{"Effect":"Allow","Action":"*","Resource":"*"}})",
       "Syntax errors in policy."},
      {R"({"Statement":{"Effect":"Allow","Action":"*","Resource":"*","Extra":1}})",
       "Syntax errors in policy."},
      {R"({"Statement":{"Action":"*","Resource":"*"}})", "Missing required field Effect"},
      {R"({"Statement":{"Effect":"allow","Action":"*","Resource":"*"}})", "Invalid effect: \"allow\""},
      {R"({"Statement":{"Effect":"Allow","Resource":"*"}})", "Missing required field Action"},
      {R"({"Statement":{"Effect":"Allow","Action":[],"Resource":"*"}})", "Syntax errors in policy."},
      {R"({"Statement":{"Effect":"Allow","Action":"*","NotAction":"*","Resource":"*"}})",
       "Syntax errors in policy."},
      {R"({"Statement":{"Effect":"Allow","Action":"CreateVpc","Resource":"*"}})",
       "Actions/Conditions must be prefaced by a vendor, e.g., iam, sdb, ec2, etc."},
      {R"({"Statement":{"Effect":"Allow","Action":"*"}})", "Policy statement must contain resources."},
      {R"({"Statement":{"Effect":"Allow","Action":"*","Resource":"bucket"}})",
       "Resource bucket must be in ARN format or \"*\"."},
      {R"({"Statement":{"Effect":"Allow","Action":"*","Resource":"arn:aws:s3:bucket"}})",
       "Resource arn:aws:s3:bucket must be in ARN format or \"*\"."},
      {R"({"Statement":{"Effect":"Allow","Action":"*","Resource":"*","Principal":"*"}})",
       "Policy document should not specify a principal."},
      {R"({"Statement":{"Effect":"Allow","Action":"*","Resource":"*","Condition":["x"]}})",
       "Syntax errors in policy."},
      {R"({"Statement":[{"Sid":"a","Effect":"Allow","Action":"*","Resource":"*"},{"Sid":"a","Effect":"Allow","Action":"*","Resource":"*"}]})",
       "Statement IDs (SID) in a single policy must be unique."},
  };
  expect(PolicyKind::identity, k_cases);
}

TEST(ParsePolicy, TrustPoliciesHavePrincipalsAndNoResources) {
  constexpr DocumentCase k_cases[] = {
      {R"({"Statement":{"Effect":"Allow","Principal":{"Service":["eks.amazonaws.com","ec2.amazonaws.com.cn"]},"Action":["sts:AssumeRole","sts:TagSession"]}})",
       ""},
      {R"({"Statement":{"Effect":"Allow","Principal":{"AWS":["123456789012","arn:aws:iam::123456789012:root","*"]},"Action":"sts:AssumeRole"}})",
       ""},
      {R"({"Statement":{"Effect":"Allow","Principal":"*","Action":"sts:*"}})", ""},
      {R"({"Statement":{"Effect":"Allow","Principal":{"Federated":"arn:aws:iam::123456789012:oidc-provider/oidc.eks.us-west-2.amazonaws.com/id/A"},"Action":"sts:AssumeRoleWithWebIdentity","Condition":{"StringEquals":{"oidc.eks.us-west-2.amazonaws.com/id/A:sub":"system:serviceaccount:a:b"}}}})",
       ""},
      {R"({"Statement":{"Effect":"Allow","Action":"sts:AssumeRole"}})", "Missing required field Principal"},
      {R"({"Statement":{"Effect":"Allow","Principal":{"Service":"eks"},"Action":"sts:AssumeRole"}})",
       "Invalid principal in policy: \"SERVICE\":\"eks\""},
      {R"({"Statement":{"Effect":"Allow","Principal":{"AWS":"bob"},"Action":"sts:AssumeRole"}})",
       "Invalid principal in policy: \"AWS\":\"bob\""},
      {R"({"Statement":{"Effect":"Allow","Principal":{"Team":"a"},"Action":"sts:AssumeRole"}})",
       "Invalid principal in policy: \"TEAM\":\"a\""},
      {R"({"Statement":{"Effect":"Allow","Principal":{},"Action":"sts:AssumeRole"}})",
       "Syntax errors in policy."},
      {R"({"Statement":{"Effect":"Allow","Principal":"*","Action":"sts:AssumeRole","Resource":"*"}})",
       "Has prohibited field Resource"},
      {R"({"Statement":{"Effect":"Allow","Principal":"*","Action":"s3:GetObject"}})",
       "AssumeRole policy may only specify STS AssumeRole actions."},
      {R"({"Statement":{"Effect":"Allow","NotPrincipal":"*","Action":"sts:AssumeRole"}})",
       "Has prohibited field NotPrincipal"},
  };
  expect(PolicyKind::trust, k_cases);
}

TEST(ManagedPolicies, EveryDocumentIsWhole) {
  int without = 0;
  for (const auto& policy : managed_policies()) {
    if (policy.document.empty()) {
      ++without;
      continue;
    }
    const auto document = parse_policy(policy.document, PolicyKind::identity);
    EXPECT_TRUE(document) << policy.name << ": " << document.error();
  }
  EXPECT_LE(without, 2);
}

TEST(ManagedPolicies, AreFoundByTheirWholeArn) {
  EXPECT_EQ(find_managed_policy("arn:aws:iam::aws:policy/AmazonEKSClusterPolicy")->name,
            "AmazonEKSClusterPolicy");
  EXPECT_EQ(find_managed_policy("arn:aws-cn:iam::aws:policy/service-role/AmazonEBSCSIDriverPolicy")->path,
            "/service-role/");
  for (const std::string_view arn :
       {"arn:aws:iam::aws:policy/AmazonEBSCSIDriverPolicy",
        "arn:aws:iam::123456789012:policy/AmazonEKSClusterPolicy", "arn:aws:iam::aws:policy/",
        "arn:aws:iam::aws:policy", "AmazonEKSClusterPolicy", "",
        "x:arn:aws:iam::aws:policy/AmazonEKSClusterPolicy",
        "arn:aws:iam::aws:policy/amazonEKSClusterPolicy"}) {
    EXPECT_EQ(find_managed_policy(arn), nullptr) << arn;
  }
}

}  // namespace
}  // namespace instantstart::sandbox::iam
