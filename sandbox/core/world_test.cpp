#include "sandbox/core/world.h"

#include <functional>
#include <vector>

#include "aws/shapes/ec2.h"
#include "sandbox/core/testing/world_fixture.h"

namespace instantstart::sandbox {
namespace {

struct Door {
  std::string colour;
  std::int64_t opened = 0;
  std::string code;
};
Type describe(Door*) {
  return object_type<Door>(
      "Door", "A door.",
      {field<&Door::colour>("colour", "Of both sides."), field<&Door::opened>("opened", "So often."),
       field<&Door::code>("code", "Opens it.", {.secret = true})});
}

/// What a service keeps.
struct House {
  explicit House(World& world) : doors(world, "house.door"), vpcs(world, "house.vpc") {}

  Collection<Door> doors;
  Collection<aws::ec2::Vpc> vpcs;
};

AuditEntry entry(std::string operation) {
  return {.service = "ec2", .operation = std::move(operation), .mutating = true};
}

std::vector<std::string> operations(const Result<std::vector<AuditEntry>>& rows) {
  std::vector<std::string> names;
  for (const auto& row : rows.value()) names.push_back(fmt::format("{} {}", row.sequence, row.operation));
  return names;
}

using Names = std::vector<std::string>;

class WorldTest : public WorldFixture {
 protected:
  void restart(WorldOptions options = {}, store::MemoryHooks hooks = {}) {
    house.reset();
    start(std::move(options), std::move(hooks));
    house.emplace(process->world());
  }
  World& world() { return process->world(); }
  Result<> commit(std::vector<AuditEntry> rows = {}) { return process->run(world().commit(std::move(rows))); }

