#include "sandbox/services/iam/testing/iam_fixture.h"

namespace instantstart::sandbox::iam {
namespace {

class SimulationTest : public IamFixture {
 protected:
  /// "allowed implicitDeny …", one for each pair of action and resource.
  std::string decisions(const api::SimulatePrincipalPolicyRequest& request) {
    std::string text;
    for (const auto& result : *get<api::SimulatePrincipalPolicy>(request).evaluation_results) {
      text += *result.eval_decision + " ";
    }
    return text;
  }
};

TEST_F(SimulationTest, TheAccountsOwnUserMayDoEverything) {
  EXPECT_EQ(decisions({.policy_source_arn = "arn:aws:iam::123456789012:user/sandbox",
                       .action_names = {{"ec2:CreateVpc", "iam:CreateRole"}}}),
            "allowed allowed ");
}

TEST_F(SimulationTest, ARoleMayWhatItsPoliciesSay) {
  const auto arn = make_role("r");
  get<api::AttachRolePolicy>(
      {.role_name = "r", .policy_arn = "arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess"});
  get<api::PutRolePolicy>(
      {.role_name = "r",
       .policy_name = "p",
       .policy_document =
           R"({"Statement":[{"Effect":"Allow","Action":"ec2:*","Resource":"*"},{"Effect":"Deny","Action":"ec2:Delete*","Resource":"*"}]})"});
  EXPECT_EQ(decisions({.policy_source_arn = arn,
                       .action_names = {{"s3:GetObject", "s3:PutObject", "ec2:CreateVpc", "ec2:DeleteVpc"}}}),
            "allowed implicitDeny allowed explicitDeny ");
  const auto results =
      *get<api::SimulatePrincipalPolicy>({.policy_source_arn = arn,
                                          .action_names = {{"ec2:DeleteVpc"}},
                                          .resource_arns = {{"arn:aws:ec2:us-west-2:1:vpc/a", "*"}}})
           .evaluation_results;
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0].eval_resource_name, "arn:aws:ec2:us-west-2:1:vpc/a");
  EXPECT_EQ(results[0].matched_statements->at(0).source_policy_id, "role_r_p");
}

TEST_F(SimulationTest, PoliciesOfTheRequestCountToo) {
  const auto arn = make_role("r");
  EXPECT_EQ(decisions({.policy_source_arn = arn,
                       .policy_input_list = {{allow("eks:*")}},
                       .action_names = {{"eks:CreateCluster", "ec2:CreateVpc"}}}),
            "allowed implicitDeny ");
  EXPECT_EQ(code<api::SimulatePrincipalPolicy>(
                {.policy_source_arn = arn, .policy_input_list = {{"{"}}, .action_names = {{"a:B"}}}),
            "InvalidInput");
}

TEST_F(SimulationTest, ABoundaryLimitsAndGivesNothing) {
  const auto arn =
      *get<api::CreateRole>({.role_name = "r",
                             .assume_role_policy_document = trust(),
                             .permissions_boundary = "arn:aws:iam::aws:policy/AmazonS3FullAccess"})
           .role->arn;
  get<api::PutRolePolicy>({.role_name = "r", .policy_name = "p", .policy_document = allow("ec2:*")});
  EXPECT_EQ(decisions({.policy_source_arn = arn, .action_names = {{"ec2:CreateVpc", "s3:GetObject"}}}),
            "implicitDeny implicitDeny ");
  EXPECT_EQ(decisions({.policy_source_arn = arn,
                       .permissions_boundary_policy_input_list = {{allow("*")}},
                       .action_names = {{"ec2:CreateVpc"}}}),
            "allowed ");
  get<api::PutRolePolicy>({.role_name = "r", .policy_name = "q", .policy_document = allow("s3:*")});
  EXPECT_EQ(decisions({.policy_source_arn = arn, .action_names = {{"s3:GetObject"}}}), "allowed ");
  EXPECT_EQ(decisions({.policy_source_arn = arn,
                       .permissions_boundary_policy_input_list = {{allow("ec2:*")}},
                       .action_names = {{"s3:GetObject"}}}),
            "implicitDeny ");
}

TEST_F(SimulationTest, ConditionsAreHeldAgainstTheContext) {
  const auto arn = make_role("r");
  get<api::PutRolePolicy>(
      {.role_name = "r",
       .policy_name = "p",
       .policy_document =
           R"({"Statement":{"Effect":"Allow","Action":"iam:PassRole","Resource":"*","Condition":{"StringEquals":{"iam:PassedToService":"sagemaker.amazonaws.com"}}}})"});
  api::SimulatePrincipalPolicyRequest request{.policy_source_arn = arn, .action_names = {{"iam:PassRole"}}};
  const auto without = get<api::SimulatePrincipalPolicy>(request).evaluation_results->at(0);
  EXPECT_EQ(without.eval_decision, "implicitDeny");
  EXPECT_EQ(without.missing_context_values->at(0), "iam:PassedToService");
  request.context_entries = {{{.context_key_name = "iam:PassedToService",
                               .context_key_values = {{"sagemaker.amazonaws.com"}},
                               .context_key_type = "string"}}};
  EXPECT_EQ(decisions(request), "allowed ");
}

TEST_F(SimulationTest, AsksForSomebodyThatItCanJudge) {
  const auto asked_for = [this](const std::string& arn) {
    return code<api::SimulatePrincipalPolicy>({.policy_source_arn = arn, .action_names = {{"a:B"}}});
  };
  EXPECT_EQ(asked_for("arn:aws:iam::123456789012:role/none"), "NoSuchEntity");
  EXPECT_EQ(asked_for("arn:aws:sts::123456789012:assumed-role/none/session"), "InvalidInput");
  EXPECT_EQ(asked_for("arn:aws:iam::123456789012:root"), "InvalidInput");
  const auto arn = make_role("r");
  get<api::AttachRolePolicy>({.role_name = "r", .policy_arn = "arn:aws:iam::aws:policy/ReadOnlyAccess"});
  EXPECT_EQ(asked_for(arn), "InvalidInput");  // Too long to keep: not known, so not guessed.
  EXPECT_EQ(code<api::SimulatePrincipalPolicy>({.policy_source_arn = arn, .action_names = {{"CreateVpc"}}}),
            "InvalidInput");
  EXPECT_EQ(code<api::SimulatePrincipalPolicy>(
                {.policy_source_arn = arn, .action_names = {{"a:B"}}, .resource_policy = "{}"}),
            "InvalidInput");
}

TEST_F(SimulationTest, ResultsComeInPages) {
  api::SimulatePrincipalPolicyRequest request{.policy_source_arn = "arn:aws:iam::123456789012:user/sandbox",
                                              .action_names = {{"a:A", "a:B", "a:C"}},
                                              .max_items = 2};
  const auto first = get<api::SimulatePrincipalPolicy>(request);
  EXPECT_EQ(first.evaluation_results->size(), 2U);
  EXPECT_TRUE(*first.is_truncated);
  request.marker = first.marker;
  const auto second = get<api::SimulatePrincipalPolicy>(request);
  EXPECT_EQ(second.evaluation_results->at(0).eval_action_name, "a:C");
  EXPECT_FALSE(*second.is_truncated);
}

}  // namespace
}  // namespace instantstart::sandbox::iam
