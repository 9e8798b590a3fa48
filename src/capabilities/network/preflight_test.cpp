#include "capabilities/network/preflight.h"

#include <gtest/gtest.h>

namespace instantstart::capabilities {
namespace {

Identity identity(std::string arn) { return {{"aws-cn", "cn-north-1", "123456789012"}, std::move(arn)}; }

TEST(SimulatedPrincipal, IsTheUserOrTheRoleOfTheSession) {
  const auto user = simulated_principal(identity("arn:aws-cn:iam::123456789012:user/team/ann"));
  ASSERT_TRUE(user);
  EXPECT_EQ(user->arn, "arn:aws-cn:iam::123456789012:user/team/ann");
  EXPECT_TRUE(user->role_name.empty());
  const auto role = simulated_principal(identity("arn:aws-cn:sts::123456789012:assumed-role/platform/i-1"));
  ASSERT_TRUE(role);
  EXPECT_EQ(role->arn, "arn:aws-cn:iam::123456789012:role/platform");
  EXPECT_EQ(role->role_name, "platform");
}

TEST(SimulatedPrincipal, RootAndFederatedUsersHaveNoPolicies) {
  for (const char* arn :
       {"arn:aws:iam::123456789012:root", "arn:aws:sts::123456789012:federated-user/ann", "ann"}) {
    EXPECT_FALSE(simulated_principal(identity(arn))) << arn;
  }
}

TEST(PreflightProblems, AQuotaIsUsedUpToItsLastPiece) {
  const auto problems = [](std::optional<std::int64_t> quota, std::int64_t used) {
    Preflight found;
    found.budgets = {{.what = "VPCs", .quota = quota, .used = used, .needed = 1}};
    return preflight_problems(found).size();
  };
  EXPECT_EQ(problems(5, 4), 0u);
  EXPECT_EQ(problems(5, 5), 1u);
  EXPECT_EQ(problems(std::nullopt, 500), 0u) << "an unknown quota is not zero";
}

TEST(ToError, TheRequestsOwnFaultsGoFirstThenPermissionsThenQuotas) {
  const FieldProblem quota{.rule = "quota_exceeded", .message = "needs more"};
  const FieldProblem denied{.rule = "access_denied", .message = "needs rights"};
  const FieldProblem zone{.pointer = "/zones/0", .rule = "zones", .message = "is none"};
  EXPECT_FALSE(to_error({}));
  EXPECT_EQ(to_error({quota})->code, "quota_exceeded");
  EXPECT_EQ(to_error({quota, denied})->code, "access_denied");
  EXPECT_EQ(to_error({quota, denied, zone})->code, "invalid_request");
  EXPECT_EQ(to_error({quota, denied, zone})->problems.size(), 3u);
}

}  // namespace
}  // namespace instantstart::capabilities
