#include <gtest/gtest.h>

#include "sandbox/kubernetes/training/agent_arguments.h"
#include "sandbox/kubernetes/training/log_rules.h"
#include "sandbox/kubernetes/training/restart_budget.h"
#include "sandbox/kubernetes/training/training_plan.h"

namespace instantstart::sandbox::kubernetes {
namespace {

json::object object_of(std::string_view text) { return parse_json(text).value().as_object(); }

std::vector<LogRule> rules_of(std::string_view rules) {
  return log_rules_of(object_of(std::string(R"({"spec":{"runPolicy":{"logMonitoringConfiguration":)") +
                                std::string(rules) + "}}}"));
}

constexpr WallTime k_begun{seconds(1'000'000)};

TEST(LogRules, AreMatchedFromTheBeginningOfALine) {
  const auto rules = rules_of(R"([{"name":"a","logPattern":"loss"}])");
  auto watches = fresh_watches(rules);
  watch_line(rules, watches, "the loss", k_begun);
  EXPECT_EQ(watches[0].matches, 0);
  watch_line(rules, watches, "loss: 1", k_begun);
  EXPECT_EQ(watches[0].matches, 1);
}

TEST(LogRules, ABadMetricCountsWhenItIsBadInARow) {
  const auto rules = rules_of(
      R"x([{"name":"a","logPattern":".*loss ([0-9.]+)","metricThreshold":2,"operator":"gt","metricEvaluationDataPoints":2}])x");
  auto watches = fresh_watches(rules);
  EXPECT_FALSE(watch_line(rules, watches, "loss 3", k_begun));
  EXPECT_FALSE(watch_line(rules, watches, "loss 1", k_begun));
  EXPECT_FALSE(watch_line(rules, watches, "loss 3", k_begun));
  EXPECT_EQ(watch_line(rules, watches, "loss 2.5", k_begun), "a");
}

TEST(LogRules, SilenceIsLongerThanARuleAllows) {
  const auto rules = rules_of(
      R"([{"name":"a","logPattern":"x","expectedStartCutOffInSeconds":60,"expectedRecurringFrequencyInSeconds":10}])");
  auto watches = fresh_watches(rules);
  EXPECT_FALSE(silence_of(rules, watches, k_begun, k_begun + seconds(59), 1).rule);
  EXPECT_EQ(silence_of(rules, watches, k_begun, k_begun + seconds(59), 1).until, seconds(1));
  EXPECT_EQ(silence_of(rules, watches, k_begun, k_begun + seconds(60), 1).rule, "a");
  EXPECT_EQ(silence_of(rules, watches, k_begun, k_begun + seconds(6), 10).rule, "a");
  watch_line(rules, watches, "x", k_begun + seconds(50));
  EXPECT_FALSE(silence_of(rules, watches, k_begun, k_begun + seconds(59), 1).rule);
  EXPECT_TRUE(silence_of(rules, watches, k_begun, k_begun + seconds(60), 1).rule);
}

TEST(LogRules, AStopPatternRetiresItsRuleAndABadPatternAllOfThem) {
  const auto rules =
      rules_of(R"([{"name":"a","logPattern":"x","stopPattern":"done","expectedStartCutOffInSeconds":1}])");
  auto watches = fresh_watches(rules);
  watch_line(rules, watches, "done", k_begun);
  EXPECT_FALSE(silence_of(rules, watches, k_begun, k_begun + seconds(60), 1).rule);
  EXPECT_TRUE(rules_of(R"([{"name":"a","logPattern":"x"},{"name":"b","logPattern":"("}])").empty());
}

TEST(RestartBudget, AWindowThatIsOverCountsAnew) {
  const auto policy = object_of(
      R"({"restartPolicy":{"evalPeriodSeconds":100,"numRestartBeforeFullJobRestart":1,"maxFullJobRestarts":0}})");
  const auto first = decide_restart(policy, {}, milliseconds(0), "t0");
  EXPECT_EQ(first.kind, RestartKind::in_place);
  EXPECT_EQ(decide_restart(policy, first.counts, seconds(50), "t1").limit, "maxFullJobRestarts");
  const auto later = decide_restart(policy, first.counts, seconds(101), "t1");
  EXPECT_EQ(later.kind, RestartKind::in_place);
  EXPECT_EQ(later.counts.window, 1);
  EXPECT_EQ(later.counts.all, 2);
}

TEST(RestartBudget, TheRetryCountLimitsAll) {
  const auto policy = object_of(R"({"jobMaxRetryCount":1})");
  const auto first = decide_restart(policy, {}, milliseconds(0), "t0");
  EXPECT_EQ(first.kind, RestartKind::in_place);
  EXPECT_EQ(decide_restart(policy, first.counts, milliseconds(0), "t1").limit, "jobMaxRetryCount");
}

TEST(AgentArguments, OptionsEndWhereTheScriptBegins) {
  const auto parsed = parse_agent_arguments(
      {"--nnodes=2", "--nproc_per_node", "8", "--tee=3", "-m", "pkg.train", "--lr", "1"});
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->option("nproc_per_node"), "8");
  EXPECT_TRUE(parsed->is_module);
  EXPECT_EQ(parsed->script, "pkg.train");
  EXPECT_EQ(parsed->script_arguments, (std::vector<std::string>{"--lr", "1"}));
  EXPECT_TRUE(parsed->tees_output());
  EXPECT_FALSE(parse_agent_arguments({"--nnodes=2"}));
  EXPECT_FALSE(parse_agent_arguments({"--no-such", "x.py"}));
}

TEST(TrainingPlan, StepsComeFromTheArgumentsAndTakeTenMinutesWithoutThem) {
  EXPECT_EQ(training_plan("j", {}).step_time * training_plan("j", {}).steps, seconds(600));
  EXPECT_EQ(training_plan("j", script_options({"--max-steps", "7"})).steps, 7);
  EXPECT_EQ(training_plan("j", script_options({"--epochs=2"})).steps, 120);
  EXPECT_EQ(training_plan("j", script_options({"training.steps=9"})).steps, 9);
}

TEST(TrainingPlan, ARunThatIsResumedHasWhatIsLeft) {
  const auto plan = training_plan("j", script_options({"--max-steps=20", "--save_steps=10"}));
  const auto events = training_events(plan, 10);
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events.back().step, 20);
  EXPECT_TRUE(events.back().saves);
  EXPECT_TRUE(training_events(plan, 20).empty());
  EXPECT_LT(loss_at(plan, 100), loss_at(plan, 0));
  EXPECT_EQ(loss_at(plan, 5), loss_at(training_plan("j", {}), 5));
}

}  // namespace
}  // namespace instantstart::sandbox::kubernetes
