#include "net/testing/virtual_time.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

namespace instantstart::net {
namespace {

using std::chrono::hours;

asio::awaitable<void> mark_at(Timekeeper& time, SteadyTime when, std::string mark,
                              std::vector<std::string>& marks) {
  co_await time.sleep_until(when);
  marks.push_back(std::move(mark));
}

struct VirtualTimeTest : testing::Test {
  void start(milliseconds after, std::string mark) {
    asio::co_spawn(time.context(), mark_at(time, start_time + after, std::move(mark), marks), asio::detached);
  }

  std::vector<std::string> marks;
  VirtualTime time;
  SteadyTime start_time = time.steady();
};

TEST_F(VirtualTimeTest, SleepersWakeInOrderOfTimeThenOfAsking) {
  start(hours(2), "c");
  start(hours(1), "a");
  start(hours(1), "b");
  time.run();
  EXPECT_EQ(marks, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(time.steady() - start_time, hours(2));
}

TEST_F(VirtualTimeTest, WhatFollowsFromATimerRunsBeforeTheNextTimerOfTheSameInstant) {
  auto twice = [](Timekeeper& clock, SteadyTime when,
                  std::vector<std::string>& out) -> asio::awaitable<void> {
    co_await clock.sleep_until(when);
    out.push_back("first");
    co_await asio::post(asio::use_awaitable);
    out.push_back("its consequence");
  };
  asio::co_spawn(time.context(), twice(time, start_time + seconds(1), marks), asio::detached);
  start(seconds(1), "second");
  time.run();
  EXPECT_EQ(marks, (std::vector<std::string>{"first", "its consequence", "second"}));
}

TEST_F(VirtualTimeTest, RunStopsAtTheGivenInstant) {
  start(seconds(1), "in");
  start(seconds(3), "out");
  time.run_for(seconds(2));
  EXPECT_EQ(marks, (std::vector<std::string>{"in"}));
  EXPECT_EQ(time.steady() - start_time, seconds(2));
  time.run_for(seconds(1));
  EXPECT_EQ(marks, (std::vector<std::string>{"in", "out"}));
}

TEST_F(VirtualTimeTest, WallAndSteadyMoveTogetherAndTheWallAloneCanBeShifted) {
  const WallTime wall = time.wall();
  time.run_for(seconds(5));
  EXPECT_EQ(time.wall() - wall, seconds(5));
  time.shift_wall(-hours(1));
  EXPECT_EQ(time.wall() - wall, seconds(5) - hours(1));
  EXPECT_EQ(time.steady() - start_time, seconds(5));
}

TEST_F(VirtualTimeTest, AnInstantThatHasPassedDoesNotWait) {
  start(milliseconds(-1), "past");
  start(milliseconds(0), "now");
  time.context().poll();
  EXPECT_EQ(marks, (std::vector<std::string>{"past", "now"}));
}

TEST_F(VirtualTimeTest, ACancelledSleepThrowsAndHoldsNoTime) {
  asio::cancellation_signal cancel;
  std::exception_ptr failure;
  asio::co_spawn(
      time.context(), mark_at(time, start_time + hours(1), "never", marks),
      asio::bind_cancellation_slot(cancel.slot(), [&](std::exception_ptr e) { failure = std::move(e); }));
  time.context().poll();
  cancel.emit(asio::cancellation_type::terminal);
  time.run();
  EXPECT_EQ(time.steady(), start_time);
  EXPECT_TRUE(marks.empty());
  ASSERT_TRUE(failure);
  try {
    std::rethrow_exception(failure);
  } catch (const boost::system::system_error& error) {
    EXPECT_EQ(error.code(), asio::error::operation_aborted);
  }
}

TEST_F(VirtualTimeTest, WaitingForEverIsNeverDue) {
  asio::co_spawn(time.context(), mark_at(time, SteadyTime::max(), "end of time", marks), asio::detached);
  start(seconds(1), "second");
  time.run();
  EXPECT_EQ(marks, (std::vector<std::string>{"second"}));
  EXPECT_EQ(time.steady() - start_time, seconds(1));
}

TEST_F(VirtualTimeTest, RunUntilLooksAfterEachHandlerAndTellsWhenItRanDry) {
  start(seconds(1), "a");
  start(seconds(1), "b");
  EXPECT_TRUE(time.run_until([&] { return marks.size() == 1; }));
  EXPECT_EQ(marks, (std::vector<std::string>{"a"}));
  EXPECT_FALSE(time.run_until([&] { return marks.size() == 3; }));
  EXPECT_EQ(marks, (std::vector<std::string>{"a", "b"}));
}

TEST_F(VirtualTimeTest, MayBeDestroyedWithSleepersInIt) {
  auto held = std::make_shared<int>(1);
  {
    VirtualTime short_lived;
    auto hold = [](Timekeeper& clock, std::shared_ptr<int>) -> asio::awaitable<void> {
      co_await clock.sleep(hours(1));
    };
    asio::co_spawn(short_lived.context(), hold(short_lived, held), asio::detached);
    short_lived.context().poll();
    EXPECT_EQ(held.use_count(), 2);
  }
  EXPECT_EQ(held.use_count(), 1);
}

TEST(SystemTimekeeperTest, SleepsByTheSystemsClock) {
  asio::io_context context;
  SystemTimekeeper time;
  const SteadyTime before = time.steady();
  asio::co_spawn(context, time.sleep(milliseconds(15)), asio::detached);
  context.run();
  EXPECT_GE(time.steady() - before, milliseconds(15));
}

TEST(DeadlineTest, NeverStaysNever) {
  const VirtualTime time;
  EXPECT_EQ(Deadline::in(time, milliseconds::max()).at, SteadyTime::max());
  EXPECT_EQ(Deadline::never().left(time), milliseconds::max());
  EXPECT_FALSE(Deadline::never().passed(time));
}

TEST(DeadlineTest, LeftIsNeverNegativeAndTheSoonerOfTwoWins) {
  VirtualTime time;
  const Deadline soon = Deadline::in(time, seconds(1));
  const Deadline late = Deadline::in(time, seconds(2));
  EXPECT_EQ(soon.sooner(late).at, soon.at);
  EXPECT_EQ(late.sooner(soon).at, soon.at);
  EXPECT_EQ(soon.left(time), seconds(1));
  time.run_for(seconds(5));
  EXPECT_TRUE(soon.passed(time));
  EXPECT_EQ(soon.left(time), milliseconds::zero());
}

}  // namespace
}  // namespace instantstart::net
