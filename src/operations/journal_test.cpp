// The journal's own promises, below the engine.
#include "operations/journal.h"

#include <gtest/gtest.h>

#include "operations/schema.h"
#include "operations/testing/engine_fixture.h"

namespace instantstart::operations::testing {
namespace {

class Journal : public EngineFixture {
 protected:
  template <class T>
  Result<T> write(std::function<Result<T>(store::Transaction&)> work) {
    return run(database_->write<T>(std::move(work)));
  }

  journal::Accepted accept(std::string id, std::optional<std::string> owner = "me",
                           std::string subject = "cluster/a") {
    journal::NewOperation wanted{.id = std::move(id),
                                 .plan = planned({planned("s", "one")}),
                                 .principal = "tester",
                                 .owner = std::move(owner)};
    wanted.plan.subject = std::move(subject);
    auto accepted = write<journal::Accepted>(
        [&](store::Transaction& transaction) { return journal::accept(transaction, wanted, time_.wall()); });
    EXPECT_TRUE(accepted) << accepted.error().message;
    return accepted ? *accepted : journal::Accepted{};
  }

  LoadedOperation load(const std::string& id) {
    return *write<LoadedOperation>(
        [&](store::Transaction& transaction) { return journal::load(transaction, id); });
  }

  journal::Recorded record(const Hold& hold, const StepChange& change) {
    auto recorded = write<journal::Recorded>([&](store::Transaction& transaction) {
      return journal::record(transaction, hold, change, time_.wall());
    });
    EXPECT_TRUE(recorded) << recorded.error().message;
    return *recorded;
  }

