#include "store/connection.h"

#include <stdexcept>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/error_codes.h"
#include "store/migrations.h"
#include "store/testing/items.h"
#include "store/testing/temporary_directory.h"

namespace instantstart::store {
namespace {

constexpr auto k_read = Connection::Access::read_only;
constexpr auto k_write = Connection::Access::read_write;

class ConnectionTest : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = Connection::open_in_memory();
    ASSERT_TRUE(opened) << opened.error().message;
    connection_ = std::move(*opened);
    ASSERT_TRUE(connection_->begin_write());
    const auto migrated = apply_migrations(*connection_, k_item_migrations);
    ASSERT_TRUE(migrated) << migrated.error().message;
    ASSERT_TRUE(connection_->commit());
  }

  Error error_of(std::string_view sql, std::initializer_list<Value> parameters = {}) {
    const auto rows = connection_->query(sql, parameters);
    return rows ? Error{} : rows.error();
  }

  Result<> in_transaction(const Work& work, Connection::Access access = k_write) {
    if (auto begun = connection_->begin_write(); !begun) return begun;
    auto outcome = connection_->attempt(work, access);
    auto committed = connection_->commit();
    return outcome ? committed : outcome;
  }

  std::unique_ptr<Connection> connection_;
};

TEST_F(ConnectionTest, ValuesComeBackAsTheyWere) {
  const std::string text = "ü \"quoted\" '); DROP TABLE item; --\n" + std::string(1, '\0') + "after NUL";
  const auto rows = connection_->query("SELECT $1, $2, $3, $4", {text, INT64_MIN, 0.1, nullptr});
  ASSERT_TRUE(rows) << rows.error().message;
  const auto& row = rows->at(0);
  ASSERT_EQ(row.size(), 4U);
  EXPECT_EQ(row.text(0), text);
  EXPECT_EQ(row.integer(1), INT64_MIN);
  EXPECT_EQ(row.number(2), 0.1);
  EXPECT_TRUE(row.is_null(3));
  EXPECT_EQ(row.optional_text(3), std::nullopt);
  EXPECT_EQ(row.optional_integer(1), INT64_MIN);
}

TEST_F(ConnectionTest, AbsentParametersAreNull) {
  const auto rows =
      connection_->query("SELECT $1, $2, $3, $4",
                         {or_null(std::optional<std::string>()), or_null(std::optional<std::string>("a")),
                          or_null(std::optional<std::int64_t>()), or_null(std::optional<std::int64_t>(3))});
  ASSERT_TRUE(rows) << rows.error().message;
  EXPECT_EQ(rows->at(0).optional_text(0), std::nullopt);
  EXPECT_EQ(rows->at(0).optional_text(1), "a");
  EXPECT_EQ(rows->at(0).optional_integer(2), std::nullopt);
  EXPECT_EQ(rows->at(0).optional_integer(3), 3);
}

TEST_F(ConnectionTest, ParametersAreTakenByNumberInAnyOrderAndAsOftenAsNeeded) {
  const auto rows = connection_->query("SELECT $2, $1, $2, $1", {1, 2});
  ASSERT_TRUE(rows) << rows.error().message;
  EXPECT_EQ(rows->at(0).integer(0), 2);
  EXPECT_EQ(rows->at(0).integer(1), 1);
  EXPECT_EQ(rows->at(0).integer(2), 2);
  EXPECT_EQ(rows->at(0).integer(3), 1);
}

TEST_F(ConnectionTest, ParametersDontStayForTheNextRun) {
  ASSERT_TRUE(connection_->query("SELECT $1", {std::string("secret")}));
  const auto rows = connection_->query("SELECT $1", {nullptr});
  ASSERT_TRUE(rows);
  EXPECT_TRUE(rows->at(0).is_null(0));
}

TEST_F(ConnectionTest, BadStatementsAreOurMistake) {
  EXPECT_EQ(error_of("SELECT $1, $2", {1}).code, codes::internal);
  EXPECT_EQ(error_of("SELECT $1", {1, 2}).code, codes::internal);
  EXPECT_EQ(error_of("SELECT $1, $3", {1, 2, 3}).code, codes::internal);
  EXPECT_EQ(error_of("SELECT ?", {1}).code, codes::internal);
  EXPECT_EQ(error_of("SELECT :name", {1}).code, codes::internal);
  EXPECT_EQ(error_of("SELECT 1; SELECT 2").code, codes::internal);
  EXPECT_EQ(error_of("").code, codes::internal);
  EXPECT_EQ(error_of("SELEC 1").code, codes::internal);
  EXPECT_EQ(error_of("SELECT \"no such column\"").code, codes::internal);
  EXPECT_EQ(error_of("SELECT x'00ff'").code, codes::internal);
  EXPECT_EQ(error_of("SELECT 1;\n").code, "");
}

