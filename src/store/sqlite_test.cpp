#include "store/sqlite.h"

#include <atomic>
#include <future>
#include <stdexcept>

#include <gtest/gtest.h>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/error_codes.h"
#include "store/connection.h"
#include "store/testing/file_faults.h"
#include "store/testing/items.h"
#include "store/testing/run_task.h"
#include "store/testing/temporary_directory.h"

namespace instantstart::store {
namespace {

using Count = std::optional<Result<std::int64_t>>;

class SqliteTest : public testing::Test {
 protected:
  void SetUp() override {
    open();
    ASSERT_TRUE(run_task(loop_, database_->migrate(k_item_migrations)));
  }

  void open(std::size_t group_limit = 256) {
    auto opened = open_sqlite(loop_.get_executor(), Log(), {.file = file_, .group_limit = group_limit});
    ASSERT_TRUE(opened) << opened.error().message;
    database_ = std::move(*opened);
  }

  Result<std::int64_t> insert(std::string name) {
    return run_task(loop_, database_->write<std::int64_t>(insert_item(std::move(name))));
  }

  std::int64_t count() { return run_task(loop_, database_->read<std::int64_t>(count_items)).value(); }

  /// What another process that opens the file now would find.
  std::int64_t count_from_outside() {
    auto connection = Connection::open(file_, Connection::Access::read_only);
    return count_items(**connection).value();
  }

  /// Occupies the writer until `release_writer_`, so that what is written meanwhile queues up.
  void block_writer() {
    start_task(loop_, database_->write<std::int64_t>([this](Transaction&) -> Result<std::int64_t> {
      writer_blocked_.set_value();
      release_writer_.get_future().wait();
      return 0;
    }),
               blocker_);
    poll();
    writer_blocked_.get_future().wait();
  }

  void poll() {
    loop_.restart();
    loop_.poll();
  }
  void finish() {
    loop_.restart();
    loop_.run();
  }

  TemporaryDirectory directory_;
  std::filesystem::path file_ = directory_ / "state.db";
  asio::io_context loop_;
  std::promise<void> writer_blocked_;
  std::promise<void> release_writer_;
  Count blocker_;
  std::unique_ptr<Database> database_;
};

TEST_F(SqliteTest, WritesAreReadBackAlsoAfterReopening) {
  EXPECT_EQ(insert("a"), 1);
  EXPECT_EQ(count(), 1);
  database_.reset();
  open();
  EXPECT_EQ(count(), 1);
}

TEST_F(SqliteTest, WritesThatArriveTogetherShareACommit) {
  ASSERT_EQ(insert("so that the WAL and its directory entry are on the disk"), 1);
  std::atomic<int> syncs = 0;
  const FileFaults counter({.on_sync = [&] { return ++syncs, 0; }});
  block_writer();
  std::vector<Count> outcomes(100);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    start_task(loop_, database_->write<std::int64_t>(insert_item(std::to_string(i))), outcomes[i]);
  }
  poll();
  release_writer_.set_value();
  finish();
  for (const auto& outcome : outcomes) EXPECT_EQ(outcome.value(), 1);
  EXPECT_EQ(syncs, 1);  // The blocker changed nothing, so it needs none.
  EXPECT_EQ(count(), 101);
}

TEST_F(SqliteTest, AGroupIsNoLargerThanItsLimit) {
  open(10);
  ASSERT_EQ(insert("so that the WAL and its directory entry are on the disk"), 1);
  std::atomic<int> syncs = 0;
  const FileFaults counter({.on_sync = [&] { return ++syncs, 0; }});
  block_writer();
  std::vector<Count> outcomes(100);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    start_task(loop_, database_->write<std::int64_t>(insert_item(std::to_string(i))), outcomes[i]);
  }
  poll();
  release_writer_.set_value();
  finish();
  EXPECT_EQ(syncs, 10);
}

