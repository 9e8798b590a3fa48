#include "operations/derived_state.h"

#include <vector>

#include <gtest/gtest.h>

namespace instantstart::operations {
namespace {

using enum StepState;

OperationState of(std::vector<StepState> forward, OperationFacts facts = {}, std::vector<StepState> undo = {},
                  std::int64_t unsettled = 0) {
  std::vector<StepCount> counts;
  for (const auto state : forward) counts.push_back({Phase::forward, state, unsettled-- > 0, 1});
  for (const auto state : undo) counts.push_back({Phase::undo, state, false, 1});
  return derived_state(facts, counts);
}

TEST(DerivedState, GoingForward) {
  EXPECT_EQ(of({}), OperationState::succeeded);
  EXPECT_EQ(of({pending, pending}), OperationState::pending);
  EXPECT_EQ(of({done, pending}), OperationState::running);
  EXPECT_EQ(of({acting, waiting}), OperationState::running);
  EXPECT_EQ(of({waiting, pending}), OperationState::waiting);
  EXPECT_EQ(of({waiting, needs_input}), OperationState::needs_input);
  EXPECT_EQ(of({blocked, pending}), OperationState::needs_input);
  EXPECT_EQ(of({done, done}), OperationState::succeeded);
}

TEST(DerivedState, FailsWhenWhatHasBegunIsAtItsEnd) {
  EXPECT_EQ(of({failed, acting}), OperationState::running);
  EXPECT_EQ(of({failed, waiting}), OperationState::waiting);
  EXPECT_EQ(of({failed, pending, done}), OperationState::failed);
  EXPECT_EQ(of({failed, needs_input}), OperationState::failed);
}

TEST(DerivedState, ACancelWaitsForTheRunningActAndItsLanding) {
  const OperationFacts cancel{.cancel_requested = true};
  EXPECT_EQ(of({acting, pending}, cancel), OperationState::cancelling);
  EXPECT_EQ(of({waiting, pending}, cancel, {}, 1), OperationState::cancelling);
  EXPECT_EQ(of({waiting, pending}, cancel), OperationState::cancelled);
  EXPECT_EQ(of({done}, {.cancel_requested = true, .active_children = 1}), OperationState::cancelling);
}

TEST(DerivedState, ARollbackEndsWhenNothingIsLeftToUndo) {
  const OperationFacts begun{.cancel_requested = true, .rollback = true};
  OperationFacts looked = begun;
  looked.exhausted = true;
  EXPECT_EQ(of({done}, begun), OperationState::cancelling);
  EXPECT_EQ(of({done}, looked), OperationState::cancelled);
  EXPECT_EQ(of({done}, looked, {waiting}), OperationState::cancelling);
  EXPECT_EQ(of({done}, begun, {done}), OperationState::cancelling);
  EXPECT_EQ(of({done}, looked, {done}), OperationState::cancelled);
  EXPECT_EQ(of({done, done}, looked, {failed, pending}), OperationState::failed);
  EXPECT_EQ(of({done, done}, looked, {needs_input, done}), OperationState::needs_input);
}

}  // namespace
}  // namespace instantstart::operations
