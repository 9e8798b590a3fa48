#include "store/testing/inline_database.h"

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "store/testing/items.h"
#include "store/testing/run_task.h"

namespace instantstart::store {
namespace {

/// Counts its own death: what a coroutine frame that is destroyed leaves behind.
struct Witness {
  int* deaths;
  explicit Witness(int* counter) : deaths(counter) {}
  Witness(const Witness&) = delete;
  Witness& operator=(const Witness&) = delete;
  ~Witness() { ++*deaths; }
};

Task<std::int64_t> insert_watched(Database& database, std::string name, int* deaths) {
  const Witness witness(deaths);
  co_return co_await database.write<std::int64_t>(insert_item(std::move(name)));
}

Task<std::int64_t> count_watched(Database& database, int* deaths) {
  const Witness witness(deaths);
  co_return co_await database.read<std::int64_t>(count_items);
}

class InlineDatabaseTest : public testing::Test {
 protected:
  void SetUp() override {
    MemoryDatabase database(store_);
    ASSERT_TRUE(run_task(loop_, database.migrate(k_item_migrations)));
  }

  std::int64_t items_after_restart() {
    MemoryDatabase database(store_);
    return run_task(loop_, database.read<std::int64_t>(count_items)).value();
  }

  Result<std::int64_t> insert(Database& database, std::string name) {
    return run_task(loop_, database.write<std::int64_t>(insert_item(std::move(name))));
  }

  /// Runs what is ready.
  void poll() {
    loop_.restart();
    loop_.poll();
  }

  MemoryStore store_;
  asio::io_context loop_;
};

TEST_F(InlineDatabaseTest, ACopyHoldsTheSameAndGoesItsOwnWay) {
  MemoryDatabase first(store_);
  ASSERT_TRUE(insert(first, "a"));
  const auto copy = store_.copy();
  MemoryDatabase second(*copy);
  EXPECT_EQ(insert(second, "a").error().code, codes::conflict);
  ASSERT_TRUE(insert(second, "b"));
  EXPECT_EQ(items_after_restart(), 1);
}

TEST_F(InlineDatabaseTest, BehavesLikeADatabase) {
  MemoryDatabase database(store_);
  EXPECT_EQ(insert(database, "a"), 1);
  EXPECT_EQ(insert(database, "a").error().code, codes::conflict);
  EXPECT_EQ(database.commits(), 1U);
  const auto refused = run_task(loop_, database.read<std::int64_t>(insert_item("b")));
  EXPECT_EQ(refused.error().code, codes::internal);
  EXPECT_EQ(items_after_restart(), 1);
}

TEST_F(InlineDatabaseTest, OthersRunBetweenACommitAndWhoWaitsForIt) {
  MemoryDatabase database(store_);
  std::optional<Result<std::int64_t>> first;
  std::optional<Result<std::int64_t>> second;
  start_task(loop_, database.write<std::int64_t>(insert_item("a")), first);
  start_task(loop_, database.read<std::int64_t>(count_items), second);
  loop_.restart();
  loop_.run_one();  // The first commits.
  EXPECT_EQ(database.commits(), 1U);
  EXPECT_FALSE(first);
  loop_.run();
  EXPECT_EQ(second.value(), 1);
}

TEST_F(InlineDatabaseTest, ACrashBeforeACommitLosesIt) {
  int deaths = 0;
  std::optional<Result<std::int64_t>> outcome;
  {
    MemoryDatabase database(store_,
                            {.before_commit = [](auto n) { return n == 2 ? Fate::crash : Fate::goes_on; }});
    EXPECT_EQ(insert(database, "kept"), 1);
    start_task(loop_, insert_watched(database, "lost", &deaths), outcome);
    poll();
    EXPECT_TRUE(database.crashed());
    EXPECT_EQ(deaths, 0);
  }
  poll();
  EXPECT_EQ(deaths, 1);
  EXPECT_FALSE(outcome);
  EXPECT_EQ(items_after_restart(), 1);
}

TEST_F(InlineDatabaseTest, ACrashAfterACommitKeepsItButNobodyHearsOfIt) {
  int deaths = 0;
  std::optional<Result<std::int64_t>> outcome;
  {
    MemoryDatabase database(store_, {.after_commit = [](auto) { return Fate::crash; }});
    start_task(loop_, insert_watched(database, "kept", &deaths), outcome);
    poll();
    EXPECT_TRUE(database.crashed());
  }
  poll();
  EXPECT_EQ(deaths, 1);
  EXPECT_FALSE(outcome);
  EXPECT_EQ(items_after_restart(), 1);
}

TEST_F(InlineDatabaseTest, ADeadProcessDoesNothingMore) {
  int deaths = 0;
  std::vector<std::optional<Result<std::int64_t>>> outcomes(3);
  {
    MemoryDatabase database(store_, {.before_commit = [](auto) { return Fate::crash; }});
    start_task(loop_, insert_watched(database, "lost", &deaths), outcomes[0]);
    start_task(loop_, insert_watched(database, "never begun", &deaths), outcomes[1]);
    start_task(loop_, count_watched(database, &deaths), outcomes[2]);
    poll();
    EXPECT_EQ(database.commits(), 1U);
  }
  poll();
  EXPECT_EQ(deaths, 3);
  for (const auto& outcome : outcomes) EXPECT_FALSE(outcome);
  EXPECT_EQ(items_after_restart(), 0);
}

TEST_F(InlineDatabaseTest, WhoWaitsForADeadProcessGoesWithItsLoop) {
  int deaths = 0;
  std::optional<Result<std::int64_t>> outcome;
  {
    asio::io_context loop;
    MemoryDatabase database(store_, {.before_commit = [](auto) { return Fate::crash; }});
    start_task(loop, insert_watched(database, "lost", &deaths), outcome);
    loop.poll();
  }
  EXPECT_EQ(deaths, 1);
}

TEST_F(InlineDatabaseTest, MigrationsCrashToo) {
  MemoryStore fresh;
  std::optional<Result<>> outcome;
  {
    MemoryDatabase database(fresh, {.before_commit = [](auto) { return Fate::crash; }});
    start_task(loop_, database.migrate(k_item_migrations), outcome);
    poll();
  }
  poll();
  EXPECT_FALSE(outcome);
  MemoryDatabase restarted(fresh);
  EXPECT_TRUE(run_task(loop_, restarted.migrate(k_item_migrations)));
}

}  // namespace
}  // namespace instantstart::store
