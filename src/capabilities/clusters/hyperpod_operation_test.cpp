// Whole operations in virtual time: plan, engine, steps and calls, against an AWS that is made up.
#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "base/decode.h"
#include "base/error_codes.h"
#include "capabilities/clusters/cluster_queries.h"
#include "capabilities/clusters/clusters.h"
#include "capabilities/clusters/testing/fake_hyperpod_aws.h"
#include "capabilities/network/network.h"
#include "operations/testing/engine_fixture.h"

namespace instantstart::capabilities {
namespace {

using operations::OperationState;
using Calls = std::vector<std::string>;

const Calls k_creation{"CreateSubnet",      "CreateRouteTable",     "CreateRoute",      "AssociateRouteTable",
                       "ModifyVpcEndpoint", "CreateRole",           "AttachRolePolicy", "PutRolePolicy",
                       "CreateBucket",      "PutPublicAccessBlock", "PutObject",        "CreateCluster"};

class HyperpodOperation : public operations::testing::EngineFixture {
 protected:
  HyperpodOperation() {
    environment_.variables = {{"AWS_REGION", "us-west-2"},
                              {"AWS_ACCESS_KEY_ID", "AKIDEXAMPLE"},
                              {"AWS_SECRET_ACCESS_KEY", "made-up"}};
    add_network_kinds(kinds_, accounts_, fleet_, time_);
    add_cluster_kinds(kinds_, accounts_);
    EXPECT_TRUE(run(database_->migrate(fleet::Fleet::migrations())));
    begin();
  }

  void import() {
    const auto plan = run(plan_cluster_import(accounts_, fleet_, caller(), {.name = "demo"}));
    EXPECT_EQ(carried_out(plan).state, OperationState::succeeded);
  }

  Result<contract::Plan> plan_creation(json::object group = {}) {
    if (!group.contains("instance_type")) group["instance_type"] = "g5.xlarge";
    if (!group.contains("count")) group["count"] = 2;
    auto request = decode<HyperpodCreate>(json::object{{"cluster", "demo"}, {"group", std::move(group)}});
    EXPECT_TRUE(request) << request.error().message;
    return run(plan_hyperpod_create(accounts_, fleet_, clusters_, caller(), std::move(*request)));
  }
  Result<contract::Plan> plan_deletion() {
    return run(plan_hyperpod_delete(accounts_, fleet_, caller(), {.cluster = {{"demo"}}}));
  }

  operations::OperationView carried_out(const Result<contract::Plan>& plan) {
    EXPECT_TRUE(plan) << plan.error().message;
    if (!plan) return {};
    EXPECT_EQ(contract::plan_faults(*plan), std::vector<std::string>());
    return at_rest(started(*plan));
  }

  static contract::Caller caller() { return {.principal = "ann", .role = contract::Role::admin}; }

  /// Steps without an order between them run side by side.
  static Calls sorted(Calls calls) {
    std::ranges::sort(calls);
    return calls;
  }
  static Calls calls_of(const Result<contract::Plan>& plan) {
    Calls calls;
    if (!plan) return {plan.error().code};
    for (const auto& step : plan->steps) {
      for (const auto& call : step.calls) calls.push_back(call.call.substr(call.call.find(':') + 1));
    }
    return calls;
  }

