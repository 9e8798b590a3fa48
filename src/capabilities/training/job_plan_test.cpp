#include "capabilities/training/job_plan.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "base/decode.h"
#include "base/error_codes.h"
#include "capabilities/dependencies/component.h"
#include "capabilities/training/job_steps.h"

namespace instantstart::capabilities {
namespace {

const ClusterTarget k_cluster{
    .name = "demo", .region = "us-west-2", .account = "123456789012", .profile = {}};
constexpr const char* k_type = "ml.p5.48xlarge";

TrainingNode node(int number, const char* type = k_type) {
  return {.name = "node-" + std::to_string(number),
          .instance_type = type,
          .gpus = 8,
          .efa = 32,
          .cpu = 190,
          .memory = 0x1p40,
          .usable = true,
          .busy = 0};
}

/// Two free nodes of one type, all that the operator needs in place, a bucket at /data.
SubmitFacts facts() {
  SubmitFacts made{.request = {.cluster = {"demo"},
                               .name = {"sft"},
                               .image = {"example.com/train:1"},
                               .script = {"/data/train.py"},
                               .nodes = 2},
                   .cluster = k_cluster,
                   .nodes = {node(1), node(2)},
                   .groups = {{"workers", k_type, 2}},
                   .data_claim = "shared"};
  for (const auto* component : with_needs({k_operator_component})) {
    ComponentSeen seen{.wanted_version = "v1"};
    seen.addon =
        AddonSeen{.exists = true, .status = "ACTIVE", .version = "v1", .maker = "op-0", .nodes = true};
    if (component->identity) {
      seen.role = RoleSeen{.arn = "arn:aws:iam::123456789012:role/instantstart/demo-us-west-2-training",
                           .trusts_pods = true,
                           .has_policy = true,
                           .maker = "op-0"};
      seen.association = AssociationSeen{.id = "a-1", .role_arn = *seen.role->arn, .maker = "op-0"};
    }
    made.components.push_back({component, seen});
  }
  return made;
}

std::vector<std::string> pointers(const SubmitFacts& made) {
  std::vector<std::string> found;
  const auto settled = settle(made);
  if (settled) return found;
  EXPECT_EQ(settled.error().code, codes::invalid_request);
  for (const auto& problem : settled.error().problems) found.push_back(problem.pointer);
  return found;
}

SettledJob settled(const SubmitFacts& made) {
  auto job = settle(made);
  EXPECT_TRUE(job) << job.error().message;
  return job.value_or(SettledJob{});
}

bool warns(const std::vector<std::string>& warnings, std::string_view text) {
  return std::ranges::any_of(warnings, [&](const auto& warning) { return warning.contains(text); });
}

std::vector<std::string> ids_of(const contract::Plan& plan) {
  std::vector<std::string> ids;
  for (const auto& step : plan.steps) ids.push_back(step.id);
  return ids;
}

TEST(SettleJob, TakesAllGpusOfTheOnlyGroupAndAllEfaDevices) {
  const auto job = settled(facts());
  EXPECT_EQ(job.spec.instance_type, k_type);
  EXPECT_EQ(job.spec.gpus_per_node, 8);
  EXPECT_EQ(job.spec.efa_per_node, 32);
  EXPECT_EQ(job.spec.data_claim, "shared");
  EXPECT_TRUE(job.warnings.empty());
}

TEST(SettleJob, EfaGoesWithTheGpusAndOnlyBetweenNodes) {
  auto made = facts();
  made.request.gpus_per_node = 4;
  EXPECT_EQ(settled(made).spec.efa_per_node, 16);
  made.request.nodes = 1;
  EXPECT_EQ(settled(made).spec.efa_per_node, 0);
}

TEST(SettleJob, EverythingThatCantBeIsToldAtOnce) {
  auto made = facts();
  made.request.name = {std::string(57, 'a')};
  made.request.nodes = 3;
  made.request.gpus_per_node = 9;
  made.request.cpu = ResourceAmount{"64Gi"};
  made.request.memory = ResourceAmount{"4Ti"};
  made.namespace_exists = false;
  EXPECT_EQ(pointers(made),
            (std::vector<std::string>{"/name", "/namespace", "/nodes", "/gpus_per_node", "/cpu", "/memory"}));
}

TEST(SettleJob, ATypeThatTheClusterLacksIsNamedWithTheNearest) {
  auto made = facts();
  made.request.instance_type = domain::InstanceType{"p5e.48xlarge"};
  const auto refused = settle(made);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().problems.at(0).pointer, "/instance_type");
  EXPECT_EQ(refused.error().problems.at(0).nearest, k_type);
  made.groups.clear();
  made.nodes.clear();
  made.request.instance_type.reset();
  EXPECT_EQ(pointers(made), std::vector<std::string>{"/instance_type"});
}

TEST(SettleJob, WhatMayBecomeTrueIsAWarning) {
  auto made = facts();
  made.nodes.pop_back();
  EXPECT_TRUE(warns(settled(made).warnings, "1 of 2 nodes of type ml.p5.48xlarge have joined"));
  made = facts();
  made.nodes[0].busy = 4;
  EXPECT_TRUE(warns(settled(made).warnings, "1 of 2 nodes of type ml.p5.48xlarge are free"));
  made = facts();
  made.nodes[0].usable = false;
  EXPECT_TRUE(warns(settled(made).warnings, "are free now"));
  made = facts();
  made.data_claim.reset();
  EXPECT_TRUE(warns(settled(made).warnings, "Nothing is mounted at /data in the namespace default"));
  made = facts();
  made.request.log_monitoring = {{.name = "loss", .pattern = "loss", .expected_start_seconds = 5}};
  EXPECT_TRUE(warns(settled(made).warnings, "beginning of lines"));
}

TEST(SettleJob, BeforeNodesJoinTheTypeItselfTells) {
  auto made = facts();
  made.nodes.clear();
  made.type = TypeFacts{.gpus = 8, .efa = 16};
  const auto job = settled(made);
  EXPECT_EQ(job.spec.gpus_per_node, 8);
  EXPECT_EQ(job.spec.efa_per_node, 16);
  EXPECT_TRUE(warns(job.warnings, "0 of 2 nodes"));
}

TEST(ChooseInstanceType, PrefersGpusThatAreThere) {
  auto made = facts();
  made.groups = {{"system", "ml.m5.xlarge", 1}, {"small", "ml.g5.xlarge", 1}, {"big", k_type, 2}};
  EXPECT_EQ(choose_instance_type(made), k_type) << "its nodes have joined";
  made.nodes.clear();
  EXPECT_EQ(choose_instance_type(made), "ml.g5.xlarge") << "the first with GPUs";
  made.request.instance_type = domain::InstanceType{"ml.m5.xlarge"};
  EXPECT_EQ(choose_instance_type(made), "ml.m5.xlarge");
}

TEST(SubmitPlan, MakesTheJobAndWaitsForItsPods) {
  const auto plan = plan_submit(facts(), settled(facts()), {.served = true});
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(ids_of(*plan), (std::vector<std::string>{"job", "logs", "start"}));
  EXPECT_TRUE(contract::plan_faults(*plan).empty());
  EXPECT_FALSE(plan->needs_confirmation());
  EXPECT_EQ(plan->subject, "cluster/demo.us-west-2.123456789012/job/default.sft");
  EXPECT_EQ(plan->summary, "Submit the job default/sft: 2 nodes of type ml.p5.48xlarge, 8 GPUs each.");
}

TEST(SubmitPlan, WithoutTheOperatorItComesFirst) {
  auto made = facts();
  for (auto& component : made.components) {
    component.seen.addon = AddonSeen{.nodes = true};
    if (component.seen.role) component.seen.role = RoleSeen{};
    if (component.seen.association) component.seen.association = AssociationSeen{};
  }
  const auto plan = plan_submit(made, settled(made), {});
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(ids_of(*plan), (std::vector<std::string>{"namespaces", "pod_identity", "cert_manager",
                                                     "training_operator/role", "training_operator/identity",
                                                     "training_operator", "job", "logs", "start"}));
  EXPECT_EQ(plan->steps[6].after.size(), 6U);
  for (auto& component : made.components) component.seen.wanted_version.clear();
  EXPECT_EQ(plan_submit(made, settled(made), {}).error().code, codes::conflict) << "EKS offers none";
}

TEST(SubmitPlan, TheSameJobAgainIsNothingToDo) {
  const auto plan = plan_submit(facts(), settled(facts()), {.served = true, .exists = true, .maker = "op-1"});
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_TRUE(plan->steps.empty());
}

TEST(SubmitPlan, ANameThatIsTakenIsRefusedWithTheDifferences) {
  JobSeen seen{.served = true, .exists = true, .maker = "op-1", .differences = {"/spec/nprocPerNode"}};
  const auto ours = plan_submit(facts(), settled(facts()), seen);
  ASSERT_EQ(ours.error().code, codes::name_taken);
  EXPECT_EQ(ours.error().detail.at("differences").as_array().at(0), "/spec/nprocPerNode");
  seen.maker.reset();
  seen.differences.clear();
  EXPECT_EQ(plan_submit(facts(), settled(facts()), seen).error().code, codes::name_taken);
}

TEST(DeletePlan, NeedsConfirmationAndSparesTheJobsOfOthers) {
  DeleteFacts made{.cluster = k_cluster,
                   .space = "default",
                   .name = "sft",
                   .seen = {.served = true, .exists = true, .uid = "u", .state = JobState::running}};
  EXPECT_EQ(plan_delete(made).error().code, codes::blocked);
  made.foreign = true;
  const auto foreign = plan_delete(made);
  ASSERT_TRUE(foreign) << foreign.error().message;
  EXPECT_TRUE(foreign->needs_confirmation());
  EXPECT_TRUE(warns(foreign->warnings, "last checkpoint"));
  made.foreign = false;
  made.seen.maker = "op-1";
  EXPECT_TRUE(plan_delete(made));
}

}  // namespace
}  // namespace instantstart::capabilities
