// What a full or failing disk, damaged files and sudden death may do to the store, and what they may not.
#include <atomic>
#include <csignal>
#include <fstream>
#include <map>
#include <set>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/error_codes.h"
#include "store/connection.h"
#include "store/sqlite.h"
#include "store/testing/child.h"
#include "store/testing/file_faults.h"
#include "store/testing/items.h"
#include "store/testing/run_task.h"
#include "store/testing/temporary_directory.h"

namespace instantstart::store {
namespace {

Result<std::unique_ptr<Database>> open_migrated(asio::io_context& loop, const std::filesystem::path& file) {
  auto opened = open_sqlite(loop.get_executor(), Log(), {.file = file});
  if (!opened) return opened;
  if (auto migrated = run_task(loop, (*opened)->migrate(k_item_migrations)); !migrated)
    return fail(migrated.error());
  return opened;
}

std::set<std::string> names_in(const std::filesystem::path& file) {
  auto connection = Connection::open(file, Connection::Access::read_only).value();
  EXPECT_EQ(connection->query("PRAGMA integrity_check", {})->at(0).text(0), "ok");
  std::set<std::string> names;
  for (const auto& row : connection->query("SELECT name FROM item", {}).value()) names.insert(row.text(0));
  return names;
}

void write_file(const std::filesystem::path& file, std::string_view content) {
  std::ofstream(file, std::ios::binary) << content;
}

std::string read_file(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

Error open_error(const std::filesystem::path& file) {
  asio::io_context loop;
  auto opened = open_migrated(loop, file);
  return opened ? Error{} : opened.error();
}

TEST(DamagedStore, AFileThatIsNoDatabaseIsRefusedAndLeftAsItIs) {
  const TemporaryDirectory directory;
  const std::string garbage(10'000, 'x');
  write_file(directory / "state.db", garbage);
  const auto error = open_error(directory / "state.db");
  EXPECT_EQ(error.code, codes::state_unusable);
  EXPECT_NE(error.message.find("not a database"), std::string::npos) << error.message;
  EXPECT_NE(error.message.find("state.db"), std::string::npos) << error.message;
  EXPECT_EQ(read_file(directory / "state.db"), garbage);
}

TEST(DamagedStore, ATruncatedDatabaseIsRefused) {
  const TemporaryDirectory directory;
  {
    asio::io_context loop;
    auto database = open_migrated(loop, directory / "state.db");
    ASSERT_TRUE(run_task(loop, (*database)->write<std::int64_t>(insert_item(std::string(100'000, 'a')))));
  }
  std::filesystem::resize_file(directory / "state.db", 3 * 4096 + 100);
  const auto error = open_error(directory / "state.db");
  EXPECT_EQ(error.code, codes::state_unusable);
  EXPECT_NE(error.message.find("damaged"), std::string::npos) << error.message;
}

TEST(DamagedStore, AReadOnlyFileOrDirectoryIsSaidToBeOne) {
  for (const bool directory_too : {false, true}) {
    const TemporaryDirectory directory;
    const auto file = directory / "state.db";
    write_file(file, "");
    if (::geteuid() == 0) {
      ASSERT_EQ(::chown(directory.path().c_str(), 65534, 65534), 0);
      ASSERT_EQ(::chown(file.c_str(), 65534, 65534), 0);
    }
    ASSERT_EQ(::chmod(file.c_str(), directory_too ? 0600 : 0400), 0);
    ASSERT_EQ(::chmod(directory.path().c_str(), directory_too ? 0500 : 0700), 0);
    EXPECT_EQ(run_unprivileged([&] {
                const auto error = open_error(file);
                if (error.code != codes::state_unusable) return 1;
                return error.message.find("read-only") == std::string::npos ? 2 : 0;
              }),
              0)
        << directory_too;
    ::chmod(directory.path().c_str(), 0700);
  }
}

/// Writes until the disk is full from the k-th write call on, and some more. Returns the names that were
/// acknowledged.
std::set<std::string> write_to_disk_that_fills(asio::io_context& loop, Database& database, int k,
                                               int& refused) {
  std::atomic<int> calls = 0;
  const FileFaults full({.on_write = [&] { return ++calls >= k ? ENOSPC : 0; }});
  std::set<std::string> acknowledged;
  for (int i = 0; i < 6; ++i) {
    const auto name = std::to_string(i) + std::string(9000, 'x');
    const auto written = run_task(loop, database.write<std::int64_t>(insert_item(name)));
    if (written) {
      acknowledged.insert(name);
    } else {
      ++refused;
      EXPECT_EQ(written.error().code, codes::state_unusable) << written.error().message;
      EXPECT_NE(written.error().message.find("full"), std::string::npos) << written.error().message;
    }
  }
  return acknowledged;
}

TEST(FullDisk, LosesNothingThatWasAcknowledgedWhereverItStrikesAndGoesOnWhenThereIsSpace) {
  int refused = 0;
  for (int k = 1; k <= 40; k += 3) {
    const TemporaryDirectory directory;
    const auto file = directory / "state.db";
    asio::io_context loop;
    std::set<std::string> expected;
    {
      auto database = open_migrated(loop, file);
      ASSERT_TRUE(database) << database.error().message;
      expected = write_to_disk_that_fills(loop, **database, k, refused);
      ASSERT_TRUE(run_task(loop, (*database)->write<std::int64_t>(insert_item("after")))) << k;
      expected.insert("after");
    }
    EXPECT_EQ(names_in(file), expected) << k;
  }
  EXPECT_GT(refused, 0);
}

TEST(FullDisk, IsSaidWhenTheStoreIsOpened) {
  const TemporaryDirectory directory;
  const FileFaults full({.on_write = [] { return ENOSPC; }});
  const auto error = open_error(directory / "state.db");
  EXPECT_EQ(error.code, codes::state_unusable);
  EXPECT_NE(error.message.find("full"), std::string::npos) << error.message;
}

TEST(FailingDisk, FailsTheWholeGroupAndTheNextWriteStandsAlone) {
  const TemporaryDirectory directory;
  const auto file = directory / "state.db";
  asio::io_context loop;
  {
    auto database = open_migrated(loop, file);
    std::optional<Result<std::int64_t>> first;
    std::optional<Result<std::int64_t>> second;
    {
      const FileFaults broken({.on_sync = [] { return EIO; }});
      start_task(loop, (*database)->write<std::int64_t>(insert_item("a")), first);
      start_task(loop, (*database)->write<std::int64_t>(insert_item("b")), second);
      loop.restart();
      loop.run();
    }
    for (const auto& outcome : {first, second}) {
      ASSERT_FALSE(outcome.value());
      EXPECT_EQ(outcome->error().code, codes::state_unusable);
      EXPECT_NE(outcome->error().message.find("can't be read or written"), std::string::npos)
          << outcome->error().message;
    }
    EXPECT_EQ(run_task(loop, (*database)->read<std::int64_t>(count_items)), 0);
    EXPECT_EQ(run_task(loop, (*database)->write<std::int64_t>(insert_item("c"))), 1);
  }
  EXPECT_EQ(names_in(file), std::set<std::string>{"c"});
}

class HalfWrittenWal : public testing::Test {
 protected:
  /// Leaves the files of a store as they are while it is open: rows "0" … "9", all in the WAL.
  void SetUp() override {
    asio::io_context loop;
    auto database = open_migrated(loop, directory_ / "state.db");
    for (int i = 0; i < 10; ++i) {
      ASSERT_TRUE(run_task(loop, (*database)->write<std::int64_t>(insert_item(std::to_string(i)))));
    }
    data_ = read_file(directory_ / "state.db");
    wal_ = read_file(directory_ / "state.db-wal");
  }

  /// Opens the store as it would be found with this WAL, checks that it is whole and can be written, and
  /// counts its rows.
  std::size_t rows_with(std::string_view wal) {
    const TemporaryDirectory found;
    write_file(found / "state.db", data_);
    write_file(found / "state.db-wal", wal);
    asio::io_context loop;
    {
      auto database = open_migrated(loop, found / "state.db");
      EXPECT_TRUE(database) << database.error().message;
      EXPECT_TRUE(run_task(loop, (*database)->write<std::int64_t>(insert_item("after"))));
    }
    auto names = names_in(found / "state.db");
    EXPECT_EQ(names.erase("after"), 1U);
    for (std::size_t i = 0; i < names.size(); ++i)
      EXPECT_TRUE(names.contains(std::to_string(i))) << "a gap at " << i;
    return names.size();
  }

  TemporaryDirectory directory_;
  std::string data_;
  std::string wal_;
};

TEST_F(HalfWrittenWal, EndsAtTheLastWholeCommit) {
  EXPECT_EQ(rows_with(wal_), 10U);
  std::set<std::size_t> counts;
  std::size_t before = 10;
  for (std::size_t size = wal_.size(); size > 0; size -= std::min<std::size_t>(size, 1531)) {
    const auto rows = rows_with(std::string_view(wal_).substr(0, size));
    EXPECT_LE(rows, before);
    before = rows;
    counts.insert(rows);
  }
  EXPECT_EQ(counts.size(), 11U) << "every prefix 0 … 10 was seen";
}

TEST_F(HalfWrittenWal, EndsBeforeTheFirstDamagedByte) {
  auto damaged = wal_;
  damaged[damaged.size() - 2000] = static_cast<char>(damaged[damaged.size() - 2000] ^ 0x40);
  EXPECT_EQ(rows_with(damaged), 9U);
  EXPECT_EQ(rows_with(wal_.substr(0, wal_.size() - 100) + std::string(100, '\0')), 9U);
}

Task<std::int64_t> write_for_ever(Database& database, int writer, int acknowledgements) {
  for (int i = 0;; ++i) {
    const auto name = std::to_string(writer) + "/" + std::to_string(i);
    const auto written = co_await database.write<std::int64_t>(insert_item(name));
    if (!written) co_return written;
    // One line in one call: a pipe takes it whole or not at all.
    const auto line = name + "\n";
    if (::write(acknowledgements, line.data(), line.size()) < 0) co_return 0;
  }
}

int write_until_killed(const std::filesystem::path& file, int acknowledgements) {
  asio::io_context loop;
  auto database = open_migrated(loop, file);
  if (!database) return 1;
  std::vector<std::optional<Result<std::int64_t>>> outcomes(8);
  for (int writer = 0; writer < 8; ++writer) {
    start_task(loop, write_for_ever(**database, writer, acknowledgements),
               outcomes[static_cast<std::size_t>(writer)]);
  }
  loop.restart();
  loop.run();
  return 2;
}

/// Lets a child write, kills it after about `enough` bytes of acknowledgements, and returns all that it sent.
std::string acknowledged_until_killed(const std::filesystem::path& file, std::size_t enough) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const auto child = start_child([&] {
    ::close(ends[0]);
    return write_until_killed(file, ends[1]);
  });
  ::close(ends[1]);
  std::string lines;
  char buffer[256];
  bool killed = false;
  for (auto count = ::read(ends[0], buffer, sizeof buffer); count > 0;
       count = ::read(ends[0], buffer, sizeof buffer)) {
    lines.append(buffer, static_cast<std::size_t>(count));
    if (lines.size() >= enough && !killed) {
      ::kill(child, SIGKILL);
      killed = true;
    }
  }
  ::close(ends[0]);
  EXPECT_TRUE(killed);
  EXPECT_EQ(wait_for_child(child), -1);
  return lines;
}

TEST(KilledStore, KeepsEveryWriteThatWasAcknowledged) {
  for (const std::size_t enough : {1U, 100U, 1'000U, 10'000U}) {
    const TemporaryDirectory directory;
    const auto lines = acknowledged_until_killed(directory / "state.db", enough);
    const auto names = names_in(directory / "state.db");
    std::istringstream stream(lines);
    std::size_t acknowledged = 0;
    for (std::string name; std::getline(stream, name); ++acknowledged)
      EXPECT_TRUE(names.contains(name)) << name;
    EXPECT_GT(acknowledged, 0U);
    EXPECT_LE(names.size(), acknowledged + 8) << "at most one write a coroutine was under way";
  }
}

}  // namespace
}  // namespace instantstart::store
