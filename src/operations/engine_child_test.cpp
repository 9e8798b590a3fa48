// Operations of operations.
#include "operations/testing/engine_fixture.h"

namespace instantstart::operations::testing {
namespace {

class EngineChild : public EngineFixture {
 protected:
  void SetUp() override { begin(); }

  static contract::PlannedStep child(std::string id, const contract::Plan& plan,
                                     std::vector<std::string> after = {}) {
    auto step = planned(std::move(id), std::string(k_child_operation_step), std::move(after));
    step.input = {{"plan", encode(plan)}, {"input", json::object{{"asked", "by parent"}}}};
    return step;
  }

  /// A parent with one child, whose one step is of kind "two".
  std::string start_family() {
    return started(planned({child("inner", planned({planned("s", "two")}, "cluster/a/part/p")),
                            planned("outer", "one", {"inner"})}));
  }

  std::string child_of(const std::string& id) { return get(id).steps.at(0).child_operation_id.value_or(""); }
};

TEST_F(EngineChild, RunsUnderItsRootAndHandsItsOutputsUp) {
  const auto view = at_rest(start_family());
  EXPECT_EQ(view.state, OperationState::succeeded);
  EXPECT_EQ(view.outputs.at("inner"), (json::value{{"s", "held"}}));
  const auto inner = get(view.steps.at(0).child_operation_id.value());
  EXPECT_EQ(inner.parent_id, view.id);
  EXPECT_EQ(inner.started_by, "tester");
  EXPECT_EQ(inner.state, OperationState::succeeded);
}

TEST_F(EngineChild, ItsEndWakesTheParentAtOnce) {
  const auto begun = time_.steady();
  EXPECT_EQ(at_rest(start_family()).state, OperationState::succeeded);
  EXPECT_LT(time_.steady() - begun, milliseconds(100));
}

TEST_F(EngineChild, AsksThroughItsParent) {
  two_.decide = [](const StepContext&, const json::value&, const History& history) -> Decision {
    if (history.choice) return Done{.output = json::string(*history.choice)};
    return Ask{{"Which?", {{"b", "Zone b"}, {"c", "Zone c"}}}};
  };
  const auto id = start_family();
  const auto asking = at_rest(id);
  EXPECT_EQ(asking.state, OperationState::needs_input);
  ASSERT_TRUE(asking.steps.at(0).question.has_value());
  EXPECT_EQ(asking.steps.at(0).question->text, "Which?");
  ASSERT_TRUE(run(engine_->retry(id, "inner", "c")));
  EXPECT_EQ(at_rest(id).outputs.at("inner"), (json::value{{"s", "c"}}));
}

TEST_F(EngineChild, AnAnswerToTheChildItselfLetsTheParentGoOn) {
  two_.decide = [](const StepContext&, const json::value&, const History& history) -> Decision {
    if (history.choice) return Done{};
    return Ask{{"Which?", {{"b", "Zone b"}}}};
  };
  const auto id = start_family();
  at_rest(id);
  ASSERT_TRUE(run(engine_->retry(child_of(id), {}, "b")));
  EXPECT_NE(get(id).state, OperationState::needs_input);
  EXPECT_EQ(at_rest(id).state, OperationState::succeeded);
}

TEST_F(EngineChild, TheEnginesOwnQuestionOfAChildDoesNotStartAnotherChild) {
  int acts = 0;
  two_.decide = [](const StepContext&, const json::value&, const History& history) -> Decision {
    if (history.receipt) return Done{};
    return Act{.request = 1, .repeat = Repeat::ask};
  };
  two_.act = [&](const StepContext&, const json::value&) {
    if (++acts > 1) return answer(json::value(1));
    return answer(fail("unknown_outcome", "The reply was lost."));
  };
  const auto id = start_family();
  EXPECT_EQ(at_rest(id).state, OperationState::needs_input);
  const auto first = child_of(id);
  ASSERT_TRUE(run(engine_->retry(id, {}, "send_again_1")));
  EXPECT_EQ(at_rest(id).state, OperationState::succeeded);
  EXPECT_EQ(child_of(id), first);
  EXPECT_EQ(acts, 2);
}

TEST_F(EngineChild, ItsFailureFailsTheParentAndRetryingTheParentRetriesIt) {
  bool allowed = false;
  two_.decide = [&](const StepContext&, const json::value&, const History&) -> Decision {
    if (allowed) return Done{};
    return Fail{{.code = "upstream_error", .message = "No."}};
  };
  const auto id = start_family();
  const auto failed = at_rest(id);
  EXPECT_EQ(failed.state, OperationState::failed);
  EXPECT_EQ(failed.error->code, "upstream_error");
  const auto inner = child_of(id);
  allowed = true;
  ASSERT_TRUE(run(engine_->retry(id, {}, {})));
  EXPECT_EQ(at_rest(id).state, OperationState::succeeded);
  EXPECT_EQ(child_of(id), inner);
}

TEST_F(EngineChild, ACancelledChildIsReplacedWhenTheParentIsRetried) {
  two_.decide = [](const StepContext&, const json::value&, const History&) -> Decision {
    return Wait{milliseconds(10'000), "Building"};
  };
  const auto id = start_family();
  time_.run_for(milliseconds(100));
  const auto inner = child_of(id);
  ASSERT_TRUE(run(engine_->cancel(inner, false)));
  const auto failed = at_rest(id);
  EXPECT_EQ(failed.state, OperationState::failed);
  EXPECT_EQ(failed.error->code, "cancelled");
  two_.decide = [](const StepContext&, const json::value&, const History&) -> Decision { return Done{}; };
  ASSERT_TRUE(run(engine_->retry(id, {}, {})));
  EXPECT_EQ(at_rest(id).state, OperationState::succeeded);
  EXPECT_NE(child_of(id), inner);
}

TEST_F(EngineChild, IsCancelledWithItsParent) {
  two_.decide = [](const StepContext&, const json::value&, const History&) -> Decision {
    return Wait{milliseconds(10'000), "Building"};
  };
  const auto id = start_family();
  time_.run_for(milliseconds(100));
  ASSERT_TRUE(run(engine_->cancel(id, false)));
  EXPECT_EQ(at_rest(id).state, OperationState::cancelled);
  EXPECT_EQ(get(child_of(id)).state, OperationState::cancelled);
}

TEST_F(EngineChild, NeitherRootNorSiblingsAreInItsWayButOthersAre) {
  two_.decide = [](const StepContext&, const json::value&, const History&) -> Decision {
    return Wait{milliseconds(10'000), "Building"};
  };
  const auto other = started(planned({planned("s", "two")}, "cluster/a/part/q/job/j", "work"));
  const auto removal = planned({planned("s", "two")}, "cluster/a/part/q", "removal");
  const auto id = started(planned({child("first", planned({planned("s", "two")}, "cluster/a/part/p")),
                                   child("second", planned({planned("s", "two")}, "cluster/a/part/p")),
                                   child("third", removal)}));
  time_.run_for(milliseconds(100));
  const auto view = get(id);
  EXPECT_TRUE(view.steps.at(0).child_operation_id.has_value());
  EXPECT_TRUE(view.steps.at(1).child_operation_id.has_value());
  EXPECT_FALSE(view.steps.at(2).child_operation_id.has_value());
  EXPECT_NE(get(other).state, OperationState::cancelled);
}

/// A step kind "late" whose planner a test scripts.
class EngineLateChild : public EngineFixture {
 protected:
  void SetUp() override {
    kinds_.add_child("late", [this](StepContext context, json::object input) {
      ++plannings_;
      return answer_plan(plan_(context, input));
    });
    begin();
  }

  static Task<PlannedChild> answer_plan(Result<PlannedChild> planned) { co_return planned; }

  std::string start_late() {
    auto late = planned("late", "late", {"first"});
    late.input = {{"size", 3}};
    return started(planned({planned("first", "one"), std::move(late)}));
  }

  std::string child_of(const std::string& id) { return get(id).steps.at(1).child_operation_id.value_or(""); }

  int plannings_ = 0;
  std::function<Result<PlannedChild>(const StepContext&, const json::object&)> plan_ =
      [](const StepContext&, const json::object&) -> Result<PlannedChild> {
    return PlannedChild{planned({planned("s", "two")}, "cluster/a/part/p"), {{"asked", "late"}}};
  };
};

TEST_F(EngineLateChild, IsPlannedWhenItsTurnComesFromTheStepsInput) {
  plan_ = [](const StepContext& context, const json::object& input) -> Result<PlannedChild> {
    EXPECT_EQ(input, (json::object{{"size", 3}}));
    EXPECT_EQ(context.principal, "tester");
    const auto* first = context.output("first");
    EXPECT_TRUE(first != nullptr && *first == json::value("held"));
    return PlannedChild{planned({planned("s", "two")}, "cluster/a/part/p"), {{"asked", "late"}}};
  };
  const auto id = start_late();
  const auto view = at_rest(id);
  EXPECT_EQ(view.state, OperationState::succeeded);
  EXPECT_EQ(view.outputs.at("late"), (json::value{{"s", "held"}}));
  EXPECT_EQ(get(child_of(id)).parent_id, id);
  EXPECT_EQ(plannings_, 1);
}

TEST_F(EngineLateChild, WithNothingToDoNothingIsStarted) {
  plan_ = [](const StepContext&, const json::object&) -> Result<PlannedChild> {
    return PlannedChild{planned(std::vector<contract::PlannedStep>{}), {}};
  };
  const auto id = start_late();
  EXPECT_EQ(at_rest(id).state, OperationState::succeeded);
  EXPECT_EQ(child_of(id), "");
  EXPECT_EQ(get(id).steps.at(1).acts, 0);
}

TEST_F(EngineLateChild, WhatCannotBePlannedFailsAndARetryPlansAgain) {
  const auto plan = std::exchange(plan_, [](const StepContext&, const json::object&) -> Result<PlannedChild> {
    return fail("quota_exceeded", "No room.");
  });
  const auto id = start_late();
  const auto failed = at_rest(id);
  EXPECT_EQ(failed.state, OperationState::failed);
  EXPECT_EQ(failed.error->code, "quota_exceeded");
  EXPECT_EQ(plannings_, 1);
  plan_ = plan;
  ASSERT_TRUE(run(engine_->retry(id, "late", {})));
  EXPECT_EQ(at_rest(id).state, OperationState::succeeded);
  EXPECT_EQ(tokens_.size(), 2U) << "the step before ran once";
}

TEST_F(EngineLateChild, APlannerThatMayBeAskedAgainIs) {
  const auto plan =
      std::exchange(plan_, [this](const StepContext&, const json::object&) -> Result<PlannedChild> {
        if (plannings_ < 3) {
          return std::unexpected(Error{.code = "throttled", .message = "Slow down.", .retryable = true});
        }
        return PlannedChild{planned({planned("s", "two")}, "cluster/a/part/p"), {}};
      });
  EXPECT_EQ(at_rest(start_late()).state, OperationState::succeeded);
  EXPECT_EQ(plannings_, 3);
}

TEST_F(EngineLateChild, RetryingTheParentRetriesTheChildWithItsPlan) {
  bool allowed = false;
  two_.decide = [&](const StepContext&, const json::value&, const History&) -> Decision {
    if (allowed) return Done{};
    return Fail{{.code = "upstream_error", .message = "No."}};
  };
  const auto id = start_late();
  EXPECT_EQ(at_rest(id).state, OperationState::failed);
  const auto inner = child_of(id);
  allowed = true;
  ASSERT_TRUE(run(engine_->retry(id, {}, {})));
  EXPECT_EQ(at_rest(id).state, OperationState::succeeded);
  EXPECT_EQ(child_of(id), inner);
  EXPECT_EQ(plannings_, 1);
}

TEST_F(EngineLateChild, AfterACancelledOneARetryPlansAnother) {
  two_.decide = [](const StepContext&, const json::value&, const History&) -> Decision {
    return Wait{milliseconds(10'000), "Building"};
  };
  const auto id = start_late();
  time_.run_for(milliseconds(100));
  const auto inner = child_of(id);
  ASSERT_TRUE(run(engine_->cancel(inner, false)));
  EXPECT_EQ(at_rest(id).error->code, "cancelled");
  two_.decide = [](const StepContext&, const json::value&, const History&) -> Decision { return Done{}; };
  ASSERT_TRUE(run(engine_->retry(id, {}, {})));
  EXPECT_EQ(at_rest(id).state, OperationState::succeeded);
  EXPECT_NE(child_of(id), inner);
  EXPECT_EQ(plannings_, 2);
}

TEST_F(EngineLateChild, IsUndoneWithItsParent) {
  two_.decide = [](const StepContext&, const json::value& seen, const History&) -> Decision {
    if (seen.at("held").as_bool()) return Wait{milliseconds(10'000), "Building"};
    return Act{.request = json::object{}, .repeat = Repeat::with_token, .makes = {{"made_up:thing", "t"}}};
  };
  const auto id = start_late();
  time_.run_for(milliseconds(100));
  EXPECT_EQ(get(id).resources.size(), 1U);
  ASSERT_TRUE(run(engine_->cancel(id, true)));
  const auto view = at_rest(id);
  EXPECT_EQ(view.state, OperationState::cancelled);
  const auto inner = get(child_of(id));
  EXPECT_EQ(inner.state, OperationState::cancelled);
  EXPECT_TRUE(inner.cancel_requested);
}

}  // namespace
}  // namespace instantstart::operations::testing
