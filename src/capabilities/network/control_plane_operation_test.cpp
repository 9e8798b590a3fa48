// Whole operations in virtual time: plan, engine, steps and calls, against an AWS that is made up.
#include <gtest/gtest.h>

#include "base/decode.h"
#include "capabilities/network/control_plane_steps.h"
#include "capabilities/network/network.h"
#include "capabilities/network/testing/fake_aws.h"
#include "operations/testing/engine_fixture.h"

namespace instantstart::capabilities {
namespace {

using operations::OperationState;
using Calls = std::vector<std::string>;

class ControlPlaneOperation : public operations::testing::EngineFixture {
 protected:
  ControlPlaneOperation() {
    environment_.variables = {{"AWS_REGION", "us-west-2"},
                              {"AWS_ACCESS_KEY_ID", "AKIDEXAMPLE"},
                              {"AWS_SECRET_ACCESS_KEY", "made-up"}};
    add_network_kinds(kinds_, accounts_, fleet_, time_);
    EXPECT_TRUE(run(database_->migrate(fleet::Fleet::migrations())));
    begin();
  }

  Result<contract::Plan> plan_creation(json::object members = {}) {
    members["name"] = "demo";
    auto request = decode<ControlPlaneCreate>(members);
    EXPECT_TRUE(request) << request.error().message;
    return run(plan_control_plane_create(accounts_, fleet_, caller(), std::move(*request)));
  }
  Result<contract::Plan> plan_deletion(std::string cluster) {
    return run(plan_control_plane_delete(accounts_, fleet_, caller(), {.cluster = {{std::move(cluster)}}}));
  }

  /// Where it comes to rest.
  operations::OperationView carried_out(Result<contract::Plan> plan) {
    EXPECT_TRUE(plan) << plan.error().message;
    if (!plan) return {};
    EXPECT_EQ(contract::plan_faults(*plan), std::vector<std::string>());
    return at_rest(started(std::move(*plan)));
  }

  static contract::Caller caller() { return {.principal = "ann", .role = contract::Role::admin}; }

  static Calls calls_of(const Result<contract::Plan>& plan) {
    Calls calls;
    if (!plan) return {plan.error().code};
    for (const auto& step : plan->steps) {
      for (const auto& call : step.calls) calls.push_back(call.call);
    }
    return calls;
  }

