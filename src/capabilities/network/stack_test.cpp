#include "capabilities/network/stack.h"

#include <gtest/gtest.h>

#include "base/decode.h"

namespace instantstart::capabilities {
namespace {

namespace cfn = aws::cloudformation;
using operations::Act;
using operations::Blocked;
using operations::Decision;
using operations::Done;
using operations::Fail;
using operations::History;
using operations::Wait;

constexpr std::string_view k_key = "demo.us-west-2.123456789012";

StackWanted wanted() {
  return {.name = "instantstart-demo",
          .cluster_key = std::string(k_key),
          .operation_id = "op-1",
          .parameters = {{"Nat", "single"}, {"Template", "t1"}}};
}

StackSeen seen(std::string status, std::string maker = "op-1") {
  StackSeen stack{.exists = true, .stack_id = "arn:stack/1", .status = std::move(status)};
  stack.parameters = wanted().parameters;
  stack.tags = {{std::string(domain::k_cluster_tag), std::string(k_key)},
                {std::string(domain::k_operation_tag), maker}};
  return stack;
}

StackSeen other_values(StackSeen stack) {
  stack.parameters["Nat"] = "per_zone";
  return stack;
}

StackSeen not_ours(StackSeen stack) {
  stack.tags.clear();
  return stack;
}

StackSeen with_failure(StackSeen stack, std::string reason) {
  stack.failures = {{"Cluster", "AWS::EKS::Cluster", std::move(reason)}, {"Later", "AWS::EKS::Addon", "too"}};
  return stack;
}

History sent(StackCall call, bool asked_again = false) {
  History history{.acts = 1, .asked_again = asked_again, .since_act = milliseconds(3'600'000)};
  history.receipt = encode(StackRequest{call, "arn:stack/1"});
  return history;
}

/// "act create_stack", "wait", "done", "blocked name_taken" …
std::string words(const Decision& decision) {
  if (const auto* act = std::get_if<Act>(&decision)) {
    EXPECT_EQ(act->repeat, operations::Repeat::with_token);
    return "act " + std::string(act->request.at("call").as_string());
  }
  if (std::holds_alternative<Wait>(decision)) return "wait";
  if (std::holds_alternative<Done>(decision)) return "done";
  if (const auto* blocked = std::get_if<Blocked>(&decision)) return "blocked " + blocked->error.code;
  if (const auto* failed = std::get_if<Fail>(&decision)) return "fail " + failed->error.code;
  return "ask";
}

TEST(ChooseStack, Table) {
  struct Row {
    const char* what;
    StackSeen seen;
    History history;
    const char* decision;
  };
  StackSeen foreign;
  foreign.foreign_cluster = "arn:cluster/demo";
  History just_now = sent(StackCall::create_stack);
  just_now.since_act = milliseconds(1'000);
  const std::string quota = "Resource limit exceeded: maximum number of VPCs";
  const std::vector<Row> rows{
      {"nothing there", {}, {}, "act create_stack"},
      {"an EKS cluster of the name", foreign, {}, "blocked name_taken"},
      {"accepted, not listed yet", {}, just_now, "wait"},
      {"accepted, and deleted by somebody", {}, sent(StackCall::create_stack), "act create_stack"},
      {"being made", seen("CREATE_IN_PROGRESS"), sent(StackCall::create_stack), "wait"},
      {"made", seen("CREATE_COMPLETE"), sent(StackCall::create_stack), "done"},
      {"asked again", seen("CREATE_COMPLETE", "op-0"), {}, "done"},
      {"made by another", not_ours(seen("CREATE_COMPLETE")), {}, "blocked name_taken"},
      {"failed by another", not_ours(seen("ROLLBACK_COMPLETE")), {}, "blocked name_taken"},
      {"other values", other_values(seen("CREATE_COMPLETE")), {}, "act update_stack"},
      {"other values after an update", other_values(seen("UPDATE_COMPLETE")), {}, "act update_stack"},
      {"changed outside after our update", other_values(seen("UPDATE_COMPLETE")),
       sent(StackCall::update_stack), "act update_stack"},
      {"being updated", other_values(seen("UPDATE_IN_PROGRESS")), sent(StackCall::update_stack), "wait"},
      {"cleaning up", seen("UPDATE_COMPLETE_CLEANUP_IN_PROGRESS"), sent(StackCall::update_stack), "wait"},
      {"our update rolled back", other_values(with_failure(seen("UPDATE_ROLLBACK_COMPLETE"), quota)),
       sent(StackCall::update_stack), "fail quota_exceeded"},
      {"… and asked again", other_values(seen("UPDATE_ROLLBACK_COMPLETE")),
       sent(StackCall::update_stack, true), "act update_stack"},
      {"an earlier update rolled back",
       other_values(seen("UPDATE_ROLLBACK_COMPLETE", "op-0")),
       {},
       "act update_stack"},
      {"rolled back to what is wanted", seen("UPDATE_ROLLBACK_COMPLETE", "op-0"), {}, "done"},
      {"stuck", seen("UPDATE_ROLLBACK_FAILED"), {}, "blocked blocked"},
      {"rolling back", seen("ROLLBACK_IN_PROGRESS"), sent(StackCall::create_stack), "wait"},
      {"our creation failed", with_failure(seen("ROLLBACK_COMPLETE"), quota), sent(StackCall::create_stack),
       "fail quota_exceeded"},
      {"… without a cause", seen("ROLLBACK_FAILED"), sent(StackCall::create_stack), "fail upstream_error"},
      {"… and asked again", seen("ROLLBACK_COMPLETE"), sent(StackCall::create_stack, true),
       "act delete_stack"},
      {"… and it is going", seen("DELETE_IN_PROGRESS"), sent(StackCall::delete_stack), "wait"},
      {"… and it is gone", {}, sent(StackCall::delete_stack), "act create_stack"},
      {"… and it won't go", seen("DELETE_FAILED"), sent(StackCall::delete_stack), "fail upstream_error"},
      {"an earlier creation failed", seen("ROLLBACK_COMPLETE", "op-0"), {}, "act delete_stack"},
      {"planned by a change set only", seen("REVIEW_IN_PROGRESS", "op-0"), {}, "act delete_stack"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(words(choose_stack(wanted(), row.seen, row.history)), row.decision) << row.what;
  }
}

TEST(ChooseStack, OnlyWhatThisOperationMadeIsItsOwn) {
  const auto mine = std::get<Done>(choose_stack(wanted(), seen("CREATE_COMPLETE"), {}));
  ASSERT_EQ(mine.owned.size(), 1u);
  EXPECT_EQ(mine.owned[0].name, "instantstart-demo");
  EXPECT_TRUE(std::get<Done>(choose_stack(wanted(), seen("CREATE_COMPLETE", "op-0"), {})).owned.empty());
  const auto create = std::get<Act>(choose_stack(wanted(), {}, {}));
  EXPECT_EQ(create.makes.size(), 1u);
  const auto update =
      std::get<Act>(choose_stack(wanted(), other_values(seen("CREATE_COMPLETE", "op-0")), {}));
  EXPECT_TRUE(update.makes.empty());
}

TEST(ChooseStack, ANameThatIsTakenIsExplainedByItsDifferences) {
  auto stack = not_ours(other_values(seen("CREATE_COMPLETE")));
  const auto blocked = std::get<Blocked>(choose_stack(wanted(), stack, {}));
  const auto& differences = blocked.error.detail.at("differences").as_object();
  EXPECT_EQ(differences.size(), 1u);
  EXPECT_EQ(differences.at("Nat"), json::value({{"wanted", "single"}, {"found", "per_zone"}}));
}

TEST(ChooseStackDeletion, Table) {
  struct Row {
    const char* what;
    StackSeen seen;
    History history;
    std::optional<std::string> only;
    const char* decision;
  };
  auto inhabited = seen("CREATE_COMPLETE");
  inhabited.strangers = {{"network_interface", "eni-1", "ELB app/x"}};
  auto stuck = with_failure(seen("DELETE_FAILED"), "The subnet has dependencies and cannot be deleted");
  History just_now = sent(StackCall::delete_stack);
  just_now.since_act = milliseconds(1'000);
  const std::vector<Row> rows{
      {"gone", {}, {}, std::nullopt, "done"},
      {"there", seen("CREATE_COMPLETE"), {}, std::nullopt, "act delete_stack"},
      {"failed once", seen("ROLLBACK_COMPLETE"), {}, std::nullopt, "act delete_stack"},
      {"inhabited", inhabited, {}, std::nullopt, "blocked blocked"},
      {"of another", not_ours(seen("CREATE_COMPLETE")), {}, std::nullopt, "blocked name_taken"},
      {"just sent", seen("CREATE_COMPLETE"), just_now, std::nullopt, "wait"},
      {"going", seen("DELETE_IN_PROGRESS"), sent(StackCall::delete_stack), std::nullopt, "wait"},
      {"being made still", seen("CREATE_IN_PROGRESS"), {}, "op-1", "wait"},
      {"did not go", stuck, sent(StackCall::delete_stack), std::nullopt, "fail conflict"},
      {"did not go, asked again", stuck, sent(StackCall::delete_stack, true), std::nullopt,
       "act delete_stack"},
      {"undo of what it made", seen("CREATE_COMPLETE"), {}, "op-1", "act delete_stack"},
      {"undo of what it only changed", seen("UPDATE_COMPLETE", "op-0"), {}, "op-1", "done"},
      {"undo where a name was taken", not_ours(seen("CREATE_COMPLETE")), {}, "op-1", "done"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(words(choose_stack_deletion(wanted(), row.seen, row.history, row.only)), row.decision)
        << row.what;
  }
}

TEST(ChooseStackDeletion, ListsWhatWouldBeOrphaned) {
  auto stack = seen("CREATE_COMPLETE");
  stack.strangers = {{"hyperpod_cluster", "demo", "InService"}, {"subnet", "subnet-1", "10.64.16.0/20"}};
  const auto blocked = std::get<Blocked>(choose_stack_deletion(wanted(), stack, {}, std::nullopt));
  EXPECT_NE(blocked.error.message.find("hyperpod_cluster demo"), std::string::npos) << blocked.error.message;
  EXPECT_EQ(blocked.error.detail.at("orphans").as_array().size(), 2u);
}

cfn::StackEvent event(std::string id, std::string status, std::string reason = "", bool is_stack = false) {
  cfn::StackEvent made;
  made.stack_id = "arn:stack/1";
  made.logical_resource_id = std::move(id);
  made.physical_resource_id = is_stack ? "arn:stack/1" : "physical";
  made.resource_type = "T";
  made.resource_status = std::move(status);
  if (!reason.empty()) made.resource_status_reason = std::move(reason);
  return made;
}

TEST(FailuresOf, TheFirstIsTheCauseAndCancelledOnesAreNone) {
  bool complete = false;
  const auto failures =
      failures_of(std::vector{event("stack", "ROLLBACK_COMPLETE", "", true), event("Vpc", "DELETE_COMPLETE"),
                              event("NatA", "CREATE_FAILED", "Resource creation cancelled"),
                              event("Addon", "CREATE_FAILED", "second"),
                              event("Cluster", "CREATE_FAILED", "first\x1b[2J"),
                              event("stack", "CREATE_IN_PROGRESS", "User Initiated", true),
                              event("Old", "CREATE_FAILED", "of an operation before")},
                  complete);
  EXPECT_TRUE(complete);
  ASSERT_EQ(failures.size(), 2u);
  EXPECT_EQ(failures[0].logical_id, "Cluster");
  EXPECT_EQ(failures[0].reason, "first") << "without control characters";
  EXPECT_EQ(failures[1].reason, "second");
}

TEST(FailuresOf, GoOnUntilTheOperationBegan) {
  bool complete = true;
  EXPECT_EQ(failures_of(std::vector{event("A", "CREATE_FAILED", "x")}, complete).size(), 1u);
  EXPECT_FALSE(complete);
}

TEST(CauseOf, Table) {
  const std::vector<std::pair<const char*, const char*>> rows{
      {"The maximum number of VPCs has been reached. (Service: Ec2, Status Code: 400)", "quota_exceeded"},
      {"AddressLimitExceeded: The maximum number of addresses has been reached.", "quota_exceeded"},
      {"Cluster limit exceeded for account", "quota_exceeded"},
      {"Cannot create cluster because us-east-1e does not currently have sufficient capacity",
       "capacity_unavailable"},
      {"User: arn:x is not authorized to perform: iam:CreateRole", "access_denied"},
      {"Resource handler returned message: \"Access denied\" (HandlerErrorCode: AccessDenied)",
       "access_denied"},
      {"demo-role already exists in stack", "name_taken"},
      {"Rate exceeded (Service: Eks, Status Code: 429)", "throttled"},
      {"The subnet 'subnet-1' has dependencies and cannot be deleted.", "conflict"},
      {"unsupported Kubernetes version (InvalidParameterException)", "invalid_request"},
      {"Internal Failure", "upstream_error"},
      {"", "upstream_error"},
  };
  for (const auto& [reason, code] : rows) EXPECT_EQ(cause_of(reason), code) << reason;
}

}  // namespace
}  // namespace instantstart::capabilities
