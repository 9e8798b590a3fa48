#include "capabilities/training/training.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "base/decode.h"
#include "capabilities/training/resource_amount.h"

namespace instantstart::capabilities {
namespace {

json::object plain() {
  return {
      {"cluster", "demo"}, {"name", "sft"}, {"image", "example.com/train:1"}, {"script", "/data/train.py"}};
}

std::vector<std::string> pointers_of(const json::object& request) {
  std::vector<std::string> pointers;
  const auto decoded = decode<TrainingSubmit>(json::value(request));
  if (decoded) return pointers;
  for (const auto& problem : decoded.error().problems) pointers.push_back(problem.pointer);
  return pointers;
}

json::object with_rule(json::object rule) {
  auto request = plain();
  request["log_monitoring"] = json::array{std::move(rule)};
  return request;
}

TEST(TrainingActions, TheRowsAreSound) {
  auto faults = contract::ActionTable::faults(training_actions(nullptr, nullptr, nullptr, nullptr));
  // Another capability's row.
  std::erase_if(faults,
                [](const auto& fault) { return fault.contains("operation_get is not in the table"); });
  for (const auto& fault : faults) ADD_FAILURE() << fault;
}

TEST(TrainingSubmitType, LittleIsNeeded) {
  const auto request = decode<TrainingSubmit>(json::value(plain()));
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_EQ(request->nodes, 1);
  EXPECT_EQ(request->space.value, "default");
  EXPECT_FALSE(request->gpus_per_node);
}

TEST(TrainingSubmitType, EverythingThatCantBeIsToldAtOnce) {
  auto request = plain();
  request["name"] = "Upper";
  request["script"] = "train.py";
  request["nodes"] = 0;
  request["memory"] = "a lot";
  EXPECT_EQ(pointers_of(request), (std::vector<std::string>{"/name", "/script", "/nodes", "/memory"}));
}

TEST(TrainingSubmitType, NamesOfVariablesAreChecked) {
  auto request = plain();
  request["env"] = json::object{{"GOOD_1", "x"}, {"1BAD", "x"}, {"a b", "x"}};
  auto pointers = pointers_of(request);
  std::ranges::sort(pointers);
  EXPECT_EQ(pointers, (std::vector<std::string>{"/env/1BAD", "/env/a b"}));
}

TEST(LogRuleType, ARuleThatTheAgentWouldDropIsRefused) {
  EXPECT_TRUE(
      pointers_of(with_rule({{"name", "loss"}, {"pattern", ".*loss"}, {"expected_recurring_seconds", 600}}))
          .empty());
  const auto at = [](const char* member) {
    return std::vector<std::string>{std::string("/log_monitoring/0/") + member};
  };
  EXPECT_EQ(pointers_of(with_rule({{"name", "a"}, {"pattern", "(?=a)"}, {"expected_start_seconds", 1}})),
            at("pattern"))
      << "RE2 has no look-ahead";
  EXPECT_EQ(pointers_of(with_rule({{"name", "a"}, {"pattern", "(a)(b)"}, {"expected_start_seconds", 1}})),
            at("pattern"));
  EXPECT_EQ(pointers_of(with_rule({{"name", "a"}, {"pattern", "a"}, {"expected_start_seconds", 1.5}})),
            at("expected_start_seconds"))
      << "the agent would drop all rules";
  EXPECT_EQ(pointers_of(with_rule({{"name", "a"}, {"pattern", "a"}})),
            std::vector<std::string>{"/log_monitoring/0"});
  EXPECT_EQ(pointers_of(with_rule({{"name", "a"}, {"pattern", "a (b)"}, {"condition", "gt"}})),
            at("threshold"));
  EXPECT_EQ(pointers_of(with_rule({{"name", "a"}, {"pattern", "a"}, {"condition", "gt"}, {"threshold", 3}})),
            at("pattern"))
      << "no number to compare";
}

TEST(LogRuleType, TwoRulesOfOneNameAreRefused) {
  auto request = plain();
  const json::object rule{{"name", "a"}, {"pattern", "a"}, {"expected_start_seconds", 1}};
  request["log_monitoring"] = json::array{rule, rule};
  EXPECT_EQ(pointers_of(request), std::vector<std::string>{"/log_monitoring/1/name"});
}

TEST(ResourceAmounts, AreReadAsKubernetesDoes) {
  EXPECT_EQ(parse_amount("8"), 8);
  EXPECT_EQ(parse_amount("500m"), 0.5);
  EXPECT_EQ(parse_amount("64Gi"), 64 * 0x1p30);
  EXPECT_EQ(parse_amount("1k"), 1000);
  for (const char* bad : {"", "Gi", "1KiB", "-1", "1 Gi", "x"}) EXPECT_FALSE(parse_amount(bad)) << bad;
}

}  // namespace
}  // namespace instantstart::capabilities