  std::optional<House> house;
};

TEST_F(WorldTest, RecordsOfBothKindsComeBackAfterARestart) {
  restart();
  ASSERT_TRUE(process->load());
  house->doors.put("front", {.colour = "green", .opened = 3, .code = "1234"});
  house->vpcs.put("vpc-1", {.is_default = false, .vpc_id = "vpc-1", .cidr_block = "10.0.0.0/16"});
  ASSERT_TRUE(commit());

  restart();
  ASSERT_TRUE(process->load());
  ASSERT_NE(house->doors.find("front"), nullptr);
  EXPECT_EQ(house->doors.find("front")->colour, "green");
  EXPECT_EQ(house->doors.find("front")->code, "1234");
  ASSERT_NE(house->vpcs.find("vpc-1"), nullptr);
  EXPECT_EQ(house->vpcs.find("vpc-1")->cidr_block, "10.0.0.0/16");
  EXPECT_EQ(house->vpcs.find("vpc-1")->is_default, false);
  EXPECT_EQ(house->vpcs.find("vpc-1")->tags, std::nullopt);
}

TEST_F(WorldTest, EditsAndErasuresComeBackToo) {
  restart();
  ASSERT_TRUE(process->load());
  house->doors.put("a", {.colour = "red"});
  house->doors.put("b", {.colour = "blue"});
  ASSERT_TRUE(commit());
  EXPECT_TRUE(house->doors.edit("a", [](Door& door) { ++door.opened; }));
  EXPECT_FALSE(house->doors.edit("c", [](Door& door) { ++door.opened; }));
  EXPECT_TRUE(house->doors.erase("b"));
  EXPECT_FALSE(house->doors.erase("b"));
  ASSERT_TRUE(commit());

  restart();
  ASSERT_TRUE(process->load());
  EXPECT_EQ(house->doors.size(), 1u);
  EXPECT_EQ(house->doors.find("a")->opened, 1);
}

TEST_F(WorldTest, RecordsOfARegionAreFoundByTheirPrefix) {
  restart();
  house->doors.put(regional_id("eu-west-1", "z"), {.colour = "red"});
  house->doors.put(regional_id("us-west-1", "a"), {.colour = "green"});
  house->doors.put(regional_id("us-west-2", "a"), {.colour = "blue"});
  house->doors.put(regional_id("us-west-2", "b"), {.colour = "grey"});
  Names colours;
  for (const auto& [id, door] : house->doors.starting_with("us-west-2/")) colours.push_back(door.colour);
  EXPECT_EQ(colours, (Names{"blue", "grey"}));
}

TEST_F(WorldTest, WhatACrashCameBeforeIsGoneTogetherWithItsAuditRow) {
  restart();
  ASSERT_TRUE(process->load());
  house->doors.put("kept", {.colour = "red"});
  ASSERT_TRUE(commit({entry("PutDoor")}));

  restart({}, {.before_commit =
                   [](std::uint64_t n) { return n == 2 ? store::Fate::crash : store::Fate::goes_on; },
               .after_commit = {}});
  ASSERT_TRUE(process->load());
  house->doors.put("lost", {.colour = "blue"});
  EXPECT_FALSE(commit({entry("PutDoor")}));
  EXPECT_TRUE(process->database().crashed());

  restart();
  ASSERT_TRUE(process->load());
  EXPECT_TRUE(house->doors.contains("kept"));
  EXPECT_FALSE(house->doors.contains("lost"));
  EXPECT_EQ(operations(process->run(world().audit_after(0, 10))), Names{"1 PutDoor"});
}

TEST_F(WorldTest, WhatACrashCameAfterIsThereThoughNobodyWasTold) {
  restart({}, {.before_commit = {}, .after_commit = [](std::uint64_t n) {
                 return n == 3 ? store::Fate::crash : store::Fate::goes_on;
               }});
  ASSERT_TRUE(process->load());
  house->doors.put("there", {.colour = "blue"});
  EXPECT_FALSE(commit({entry("PutDoor")}));

  restart();
  ASSERT_TRUE(process->load());
  EXPECT_TRUE(house->doors.contains("there"));
  EXPECT_EQ(operations(process->run(world().audit_after(0, 10))), Names{"1 PutDoor"});
}

TEST_F(WorldTest, AReaderIsToldOnlyOfWhatIsDurable) {
  restart();
  ASSERT_TRUE(process->load());
  Names order;
  const auto writes = [&]() -> Task<> {
    house->doors.put("a", {.colour = "red"});
    auto done = co_await world().commit({entry("PutDoor")});
    order.emplace_back("written");
    co_return done;
  };
  const auto reads = [&]() -> Task<> {
    order.push_back(house->doors.contains("a") ? "seen" : "not seen");
    auto done = co_await world().commit();
    order.emplace_back("told");
    co_return done;
  };
  std::optional<Result<>> written;
  asio::co_spawn(time.context(), writes(), [&](const std::exception_ptr&, Result<> done) { written = done; });
  ASSERT_TRUE(process->run(reads()));
  EXPECT_EQ(order, (Names{"seen", "written", "told"}));
}

TEST_F(WorldTest, CommitsThatWaitTogetherAreWrittenTogether) {
  restart();
  ASSERT_TRUE(process->load());
  const auto before = process->database().commits();
  int ended = 0;
  for (int i = 0; i < 50; ++i) {
    const auto writes = [this](int number) -> Task<> {
      house->doors.put(std::to_string(number), {.colour = "red"});
      co_return co_await world().commit({entry("PutDoor")});
    };
    asio::co_spawn(time.context(), writes(i),
                   [&](const std::exception_ptr&, const Result<>& done) { ended += done ? 1 : 0; });
  }
  time.run();
  EXPECT_EQ(ended, 50);
  EXPECT_EQ(process->database().commits() - before, 2u);
  const auto rows = process->run(world().audit_after(0, 100));
  ASSERT_EQ(rows->size(), 50u);
  for (std::size_t i = 0; i < rows->size(); ++i)
    EXPECT_EQ((*rows)[i].sequence, static_cast<std::int64_t>(i) + 1);
}

TEST_F(WorldTest, NothingToCommitCostsNothing) {
  restart();
  ASSERT_TRUE(process->load());
  const auto before = process->database().commits();
  ASSERT_TRUE(commit());
  world().note(entry("DescribeDoor"));
  ASSERT_TRUE(commit());
  EXPECT_EQ(process->database().commits(), before);
}

TEST_F(WorldTest, NotedRowsAreFoundInTheirPlace) {
  restart();
  ASSERT_TRUE(process->load());
  world().note(entry("DescribeDoor"));
  ASSERT_TRUE(commit({entry("PutDoor")}));
  world().note(entry("DescribeDoors"));
  EXPECT_EQ(operations(process->run(world().audit_after(0, 10))),
            (Names{"1 DescribeDoor", "2 PutDoor", "3 DescribeDoors"}));
  EXPECT_EQ(operations(process->run(world().audit_after(1, 1))), Names{"2 PutDoor"});
  EXPECT_EQ(operations(process->run(world().audit_before(3, 10))), (Names{"2 PutDoor", "1 DescribeDoor"}));
}

TEST_F(WorldTest, AFlushWritesWhatWasOnlyNoted) {
  restart();
  ASSERT_TRUE(process->load());
  world().note(entry("DescribeDoor"));
  ASSERT_TRUE(process->run(world().flush()));
  world().note(entry("DescribeDoors"));
  restart();
  ASSERT_TRUE(process->load());
  EXPECT_EQ(operations(process->run(world().audit_after(0, 10))), Names{"1 DescribeDoor"});
}

TEST_F(WorldTest, SequencesGoOnAfterARestart) {
  restart();
  ASSERT_TRUE(process->load());
  ASSERT_TRUE(commit({entry("A"), entry("B")}));
  restart();
  ASSERT_TRUE(process->load());
  ASSERT_TRUE(commit({entry("C")}));
  EXPECT_EQ(operations(process->run(world().audit_after(0, 10))), (Names{"1 A", "2 B", "3 C"}));
}

TEST_F(WorldTest, AResetMakesANewAccount) {
  restart();
  int made = 0;
  world().on_new_account([&] {
    ++made;
    house->doors.put("front", {.colour = "white"});
  });
  ASSERT_TRUE(process->load());
  house->doors.put("front", {.colour = "green"});
  house->doors.put("back", {.colour = "red"});
  world().on_timer("close", [](const std::string&) {});
  world().set_timer("close", "back", seconds(5));
  ASSERT_TRUE(commit({entry("PutDoor")}));
  ASSERT_TRUE(process->run(world().reset()));
  EXPECT_EQ(made, 2);
  EXPECT_EQ(house->doors.find("front")->colour, "white");
  EXPECT_FALSE(house->doors.contains("back"));
  EXPECT_EQ(operations(process->run(world().audit_after(0, 10))), Names{});

  restart();
  world().on_new_account([&] { ++made; });
  ASSERT_TRUE(process->load());  // And no timer of a kind that isn't registered.
  EXPECT_EQ(made, 2);
  EXPECT_EQ(house->doors.size(), 1u);
}

TEST_F(WorldTest, KeptCollectionsSurviveAReset) {
  restart();
  Collection<Door> kept(world(), "kept.door", OnReset::keep);
  ASSERT_TRUE(process->load());
  kept.put("a", {.colour = "red"});
  ASSERT_TRUE(commit());
  ASSERT_TRUE(process->run(world().reset()));
  EXPECT_TRUE(kept.contains("a"));
}

TEST_F(WorldTest, KeptCollectionsAreOnDiskAfterAReset) {
  restart();
  {
    Collection<Door> kept(world(), "kept.door", OnReset::keep);
    ASSERT_TRUE(process->load());
    kept.put("a", {.colour = "red"});
    ASSERT_TRUE(process->run(world().reset()));
    restart();
  }
  Collection<Door> kept(world(), "kept.door", OnReset::keep);
  ASSERT_TRUE(process->load());
  EXPECT_TRUE(kept.contains("a"));
}

TEST_F(WorldTest, StateOfAnotherAccountIsRefused) {
  restart();
  ASSERT_TRUE(process->load());
  restart({.account = "210987654321"});
  const auto loaded = process->load();
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, "state_unusable");
}

TEST_F(WorldTest, RecordsOfAnUnknownKindAreRefused) {
  restart();
  {
    Collection<Door> windows(world(), "house.window");
    ASSERT_TRUE(process->load());
    windows.put("a", {.colour = "clear"});
    ASSERT_TRUE(commit());
  }
  restart();
  const auto loaded = process->load();
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, "state_unusable");
  EXPECT_NE(loaded.error().message.find("house.window"), std::string::npos);
}

