#include "contract/plan.h"

#include <gtest/gtest.h>

#include "base/decode.h"

namespace instantstart::contract {
namespace {

using Faults = std::vector<std::string>;

PlannedStep step(std::string id, StepEffect effect = StepEffect::create,
                 std::vector<std::string> after = {}) {
  return {.id = std::move(id),
          .kind = "thing_make",
          .title = "Make it",
          .effect = effect,
          .after = std::move(after)};
}

Plan sound_plan() {
  return {.kind = "group_add",
          .subject = "cluster/a/group/workers",
          .summary = "Add group workers: 2 steps.",
          .steps = {step("subnet"), step("group", StepEffect::update, {"subnet"})},
          .warnings = {"The price is not known."}};
}

TEST(Plan, OnlyMakingAndChangingInPlaceNeedNoConfirmation) {
  const std::vector<std::pair<StepEffect, bool>> table{
      {StepEffect::none, false},      {StepEffect::create, false}, {StepEffect::update, false},
      {StepEffect::replace, true},    {StepEffect::remove, true},  {StepEffect::drain, true},
      {StepEffect::scale_down, true}, {StepEffect::disrupt, true}, {StepEffect::expose, true},
      {StepEffect::spend, true}};
  ASSERT_EQ(table.size(), type_of<StepEffect>().values.size());
  for (const auto& [effect, dangerous] : table) {
    EXPECT_EQ(is_dangerous(effect), dangerous) << encode(effect);
    const Plan plan{.steps = {step("first"), step("second", effect)}};
    EXPECT_EQ(plan.needs_confirmation(), dangerous) << encode(effect);
  }
}

TEST(Plan, AnEffectThatIsNotKnownNeedsConfirmation) {
  EXPECT_TRUE(is_dangerous(static_cast<StepEffect>(99)));
}

TEST(Plan, DangersAreTheTitlesOfTheDangerousSteps) {
  Plan plan = sound_plan();
  EXPECT_EQ(plan.dangers(), Faults{});
  plan.steps.push_back(step("old", StepEffect::remove));
  plan.steps.back().title = "Delete instance group old (3 nodes)";
  EXPECT_EQ(plan.dangers(), Faults{"Delete instance group old (3 nodes)"});
}

TEST(Plan, ComesBackFromJsonAsItWas) {
  Plan plan = sound_plan();
  plan.steps[1].calls = {{.call = "sagemaker:UpdateCluster", .subject = "cluster/a"}};
  plan.steps[1].input = {{"count", 3}};
  const auto back = decode<Plan>(encode(plan));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(encode(*back), encode(plan));
}

TEST(PlanFaults, ASoundPlanHasNone) {
  EXPECT_EQ(plan_faults(sound_plan()), Faults{});
  Plan nothing_to_do = sound_plan();
  nothing_to_do.steps.clear();
  EXPECT_EQ(plan_faults(nothing_to_do), Faults{});
}

TEST(PlanFaults, IdsAreUniqueAndKnown) {
  Plan plan = sound_plan();
  plan.steps.push_back(step("subnet"));
  plan.steps.push_back(step("last", StepEffect::create, {"nowhere"}));
  EXPECT_EQ(plan_faults(plan), (Faults{"two steps have the id 'subnet'",
                                       "step 'last' comes after 'nowhere', which is not in the plan"}));
}

TEST(PlanFaults, ACycleIsNamedWithoutTheStepsThatWaitForIt) {
  Plan plan = sound_plan();
  plan.steps = {step("a", StepEffect::create, {"b"}), step("b", StepEffect::create, {"c"}),
                step("c", StepEffect::create, {"b", "start"}), step("start")};
  const auto faults = plan_faults(plan);
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults[0], "steps wait for each other: b after c after b");
}

TEST(PlanFaults, AStepCantComeAfterItself) {
  Plan plan = sound_plan();
  plan.steps = {step("a", StepEffect::create, {"a"})};
  EXPECT_EQ(plan_faults(plan), Faults{"steps wait for each other: a after a"});
}

TEST(PlanFaults, StepsThatShareAPredecessorAreNoCycle) {
  Plan plan = sound_plan();
  plan.steps = {step("last", StepEffect::create, {"left", "right"}),
                step("left", StepEffect::create, {"first"}), step("right", StepEffect::create, {"first"}),
                step("first")};
  EXPECT_EQ(plan_faults(plan), Faults{});
}

TEST(PlanFaults, SubjectsArePathsOfKindsAndNames) {
  for (const std::string good : {"cluster/a", "cluster/A.b_c-1/job/x", "cluster/a/tracking_server/ä"}) {
    Plan plan = sound_plan();
    plan.subject = good;
    EXPECT_EQ(plan_faults(plan), Faults{}) << good;
  }
  for (const std::string bad :
       {"", "cluster", "cluster/", "/cluster/a", "cluster/a/", "cluster//group/g", "cluster/a/group",
        "Cluster/a", "cluster/a b", "cluster/a\n", "cluster/a\x1b"}) {
    Plan plan = sound_plan();
    plan.subject = bad;
    EXPECT_EQ(plan_faults(plan).size(), 1U) << bad;
  }
}

TEST(PlanFaults, TextsAndKindsAreThere) {
  Plan plan{.kind = "Group-Add", .version = 0, .subject = "cluster/a", .steps = {{}}};
  EXPECT_EQ(plan_faults(plan).size(), 6U);
}

TEST(PlanDigest, HoldsForWhatIsShown) {
  const std::string digest = plan_digest(sound_plan());
  EXPECT_EQ(digest.size(), 64U);
  const std::vector<void (*)(Plan&)> changes{
      [](Plan& plan) { plan.kind = "group_scale"; },
      [](Plan& plan) { plan.subject = "cluster/a/group/other"; },
      [](Plan& plan) { plan.summary += " Now."; },
      [](Plan& plan) { plan.warnings.clear(); },
      [](Plan& plan) { plan.steps.pop_back(); },
      [](Plan& plan) { std::swap(plan.steps[0], plan.steps[1]); },
      [](Plan& plan) { plan.steps[0].id = "net"; },
      [](Plan& plan) { plan.steps[0].title = "Delete 3 nodes"; },
      [](Plan& plan) { plan.steps[0].effect = StepEffect::remove; },
      [](Plan& plan) { plan.steps[0].calls = {{.call = "ec2:DeleteSubnet", .subject = "subnet/a"}}; }};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    Plan other = sound_plan();
    changes[i](other);
    EXPECT_NE(plan_digest(other), digest) << "change " << i;
  }
}

TEST(PlanDigest, LeavesOutWhatIsNotShown) {
  Plan other = sound_plan();
  other.version = 2;
  other.steps[1].after.clear();
  other.steps[1].kind = "other_kind";
  other.steps[1].input = {{"resource_version", "1234"}};
  EXPECT_EQ(plan_digest(other), plan_digest(sound_plan()));
}

TEST(PlanDigest, DoesNotRunNeighbouringTextsTogether) {
  Plan one = sound_plan();
  Plan other = sound_plan();
  one.warnings = {"a", "b"};
  other.warnings = {"ab"};
  EXPECT_NE(plan_digest(one), plan_digest(other));
}

}  // namespace
}  // namespace instantstart::contract
