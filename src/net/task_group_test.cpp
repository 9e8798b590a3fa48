#include "net/task_group.h"

#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "net/testing/virtual_time.h"

namespace instantstart::net {
namespace {

using std::chrono::hours;

asio::awaitable<void> sleep_and_mark(Timekeeper& time, milliseconds duration, std::string mark,
                                     std::vector<std::string>& marks) {
  co_await time.sleep(duration);
  marks.push_back(std::move(mark));
}

asio::awaitable<void> clean_up_slowly(Timekeeper& time, std::vector<std::string>& marks) {
  bool cancelled = false;
  try {
    co_await time.sleep(hours(1));
  } catch (const std::exception&) {
    cancelled = true;
  }
  co_await asio::this_coro::reset_cancellation_state();
  co_await time.sleep(seconds(2));
  marks.push_back(cancelled ? "cleaned up" : "not cancelled");
}

asio::awaitable<void> fail_after(Timekeeper& time, milliseconds duration) {
  co_await time.sleep(duration);
  throw std::runtime_error("the disk fell off");
}

asio::awaitable<void> nested(TaskGroup& group, Timekeeper& time, std::vector<std::string>& marks) {
  group.spawn("inner", sleep_and_mark(time, seconds(1), "inner", marks));
  marks.push_back("outer");
  co_return;
}

struct TaskGroupTest : testing::Test {
  void stop() {
    asio::co_spawn(time.context(), group.stop(), [this](const std::exception_ptr&) { stopped = true; });
    time.run();
    ASSERT_TRUE(stopped);
  }

  std::vector<std::string> marks;
  std::vector<std::string> lines;
  bool stopped = false;
  VirtualTime time;
  Log log{time, LogLevel::debug, [this](std::string_view line) { lines.emplace_back(line); }};
  TaskGroup group{time.context().get_executor(), time, log};
};

TEST_F(TaskGroupTest, MembersRunBesideEachOtherAndLeave) {
  group.spawn("a", sleep_and_mark(time, seconds(2), "a", marks));
  group.spawn("b", sleep_and_mark(time, seconds(1), "b", marks));
  EXPECT_EQ(group.size(), 2u);
  time.run();
  EXPECT_EQ(marks, (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(group.size(), 0u);
}

TEST_F(TaskGroupTest, StopCancelsSilentlyAndWaitsForTheLast) {
  group.spawn("sleeper", sleep_and_mark(time, hours(1), "late", marks));
  group.spawn("cleaner", clean_up_slowly(time, marks));
  time.context().poll();
  stop();
  EXPECT_EQ(marks, (std::vector<std::string>{"cleaned up"}));
  EXPECT_EQ(time.steady(), SteadyTime{} + seconds(2));
  EXPECT_TRUE(lines.empty());
}

TEST_F(TaskGroupTest, AMemberThatHasNotBegunIsCancelledToo) {
  group.spawn("sleeper", sleep_and_mark(time, hours(1), "late", marks));
  stop();
  EXPECT_TRUE(marks.empty());
  EXPECT_EQ(time.steady(), SteadyTime{});
}

TEST_F(TaskGroupTest, AnExceptionIsLoggedUnderTheMembersNameAndHurtsNobodyElse) {
  group.spawn("disk watcher", fail_after(time, seconds(1)));
  group.spawn("other", sleep_and_mark(time, seconds(2), "other", marks));
  time.run();
  EXPECT_EQ(marks, (std::vector<std::string>{"other"}));
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("disk watcher"), std::string::npos);
  EXPECT_NE(lines[0].find("the disk fell off"), std::string::npos);
}

TEST_F(TaskGroupTest, AMemberMaySpawnAnother) {
  group.spawn("outer", nested(group, time, marks));
  time.run();
  EXPECT_EQ(marks, (std::vector<std::string>{"outer", "inner"}));
}

TEST_F(TaskGroupTest, NothingStartsAfterStop) {
  stop();
  group.spawn("late", sleep_and_mark(time, seconds(0), "late", marks));
  EXPECT_EQ(group.size(), 0u);
  time.run();
  EXPECT_TRUE(marks.empty());
}

TEST_F(TaskGroupTest, StoppingAnEmptyGroupReturnsAtOnce) { stop(); }

TEST(TaskGroupDeathTest, DestroyingItWithMembersRunningEndsTheProcess) {
  EXPECT_DEATH(
      {
        std::vector<std::string> marks;
        VirtualTime time;
        TaskGroup group(time.context().get_executor(), time, Log());
        group.spawn("sleeper", sleep_and_mark(time, hours(1), "late", marks));
      },
      "stop\\(\\) must be awaited");
}

}  // namespace
}  // namespace instantstart::net