TEST_F(ConnectionTest, ExecuteCountsChangedRows) {
  EXPECT_EQ(connection_->execute("INSERT INTO item (name, size) VALUES ('a', 1), ('b', 1)", {}), 2);
  EXPECT_EQ(connection_->execute("UPDATE item SET size = 2 WHERE name = $1", {std::string("nobody")}), 0);
  EXPECT_EQ(connection_->execute("UPDATE item SET size = 2", {}), 2);
  EXPECT_EQ(connection_->execute("CREATE TABLE other (id INTEGER) STRICT", {}), 0);
  EXPECT_EQ(connection_->execute("INSERT INTO item (name, size) VALUES ('c', 1) RETURNING id", {}), 1);
  const auto rows = connection_->query("DELETE FROM item RETURNING name", {});
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->size(), 3U);
}

TEST_F(ConnectionTest, BrokenConstraintsAreConflictsThatSayWhich) {
  ASSERT_TRUE(connection_->execute("INSERT INTO item (id, name, size) VALUES (1, 'a', 1)", {}));
  struct Case {
    std::string_view sql, kind, constraint;
  };
  for (const auto& [sql, kind, constraint] :
       {Case{"INSERT INTO item (name, size) VALUES ('a', 1)", "unique", "item.name"},
        Case{"INSERT INTO item (id, name, size) VALUES (1, 'b', 1)", "primary_key", "item.id"},
        Case{"INSERT INTO item (name, size) VALUES ('b', -1)", "check", "size_not_negative"},
        Case{"INSERT INTO part (item) VALUES (7)", "foreign_key", ""},
        Case{"INSERT INTO item (name, size) SELECT 'x' || name, -1 FROM item", "check",
             "size_not_negative"}}) {
    const auto error = error_of(sql);
    EXPECT_EQ(error.code, codes::conflict) << sql;
    EXPECT_EQ(error.detail.at("kind").as_string(), kind) << sql;
    EXPECT_EQ(error.detail.at("constraint").as_string(), constraint) << sql;
  }
}

TEST_F(ConnectionTest, ValuesThatNoColumnTakesAreOurMistake) {
  EXPECT_EQ(error_of("INSERT INTO item (name, size) VALUES ('a', 'large')").code, codes::internal);
  EXPECT_EQ(error_of("INSERT INTO item (name, size) VALUES (NULL, 1)").code, codes::internal);
}

TEST_F(ConnectionTest, WorkThatFailsOrThrowsIsUndoneAndItsNeighboursStay) {
  ASSERT_TRUE(connection_->begin_write());
  const auto add = [](std::string name) {
    return [name](Connection& connection) -> Result<> {
      const auto added = insert_item(name)(connection);
      return added ? Result<>() : std::unexpected(added.error());
    };
  };
  EXPECT_TRUE(connection_->attempt(add("first"), k_write));
  const auto failed = connection_->attempt(
      [&](Connection& connection) -> Result<> {
        if (auto added = add("failed")(connection); !added) return added;
        return fail(codes::name_taken, "no");
      },
      k_write);
  const auto thrown = connection_->attempt(
      [&](Connection& connection) -> Result<> {
        if (auto added = add("thrown")(connection); !added) return added;
        throw std::runtime_error("out of luck");
      },
      k_write);
  EXPECT_TRUE(connection_->attempt(add("last"), k_write));
  EXPECT_TRUE(connection_->commit());

  EXPECT_EQ(failed.error().code, codes::name_taken);
  EXPECT_EQ(thrown.error().code, codes::internal);
  EXPECT_NE(thrown.error().message.find("out of luck"), std::string::npos);
  const auto rows = connection_->query("SELECT name FROM item ORDER BY id", {});
  ASSERT_EQ(rows->size(), 2U);
  EXPECT_EQ(rows->at(0).text(0), "first");
  EXPECT_EQ(rows->at(1).text(0), "last");
}

TEST_F(ConnectionTest, AColumnOfAnotherTypeIsOurMistake) {
  const auto wrong = in_transaction([](Connection& connection) -> Result<> {
    static_cast<void>(connection.query("SELECT 'text'", {})->at(0).integer(0));
    return {};
  });
  EXPECT_EQ(wrong.error().code, codes::internal);
}

