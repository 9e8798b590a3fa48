#include "operations/undo.h"

#include <gtest/gtest.h>

namespace instantstart::operations {
namespace {

StepRecord forward(std::string id, std::vector<std::string> after) {
  StepRecord step{.id = std::move(id), .after = std::move(after)};
  step.state = StepState::done;
  return step;
}

StepRecord undo(std::string id, StepState state) {
  StepRecord step{.id = std::move(id), .phase = Phase::undo};
  step.state = state;
  return step;
}

TEST(DependentsOf, ReachesOverSteps) {
  const std::vector<StepRecord> steps{forward("a", {}), forward("b", {"a"}), forward("c", {"b"}),
                                      forward("d", {})};
  EXPECT_EQ(dependents_of(steps, "a"), (std::set<std::string>{"b", "c"}));
  EXPECT_TRUE(dependents_of(steps, "d").empty());
}

TEST(MayUndo, GoesBackwardsEvenOverStepsWithNothingToUndo) {
  std::vector<StepRecord> steps{forward("a", {}), forward("b", {"a"}), forward("c", {"b"}),
                                undo("a", StepState::pending), undo("c", StepState::pending)};
  EXPECT_FALSE(may_undo(steps, "a"));
  EXPECT_TRUE(may_undo(steps, "c"));
  steps.back().state = StepState::failed;
  EXPECT_FALSE(may_undo(steps, "a"));
  steps.back().state = StepState::done;
  EXPECT_TRUE(may_undo(steps, "a"));
}

}  // namespace
}  // namespace instantstart::operations