TEST_F(WorldTest, IdsHaveTheFormOfAws) {
  restart();
  EXPECT_TRUE(Pattern("^vpc-[0-9a-f]{17}$").matches(world().make_id("vpc")));
  EXPECT_NE(world().make_id("vpc"), world().make_id("vpc"));
  EXPECT_TRUE(Pattern("^AROA[A-Z2-7]{17}$").matches(world().make_capital_id("AROA")));
  EXPECT_TRUE(Pattern("^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$")
                  .matches(world().make_request_id()));
}

/// A disk that fails when it is told to.
class FlakyDatabase final : public store::Database {
 public:
  explicit FlakyDatabase(store::Database& inner) : inner_(inner) {}
  Task<> migrate(std::span<const store::Migration> migrations) override { return inner_.migrate(migrations); }

  bool broken = false;

 protected:
  Task<> run_untyped(Mode mode, std::function<Result<>(store::Transaction&)> work) override {
    if (broken) co_return fail("state_unusable", "The disk is full.");
    if (mode == Mode::write) co_return co_await inner_.write<void>(std::move(work));
    co_return co_await inner_.read<void>(std::move(work));
  }

 private:
  store::Database& inner_;
};

TEST_F(WorldTest, WhatCouldNotBeWrittenGoesWithTheNextCommit) {
  store::MemoryDatabase memory(store);
  FlakyDatabase flaky(memory);
  restart();
  ASSERT_TRUE(process->run(flaky.migrate(World::migrations())));
  World world(flaky, time, random, {}, {});
  Collection<Door> doors(world, "house.door");
  ASSERT_TRUE(process->run(world.load()));

  flaky.broken = true;
  doors.put("a", {.colour = "red"});
  doors.put("b", {.colour = "red"});
  const auto failed = process->run(world.commit({entry("PutDoor")}));
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, "state_unusable");
  EXPECT_FALSE(process->run(world.commit()));  // A reader isn't told either.

  flaky.broken = false;
  doors.put("b", {.colour = "blue"});
  ASSERT_TRUE(process->run(world.commit({entry("PaintDoor")})));
  EXPECT_EQ(operations(process->run(world.audit_after(0, 10))), (Names{"1 PutDoor", "2 PaintDoor"}));

  restart();
  ASSERT_TRUE(process->load());
  EXPECT_EQ(house->doors.find("a")->colour, "red");
  EXPECT_EQ(house->doors.find("b")->colour, "blue");
}

}  // namespace
}  // namespace instantstart::sandbox
