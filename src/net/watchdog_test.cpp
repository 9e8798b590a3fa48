#include "net/watchdog.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <boost/asio/co_spawn.hpp>

#include "net/task_group.h"
#include "net/testing/virtual_time.h"

namespace instantstart::net {
namespace {

struct WatchdogTest : testing::Test {
  WatchdogTest() {
    group.spawn("watchdog", watchdog.run());
    time.context().poll();
  }
  ~WatchdogTest() override {
    asio::co_spawn(time.context(), group.stop(), [](const std::exception_ptr&) {});
    time.run();
  }

  std::unique_ptr<Watchdog::Limit> limit(std::string name) {
    return std::make_unique<Watchdog::Limit>(watchdog, [this, name] {
      fired.push_back(name + " " + std::to_string(time.steady().time_since_epoch().count()));
    });
  }

  std::vector<std::string> fired;
  VirtualTime time;
  Watchdog watchdog{time};
  TaskGroup group{time.context().get_executor(), time, Log()};
};

TEST_F(WatchdogTest, FiresEachLimitAtItsTime) {
  const auto a = limit("a");
  const auto b = limit("b");
  a->set(milliseconds(300));
  b->set(milliseconds(100));
  time.run();
  EXPECT_EQ(fired, (std::vector<std::string>{"b 100", "a 300"}));
  EXPECT_TRUE(a->expired());
}

TEST_F(WatchdogTest, AClearedOrReplacedLimitDoesNotFire) {
  const auto a = limit("a");
  const auto b = limit("b");
  const auto c = limit("c");
  a->set(milliseconds(100));
  b->set(milliseconds(100));
  c->set(milliseconds(500));
  time.run_for(milliseconds(50));
  a->clear();
  b->set(milliseconds(200));
  c->set(milliseconds(10));
  time.run();
  EXPECT_EQ(fired, (std::vector<std::string>{"c 60", "b 250"}));
  EXPECT_FALSE(a->expired());
}

TEST_F(WatchdogTest, ALimitCanBeSetAgainAfterItFired) {
  const auto a = limit("a");
  a->set(milliseconds(10));
  time.run();
  ASSERT_TRUE(a->expired());
  a->set(milliseconds(10));
  EXPECT_FALSE(a->expired());
  time.run();
  EXPECT_EQ(fired, (std::vector<std::string>{"a 10", "a 20"}));
}

TEST_F(WatchdogTest, ALimitThatIsGoneDoesNotFire) {
  auto a = limit("a");
  a->set(milliseconds(10));
  a.reset();
  time.run();
  EXPECT_TRUE(fired.empty());
}

TEST_F(WatchdogTest, WithoutLimitsItHoldsNoTime) {
  time.run();
  EXPECT_EQ(time.steady(), SteadyTime{});
}

}  // namespace
}  // namespace instantstart::net