TEST_F(SqliteTest, ATaskEndsOnlyWhenItsCommitIsOnTheDisk) {
  std::promise<void> entered;
  std::promise<void> leave;
  std::atomic_flag first = ATOMIC_FLAG_INIT;
  const FileFaults slow({.on_sync = [&] {
    if (!first.test_and_set()) {
      entered.set_value();
      leave.get_future().wait();
    }
    return 0;
  }});
  Count outcome;
  start_task(loop_, database_->write<std::int64_t>(insert_item("a")), outcome);
  poll();
  entered.get_future().wait();
  poll();
  EXPECT_FALSE(outcome);
  leave.set_value();
  finish();
  EXPECT_EQ(outcome.value(), 1);
}

Task<std::int64_t> insert_and_look(Database& database, std::string name, const std::filesystem::path& file) {
  const auto inserted = co_await database.write<std::int64_t>(insert_item(name));
  if (!inserted) co_return inserted;
  auto outside = Connection::open(file, Connection::Access::read_only);
  const auto rows = (*outside)->query("SELECT count(*) FROM item WHERE name = $1", {name});
  co_return rows->at(0).integer(0);
}

TEST_F(SqliteTest, EachWriteIsVisibleToOthersWhenItsTaskEnds) {
  std::vector<Count> outcomes(50);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    start_task(loop_, insert_and_look(*database_, std::to_string(i), file_), outcomes[i]);
  }
  finish();
  for (const auto& outcome : outcomes) EXPECT_EQ(outcome.value(), 1);
}

TEST_F(SqliteTest, OneThatFailsOrThrowsDoesntFailItsNeighbours) {
  block_writer();
  std::vector<Count> outcomes(5);
  start_task(loop_, database_->write<std::int64_t>(insert_item("first")), outcomes[0]);
  start_task(loop_, database_->write<std::int64_t>(insert_item("first")), outcomes[1]);
  start_task(loop_, database_->write<std::int64_t>([](Transaction& transaction) -> Result<std::int64_t> {
    static_cast<void>(insert_item("undone")(transaction));
    return fail(codes::name_taken, "no");
  }),
             outcomes[2]);
  start_task(loop_, database_->write<std::int64_t>([](Transaction& transaction) -> Result<std::int64_t> {
    static_cast<void>(insert_item("thrown")(transaction));
    throw std::runtime_error("out of luck");
  }),
             outcomes[3]);
  start_task(loop_, database_->write<std::int64_t>(insert_item("last")), outcomes[4]);
  poll();
  release_writer_.set_value();
  finish();
  EXPECT_EQ(outcomes[0].value(), 1);
  EXPECT_EQ(outcomes[1]->error().code, codes::conflict);
  EXPECT_EQ(outcomes[2]->error().code, codes::name_taken);
  EXPECT_EQ(outcomes[3]->error().code, codes::internal);
  EXPECT_EQ(outcomes[4].value(), 1);
  EXPECT_EQ(count(), 2);
}

TEST_F(SqliteTest, AReadSeesOneStateWhileOthersWrite) {
  std::promise<void> counted;
  std::promise<void> written;
  std::optional<Result<bool>> same;
  start_task(loop_, database_->read<bool>([&](Transaction& transaction) -> Result<bool> {
    const auto before = count_items(transaction);
    counted.set_value();
    written.get_future().wait();
    return before == count_items(transaction);
  }),
             same);
  poll();
  counted.get_future().wait();
  Count inserted;
  start_task(loop_, database_->write<std::int64_t>(insert_item("a")), inserted);
  while (!inserted) loop_.run_one();
  EXPECT_EQ(count_from_outside(), 1);
  written.set_value();
  finish();
  EXPECT_EQ(same.value(), true);
}

TEST_F(SqliteTest, AReadGoesOnWhileAnotherReadAndTheWriterAreBusy) {
  block_writer();
  std::promise<void> leave;
  std::optional<Result<bool>> slow;
  start_task(loop_, database_->read<bool>([&](Transaction&) -> Result<bool> {
    leave.get_future().wait();
    return true;
  }),
             slow);
  Count quick;
  start_task(loop_, database_->read<std::int64_t>(count_items), quick);
  loop_.restart();
  while (!quick) loop_.run_one();
  EXPECT_FALSE(slow);
  leave.set_value();
  release_writer_.set_value();
  finish();
}