TEST_F(ConnectionTest, WorkCanNotTouchTheTransactionThatOthersShare) {
  for (const std::string_view sql : {"COMMIT", "ROLLBACK", "BEGIN", "SAVEPOINT work", "RELEASE work",
                                     "ROLLBACK TO work", "ATTACH ':memory:' AS other"}) {
    const auto refused = in_transaction([&](Connection& connection) { return connection.run_script(sql); });
    EXPECT_EQ(refused.error().code, codes::internal) << sql;
    const auto also = in_transaction([&](Connection& connection) -> Result<> {
      const auto rows = connection.query(sql, {});
      return rows ? Result<>() : std::unexpected(rows.error());
    });
    EXPECT_EQ(also.error().code, codes::internal) << sql;
  }
}

TEST_F(ConnectionTest, ReadsMayNotChangeAnything) {
  const auto refused = in_transaction(
      [](Connection& connection) -> Result<> {
        const auto added = insert_item("a")(connection);
        return added ? Result<>() : std::unexpected(added.error());
      },
      k_read);
  EXPECT_EQ(refused.error().code, codes::internal);
}

TEST_F(ConnectionTest, ManyDifferentStatementsDontPileUp) {
  for (int i = 0; i < 3000; ++i) {
    const auto rows = connection_->query("SELECT " + std::to_string(i), {});
    ASSERT_TRUE(rows);
    ASSERT_EQ(rows->at(0).integer(0), i);
  }
}

TEST(ConnectionToFile, IsPrivateDurableAndStrict) {
  const TemporaryDirectory directory;
  auto connection = Connection::open(directory / "state.db", k_write);
  ASSERT_TRUE(connection) << connection.error().message;
  ASSERT_TRUE((*connection)->run_script("CREATE TABLE item (id INTEGER) STRICT"));

  const auto setting = [&](std::string_view pragma) { return (*connection)->query(pragma, {})->at(0); };
  EXPECT_EQ(setting("PRAGMA journal_mode").text(0), "wal");
  EXPECT_EQ(setting("PRAGMA synchronous").integer(0), 2);  // FULL
  EXPECT_EQ(setting("PRAGMA foreign_keys").integer(0), 1);
  EXPECT_EQ(setting("PRAGMA trusted_schema").integer(0), 0);
  EXPECT_EQ(setting("PRAGMA busy_timeout").integer(0), 5000);

  for (const auto* name : {"state.db", "state.db-wal", "state.db-shm"}) {
    struct stat facts = {};
    ASSERT_EQ(::stat((directory / name).c_str(), &facts), 0) << name;
    EXPECT_EQ(facts.st_mode & 07777U, 0600U) << name;
  }
}

TEST(ConnectionToFile, FollowsNoSymbolicLink) {
  const TemporaryDirectory directory;
  ASSERT_TRUE(Connection::open(directory / "real.db", k_write));
  std::filesystem::create_symlink(directory / "real.db", directory / "link.db");
  std::filesystem::create_symlink(directory / "missing.db", directory / "dangling.db");
  EXPECT_EQ(Connection::open(directory / "link.db", k_write).error().code, codes::state_unusable);
  EXPECT_EQ(Connection::open(directory / "dangling.db", k_write).error().code, codes::state_unusable);
  EXPECT_FALSE(std::filesystem::exists(directory / "missing.db"));
}

TEST(ConnectionToFile, IsReachedThroughADirectoryThatIsALink) {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory / "real");
  std::filesystem::create_directory_symlink(directory / "real", directory / "link");
  EXPECT_TRUE(Connection::open(directory / "link" / "state.db", k_write));
  EXPECT_TRUE(std::filesystem::exists(directory / "real" / "state.db"));
}

TEST(ConnectionToFile, HeldByAnotherWriterIsUnavailableForNow) {
  const TemporaryDirectory directory;
  const auto first = Connection::open(directory / "state.db", k_write).value();
  const auto second = Connection::open(directory / "state.db", k_write).value();
  ASSERT_TRUE(second->run_script("PRAGMA busy_timeout = 0"));
  ASSERT_TRUE(first->begin_write());
  const auto begun = second->begin_write();
  ASSERT_FALSE(begun);
  EXPECT_EQ(begun.error().code, codes::unavailable);
  EXPECT_TRUE(begun.error().retryable);
  ASSERT_TRUE(first->commit());
  EXPECT_TRUE(second->begin_write());
}

TEST(ConnectionToFile, NeedsADirectory) {
  const TemporaryDirectory directory;
  EXPECT_EQ(Connection::open(directory / "missing" / "state.db", k_write).error().code,
            codes::state_unusable);
  EXPECT_EQ(Connection::open(directory.path(), k_write).error().code, codes::state_unusable);
}

}  // namespace
}  // namespace instantstart::store