  testing::FakeHyperpodAws aws_;
  aws::FixedEnvironment environment_;
  aws::Accounts accounts_{environment_, aws_, time_, random_, Log(), "test"};
  kube::EksClusters clusters_{accounts_, aws_, time_, random_, Log()};
  fleet::Fleet fleet_{*database_};
};

TEST_F(HyperpodOperation, MakesJustTheCallsOfItsPlanAndNoneWhenAskedAgain) {
  import();
  const auto plan = plan_creation();
  EXPECT_EQ(calls_of(plan), k_creation);
  EXPECT_FALSE(plan->needs_confirmation());
  const auto done = carried_out(plan);
  EXPECT_EQ(done.state, OperationState::succeeded) << (done.error ? done.error->message : "");
  EXPECT_EQ(sorted(aws_.changes), sorted(k_creation));
  EXPECT_EQ(aws_.changes.back(), "CreateCluster");
  EXPECT_EQ(aws_.subnet->block, "10.64.16.0/20");
  EXPECT_EQ(aws_.hyperpod->request.at("VpcConfig").at("Subnets").at(0).as_string(), "subnet-nodes");

  const auto again = plan_creation();
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_TRUE(again->steps.empty());
  EXPECT_EQ(calls_of(plan_creation({{"count", 3}})), Calls{"UpdateCluster"});
  EXPECT_EQ(carried_out(plan_creation({{"count", 3}})).state, OperationState::succeeded);
  EXPECT_EQ(aws_.changes.back(), "UpdateCluster");
  EXPECT_EQ(calls_of(plan_creation({{"count", 1}})), Calls{"invalid_request"}) << "nodes leave by name";
}

TEST_F(HyperpodOperation, LostRepliesMakeNothingTwice) {
  import();
  for (const char* call : {"CreateSubnet", "CreateRole", "CreateCluster"}) {
    aws_.lose_reply_of = call;
    const auto done = carried_out(plan_creation());
    EXPECT_EQ(done.state, OperationState::succeeded) << call;
    EXPECT_EQ(std::ranges::count(aws_.changes, call), 1);
    EXPECT_EQ(carried_out(plan_deletion()).state, OperationState::succeeded);
    aws_.changes.clear();
  }
}

TEST_F(HyperpodOperation, DeletionNeedsConfirmationAndLeavesNothingOfOurs) {
  import();
  const auto made = carried_out(plan_creation());
  EXPECT_EQ(made.resources.size(), 5) << "cluster, role, bucket, subnet, route table";
  const auto plan = plan_deletion();
  ASSERT_TRUE(plan);
  EXPECT_TRUE(plan->needs_confirmation());
  EXPECT_EQ(carried_out(plan).state, OperationState::succeeded);
  for (const auto& gone : get(made.id).resources) EXPECT_EQ(gone.state, "removed") << gone.name;
  EXPECT_FALSE(aws_.hyperpod || aws_.role || aws_.bucket || aws_.subnet || aws_.table);
  EXPECT_TRUE(plan_deletion()->steps.empty());
}

TEST_F(HyperpodOperation, AClusterThatGoesBetweenTwoCallsOfALookIsGone) {
  import();
  carried_out(plan_creation());
  aws_.goes_before_its_tags = true;
  EXPECT_EQ(carried_out(plan_deletion()).state, OperationState::succeeded);
  EXPECT_FALSE(aws_.hyperpod);
}

TEST_F(HyperpodOperation, ARefusedPieceTakesTheWholeSubnetBack) {
  import();
  aws_.refuse = "CreateRoute";
  const auto failed = carried_out(plan_creation());
  EXPECT_EQ(failed.state, OperationState::failed);
  EXPECT_FALSE(aws_.subnet || aws_.table);
  EXPECT_FALSE(aws_.hyperpod);
}

TEST_F(HyperpodOperation, AFailureIsExplainedAndARollbackRemovesWhatThisOperationMade) {
  import();
  aws_.failure = "Instance i-0aa11bb22cc33dd44 failed: Lifecycle scripts did not run successfully.";
  const auto failed = carried_out(plan_creation());
  EXPECT_EQ(failed.state, OperationState::failed);
  ASSERT_TRUE(failed.steps.back().error);
  EXPECT_EQ(failed.steps.back().error->detail.at("cause").as_string(), "lifecycle");
  EXPECT_EQ(failed.steps.back().error->detail.at("logs").as_string(), "absent");
  EXPECT_EQ(failed.steps.back().error->detail.at("instance_id").as_string(), "i-0aa11bb22cc33dd44");
  ASSERT_TRUE(run(engine_->cancel(failed.id, true)));
  const auto undone = at_rest(failed.id);
  EXPECT_EQ(undone.state, OperationState::cancelled);
  for (const auto& gone : undone.resources) EXPECT_EQ(gone.state, "removed") << gone.name;
  EXPECT_FALSE(aws_.hyperpod || aws_.role || aws_.bucket || aws_.subnet || aws_.table);
}

TEST_F(HyperpodOperation, AQuotaThatIsTooSmallIsRefusedBeforeAnythingIsMade) {
  import();
  aws_.quota = 1;
  const auto plan = plan_creation();
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, codes::quota_exceeded);
  EXPECT_TRUE(aws_.changes.empty());
}

TEST_F(HyperpodOperation, ImportingChangesNothingInAwsAndAgainNothingAtAll) {
  import();
  EXPECT_TRUE(aws_.changes.empty());
  const auto again = run(plan_cluster_import(accounts_, fleet_, caller(), {.name = "demo"}));
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->steps.empty());
}

