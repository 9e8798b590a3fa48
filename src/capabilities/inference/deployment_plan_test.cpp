#include "capabilities/inference/deployment_plan.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "base/error_codes.h"

namespace instantstart::capabilities {
namespace {

DeployFacts facts() {
  return {.model = {.cluster = {"demo", "us-west-2", "123456789012", std::nullopt},
                    .name = "qwen",
                    .space = "default",
                    .model = "Qwen/Qwen2.5-7B"},
          .namespace_exists = true,
          .seen = {.objects = {{.ref = "deployments/default/qwen"}, {.ref = "services/default/qwen"}}},
          .nodes = {{.name = "n1", .type = "ml.g5.12xlarge", .gpus = 4, .schedulable = true}}};
}

DeployFacts deployed() {
  auto all = facts();
  for (auto& object : all.seen.objects) object = {.ref = object.ref, .exists = true, .maker = "op-0"};
  all.seen.rollout = {.current = true, .wanted = 1, .total = 1, .updated = 1, .available = 1};
  return all;
}

/// "create: 2 calls", "none", or the error's code and pointer.
std::string shape(const Result<contract::Plan>& plan) {
  if (!plan) {
    const auto& error = plan.error();
    return error.code + (error.problems.empty() ? "" : " " + error.problems.front().pointer);
  }
  EXPECT_TRUE(contract::plan_faults(*plan).empty());
  if (plan->steps.empty()) return "none";
  const auto& step = plan->steps.front();
  return std::string(encode(step.effect).as_string()) + ": " + std::to_string(step.calls.size()) + " calls";
}

bool warns(const Result<contract::Plan>& plan, std::string_view text) {
  return plan && std::ranges::any_of(plan->warnings, [&](const auto& w) { return w.contains(text); });
}

TEST(DeployPlan, HasAStepOnlyForWhatDiffers) {
  EXPECT_EQ(shape(plan_deploy(facts())), "create: 2 calls");
  auto all = deployed();
  EXPECT_EQ(shape(plan_deploy(all)), "none");
  all.seen.objects[0].differences = {"/spec/template/spec/containers/0/image"};
  EXPECT_EQ(shape(plan_deploy(all)), "update: 1 calls");
  EXPECT_TRUE(warns(plan_deploy(all), "nothing answers"));
  all.seen.objects[0].differences = {"/spec/replicas"};
  all.seen.rollout.wanted = 3;
  EXPECT_EQ(shape(plan_deploy(all)), "scale_down: 1 calls");
  EXPECT_TRUE(plan_deploy(all)->needs_confirmation());
}

TEST(DeployPlan, WhatIsNotReadyIsWaitedForAndWhatIsInTroubleStartedAnew) {
  auto all = deployed();
  all.seen.rollout.available = 0;
  EXPECT_EQ(shape(plan_deploy(all)), "none: 0 calls");
  all.seen.rollout.pods = {{.name = "p", .waiting_reason = "InvalidImageName"}};
  EXPECT_EQ(shape(plan_deploy(all)), "update: 1 calls");
}

TEST(DeployPlan, ObjectsOfOthersAreTakenNames) {
  auto all = facts();
  all.seen.objects[1] = {.ref = "services/default/qwen", .exists = true, .differences = {"/spec/selector"}};
  EXPECT_EQ(shape(plan_deploy(all)), "name_taken");
  all = facts();
  all.namespace_exists = false;
  EXPECT_EQ(shape(plan_deploy(all)), "not_found");
}

TEST(DeployPlan, GpusAreCheckedAgainstTheVeryNodes) {
  auto all = facts();
  all.model.tensor_parallel = 4;
  EXPECT_EQ(shape(plan_deploy(all)), "create: 2 calls");
  all.model.pipeline_parallel = 2;
  EXPECT_EQ(shape(plan_deploy(all)), "invalid_request /tensor_parallel");
  all.gpu_member = "gpus";
  EXPECT_EQ(shape(plan_deploy(all)), "invalid_request /gpus");
  all = facts();
  all.model.instance_type = "ml.p5.48xlarge";
  EXPECT_TRUE(warns(plan_deploy(all), "There is no node of type ml.p5.48xlarge"));
  all.nodes.push_back({.name = "n2", .type = "ml.p5.48xlarge", .schedulable = true});
  EXPECT_TRUE(warns(plan_deploy(all), "device plugin"));
  all = facts();
  all.nodes[0].used = 3;
  all.model.replicas = 2;
  EXPECT_TRUE(warns(plan_deploy(all), "room for 1 of 2"));
  all.nodes[0].schedulable = false;
  EXPECT_TRUE(warns(plan_deploy(all), "room for 0 of 2"));
}

TEST(DeployPlan, TensorsAreSharedByHeads) {
  auto all = facts();
  all.model.tensor_parallel = 3;  // of 28 heads
  EXPECT_EQ(shape(plan_deploy(all)), "invalid_request /tensor_parallel");
  all.model.model = "somebody/unknown";
  EXPECT_TRUE(warns(plan_deploy(all), "not known here"));
  all.model.model = "/models/qwen2.5-7b";
  EXPECT_TRUE(warns(plan_deploy(all), "by the folder's name"));
}

TEST(DeployPlan, AFolderBelowDataNeedsTheMount) {
  auto all = facts();
  all.model.model = "/data/models/qwen";
  EXPECT_EQ(shape(plan_deploy(all)), "invalid_request /model");
  all.model.data_volume = json::object{{"name", "data"}};
  EXPECT_EQ(shape(plan_deploy(all)), "create: 2 calls");
}

TEST(DeletePlan, TakesOursAlone) {
  auto all = deployed();
  EXPECT_EQ(shape(plan_delete(all.model, all.seen)), "remove: 2 calls");
  EXPECT_TRUE(plan_delete(all.model, all.seen)->needs_confirmation());
  all.seen.objects[0].maker.reset();
  EXPECT_EQ(shape(plan_delete(all.model, all.seen)), "blocked");
  EXPECT_EQ(shape(plan_delete(all.model, facts().seen)), "not_found");
}

}  // namespace
}  // namespace instantstart::capabilities
