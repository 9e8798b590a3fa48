#include "fleet/fleet.h"

#include <memory>

#include <gtest/gtest.h>
#include <boost/asio/io_context.hpp>

#include "store/testing/inline_database.h"
#include "store/testing/run_task.h"

namespace instantstart::fleet {
namespace {

class FleetTest : public testing::Test {
 protected:
  FleetTest() { EXPECT_TRUE(run(database.migrate(Fleet::migrations()))); }

  template <class T>
  Result<T> run(Task<T> task) {
    return store::run_task(loop, std::move(task));
  }

  static ClusterRecord record(std::string name, std::string tag, std::string region = "us-west-2") {
    return {.key = {std::move(name), std::move(region), "123456789012"},
            .tag = std::move(tag),
            .profile = std::nullopt,
            .created_at = WallTime(milliseconds(1000)),
            .operation_id = "op-1"};
  }

  asio::io_context loop;
  store::MemoryStore file;
  store::MemoryDatabase database{file};
  Fleet fleet{database};
};

TEST_F(FleetTest, FindsByTagKeyArnAndName) {
  const auto demo = record("demo", "blue");
  ASSERT_EQ(run(fleet.put(demo)), demo);
  for (const char* reference : {"blue", "demo.us-west-2.123456789012", "demo",
                                "arn:aws-cn:eks:us-west-2:123456789012:cluster/demo"}) {
    EXPECT_EQ(run(fleet.find(reference)), demo) << reference;
  }
}

TEST_F(FleetTest, PutAgainKeepsWhoMadeItAndWhen) {
  ASSERT_TRUE(run(fleet.put(record("demo", "blue"))));
  auto again = record("demo", "green");
  again.profile = "research";
  again.created_at = WallTime(milliseconds(9000));
  again.operation_id = "op-2";
  const auto kept = run(fleet.put(again));
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->tag, "green");
  EXPECT_EQ(kept->profile, "research");
  EXPECT_EQ(kept->operation_id, "op-1");
  EXPECT_EQ(kept->created_at, WallTime(milliseconds(1000)));
  EXPECT_EQ(run(fleet.find("blue")).error().code, "not_found");
}

TEST_F(FleetTest, ATagBelongsToOneCluster) {
  ASSERT_TRUE(run(fleet.put(record("demo", "blue"))));
  const auto refused = run(fleet.put(record("other", "blue")));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "name_taken");
  EXPECT_EQ(refused.error().detail.at("cluster"), "demo.us-west-2.123456789012");
}

TEST_F(FleetTest, ANameInTwoRegionsIsAmbiguousAndNamesBoth) {
  ASSERT_TRUE(run(fleet.put(record("demo", "west"))));
  ASSERT_TRUE(run(fleet.put(record("demo", "east", "us-east-1"))));
  const auto refused = run(fleet.find("demo"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "ambiguous");
  EXPECT_EQ(refused.error().detail.at("clusters"),
            boost::json::value({"demo.us-east-1.123456789012", "demo.us-west-2.123456789012"}));
}

TEST_F(FleetTest, ATagGoesBeforeANameOfAnotherCluster) {
  ASSERT_TRUE(run(fleet.put(record("demo", "west"))));
  ASSERT_TRUE(run(fleet.put(record("other", "demo"))));
  EXPECT_EQ(run(fleet.find("demo"))->key.name, "other");
  EXPECT_EQ(run(fleet.tagged("demo"))->value().key.name, "other");
  EXPECT_FALSE(run(fleet.tagged("other"))->has_value()) << "names and keys are no tags";
}

TEST_F(FleetTest, WhatIsUnknownIsAnsweredWithTheNearest) {
  ASSERT_TRUE(run(fleet.put(record("demo", "production"))));
  const auto missing = run(fleet.find("prodction"));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, "not_found");
  EXPECT_EQ(missing.error().detail.at("nearest"), "production");
}

TEST_F(FleetTest, ListsInPagesWithoutLossOrDoubles) {
  for (const char* name : {"c", "a", "e", "b", "d"}) ASSERT_TRUE(run(fleet.put(record(name, name))));
  std::string seen;
  std::optional<std::string> cursor;
  int pages = 0;
  do {
    const auto page = run(fleet.list(2, cursor));
    ASSERT_TRUE(page);
    for (const auto& cluster : page->clusters) seen += cluster.tag;
    cursor = page->next_cursor;
    ++pages;
  } while (cursor && pages < 10);
  EXPECT_EQ(seen, "abcde");
  EXPECT_EQ(pages, 3);
}

TEST_F(FleetTest, ForgettingTwiceIsHarmless) {
  const auto demo = record("demo", "blue");
  ASSERT_TRUE(run(fleet.put(demo)));
  EXPECT_EQ(run(fleet.forget(demo.key)), true);
  EXPECT_EQ(run(fleet.forget(demo.key)), false);
  EXPECT_FALSE(run(fleet.get(demo.key))->has_value());
}

}  // namespace
}  // namespace instantstart::fleet