  StepChange intent(const StepRecord& step) {
    return to_send(step, {.request = "1", .makes = {{"thing", "a"}}, .deadline = milliseconds(1'000)},
                   {.seen = "{}", .at = time_.wall()}, Pace{}, milliseconds(1'000));
  }

  std::vector<journal::StoredResource> inventory(const std::string& id) {
    return *write<std::vector<journal::StoredResource>>(
        [&](store::Transaction& transaction) { return journal::resources(transaction, id); });
  }

  std::size_t claim(const std::string& owner, bool alone) {
    auto claimed = write<std::vector<journal::ClaimedOperation>>(
        [&](store::Transaction& transaction) -> Result<std::vector<journal::ClaimedOperation>> {
          auto registered = journal::register_owner(transaction, {owner, 1, milliseconds(60'000)}, alone);
          if (!registered) return fail(std::move(registered.error()));
          return journal::claim_free(transaction, owner, time_.wall());
        });
    return claimed ? claimed->size() : 999;
  }
};

TEST_F(Journal, WritesOnlyUnderTheEpochOfItsHolder) {
  accept("op");
  const auto step = load("op").steps.at(0);
  EXPECT_EQ(record({"op", 2}, intent(step)).verdict, journal::Verdict::fenced);
  EXPECT_EQ(record({"other", 1}, intent(step)).verdict, journal::Verdict::fenced);
  EXPECT_TRUE(inventory("op").empty());
  EXPECT_EQ(load("op").steps.at(0).state, StepState::pending);
  EXPECT_EQ(record({"op", 1}, intent(step)).verdict, journal::Verdict::recorded);
}

TEST_F(Journal, RefusesAChangeThatWasWorkedOutFromAnOlderRecord) {
  accept("op");
  const auto step = load("op").steps.at(0);
  EXPECT_EQ(record({"op", 1}, intent(step)).verdict, journal::Verdict::recorded);
  EXPECT_EQ(record({"op", 1}, intent(step)).verdict, journal::Verdict::stale);
  EXPECT_EQ(load("op").steps.at(0).acts, 1);
}

TEST_F(Journal, WritesNoIntentOnceACancelIsAskedFor) {
  accept("op");
  auto loaded = load("op");
  ASSERT_EQ(record({"op", 1}, intent(loaded.steps.at(0))).verdict, journal::Verdict::recorded);
  ASSERT_TRUE(write<journal::Requested>([&](store::Transaction& transaction) {
    return journal::cancel(transaction, "op", false, "me", time_.wall());
  }));
  const auto acting = load("op").steps.at(0);
  EXPECT_EQ(record({"op", 1}, intent(acting)).verdict, journal::Verdict::stopped);
  EXPECT_EQ(record({"op", 1}, act_accepted(acting, 1, time_.wall())).state, OperationState::cancelled);
}

TEST_F(Journal, OwesBeforeItOwnsAndStrikesOffWhatWasNeverMade) {
  accept("op");
  auto change = intent(load("op").steps.at(0));
  change.owes.push_back({"thing", "never"});
  record({"op", 1}, change);
  ASSERT_EQ(inventory("op").size(), 2U);
  EXPECT_EQ(inventory("op").at(0).state, "owed");
  record({"op", 1},
         to_finish(load("op").steps.at(0), {.owned = {{"thing", "a"}}}, {.seen = "{}", .at = time_.wall()}));
  ASSERT_EQ(inventory("op").size(), 1U);
  EXPECT_EQ(inventory("op").at(0).name, "a");
  EXPECT_EQ(inventory("op").at(0).state, "owned");
  EXPECT_EQ(load("op").operation.state, OperationState::succeeded);
}

TEST_F(Journal, WhatIsRemovedLeavesTheInventoryOfWhoeverMadeIt) {
  accept("maker");
  record({"maker", 1}, to_finish(load("maker").steps.at(0), {.owned = {{"thing", "a"}}},
                                 {.seen = "{}", .at = time_.wall()}));
  accept("remover");
  record({"remover", 1}, to_finish(load("remover").steps.at(0), {.removed = {{"thing", "a"}}},
                                   {.seen = "{}", .at = time_.wall()}));
  EXPECT_EQ(inventory("maker").at(0).state, "removed");
}

TEST_F(Journal, WhatIsRemovedFromOneClusterStaysInTheInventoryOfAnother) {
  accept("here", "me", "cluster/a/part/x");
  accept("there", "me", "cluster/b");
  accept("remover", "me", "cluster/a/part/y");
  for (const char* maker : {"here", "there"}) {
    record({maker, 1}, to_finish(load(maker).steps.at(0), {.owned = {{"thing", "a"}}},
                                 {.seen = "{}", .at = time_.wall()}));
  }
  record({"remover", 1}, to_finish(load("remover").steps.at(0), {.removed = {{"thing", "a"}}},
                                   {.seen = "{}", .at = time_.wall()}));
  EXPECT_EQ(inventory("here").at(0).state, "removed");
  EXPECT_EQ(inventory("there").at(0).state, "owned");
}

TEST_F(Journal, AClaimRaisesTheEpochAndTakesOnlyWhatNoLivingOwnerHolds) {
  EXPECT_EQ(claim("first", false), 0U);
  accept("op", "first");
  EXPECT_EQ(claim("second", false), 0U);
  record({"op", 1}, intent(load("op").steps.at(0)));
  EXPECT_TRUE(*write<bool>([](store::Transaction& transaction) {
    return journal::forget_owner(transaction, {"first", 1, milliseconds(0)});
  }));
  EXPECT_EQ(claim("third", false), 1U);
  const auto loaded = load("op");
  EXPECT_EQ(loaded.operation.epoch, 2);
  EXPECT_EQ(loaded.operation.owner, "third");
  EXPECT_EQ(loaded.steps.at(0).state, StepState::waiting);
  EXPECT_TRUE(loaded.steps.at(0).unsettled());
  EXPECT_EQ(record({"op", 1}, act_accepted(loaded.steps.at(0), 1, time_.wall())).verdict,
            journal::Verdict::fenced);
}

TEST_F(Journal, AnOwnerThatRenewedIsNotForgotten) {
  claim("first", true);
  EXPECT_TRUE(*write<bool>([](store::Transaction& transaction) {
    return journal::renew_owner(transaction, "first", milliseconds(60'000));
  }));
  EXPECT_FALSE(*write<bool>([](store::Transaction& transaction) {
    return journal::forget_owner(transaction, {"first", 1, milliseconds(0)});
  }));
  EXPECT_FALSE(*write<bool>([](store::Transaction& transaction) {
    return journal::renew_owner(transaction, "nobody", milliseconds(60'000));
  }));
}

TEST_F(Journal, AChildIsStartedOnceAToken) {
  accept("parent");
  journal::NewOperation child{.id = "child",
                              .plan = planned({planned("s", "one")}, "cluster/a/part/p"),
                              .principal = "tester",
                              .parent = journal::Parent{"parent", "s", "token"}};
  const auto start = [&] {
    return write<journal::Accepted>(
        [&](store::Transaction& transaction) { return journal::accept(transaction, child, time_.wall()); });
  };
  EXPECT_TRUE(start()->created);
  child.id = "another";
  EXPECT_EQ(start()->started.operation_id, "child");
  child.parent->token = "next";
  ASSERT_TRUE(write<journal::Requested>([&](store::Transaction& transaction) {
    return journal::cancel(transaction, "parent", false, {}, time_.wall());
  }));
  EXPECT_EQ(start().error().code, "cancelled");
}

}  // namespace
}  // namespace instantstart::operations::testing
