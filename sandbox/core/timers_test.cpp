// Durable timers of the world, in virtual time.
#include <map>
#include <optional>
#include <vector>

#include "sandbox/core/testing/world_fixture.h"
#include "sandbox/core/timer_queue.h"
#include "sandbox/core/world.h"

namespace instantstart::sandbox {
namespace {

struct Count {
  std::int64_t value = 0;
};
Type describe(Count*) {
  return object_type<Count>("Count", "A number.", {field<&Count::value>("value", "The number.")});
}

class TimersTest : public WorldFixture {
 protected:
  void restart(WorldOptions options = {}, store::MemoryHooks hooks = {}) {
    counts.reset();
    start(std::move(options), std::move(hooks));
    counts.emplace(process->world(), "test.count");
    process->world().on_timer("count", [this](const std::string& key) {
      const Count* count = counts->find(key);
      counts->put(key, {(count ? count->value : 0) + 1});
      seen.push_back(key);
    });
    process->world().on_timer("again", [this](const std::string& key) {
      seen.push_back(key);
      if (seen.size() < 5) process->world().set_timer("again", key, seconds(10));
    });
    ASSERT_TRUE(process->load());
    process->start_timers();
  }
  World& world() { return process->world(); }
  void commit() { ASSERT_TRUE(process->run(world().commit())); }

  std::optional<Collection<Count>> counts;
  std::vector<std::string> seen;
};

using Names = std::vector<std::string>;

TEST_F(TimersTest, RunWhenTheirTimeIsOverAndNotBefore) {
  restart();
  world().set_timer("count", "late", seconds(60));
  world().set_timer("count", "early", seconds(30));
  commit();
  process->pass(milliseconds(29'999));
  EXPECT_EQ(seen, Names{});
  process->pass(milliseconds(1));
  EXPECT_EQ(seen, Names{"early"});
  process->pass(seconds(30));
  EXPECT_EQ(seen, (Names{"early", "late"}));
}

TEST_F(TimersTest, TheScaleDividesDurations) {
  restart({.scale = 100});
  world().set_timer("count", "a", seconds(100));
  process->pass(milliseconds(999));
  EXPECT_EQ(seen, Names{});
  process->pass(milliseconds(1));
  EXPECT_EQ(seen, Names{"a"});
}

TEST_F(TimersTest, OneOfTheSameNameReplacesTheEarlier) {
  restart();
  world().set_timer("count", "a", seconds(10));
  world().set_timer("count", "a", seconds(20));
  process->pass(seconds(15));
  EXPECT_EQ(seen, Names{});
  process->pass(seconds(60));
  EXPECT_EQ(seen, Names{"a"});
}

TEST_F(TimersTest, CancelledOnesDoNotRunAlsoNotAfterARestart) {
  restart();
  world().set_timer("count", "a", seconds(10));
  commit();
  world().cancel_timer("count", "a");
  commit();
  restart();
  process->pass(seconds(60));
  EXPECT_EQ(seen, Names{});
}

TEST_F(TimersTest, SurviveARestartAndRunAtOnceWhenTheirTimeIsOver) {
  restart();
  world().set_timer("count", "soon", seconds(10));
  world().set_timer("count", "later", seconds(60));
  commit();
  restart();
  EXPECT_EQ(seen, Names{});
  process->pass(seconds(5));
  EXPECT_EQ(seen, Names{});
  time.shift_wall(seconds(30));  // The process is away for half a minute.
  restart();
  process->pass(milliseconds(0));
  EXPECT_EQ(seen, Names{"soon"});
  process->pass(seconds(25));
  EXPECT_EQ(seen, (Names{"soon", "later"}));
}

TEST_F(TimersTest, MaySetThemselvesAgain) {
  restart();
  world().set_timer("again", "a", seconds(10));
  process->pass(seconds(49));
  EXPECT_EQ(seen.size(), 4u);
  process->pass(seconds(100));
  EXPECT_EQ(seen.size(), 5u);
}

TEST_F(TimersTest, TheirEffectHappensOnceWhereverACrashComes) {
  for (const bool after : {false, true}) {
    SCOPED_TRACE(after ? "after the commit" : "before the commit");
    seen.clear();
    const std::string key = after ? "after" : "before";
    restart();
    world().set_timer("count", key, seconds(10));
    commit();

    const auto crash = [](std::uint64_t n) { return n == 2 ? store::Fate::crash : store::Fate::goes_on; };
    restart({}, after ? store::MemoryHooks{.before_commit = {}, .after_commit = crash}
                      : store::MemoryHooks{.before_commit = crash, .after_commit = {}});
    process->pass(seconds(20));
    EXPECT_TRUE(process->database().crashed());

    restart();
    process->pass(seconds(20));
    ASSERT_TRUE(counts->contains(key));
    EXPECT_EQ(counts->find(key)->value, 1);
    EXPECT_EQ(seen.size(), after ? 1u : 2u);
  }
}

TEST_F(TimersTest, AKindThatNobodyRegisteredIsAMistake) {
  restart();
  EXPECT_THROW(world().set_timer("unknown", "a", seconds(1)), std::logic_error);
}

TEST(TimerQueueTest, TakesThoseDueEarliestFirstAndThenInTheOrderTheyWereSet) {
  TimerQueue queue;
  const auto at = [](int second) { return SteadyTime(seconds(second)); };
  EXPECT_EQ(queue.next_due(), SteadyTime::max());
  queue.set({"k", "c"}, at(2));
  queue.set({"k", "b"}, at(1));
  queue.set({"k", "a"}, at(1));
  queue.set({"k", "d"}, at(9));
  EXPECT_EQ(queue.next_due(), at(1));
  const auto due = queue.take_due(at(5));
  ASSERT_EQ(due.size(), 3u);
  EXPECT_EQ(due[0].key, "b");
  EXPECT_EQ(due[1].key, "a");
  EXPECT_EQ(due[2].key, "c");
  EXPECT_EQ(queue.next_due(), at(9));
  EXPECT_TRUE(queue.cancel({"k", "d"}));
  EXPECT_FALSE(queue.cancel({"k", "d"}));
  EXPECT_TRUE(queue.take_due(SteadyTime::max()).empty());
}

}  // namespace
}  // namespace instantstart::sandbox
