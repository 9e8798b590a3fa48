#include <gtest/gtest.h>

#include "capabilities/environments/environment_steps.h"

namespace instantstart::capabilities {
namespace {

using contract::Plan;
using contract::PlannedStep;
using contract::StepEffect;

Plan plan_of(std::vector<PlannedStep> steps) {
  return {.kind = "part", .subject = "cluster/a", .summary = "In short.", .steps = std::move(steps)};
}

Stage stage_of(std::string id, Plan plan) {
  return {.id = std::move(id), .kind = "stage", .plan = std::move(plan), .title = "Not planned"};
}

TEST(WorstEffect, IsWhatMustBeConfirmedBeforeWhatIsOnlyLater) {
  EXPECT_EQ(worst_effect(plan_of({})), StepEffect::none);
  EXPECT_EQ(worst_effect(plan_of({{.effect = StepEffect::none}, {.effect = StepEffect::create}})),
            StepEffect::create);
  EXPECT_EQ(worst_effect(plan_of({{.effect = StepEffect::update}, {.effect = StepEffect::create}})),
            StepEffect::update);
  EXPECT_EQ(worst_effect(plan_of({{.effect = StepEffect::remove}, {.effect = StepEffect::update}})),
            StepEffect::remove);
}

TEST(StageList, AStageHasTheCallsTheEffectAndTheWarningsOfItsOperation) {
  StageList list;
  auto plan = plan_of({{.effect = StepEffect::create, .calls = {{"s3:CreateBucket", "bucket/b"}}},
                       {.effect = StepEffect::none}});
  plan.warnings = {"Mind the gap."};
  list.add(stage_of("storage", std::move(plan)));
  ASSERT_EQ(list.steps.size(), 1U);
  const auto& step = list.steps.front();
  EXPECT_EQ(step.title, "In short.");
  EXPECT_EQ(step.effect, StepEffect::create);
  ASSERT_EQ(step.calls.size(), 1U);
  EXPECT_EQ(step.calls.front().call, "s3:CreateBucket");
  EXPECT_EQ(list.warnings, std::vector<std::string>{"Mind the gap."});
  EXPECT_TRUE(list.has_calls());
}

TEST(StageList, WhatIsDangerousStandsInTheTitle) {
  StageList list;
  list.add(stage_of("hyperpod", plan_of({{.title = "Delete two nodes", .effect = StepEffect::remove},
                                         {.title = "Look", .effect = StepEffect::none}})));
  EXPECT_EQ(list.steps.front().title, "Delete two nodes");
}

TEST(StageList, ACallThatAnEarlierStageMakesIsListedOnce) {
  StageList list;
  const PlannedStep driver{.effect = StepEffect::create, .calls = {{"eks:CreateAddon", "addon/s3"}}};
  list.add(stage_of("dependencies", plan_of({driver})));
  list.add(stage_of("storage", plan_of({driver, {.calls = {{"eks:CreateAddon", "addon/other"}}}})));
  ASSERT_EQ(list.steps.back().calls.size(), 1U);
  EXPECT_EQ(list.steps.back().calls.front().subject, "addon/other");
}

TEST(StageList, WithoutAPlanTheStageSaysWhatItIsAbout) {
  StageList list;
  list.add({.id = "later", .kind = "stage", .title = "Not planned", .effect = StepEffect::create});
  EXPECT_EQ(list.steps.front().title, "Not planned");
  EXPECT_EQ(list.steps.front().effect, StepEffect::create);
  EXPECT_FALSE(list.has_calls());
}

TEST(StageList, AWarningIsGivenOnce) {
  StageList list;
  list.warn("Once.");
  list.warn("Once.");
  EXPECT_EQ(list.warnings.size(), 1U);
}

}  // namespace
}  // namespace instantstart::capabilities
