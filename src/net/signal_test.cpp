#include "net/signal.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

#include "net/testing/virtual_time.h"

namespace instantstart::net {
namespace {

asio::awaitable<void> record(asio::awaitable<bool> wait, std::string name, std::vector<std::string>& out) {
  const bool notified = co_await std::move(wait);
  out.push_back(name + (notified ? " notified" : " timed out"));
}

struct SignalTest : testing::Test {
  void start(asio::awaitable<bool> wait, std::string name) {
    asio::co_spawn(time.context(), record(std::move(wait), std::move(name), seen), asio::detached);
  }

  std::vector<std::string> seen;
  VirtualTime time;
  Signal signal{time};
};

TEST_F(SignalTest, NotifyWakesAllWaitersInTheOrderTheyCame) {
  start(signal.wait(Deadline::never()), "a");
  start(signal.wait(Deadline::in(time, seconds(9))), "b");
  start(signal.wait(Deadline::never()), "c");
  time.context().poll();
  signal.notify();
  time.run();
  EXPECT_EQ(seen, (std::vector<std::string>{"a notified", "b notified", "c notified"}));
  EXPECT_EQ(time.steady(), SteadyTime{}) << "the deadline of b must not hold time any more";
}

TEST_F(SignalTest, TheDeadlineEndsAWait) {
  start(signal.wait(Deadline::in(time, seconds(3))), "a");
  time.run();
  EXPECT_EQ(seen, (std::vector<std::string>{"a timed out"}));
  EXPECT_EQ(time.steady(), SteadyTime{} + seconds(3));
}

TEST_F(SignalTest, ADeadlineThatHasPassedDoesNotWait) {
  start(signal.wait(Deadline{time.steady()}), "a");
  time.context().poll();
  EXPECT_EQ(seen, (std::vector<std::string>{"a timed out"}));
}

TEST_F(SignalTest, ANotificationBetweenLookingAndWaitingIsNotLost) {
  const std::uint64_t before = signal.generation();
  signal.notify();
  start(signal.wait_after(before, Deadline::never()), "a");
  time.run();
  EXPECT_EQ(seen, (std::vector<std::string>{"a notified"}));
}

TEST_F(SignalTest, ANotificationBetweenTheCallAndItsFirstResumptionIsNotLost) {
  start(signal.wait(Deadline::never()), "a");  // The loop has not run yet.
  signal.notify();
  time.run();
  EXPECT_EQ(seen, (std::vector<std::string>{"a notified"}));
}

TEST_F(SignalTest, AnOldNotificationDoesNotWakeANewWaiter) {
  signal.notify();
  start(signal.wait(Deadline::in(time, seconds(1))), "a");
  time.run();
  EXPECT_EQ(seen, (std::vector<std::string>{"a timed out"}));
}

asio::awaitable<void> consume(Signal& signal, const std::vector<int>& queue, std::size_t target,
                              int& rounds) {
  std::size_t taken = 0;
  while (taken < target) {
    const std::uint64_t generation = signal.generation();
    taken = queue.size();
    if (taken >= target) break;
    const bool notified = co_await signal.wait_after(generation, Deadline::never());
    if (!notified) break;
    ++rounds;
  }
}

asio::awaitable<void> produce(Timekeeper& time, Signal& signal, std::vector<int>& queue, int count) {
  for (int i = 0; i < count; ++i) {
    queue.push_back(i);
    signal.notify();
    if (i % 7 == 0) co_await time.sleep(milliseconds(1));
  }
}

TEST_F(SignalTest, AConsumerThatLooksThenWaitsSeesEverything) {
  std::vector<int> queue;
  int rounds = 0;
  bool ended = false;
  asio::co_spawn(time.context(), consume(signal, queue, 1'000, rounds),
                 [&](const std::exception_ptr&) { ended = true; });
  asio::co_spawn(time.context(), produce(time, signal, queue, 1'000), asio::detached);
  time.run();
  EXPECT_TRUE(ended);
  EXPECT_LT(rounds, 1'000) << "notifications in one turn are merged";
}

TEST_F(SignalTest, CancellationThrowsOperationAbortedAndEndsTheAlarmToo) {
  asio::cancellation_signal cancel;
  std::exception_ptr failure;
  asio::co_spawn(
      time.context(), record(signal.wait(Deadline::in(time, seconds(60))), "a", seen),
      asio::bind_cancellation_slot(cancel.slot(), [&](std::exception_ptr e) { failure = std::move(e); }));
  time.context().poll();
  cancel.emit(asio::cancellation_type::terminal);
  time.run();
  ASSERT_TRUE(failure);
  try {
    std::rethrow_exception(failure);
  } catch (const boost::system::system_error& error) {
    EXPECT_EQ(error.code(), asio::error::operation_aborted);
  }
  EXPECT_TRUE(seen.empty());
  EXPECT_EQ(time.steady(), SteadyTime{});
}

TEST_F(SignalTest, MayBeDestroyedWhileSomebodyWaits) {
  auto short_lived = std::make_unique<Signal>(time);
  start(short_lived->wait(Deadline::in(time, seconds(1))), "a");
  time.context().poll();
  short_lived.reset();
  time.run();
  EXPECT_EQ(seen, (std::vector<std::string>{"a timed out"}));
}

TEST_F(SignalTest, ManyTimedOutWaitsAreForgotten) {
  for (int i = 0; i < 1'000; ++i) {
    start(signal.wait(Deadline::in(time, milliseconds(1))), "x");
    time.run();
  }
  start(signal.wait(Deadline::never()), "last");
  time.context().poll();
  signal.notify();
  time.run();
  ASSERT_EQ(seen.size(), 1'001u);
  EXPECT_EQ(seen.back(), "last notified");
}

}  // namespace
}  // namespace instantstart::net
