#include "store/migrations.h"

#include <gtest/gtest.h>

#include "base/error_codes.h"

namespace instantstart::store {
namespace {

constexpr Migration k_a1{
    .room = "a", .version = 1, .sql = "CREATE TABLE a (x INTEGER) STRICT; INSERT INTO a VALUES (1);"};
constexpr Migration k_a2{
    .room = "a", .version = 2, .sql = "ALTER TABLE a ADD COLUMN y INTEGER; UPDATE a SET y = x + 1;"};
constexpr Migration k_b1{.room = "b", .version = 1, .sql = "CREATE TABLE b (x TEXT) STRICT"};

class MigrationsTest : public testing::Test {
 protected:
  Result<> migrate(std::initializer_list<Migration> migrations) {
    if (auto begun = connection_->begin_write(); !begun) return begun;
    auto done = connection_->attempt(
        [&](Connection& connection) { return apply_migrations(connection, std::span(migrations)); },
        Connection::Access::read_write);
    auto committed = connection_->commit();
    return done ? committed : done;
  }

  /// The whole schema and all version numbers as one text.
  std::string everything() {
    std::string text;
    const auto schema =
        connection_->query("SELECT name, coalesce(sql, '') FROM sqlite_schema ORDER BY name", {});
    for (const auto& row : *schema) text += row.text(0) + ": " + row.text(1) + "\n";
    if (text.empty()) return text;
    const auto versions = connection_->query("SELECT room, version FROM schema_version ORDER BY room", {});
    for (const auto& row : *versions) text += row.text(0) + std::to_string(row.integer(1)) + "\n";
    return text;
  }

  std::unique_ptr<Connection> connection_ = Connection::open_in_memory().value();
};

TEST_F(MigrationsTest, RunsEachOnceInOrder) {
  ASSERT_TRUE(migrate({k_a1, k_b1}));
  ASSERT_TRUE(migrate({k_a1, k_a2, k_b1}));
  const auto before = everything();
  ASSERT_TRUE(migrate({k_a1, k_a2, k_b1}));
  EXPECT_EQ(everything(), before);
  const auto rows = connection_->query("SELECT x, y FROM a", {});
  ASSERT_EQ(rows->size(), 1U);
  EXPECT_EQ(rows->at(0).integer(1), 2);
}

TEST_F(MigrationsTest, ANewerSchemaIsRefusedAndNotTouched) {
  ASSERT_TRUE(migrate({k_a1, k_a2}));
  const auto before = everything();
  const auto refused = migrate({k_a1, k_b1});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, codes::state_unusable);
  EXPECT_EQ(refused.error().detail.at("room"), "a");
  EXPECT_EQ(refused.error().detail.at("stored"), 2);
  EXPECT_EQ(refused.error().detail.at("known"), 1);
  EXPECT_EQ(everything(), before);
}

TEST_F(MigrationsTest, AFailureLeavesEverythingAsItWas) {
  ASSERT_TRUE(migrate({k_a1}));
  const auto before = everything();
  const auto failed = migrate(
      {k_a1, k_a2, k_b1, {.room = "c", .version = 1, .sql = "CREATE TABLE c (x INTEGER) STRICT; SELEC"}});
  ASSERT_FALSE(failed);
  EXPECT_NE(failed.error().message.find("Migration 1 of c"), std::string::npos) << failed.error().message;
  EXPECT_EQ(everything(), before);
}

TEST_F(MigrationsTest, TheFirstOneFailingLeavesNothing) {
  EXPECT_FALSE(migrate({{.room = "c", .version = 1, .sql = "SELEC"}}));
  EXPECT_EQ(everything(), "");
}

TEST_F(MigrationsTest, RoomsThatAreNotInTheListAreLeftAlone) {
  ASSERT_TRUE(migrate({k_a1, k_a2}));
  ASSERT_TRUE(migrate({k_b1}));
  EXPECT_TRUE(migrate({k_a1, k_a2}));
}

TEST_F(MigrationsTest, GapsAndRepeatsInTheListAreOurMistake) {
  EXPECT_EQ(migrate({k_a2}).error().code, codes::internal);
  EXPECT_EQ(migrate({k_a1, k_a1}).error().code, codes::internal);
  EXPECT_EQ(migrate({k_a2, k_a1}).error().code, codes::internal);
}

TEST_F(MigrationsTest, TablesMustBeStrict) {
  const auto refused = migrate({{.room = "c", .version = 1, .sql = "CREATE TABLE loose (x INTEGER)"}});
  EXPECT_EQ(refused.error().code, codes::internal);
  EXPECT_NE(refused.error().message.find("'loose'"), std::string::npos);
  EXPECT_EQ(everything(), "");
}

TEST_F(MigrationsTest, CanNotCommitHalfWay) {
  EXPECT_FALSE(
      migrate({{.room = "c", .version = 1, .sql = "CREATE TABLE c (x INTEGER) STRICT; COMMIT; SELECT 1"}}));
  EXPECT_EQ(everything(), "");
}

}  // namespace
}  // namespace instantstart::store
