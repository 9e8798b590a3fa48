#include "operations/next_move.h"

#include <gtest/gtest.h>

#include "operations/policy.h"

namespace instantstart::operations {
namespace {

const json::value k_request{{"name", "a"}};
const json::value k_other{{"name", "b"}};

Act act(json::value request, Repeat repeat) { return {.request = std::move(request), .repeat = repeat}; }

/// A step that sent k_request once.
StepRecord after(Outcome outcome, Repeat repeat) {
  StepRecord step{.id = "s"};
  step.acts = 1;
  step.attempts = 1;
  step.request = to_canonical_text(k_request);
  step.outcome = outcome;
  step.repeat = repeat;
  step.settled = outcome != Outcome::unknown;
  return step;
}

constexpr Situation k_settled{};
constexpr Situation k_may_land{.settle_left = milliseconds(5'000)};

template <class T>
T as(Move move) {
  EXPECT_TRUE(std::holds_alternative<T>(move)) << "move " << move.index();
  return std::holds_alternative<T>(move) ? std::get<T>(std::move(move)) : T{};
}

Error error(bool retryable) { return {.code = "upstream_error", .message = "no", .retryable = retryable}; }

TEST(NextMove, PassesOnWhatIsNoAct) {
  const StepRecord fresh{.id = "s"};
  EXPECT_EQ(as<Finish>(next_move(fresh, Done{.output = 1}, k_settled)).done.output, json::value(1));
  const auto park = as<Park>(next_move(fresh, Wait{milliseconds(10'000), "CREATING"}, {.pace = 10}));
  EXPECT_EQ(park.after, milliseconds(1'000));
  EXPECT_EQ(park.progress, "CREATING");
  EXPECT_EQ(as<Stop>(next_move(fresh, Blocked{error(false)}, k_settled)).state, StepState::blocked);
  EXPECT_EQ(as<Stop>(next_move(fresh, Fail{error(false)}, k_settled)).state, StepState::failed);
  EXPECT_EQ(as<Stop>(next_move(fresh, Ask{{.text = "?"}}, k_settled)).state, StepState::needs_input);
}

TEST(NextMove, SendsTheFirstActAsItIs) {
  const auto send = as<Send>(next_move(StepRecord{.id = "s"}, act(k_request, Repeat::observe), k_settled));
  EXPECT_EQ(send.request, to_canonical_text(k_request));
  EXPECT_EQ(send.generation, 0);
  EXPECT_EQ(send.attempts, 1);
}

TEST(NextMove, RepeatsALostActAtOnceOnlyWithItsToken) {
  const auto send = as<Send>(
      next_move(after(Outcome::unknown, Repeat::with_token), act(k_request, Repeat::with_token), k_may_land));
  EXPECT_EQ(send.generation, 0);
  EXPECT_EQ(send.attempts, 2);
  const auto park = as<Park>(
      next_move(after(Outcome::unknown, Repeat::observe), act(k_request, Repeat::observe), k_may_land));
  EXPECT_EQ(park.after, k_may_land.settle_left);
}

TEST(NextMove, SendsNothingElseWhileAnActMayLand) {
  const auto step = after(Outcome::unknown, Repeat::with_token);
  EXPECT_TRUE(std::holds_alternative<Park>(next_move(step, act(k_other, Repeat::with_token), k_may_land)));
  EXPECT_TRUE(std::holds_alternative<Park>(next_move(step, Fail{error(false)}, k_may_land)));
  EXPECT_TRUE(std::holds_alternative<Park>(next_move(step, Blocked{error(false)}, k_may_land)));
  EXPECT_TRUE(std::holds_alternative<Park>(next_move(step, Ask{}, k_may_land)));
  EXPECT_TRUE(std::holds_alternative<Finish>(next_move(step, Done{}, k_may_land)));
}

TEST(NextMove, KeepsTheTokenOfAnActThatMayHaveRun) {
  for (const auto repeat : {Repeat::with_token, Repeat::observe}) {
    const auto send = as<Send>(next_move(after(Outcome::unknown, repeat), act(k_request, repeat), k_settled));
    EXPECT_EQ(send.generation, 0);
  }
  const auto another =
      as<Send>(next_move(after(Outcome::unknown, Repeat::observe), act(k_other, Repeat::observe), k_settled));
  EXPECT_EQ(another.generation, 1);
}

TEST(NextMove, AsksBeforeItRepeatsWhatHasNoToken) {
  const auto step = after(Outcome::unknown, Repeat::ask);
  for (const auto& request : {k_request, k_other}) {
    const auto stop = as<Stop>(next_move(step, act(request, Repeat::ask), k_settled));
    ASSERT_EQ(stop.state, StepState::needs_input);
    ASSERT_TRUE(stop.question.has_value());
    EXPECT_EQ(stop.question->choices.front().value, "send_again_1");
  }
  EXPECT_TRUE(std::holds_alternative<Park>(next_move(step, Wait{milliseconds(1), "seen"}, k_settled)));
  EXPECT_TRUE(std::holds_alternative<Finish>(next_move(step, Done{}, k_settled)));
  const auto accepted = after(Outcome::accepted, Repeat::ask);
  EXPECT_EQ(as<Stop>(next_move(accepted, act(k_request, Repeat::ask), k_settled)).state,
            StepState::needs_input);
}

TEST(NextMove, GivesWhatWasAcceptedTimeToShow) {
  const auto step = after(Outcome::accepted, Repeat::observe);
  EXPECT_EQ(as<Park>(next_move(step, act(k_request, Repeat::observe), k_may_land)).after,
            k_may_land.settle_left);
  const auto again = as<Send>(next_move(step, act(k_request, Repeat::observe), k_settled));
  EXPECT_EQ(again.generation, 0);  // Should the first one show late after all, the token makes them one.
  EXPECT_EQ(as<Send>(next_move(step, act(k_other, Repeat::observe), k_may_land)).generation, 1);
}

TEST(NextMove, TakesANewTokenAfterARefusal) {
  auto step = after(Outcome::refused, Repeat::with_token);
  step.act_error = error_text(error(true));
  const auto send = as<Send>(next_move(step, act(k_request, Repeat::with_token), k_settled));
  EXPECT_EQ(send.generation, 1);
  EXPECT_EQ(send.attempts, 2);
}

TEST(NextMove, DoesNotRepeatWhatWasRefusedForGood) {
  auto step = after(Outcome::refused, Repeat::observe);
  step.act_error = error_text(error(false));
  const auto stop = as<Stop>(next_move(step, act(k_request, Repeat::observe), k_settled));
  EXPECT_EQ(stop.state, StepState::failed);
  EXPECT_EQ(stop.error, error(false));
  EXPECT_EQ(as<Send>(next_move(step, act(k_other, Repeat::observe), k_settled)).attempts, 1);
  EXPECT_EQ(as<Stop>(next_move(step, Ask{{.text = "Where else?"}}, k_settled)).state, StepState::needs_input);
  step.act_error.reset();  // Somebody said: retry.
  EXPECT_EQ(as<Send>(next_move(step, act(k_request, Repeat::observe), k_settled)).generation, 1);
}

TEST(NextMove, ARefusedRepeatSaysNothingAboutTheActBefore) {
  auto step = after(Outcome::unknown, Repeat::with_token);
  step.act_error = error_text(error(false));
  EXPECT_TRUE(std::holds_alternative<Park>(next_move(step, act(k_other, Repeat::with_token), k_may_land)));
  EXPECT_EQ(as<Stop>(next_move(step, act(k_request, Repeat::with_token), k_settled)).error, error(false));
}

TEST(NextMove, GivesUpAfterSomeAttempts) {
  for (const auto outcome : {Outcome::accepted, Outcome::refused, Outcome::unknown}) {
    auto step = after(outcome, Repeat::with_token);
    step.act_error = outcome == Outcome::refused ? std::optional(error_text(error(true))) : std::nullopt;
    step.attempts = k_most_attempts;
    const auto stop = as<Stop>(next_move(step, act(k_request, Repeat::with_token), k_settled));
    EXPECT_EQ(stop.state, StepState::failed);
    EXPECT_TRUE(stop.error && stop.error->retryable);
    EXPECT_TRUE(std::holds_alternative<Send>(next_move(step, act(k_other, Repeat::with_token), k_settled)));
  }
}

TEST(NextMove, StopsAStepThatRunsAway) {
  auto step = after(Outcome::accepted, Repeat::observe);
  step.acts = k_most_acts;
  EXPECT_EQ(as<Stop>(next_move(step, act(k_other, Repeat::observe), k_settled)).error->code, "internal");
}

TEST(LeavesOutcomeOpen, OnlyWhereTheCallMayHaveRun) {
  EXPECT_TRUE(leaves_outcome_open({.code = "unknown_outcome"}));
  EXPECT_TRUE(leaves_outcome_open({.code = "deadline_exceeded"}));
  EXPECT_TRUE(leaves_outcome_open({.code = "deadline_exceeded", .detail = {{"sent", true}}}));
  EXPECT_FALSE(leaves_outcome_open({.code = "deadline_exceeded", .detail = {{"sent", false}}}));
  EXPECT_FALSE(leaves_outcome_open({.code = "rate_limited", .retryable = true}));
}

TEST(Backoff, StaysBelowItsCapAndGrows) {
  EXPECT_EQ(backoff(1, 0.0), milliseconds(0));
  EXPECT_LE(backoff(1, 0.999), k_backoff_base);
  EXPECT_GT(backoff(4, 0.999), backoff(2, 0.999));
  EXPECT_LE(backoff(1'000, 0.999), k_backoff_cap);
}

TEST(Pace, DividesWaitsAndKeepsDeadlinesReal) {
  const Pace fast{.divisor = 100, .least_deadline = milliseconds(1'000)};
  EXPECT_EQ(fast.wait(milliseconds(30'000)), milliseconds(300));
  EXPECT_EQ(fast.wait(milliseconds(10)), milliseconds(1));
  EXPECT_EQ(fast.deadline(milliseconds(30'000)), milliseconds(1'000));
  EXPECT_EQ(fast.deadline(milliseconds(400)), milliseconds(400));
  EXPECT_EQ(Pace{}.deadline(milliseconds(30'000)), milliseconds(30'000));
  EXPECT_EQ(fast.world(milliseconds(300)), milliseconds(30'000));
}

}  // namespace
}  // namespace instantstart::operations
