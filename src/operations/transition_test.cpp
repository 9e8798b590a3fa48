#include "operations/transition.h"

#include <gtest/gtest.h>

namespace instantstart::operations {
namespace {

constexpr WallTime k_now{milliseconds(1'000'000)};
const Looked k_looked{.seen = "{}", .at = k_now};

Send send_of(const json::value& request, std::int64_t generation = 0) {
  return {.request = to_canonical_text(request),
          .repeat = Repeat::with_token,
          .makes = {{"made_up:thing", "a"}},
          .deadline = milliseconds(30'000),
          .settle = milliseconds(30'000),
          .generation = generation};
}

StepRecord sent() {
  return to_send(StepRecord{.id = "s"}, send_of(1), k_looked, Pace{}, milliseconds(15'000)).record;
}

TEST(ToSend, OwesWhatTheActMakesAndRemembersWhatWasThereBefore) {
  const auto change = to_send(StepRecord{.id = "s"}, send_of(1), k_looked, Pace{}, milliseconds(15'000));
  EXPECT_EQ(change.kind, ChangeKind::intent);
  ASSERT_EQ(change.owes.size(), 1U);
  EXPECT_EQ(change.record.state, StepState::acting);
  EXPECT_EQ(change.record.outcome, Outcome::sent);
  EXPECT_EQ(change.record.before, "{}");
  EXPECT_EQ(change.record.acts, 1);
  EXPECT_EQ(change.record.started_at, k_now);
  EXPECT_EQ(change.record.settle, milliseconds(30'000));  // The longer of the step's and the engine's.
  auto again = change.record;
  again.state = StepState::waiting;
  const auto second = to_send(again, send_of(2), {.seen = "[]", .at = k_now}, Pace{}, milliseconds(15'000));
  EXPECT_EQ(second.record.before, "{}");
}

TEST(ToSend, ARepeatKeepsTheOutcomeUnknown) {
  const auto lost = act_lost(sent(), {.code = "unknown_outcome"}, milliseconds(0), k_now).record;
  const Looked early{.seen = "{}", .at = k_now, .settled = false};
  const auto repeat = to_send(lost, send_of(1), early, Pace{}, milliseconds(15'000)).record;
  EXPECT_EQ(repeat.outcome, Outcome::unknown);
  EXPECT_TRUE(repeat.unsettled());
  EXPECT_EQ(act_refused(repeat, {.code = "rate_limited"}, milliseconds(5), k_now).record.outcome,
            Outcome::unknown);
  EXPECT_EQ(act_accepted(repeat, 1, k_now).record.outcome, Outcome::accepted);
  const auto another = to_send(lost, send_of(2, 1), k_looked, Pace{}, milliseconds(15'000)).record;
  EXPECT_EQ(another.outcome, Outcome::sent);
}

TEST(ActLost, IsSettledOnlyByALookAfterItsTime) {
  auto lost = act_lost(sent(), {.code = "unknown_outcome"}, milliseconds(45'000), k_now).record;
  EXPECT_TRUE(lost.unsettled());
  EXPECT_EQ(lost.wake_at, k_now + milliseconds(45'000));
  const Park park{milliseconds(1'000), "Building"};
  EXPECT_TRUE(to_park(lost, park, {.seen = "{}", .at = k_now, .settled = false}).record.unsettled());
  EXPECT_FALSE(to_park(lost, park, {.seen = "{}", .at = k_now, .settled = true}).record.unsettled());
}

TEST(ActRefused, WithoutDelayLooksAgainAtOnce) {
  const auto change = act_refused(sent(), {.code = "access_denied"}, milliseconds(0), k_now);
  EXPECT_EQ(change.kind, ChangeKind::receipt);
  EXPECT_EQ(change.record.outcome, Outcome::refused);
  EXPECT_TRUE(change.record.act_error.has_value());
}

TEST(ToFinish, SettlesEverything) {
  const auto lost = act_lost(sent(), {.code = "unknown_outcome"}, milliseconds(0), k_now).record;
  const auto change = to_finish(lost, {.output = "x", .owned = {{"made_up:thing", "arn"}}}, k_looked);
  EXPECT_TRUE(change.finishes);
  EXPECT_EQ(change.record.state, StepState::done);
  EXPECT_FALSE(change.record.unsettled());
  EXPECT_FALSE(change.record.wake_at.has_value());
  EXPECT_EQ(change.record.output, "\"x\"");
}

TEST(Park, IsNewsOnlyWhenItShowsSomething) {
  const Park park{milliseconds(5'000), "Building"};
  StepRecord fresh{.id = "s"};
  EXPECT_TRUE(park_is_news(fresh, park, k_looked));
  const auto parked = to_park(fresh, park, k_looked).record;
  EXPECT_FALSE(park_is_news(parked, park, k_looked));
  EXPECT_TRUE(park_is_news(parked, {milliseconds(5'000), "Almost"}, k_looked));
  EXPECT_TRUE(park_is_news(parked, {milliseconds(600'000), "Building"},
                           k_looked));  // A long wait survives a restart.
}

TEST(Texts, FromOutsideAreCleanedAndBounded) {
  const Park park{milliseconds(1), "a\x1b[31mb" + std::string(10'000, 'x')};
  const auto parked = to_park(StepRecord{.id = "s"}, park, k_looked).record;
  EXPECT_EQ(parked.progress->find('\x1b'), std::string::npos);
  EXPECT_LT(parked.progress->size(), 2'100U);
  const Stop stop{.state = StepState::failed, .error = Error{.code = "x", .message = "a\x1b[31mb"}};
  EXPECT_EQ(error_of(*to_stop(StepRecord{.id = "s"}, stop, k_now, std::nullopt).record.error).message, "ab");
}

}  // namespace
}  // namespace instantstart::operations
