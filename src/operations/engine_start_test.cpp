// How operations begin: once for each request, and only where nobody else works.
#include "operations/testing/engine_fixture.h"

namespace instantstart::operations::testing {
namespace {

class EngineStart : public EngineFixture {
 protected:
  void SetUp() override {
    two_.decide = [](const StepContext&, const json::value&, const History&) -> Decision {
      return Wait{milliseconds(60'000), "Waiting"};
    };
    begin();
  }

  contract::Plan quick(std::string subject = "cluster/a") {
    return planned({planned("s", "one")}, std::move(subject));
  }
  contract::Plan slow(std::string subject, std::string kind = "change") {
    return planned({planned("s", "two")}, std::move(subject), std::move(kind));
  }
};

TEST_F(EngineStart, RefusesPlansThatCanNotRun) {
  EXPECT_EQ(start(planned({planned("s", "one"), planned("s", "one")})).error().code, "internal");
  EXPECT_EQ(start(planned({planned("s", "unknown")})).error().code, "internal");
  EXPECT_EQ(start(planned({planned("s", "one")}, "cluster/a", "unknown")).error().code, "internal");
  EXPECT_TRUE(event_kinds().empty());
}

TEST_F(EngineStart, APlanWithoutStepsSucceedsAtOnce) {
  const auto id = started(planned(std::vector<contract::PlannedStep>{}));
  EXPECT_EQ(get(id).state, OperationState::succeeded);
  EXPECT_EQ(event_kinds(id), (std::vector<std::string>{"operation_started", "operation_succeeded"}));
}

TEST_F(EngineStart, TheSameTokenGivesTheSameOperationEvenWhenItHasEnded) {
  const auto first = start(quick(), {{"a", 1}}, "token");
  ASSERT_TRUE(first);
  EXPECT_FALSE(first->replayed);
  at_rest(first->operation_id);
  const auto again = start(quick(), {{"a", 1}}, "token");
  ASSERT_TRUE(again);
  EXPECT_EQ(again->operation_id, first->operation_id);
  EXPECT_TRUE(again->replayed);
  const auto found = run(engine_->find_running({quick(), {{"a", 1}}, "tester", "token"}));
  ASSERT_TRUE(found && *found);
  EXPECT_TRUE((*found)->replayed);
}

TEST_F(EngineStart, ATokenWithOtherValuesIsRefused) {
  const auto first = start(quick(), {{"a", 1}}, "token");
  ASSERT_TRUE(first);
  EXPECT_EQ(start(quick(), {{"a", 2}}, "token").error().code, "token_reused");
  EXPECT_EQ(start(quick("cluster/b"), {{"a", 1}}, "token").error().code, "token_reused");
  at_rest(first->operation_id);
  const auto other_principal = start(quick(), {{"a", 2}}, "token", "somebody");
  ASSERT_TRUE(other_principal);
  EXPECT_NE(other_principal->operation_id, first->operation_id);
}

TEST_F(EngineStart, TheSameRequestJoinsTheRunningOne) {
  const auto first = start(slow("cluster/a"), {{"x", 1}, {"y", 2}}, std::nullopt, "ann");
  const auto second = start(slow("cluster/a"), {{"y", 2}, {"x", 1}}, "token", "ben");
  ASSERT_TRUE(first && second);
  EXPECT_TRUE(second->joined);
  EXPECT_EQ(second->operation_id, first->operation_id);
  EXPECT_EQ(second->started_by, "ann");
}

TEST_F(EngineStart, WhatWasAskedBeforeIsFoundWithoutAPlan) {
  const auto running = started(slow("cluster/a"), {{"x", 1}});
  const auto asked = [this](std::string kind, int x, std::optional<std::string> token) {
    return run(engine_->find_asked({std::move(kind), {{"x", x}}, "tester", std::move(token)}));
  };
  const auto joined = asked("change", 1, std::nullopt);
  ASSERT_TRUE(joined && *joined);
  EXPECT_TRUE((*joined)->joined);
  EXPECT_EQ((*joined)->operation_id, running);
  EXPECT_FALSE(*asked("change", 2, std::nullopt));
  EXPECT_FALSE(*asked("removal", 1, std::nullopt));
  EXPECT_FALSE(*asked("change", 2, "token"));

  const auto ended = start(quick("cluster/b"), {{"x", 3}}, "token");
  ASSERT_TRUE(ended);
  at_rest(ended->operation_id);
  const auto replayed = asked("change", 3, "token");
  ASSERT_TRUE(replayed && *replayed);
  EXPECT_TRUE((*replayed)->replayed);
  EXPECT_EQ((*replayed)->operation_id, ended->operation_id);
  EXPECT_FALSE(*asked("change", 3, std::nullopt));
  EXPECT_EQ(asked("change", 4, "token").error().code, "token_reused");
}

TEST_F(EngineStart, AnotherRequestOnTheSubjectIsToldWhoIsInTheWay) {
  const auto id = started(slow("cluster/a"), {{"x", 1}});
  const auto refused = start(slow("cluster/a/group/g"), {{"x", 1}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "operation_conflict");
  EXPECT_EQ(refused.error().detail.at("operation_id").as_string(), id);
  EXPECT_EQ(refused.error().detail.at("subject").as_string(), "cluster/a");
  EXPECT_EQ(refused.error().detail.at("kind").as_string(), "change");
  EXPECT_EQ(refused.error().next.at(0).action, "operation_get");
  EXPECT_EQ(run(engine_->find_running({slow("cluster/a"), {{"x", 2}}, "tester", {}})).error().code,
            "operation_conflict");
  EXPECT_TRUE(start(slow("cluster/ab"), {{"x", 1}}));
}

TEST_F(EngineStart, WorkloadsRunBesideEachOtherUntilTheGroundIsTakenAway) {
  EXPECT_TRUE(start(slow("cluster/a")));
  EXPECT_TRUE(start(slow("cluster/a/job/j", "work")));
  EXPECT_TRUE(start(slow("cluster/a/job/k", "work")));
  EXPECT_TRUE(start(slow("cluster/b/job/j", "work")));
  EXPECT_EQ(start(slow("cluster/b", "removal")).error().code, "operation_conflict");
  EXPECT_TRUE(start(slow("cluster/c", "removal")));
  EXPECT_EQ(start(slow("cluster/c/job/j", "work")).error().code, "operation_conflict");
}

TEST_F(EngineStart, AnOperationThatIsBeingCancelledIsNotJoined) {
  two_.decide = [](const StepContext&, const json::value&, const History&) -> Decision {
    return Act{.request = 1};
  };
  two_.act = [this](StepContext, json::value) -> Task<json::value> {
    co_await time_.sleep(milliseconds(20'000));
    co_return json::value(1);
  };
  const auto id = started(slow("cluster/a"));
  time_.run_for(milliseconds(1'000));
  ASSERT_EQ(get(id).steps.at(0).state, StepState::acting);
  ASSERT_TRUE(run(engine_->cancel(id, false)));
  EXPECT_EQ(start(slow("cluster/a")).error().code, "operation_conflict");
  time_.run_for(milliseconds(60'000));
  EXPECT_EQ(get(id).state, OperationState::cancelled);
  EXPECT_TRUE(start(slow("cluster/a")));
}

TEST_F(EngineStart, WhatIsAcceptedBeforeTheEngineRunsIsClaimedThen) {
  stop();
  engine_ = std::make_unique<Engine>(time_.context().get_executor(), time_, random_, Log(), *database_,
                                     kinds_, EngineOptions{});
  const auto id = started(quick());
  time_.run_for(milliseconds(60'000));
  EXPECT_EQ(get(id).state, OperationState::pending);
  ASSERT_TRUE(run(engine_->run()));
  EXPECT_EQ(at_rest(id).state, OperationState::succeeded);
}

TEST_F(EngineStart, ListsPagesOfThoseBelowASubject) {
  for (int i = 0; i < 5; ++i) {
    time_.run_for(milliseconds(10));
    started(slow("cluster/a/job/" + std::to_string(i), "work"));
  }
  started(slow("cluster/ab"));
  std::vector<std::string> subjects;
  ListFilter filter{.subject = "cluster/a", .limit = 2};
  for (int page = 0; page < 4; ++page) {
    auto found = run(engine_->list(filter));
    ASSERT_TRUE(found);
    for (const auto& operation : found->operations) subjects.push_back(operation.subject);
    filter.cursor = found->next_cursor;
    if (!filter.cursor) break;
  }
  EXPECT_EQ(subjects, (std::vector<std::string>{"cluster/a/job/4", "cluster/a/job/3", "cluster/a/job/2",
                                                "cluster/a/job/1", "cluster/a/job/0"}));
  EXPECT_EQ(run(engine_->list({.state = OperationState::succeeded}))->operations.size(), 0U);
  EXPECT_EQ(run(engine_->list({.kind = "work", .limit = 100}))->operations.size(), 5U);
}

TEST_F(EngineStart, AnUnknownIdIsNotFound) {
  EXPECT_EQ(run(engine_->get("nobody")).error().code, "not_found");
  EXPECT_EQ(run(engine_->retry("nobody", {}, {})).error().code, "not_found");
  EXPECT_EQ(run(engine_->cancel("nobody", false)).error().code, "not_found");
}

}  // namespace
}  // namespace instantstart::operations::testing
