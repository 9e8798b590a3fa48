// Stopping and undoing.
#include "operations/testing/engine_fixture.h"

namespace instantstart::operations::testing {
namespace {

/// Steps "one" and "two" make a thing each, named after the step; their undo takes it away.
class EngineCancel : public EngineFixture {
 protected:
  void SetUp() override {
    for (auto* script : {&one_, &two_}) {
      script->observe = [this](const StepContext& context) {
        return answer(json::value{{"there", things_.contains(context.step_id)}});
      };
      script->decide = [](const StepContext& context, const json::value& seen,
                          const History& history) -> Decision {
        const std::vector<Resource> mine{{"thing", context.step_id}};
        if (!seen.at("there").as_bool()) return Act{.request = 1, .makes = mine};
        if (history.since_act < milliseconds(20'000)) return Wait{milliseconds(5'000), "Building"};
        return Done{.output = json::string(context.step_id), .owned = mine};
      };
      script->act = [this](StepContext context, json::value) -> Task<json::value> {
        co_await time_.sleep(milliseconds(2'000));
        things_.insert(context.step_id);
        co_return json::value(1);
      };
      script->undo = &undo_;
    }
    removal_.observe = one_.observe;
    removal_.decide = [](const StepContext&, const json::value& seen, const History&) -> Decision {
      if (!seen.at("there").as_bool()) return Done{};
      return Act{.request = 2};
    };
    removal_.act = [this](const StepContext& context, const json::value&) {
      if (stuck_) return answer(fail("access_denied", "It is protected."));
      removed_.push_back(context.step_id);
      outputs_.push_back(context.output(context.step_id) != nullptr);
      things_.erase(context.step_id);
      return answer(json::value(1));
    };
    begin();
  }

  std::string start_chain() {
    return started(planned({planned("a", "one"), planned("b", "two", {"a"}), planned("c", "one", {"b"})}));
  }

  std::set<std::string> things_;
  std::vector<std::string> removed_;
  std::vector<bool> outputs_;  ///< Whether the undo knew the output of its step.
  bool stuck_ = false;
  Script removal_;
  ScriptedStep undo_{"undo", removal_};
};

TEST_F(EngineCancel, IsImmediateWhereNothingActs) {
  const auto id = start_chain();
  time_.run_for(milliseconds(10'000));
  ASSERT_EQ(get(id).state, OperationState::waiting);
  const auto view = run(engine_->cancel(id, false));
  ASSERT_TRUE(view);
  EXPECT_EQ(view->state, OperationState::cancelled);
  EXPECT_TRUE(view->finished_at.has_value());
  ASSERT_EQ(view->resources.size(), 1U);
  EXPECT_EQ(view->resources[0].state, "owed");
  EXPECT_TRUE(view->resources[0].reason.has_value());
  EXPECT_EQ(view->next.at(0).action, "operation_cancel");
  time_.run_for(milliseconds(600'000));
  EXPECT_EQ(things_, (std::set<std::string>{"a"}));
}

TEST_F(EngineCancel, LetsTheRunningActEndAndRecordsIt) {
  const auto id = start_chain();
  time_.run_for(milliseconds(500));
  const auto view = run(engine_->cancel(id, false));
  ASSERT_TRUE(view);
  EXPECT_EQ(view->state, OperationState::cancelling);
  const auto ended = at_rest(id);
  EXPECT_EQ(ended.state, OperationState::cancelled);
  EXPECT_EQ(ended.steps.at(0).acts, 1);
  EXPECT_EQ(things_.size(), 1U);
}

TEST_F(EngineCancel, IsHarmlessWhenRepeatedAndRefusedAfterSuccess) {
  const auto id = start_chain();
  time_.run_for(milliseconds(10'000));
  ASSERT_TRUE(run(engine_->cancel(id, false)));
  ASSERT_TRUE(run(engine_->cancel(id, false)));
  const auto other = started(planned({planned("x", "one")}, "cluster/b"));
  EXPECT_EQ(at_rest(other).state, OperationState::succeeded);
  EXPECT_EQ(run(engine_->cancel(other, false)).error().code, "conflict");
  EXPECT_EQ(run(engine_->retry(id, {}, {})).error().code, "conflict");
}

TEST_F(EngineCancel, RollsBackWhatItMadeLastFirst) {
  const auto id = start_chain();
  time_.run_for(milliseconds(60'000));  // In the middle of c.
  ASSERT_EQ(get(id).steps.at(2).state, StepState::waiting);
  ASSERT_TRUE(run(engine_->cancel(id, true)));
  const auto view = at_rest(id);
  EXPECT_EQ(view.state, OperationState::cancelled);
  EXPECT_EQ(removed_, (std::vector<std::string>{"c", "b", "a"}));
  EXPECT_EQ(outputs_, (std::vector<bool>{false, true, true}));
  EXPECT_TRUE(things_.empty());
  for (const auto& resource : view.resources) EXPECT_EQ(resource.state, "removed");
  for (const auto& step : view.steps) EXPECT_EQ(step.state, StepState::undone);
  EXPECT_TRUE(view.next.empty());
}

TEST_F(EngineCancel, RollsBackOnlyWhatIsInItsInventory) {
  things_ = {"a"};  // Somebody else's.
  one_.decide = [decide = one_.decide](const StepContext& context, const json::value& seen,
                                       const History& history) -> Decision {
    if (context.step_id == "a") return Done{};
    return decide(context, seen, history);
  };
  const auto id =
      started(planned({planned("a", "one"), planned("b", "two", {"a"}), planned("c", "two", {"b"})}));
  time_.run_for(milliseconds(30'000));
  ASSERT_TRUE(run(engine_->cancel(id, true)));
  EXPECT_EQ(at_rest(id).state, OperationState::cancelled);
  EXPECT_EQ(things_, (std::set<std::string>{"a"}));
}

TEST_F(EngineCancel, ARollbackThatFailsSaysWhatRemainsAndCanBeRetriedOrGivenUp) {
  const auto id = start_chain();
  time_.run_for(milliseconds(60'000));
  stuck_ = true;
  ASSERT_TRUE(run(engine_->cancel(id, true)));
  auto view = at_rest(id);
  EXPECT_EQ(view.state, OperationState::failed);
  EXPECT_EQ(view.steps.at(2).state, StepState::undo_failed);
  EXPECT_EQ(view.error->code, "access_denied");
  EXPECT_EQ(view.resources.at(2).reason, "It is protected.");
  EXPECT_EQ(view.resources.at(0).reason, "What was made after it could not be removed.");

  const auto given_up = run(engine_->cancel(id, false));
  ASSERT_TRUE(given_up);
  EXPECT_EQ(given_up->state, OperationState::cancelled);
  EXPECT_EQ(things_.size(), 3U);

  stuck_ = false;
  ASSERT_TRUE(run(engine_->cancel(id, true)));
  view = at_rest(id);
  EXPECT_EQ(view.state, OperationState::cancelled);
  EXPECT_TRUE(things_.empty());
}

TEST_F(EngineCancel, RetryGoesOnWithAFailedRollback) {
  const auto id = start_chain();
  time_.run_for(milliseconds(60'000));
  stuck_ = true;
  ASSERT_TRUE(run(engine_->cancel(id, true)));
  EXPECT_EQ(at_rest(id).state, OperationState::failed);
  stuck_ = false;
  ASSERT_TRUE(run(engine_->retry(id, {}, {})));
  EXPECT_EQ(at_rest(id).state, OperationState::cancelled);
  EXPECT_TRUE(things_.empty());
}

TEST_F(EngineCancel, AFailedOperationCanBeUndone) {
  two_.act = [](const StepContext&, const json::value&) { return answer(fail("access_denied", "No.")); };
  const auto id = start_chain();
  const auto failed = at_rest(id);
  ASSERT_EQ(failed.state, OperationState::failed);
  EXPECT_EQ(failed.next.at(1).action, "operation_cancel");
  ASSERT_TRUE(run(engine_->cancel(id, true)));
  EXPECT_EQ(at_rest(id).state, OperationState::cancelled);
  EXPECT_TRUE(things_.empty());
}

TEST_F(EngineCancel, WhatHasNoUndoIsListedWithTheReason) {
  two_.undo = nullptr;
  const auto id = start_chain();
  time_.run_for(milliseconds(60'000));
  ASSERT_TRUE(run(engine_->cancel(id, true)));
  const auto view = at_rest(id);
  EXPECT_EQ(view.state, OperationState::cancelled);
  EXPECT_EQ(things_, (std::set<std::string>{"b"}));
  EXPECT_EQ(view.resources.at(1).state, "owned");
  EXPECT_EQ(view.resources.at(1).reason, "The step that made it has no undo: remove it yourself.");
}

TEST_F(EngineCancel, ALostActIsLookedForBeforeTheEnd) {
  one_.act = [this](StepContext context, json::value) -> Task<json::value> {
    co_await time_.sleep(milliseconds(1'000));
    things_.insert(context.step_id);  // It lands, and nobody hears of it.
    co_return fail("unknown_outcome", "The reply was lost.");
  };
  const auto id = start_chain();
  time_.run_for(milliseconds(5'000));
  const auto view = run(engine_->cancel(id, true));
  ASSERT_TRUE(view);
  EXPECT_EQ(view->state, OperationState::cancelling);
  EXPECT_EQ(at_rest(id).state, OperationState::cancelled);
  EXPECT_EQ(removed_, (std::vector<std::string>{"a"}));
}

TEST_F(EngineCancel, ASubjectIsFreeAgainAfterwards) {
  const auto id = start_chain();
  time_.run_for(milliseconds(10'000));
  ASSERT_TRUE(run(engine_->cancel(id, false)));
  EXPECT_TRUE(start(planned({planned("z", "two")}), {{"other", true}}));
  EXPECT_EQ(run(engine_->cancel(id, true)).error().code, "operation_conflict");
}

}  // namespace
}  // namespace instantstart::operations::testing