  testing::FakeAws aws_;
  aws::FixedEnvironment environment_;
  aws::Accounts accounts_{environment_, aws_, time_, random_, Log(), "test"};
  fleet::Fleet fleet_{*database_};
};

TEST_F(ControlPlaneOperation, OneStackIsMadeAndTheClusterIsManaged) {
  const auto done = carried_out(plan_creation());
  EXPECT_EQ(done.state, OperationState::succeeded) << (done.error ? done.error->message : "");
  EXPECT_EQ(aws_.changes, Calls{"CreateStack"});
  EXPECT_EQ(aws_.stack->tags.at("instantstart:cluster"), "demo.us-west-2.123456789012");
  EXPECT_EQ(aws_.stack->tags.at("instantstart:operation"), done.id);
  EXPECT_EQ(aws_.stack->parameters.at("VpcCidr"), "10.64.0.0/16");
  EXPECT_EQ(done.outputs.at("stack").at("VpcId"), "vpc-1");
  const auto record = run(fleet_.find("demo"));
  ASSERT_TRUE(record);
  EXPECT_EQ(record->operation_id, done.id);
}

TEST_F(ControlPlaneOperation, AskedAgainItChangesNothing) {
  carried_out(plan_creation());
  aws_.vpc_block = "10.64.0.0/16";  // As the region's VPCs are now, with ours: the choice stays.
  const auto again = plan_creation();
  EXPECT_EQ(calls_of(again), Calls());
  EXPECT_FALSE(again->needs_confirmation());
  const auto done = carried_out(again);
  EXPECT_EQ(done.state, OperationState::succeeded);
  EXPECT_EQ(done.steps.at(0).acts, 0);
  EXPECT_EQ(done.steps.at(1).acts, 0);
  EXPECT_EQ(aws_.changes, Calls{"CreateStack"});
}

TEST_F(ControlPlaneOperation, WithOneValueChangedItMakesTheCallOfItsPlan) {
  const auto first = carried_out(plan_creation());
  const auto changed = plan_creation({{"nat", "per_zone"}});
  EXPECT_EQ(calls_of(changed), Calls{"cloudformation:UpdateStack"});
  EXPECT_TRUE(changed->needs_confirmation()) << "connections through the gateway break";
  const auto done = carried_out(changed);
  EXPECT_EQ(done.state, OperationState::succeeded);
  EXPECT_EQ(aws_.changes, (Calls{"CreateStack", "UpdateStack"}));
  EXPECT_EQ(aws_.stack->parameters.at("Nat"), "per_zone");
  EXPECT_EQ(aws_.stack->tags.at("instantstart:operation"), first.id) << "who made it stays";
  EXPECT_EQ(calls_of(plan_creation()), Calls());
}

TEST_F(ControlPlaneOperation, ALostReplyMakesNoSecondStack) {
  aws_.lose_next_reply = true;
  EXPECT_EQ(carried_out(plan_creation()).state, OperationState::succeeded);
  EXPECT_EQ(aws_.changes, Calls{"CreateStack"});
}

TEST_F(ControlPlaneOperation, AFailedCreationIsExplainedAndARetryClearsItAway) {
  aws_.failure = "The maximum number of VPCs has been reached.";
  const auto failed = carried_out(plan_creation());
  EXPECT_EQ(failed.state, OperationState::failed);
  ASSERT_TRUE(failed.steps.at(0).error);
  EXPECT_EQ(failed.steps.at(0).error->code, "quota_exceeded");
  EXPECT_NE(failed.steps.at(0).error->message.find("Vpc (AWS::EC2::VPC)"), std::string::npos);
  EXPECT_EQ(aws_.changes, Calls{"CreateStack"});

  aws_.failure.reset();
  ASSERT_TRUE(run(engine_->retry(failed.id, std::nullopt, std::nullopt)));
  EXPECT_EQ(at_rest(failed.id).state, OperationState::succeeded);
  EXPECT_EQ(aws_.changes, (Calls{"CreateStack", "DeleteStack", "CreateStack"}));
}

TEST_F(ControlPlaneOperation, ANewRequestClearsAFailedStackAwayToo) {
  aws_.failure = "no";
  carried_out(plan_creation());
  aws_.failure.reset();
  const auto plan = plan_creation();
  EXPECT_EQ(calls_of(plan), (Calls{"cloudformation:DeleteStack", "cloudformation:CreateStack"}));
  EXPECT_EQ(carried_out(plan_creation({{"tag", "blue"}})).state, OperationState::succeeded);
  EXPECT_EQ(aws_.changes, (Calls{"CreateStack", "DeleteStack", "CreateStack"}));
}

TEST_F(ControlPlaneOperation, AFailedUpdateIsExplainedAndLeavesWhatWas) {
  carried_out(plan_creation());
  aws_.failure = "AddressLimitExceeded";
  const auto failed = carried_out(plan_creation({{"nat", "per_zone"}}));
  EXPECT_EQ(failed.state, OperationState::failed);
  EXPECT_EQ(failed.steps.at(0).error->code, "quota_exceeded");
  EXPECT_EQ(calls_of(plan_creation()), Calls()) << "as it was before";
}

TEST_F(ControlPlaneOperation, RollbackDeletesWhatThisOperationMadeAndNothingElse) {
  const auto made = carried_out(plan_creation());
  const auto changing = started(*plan_creation({{"nat", "per_zone"}}));
  time_.run_for(milliseconds(1'000));
  ASSERT_TRUE(run(engine_->cancel(changing, true)));
  EXPECT_EQ(at_rest(changing).state, OperationState::cancelled);
  EXPECT_EQ(aws_.changes, (Calls{"CreateStack", "UpdateStack"})) << "it did not make the stack";
  EXPECT_TRUE(aws_.stack);
  EXPECT_EQ(made.state, OperationState::succeeded);
}

TEST_F(ControlPlaneOperation, RollbackOfAFailedCreationDeletesItsStack) {
  aws_.failure = "no";
  const auto failed = carried_out(plan_creation());
  ASSERT_TRUE(run(engine_->cancel(failed.id, true)));
  const auto undone = at_rest(failed.id);
  EXPECT_EQ(undone.state, OperationState::cancelled);
  EXPECT_EQ(aws_.changes, (Calls{"CreateStack", "DeleteStack"}));
  EXPECT_FALSE(aws_.stack);
  for (const auto& resource : undone.resources) EXPECT_EQ(resource.state, "removed") << resource.name;
}

TEST_F(ControlPlaneOperation, DeletionTakesStackAndRecordAway) {
  carried_out(plan_creation());
  const auto plan = plan_deletion("demo");
  EXPECT_EQ(calls_of(plan), Calls{"cloudformation:DeleteStack"});
  EXPECT_TRUE(plan->needs_confirmation());
  EXPECT_EQ(carried_out(plan).state, OperationState::succeeded);
  EXPECT_FALSE(aws_.stack);
  EXPECT_EQ(run(fleet_.find("demo")).error().code, "not_found");
  EXPECT_EQ(calls_of(plan_deletion("demo.us-west-2.123456789012")), Calls{"not_found"});
}

TEST_F(ControlPlaneOperation, DeletionIsRefusedWhileOthersLiveThere) {
  carried_out(plan_creation());
  aws_.stranger = "ELB app/web/1";
  const auto refused = plan_deletion("demo");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "blocked");
  EXPECT_EQ(refused.error().detail.at("orphans").at(0).at("type"), "load_balancer");
  aws_.stranger = "Amazon EKS demo";
  EXPECT_EQ(calls_of(plan_deletion("demo")), Calls{"cloudformation:DeleteStack"}) << "EKS takes its own away";
  EXPECT_EQ(aws_.changes, Calls{"CreateStack"});
}

TEST_F(ControlPlaneOperation, WhatMovesInAfterThePlanBlocksTheDeletion) {
  carried_out(plan_creation());
  auto plan = plan_deletion("demo");
  aws_.stranger = "somebody's";
  EXPECT_EQ(carried_out(std::move(plan)).state, OperationState::needs_input);
  EXPECT_EQ(aws_.changes, Calls{"CreateStack"});
}

TEST_F(ControlPlaneOperation, AClusterOfAnotherMakerIsLeftAlone) {
  aws_.eks_cluster = "arn:aws:eks:us-west-2:123456789012:cluster/demo";
  const auto refused = plan_creation();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "name_taken");
}

TEST_F(ControlPlaneOperation, AStackOfAnotherMakerIsLeftAlone) {
  aws_.stack = testing::FakeAws::Stack{.status = "CREATE_COMPLETE", .id = "arn:stack/theirs"};
  EXPECT_EQ(calls_of(plan_creation()), Calls{"name_taken"});
  EXPECT_EQ(calls_of(plan_deletion("demo.us-west-2.123456789012")), Calls{"name_taken"});
}

TEST_F(ControlPlaneOperation, PreflightReportsAllThatIsWrongAtOnce) {
  aws_.eks_quota = 0;
  aws_.denied = "ec2:CreateVpc";
  const auto refused = plan_creation();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "access_denied");
  EXPECT_EQ(refused.error().problems.size(), 2u);
  const auto also_wrong = plan_creation({{"zones", {"us-west-2a", "us-west-2x"}}});
  EXPECT_EQ(also_wrong.error().code, "invalid_request");
  EXPECT_EQ(also_wrong.error().problems.size(), 3u);
  EXPECT_TRUE(aws_.changes.empty());
}

TEST_F(ControlPlaneOperation, ATagOfAnotherClusterIsRefusedBeforeAnythingIsMade) {
  ASSERT_TRUE(run(fleet_.put({.key = {"other", "us-west-2", "123456789012"}, .tag = "demo"})));
  EXPECT_EQ(calls_of(plan_creation()), Calls{"name_taken"});
}

TEST_F(ControlPlaneOperation, AnExistingVpcIsUsedAsItIs) {
  const json::object vpc{{"vpc_id", "vpc-12345678"}, {"subnet_ids", {"subnet-12345678", "subnet-87654321"}}};
  aws_.subnets = {{"subnet-12345678", "a"}, {"subnet-87654321", "a"}};
  const auto one_zone = plan_creation({{"vpc", vpc}});
  ASSERT_FALSE(one_zone);
  EXPECT_EQ(one_zone.error().problems.at(0).pointer, "/vpc/subnet_ids");

  aws_.subnets[1].second = "b";
  EXPECT_EQ(carried_out(plan_creation({{"vpc", vpc}})).state, OperationState::succeeded);
  EXPECT_EQ(aws_.stack->parameters.at("SubnetIds"), "subnet-12345678,subnet-87654321");
  EXPECT_FALSE(aws_.stack->parameters.contains("VpcCidr"));
  EXPECT_EQ(calls_of(plan_creation()), Calls()) << "the VPC is kept when it isn't named";
}

TEST_F(ControlPlaneOperation, OpeningTheEndpointNeedsAConfirmation) {
  carried_out(plan_creation({{"endpoint_access", "private_only"}}));
  EXPECT_EQ(aws_.stack->parameters.at("PublicAccessCidrs"), "");
  const auto plan = plan_creation({{"endpoint_access", "public_and_private"}});
  EXPECT_EQ(calls_of(plan), Calls{"cloudformation:UpdateStack"});
  EXPECT_EQ(plan->steps.at(0).effect, contract::StepEffect::expose);
}

TEST(NetworkActions, AreSoundRows) {
  auto actions = network_actions(nullptr, nullptr);
  const auto faults = contract::ActionTable::faults(actions);
  for (const auto& fault : faults) {
    EXPECT_NE(fault.find("status_action operation_get is not in the table"), std::string::npos) << fault;
  }
  EXPECT_EQ(actions.size(), 3u);
}

}  // namespace
}  // namespace instantstart::capabilities
