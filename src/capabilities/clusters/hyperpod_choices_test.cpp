#include <gtest/gtest.h>

#include "base/decode.h"
#include "base/error_codes.h"
#include "capabilities/clusters/clusters.h"
#include "capabilities/clusters/execution_role.h"
#include "capabilities/clusters/hyperpod_steps.h"

namespace instantstart::capabilities {
namespace {

using operations::Act;
using operations::Blocked;
using operations::Decision;
using operations::Done;
using operations::Fail;
using operations::History;
using operations::Wait;

const ClusterTarget k_cluster{"demo", "us-west-2", "123456789012", std::nullopt};

HyperpodInput input() {
  HyperpodInput made{.cluster = k_cluster, .name = "demo", .eks_arn = "eks", .role_name = "nodes"};
  made.group.instance_type = {{"p5.48xlarge"}};
  made.group.count = 2;
  return made;
}

HyperpodSeen there(std::string status, std::int64_t current = 2) {
  HyperpodSeen seen{.exists = true,
                    .arn = "arn-1",
                    .status = std::move(status),
                    .eks_arn = "eks",
                    .node_recovery = "Automatic",
                    .maker = "op-1"};
  seen.groups = {{.name = "workers", .status = "InService", .target = 2, .current = current}};
  return seen;
}

Decision choose(const HyperpodSeen& seen, const History& history = {}) {
  return choose_hyperpod("op-1", input(), "subnet-1", seen, history);
}

std::optional<HyperpodCall> call_of(const Decision& decision) {
  const auto* act = std::get_if<Act>(&decision);
  if (act == nullptr) return std::nullopt;
  return decode<HyperpodRequest>(act->request)->call;
}

History accepted(HyperpodCall call) {
  return {.acts = 1, .receipt = encode(HyperpodRequest{.call = call, .arn = "arn-1"})};
}

TEST(ChooseHyperpod, IsCreatedWaitedForAndDoneWhenAllNodesAreThere) {
  EXPECT_EQ(call_of(choose({})), HyperpodCall::create_cluster);
  EXPECT_TRUE(std::holds_alternative<Wait>(choose(there("Creating", 0))));
  EXPECT_TRUE(std::holds_alternative<Wait>(choose(there("InService", 1))));
  const auto done = choose(there("InService"));
  ASSERT_TRUE(std::holds_alternative<Done>(done));
  EXPECT_EQ(std::get<Done>(done).owned.size(), 1);
}

TEST(ChooseHyperpod, OneThatIsNotOursOrOnAnotherClusterIsNotTouched) {
  auto foreign = there("InService");
  foreign.maker.reset();
  EXPECT_TRUE(std::holds_alternative<Blocked>(choose(foreign)));
  auto elsewhere = there("InService");
  elsewhere.eks_arn = "other";
  const auto decision = choose(elsewhere);
  ASSERT_TRUE(std::holds_alternative<Blocked>(decision));
  EXPECT_EQ(std::get<Blocked>(decision).error.code, codes::name_taken);
}

TEST(ChooseHyperpod, AFailureOfOursIsExplainedAndClearedAwayOnlyByARetry) {
  auto failed = there("Failed", 0);
  failed.failure_message = "insufficient capacity";
  auto history = accepted(HyperpodCall::create_cluster);
  const auto told = choose(failed, history);
  ASSERT_TRUE(std::holds_alternative<Fail>(told));
  EXPECT_EQ(std::get<Fail>(told).error.code, codes::capacity_unavailable);
  history.asked_again = true;
  EXPECT_EQ(call_of(choose(failed, history)), HyperpodCall::delete_cluster);
  EXPECT_EQ(call_of(choose(failed)), HyperpodCall::delete_cluster) << "of an earlier operation";
}

TEST(ChooseHyperpod, ARoleThatWasJustMadeIsGivenTime) {
  History history{.acts = 1};
  history.act_error = Error{.code = std::string(codes::invalid_request),
                            .message = "SageMaker is unable to assume the execution role"};
  EXPECT_TRUE(std::holds_alternative<Wait>(choose({}, history)));
  history.since_act = history.since_start = milliseconds(11'000);
  EXPECT_EQ(call_of(choose({}, history)), HyperpodCall::create_cluster);
  history.since_start = milliseconds(121'000);
  EXPECT_TRUE(std::holds_alternative<Fail>(choose({}, history)));
}

TEST(ChooseHyperpod, ARefusalForMissingDependenciesLeadsToThem) {
  History history{.acts = 1};
  history.act_error = Error{.code = std::string(codes::invalid_request),
                            .message = "EKS cluster demo is missing one or more required dependencies"};
  const auto decision = choose({}, history);
  ASSERT_TRUE(std::holds_alternative<Fail>(decision));
  const Error& error = std::get<Fail>(decision).error;
  EXPECT_EQ(error.code, codes::blocked);
  EXPECT_EQ(error.next.front().action, "dependency_reconcile");
  EXPECT_EQ(error.next.back().arguments.at("operation_id").as_string(), "op-1");
}

TEST(ChooseHyperpod, WhatDiffersIsUpdated) {
  auto drifted = there("InService");
  drifted.node_recovery = "None";
  EXPECT_EQ(call_of(choose(drifted)), HyperpodCall::update_cluster);
  auto smaller = there("InService");
  smaller.groups[0].target = smaller.groups[0].current = 1;
  EXPECT_EQ(call_of(choose(smaller)), HyperpodCall::update_cluster);
}

TEST(ChooseHyperpod, NodesThatDoNotComeAreAFailureWithItsCauseAfterAWhile) {
  auto seen = there("InService", 1);
  seen.events = {{.level = "Error", .text = "insufficient capacity"}};
  auto history = accepted(HyperpodCall::create_cluster);
  EXPECT_TRUE(std::holds_alternative<Wait>(choose(seen, history)));
  history.since_act = milliseconds(2'400'000);
  const auto decision = choose(seen, history);
  ASSERT_TRUE(std::holds_alternative<Fail>(decision));
  EXPECT_EQ(std::get<Fail>(decision).error.detail.at("cause").as_string(), "capacity");
  history.asked_again = true;
  EXPECT_TRUE(std::holds_alternative<Wait>(choose(seen, history)));
}

TEST(ChooseHyperpodDeletion, AnotherClusterThatTookTheNameIsLeft) {
  EXPECT_TRUE(std::holds_alternative<Done>(
      choose_hyperpod_deletion(k_cluster, "demo", "arn-0", there("InService"), {}, std::nullopt)));
  EXPECT_EQ(
      call_of(choose_hyperpod_deletion(k_cluster, "demo", "arn-1", there("InService"), {}, std::nullopt)),
      HyperpodCall::delete_cluster);
  EXPECT_TRUE(std::holds_alternative<Wait>(
      choose_hyperpod_deletion(k_cluster, "demo", "arn-1", there("Deleting"), {}, std::nullopt)));
  EXPECT_TRUE(std::holds_alternative<Done>(
      choose_hyperpod_deletion(k_cluster, "demo", "", there("InService"), {}, "op-2")))
      << "an undo takes nothing of another operation";
}

TEST(ChooseExecutionRole, EveryPieceIsMadeAndAForeignRoleIsNot) {
  const ExecutionRoleInput role{k_cluster, "nodes", "sagemaker-a", std::nullopt};
  ExecutionRoleSeen seen;
  EXPECT_EQ(missing_calls(role, seen),
            (std::vector{RoleCall::create_role, RoleCall::attach_policy, RoleCall::put_policy}));
  seen.exists = true;
  EXPECT_TRUE(std::holds_alternative<Blocked>(choose_execution_role("op-1", role, seen)));
  seen = {.exists = true, .maker = "op-1", .trust_holds = false, .policy_holds = true};
  seen.attached = {instance_role_policy_arn(k_cluster)};
  EXPECT_EQ(missing_calls(role, seen), std::vector{RoleCall::update_trust});
  seen.trust_holds = true;
  EXPECT_TRUE(std::holds_alternative<Done>(choose_execution_role("op-1", role, seen)));
}

TEST(ChooseLifecycle, ABucketOfOthersIsNeverTaken) {
  const LifecycleInput bucket{k_cluster, "sagemaker-a", "key"};
  EXPECT_TRUE(std::holds_alternative<Blocked>(
      choose_lifecycle("op-1", bucket, {.exists = true, .tagged = true}, {})));
  EXPECT_TRUE(std::holds_alternative<Blocked>(choose_lifecycle("op-1", bucket, {.other_account = true}, {})));
  History made{.acts = 1, .receipt = encode(BucketRequest{BucketCall::create_bucket, ""})};
  const auto tagged = choose_lifecycle("op-1", bucket, {.exists = true}, made);
  ASSERT_TRUE(std::holds_alternative<Act>(tagged)) << "AWS's answer to our call proves that it is ours";
}

TEST(ClusterActions, AreASoundTableButForTheStatusActionOfAnotherRoom) {
  auto faults = contract::ActionTable::faults(cluster_actions(nullptr, nullptr, nullptr));
  std::erase_if(faults, [](const std::string& fault) { return fault.contains("operation_get is not"); });
  EXPECT_EQ(faults, std::vector<std::string>());
}

}  // namespace
}  // namespace instantstart::capabilities