TEST_F(SqliteTest, AReadMayNotChangeAnything) {
  for (const std::string_view sql : {"INSERT INTO item (name, size) VALUES ('a', 1)", "DELETE FROM item",
                                     "DROP TABLE item", "CREATE TABLE other (x INTEGER) STRICT"}) {
    const auto refused = run_task(loop_, database_->read<std::int64_t>([sql](Transaction& transaction) {
      return transaction.execute(sql);
    }));
    ASSERT_FALSE(refused) << sql;
    EXPECT_EQ(refused.error().code, codes::internal) << sql;
  }
}

Task<std::int64_t> insert_then_wait(Database& database, bool& aborted) {
  const auto inserted = co_await database.write<std::int64_t>(insert_item("a"));
  try {
    co_await asio::post(asio::use_awaitable);
  } catch (const boost::system::system_error& error) {
    aborted = error.code() == asio::error::operation_aborted;
  }
  co_return inserted;
}

TEST_F(SqliteTest, CancellationWhileQueuedNeitherLosesNorHidesTheWrite) {
  block_writer();
  bool aborted = false;
  Count outcome;
  asio::cancellation_signal signal;
  asio::co_spawn(loop_, insert_then_wait(*database_, aborted),
                 asio::bind_cancellation_slot(signal.slot(),
                                              [&](const std::exception_ptr&, Result<std::int64_t> result) {
                                                outcome = std::move(result);
                                              }));
  poll();
  signal.emit(asio::cancellation_type::terminal);
  poll();
  EXPECT_FALSE(outcome);
  release_writer_.set_value();
  finish();
  EXPECT_EQ(outcome.value(), 1);
  EXPECT_TRUE(aborted);
  EXPECT_EQ(count(), 1);
}

TEST_F(SqliteTest, ClosingFinishesWhatWasAskedFor) {
  block_writer();
  std::vector<Count> outcomes(50);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    start_task(loop_, database_->write<std::int64_t>(insert_item(std::to_string(i))), outcomes[i]);
  }
  Count read;
  start_task(loop_, database_->read<std::int64_t>(count_items), read);
  poll();
  release_writer_.set_value();
  database_.reset();
  EXPECT_EQ(count_from_outside(), 50);
  finish();
  for (const auto& outcome : outcomes) EXPECT_EQ(outcome.value(), 1);
  EXPECT_TRUE(read.value());
}

TEST_F(SqliteTest, TasksThatWaitWhenTheLoopEndsGoWithIt) {
  asio::io_context other;
  auto opened = open_sqlite(other.get_executor(), Log(), {.file = file_});
  Count outcome;
  start_task(other, (*opened)->write<std::int64_t>(insert_item("a")), outcome);
  other.poll();
  opened->reset();
  EXPECT_EQ(count_from_outside(), 1);
  EXPECT_FALSE(outcome);
}

TEST_F(SqliteTest, MigratingAgainChangesNothingAndANewerSchemaIsRefused) {
  EXPECT_TRUE(run_task(loop_, database_->migrate(k_item_migrations)));
  const auto changed = run_task(loop_, database_->write<std::int64_t>([](Transaction& transaction) {
    return transaction.execute("UPDATE schema_version SET version = 9");
  }));
  EXPECT_EQ(changed, 1);
  const auto refused = run_task(loop_, database_->migrate(k_item_migrations));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, codes::state_unusable);
  EXPECT_EQ(insert("still usable by its own version"), 1);
}

TEST(OpenSqlite, RefusesOptionsThatMakeNoSense) {
  const TemporaryDirectory directory;
  asio::io_context loop;
  EXPECT_FALSE(open_sqlite(loop.get_executor(), Log(), {.file = directory / "state.db", .readers = 0}));
  EXPECT_FALSE(open_sqlite(loop.get_executor(), Log(), {.file = directory / "state.db", .group_limit = 0}));
}

}  // namespace
}  // namespace instantstart::store