TEST_F(HyperpodOperation, DiscoveryNamesWhatRunsSlurm) {
  aws_.slurm = true;
  const auto found = run(discover_clusters(accounts_, fleet_, caller(), {}));
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->clusters.size(), 1);
  EXPECT_FALSE(found->clusters[0].managed);
  ASSERT_EQ(found->other_hyperpod.size(), 1);
  EXPECT_EQ(found->other_hyperpod[0].orchestrator, "slurm");
}

TEST_F(HyperpodOperation, AClusterIsToldByItsStages) {
  import();
  carried_out(plan_creation());
  const auto found = run(get_cluster(accounts_, fleet_, clusters_, caller(), {.cluster = {{"demo"}}}));
  ASSERT_TRUE(found) << found.error().message;
  std::map<std::string, StageState> stages;
  for (const auto& stage : found->stages) stages[stage.name] = stage.state;
  EXPECT_EQ(stages.at("network"), StageState::foreign) << "it was imported";
  EXPECT_EQ(stages.at("control_plane"), StageState::foreign);
  EXPECT_EQ(stages.at("dependencies"), StageState::unknown) << "no Kubernetes answers here";
  EXPECT_EQ(stages.at("hyperpod"), StageState::ready);
  EXPECT_EQ(found->kubernetes_version, "1.34");
  EXPECT_TRUE(found->drift.empty());
}

TEST_F(HyperpodOperation, AFailedClusterSaysWhyWhenLookedAt) {
  import();
  aws_.failure = "We currently do not have sufficient capacity for the requested instance type.";
  carried_out(plan_creation());
  const auto found = run(get_hyperpod(accounts_, fleet_, caller(), {.cluster = {{"demo"}}}));
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->hyperpod.size(), 1);
  EXPECT_TRUE(found->hyperpod[0].ours);
  ASSERT_TRUE(found->hyperpod[0].failure);
  EXPECT_EQ(found->hyperpod[0].failure->cause, "capacity");
}

TEST_F(HyperpodOperation, ForgettingRemovesTheRecordAlone) {
  import();
  auto dry = caller();
  dry.dry_run = true;
  EXPECT_FALSE(run(forget_cluster(fleet_, dry, {.cluster = {{"demo"}}}))->forgotten);
  EXPECT_TRUE(run(forget_cluster(fleet_, caller(), {.cluster = {{"demo"}}}))->forgotten);
  EXPECT_EQ(run(fleet_.find("demo")).error().code, codes::not_found);
  EXPECT_TRUE(aws_.changes.empty());
}

TEST_F(HyperpodOperation, NodesArePagedToTheEnd) {
  import();
  carried_out(plan_creation());
  NodeList request{.cluster = {{"demo"}}};
  const auto first = run(list_nodes(accounts_, fleet_, caller(), request, {.limit = 60}));
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(first->nodes.size(), 60);
  const auto second =
      run(list_nodes(accounts_, fleet_, caller(), request, {.limit = 60, .cursor = first->next_cursor}));
  ASSERT_TRUE(second);
  EXPECT_EQ(second->nodes.size(), 41) << "101 nodes, in SageMaker's pages of 100";
  EXPECT_FALSE(second->next_cursor);
}

}  // namespace
}  // namespace instantstart::capabilities
