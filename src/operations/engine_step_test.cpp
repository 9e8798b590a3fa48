// How one step runs.
#include "operations/testing/engine_fixture.h"

namespace instantstart::operations::testing {
namespace {

using Kinds = std::vector<std::string>;

class EngineStep : public EngineFixture {
 protected:
  std::string start_one() { return started(planned({planned("s", "one")})); }
};

TEST_F(EngineStep, WhatHoldsAlreadyIsARecordedNoOp) {
  one_.observe = [](const StepContext&) { return answer(json::value{{"held", true}}); };
  begin();
  const auto view = at_rest(start_one());
  EXPECT_EQ(view.state, OperationState::succeeded);
  EXPECT_EQ(view.steps.at(0).acts, 0);
  EXPECT_EQ(view.outputs.at("s").as_string(), "held");
  EXPECT_TRUE(tokens_.empty());
  EXPECT_EQ(event_kinds(view.id), (Kinds{"operation_started", "step_done", "operation_succeeded"}));
}

TEST_F(EngineStep, TakesThreeCommits) {
  begin();
  const auto before = database_->commits();
  const auto view = at_rest(started(planned({planned("a", "one"), planned("b", "two", {"a"})})));
  EXPECT_EQ(view.state, OperationState::succeeded);
  EXPECT_EQ(database_->commits() - before,
            1U + 3U * 2U);  // The start; intent, receipt and done of each step.
}

TEST_F(EngineStep, TheIntentIsDurableBeforeTheAct) {
  std::vector<std::string> states;
  one_.act = [&](StepContext context, json::value) -> Task<json::value> {
    auto view = co_await engine_->get(context.operation_id);
    states.emplace_back(view->steps.at(0).state == StepState::acting ? "acting" : "other");
    co_return json::value(1);
  };
  int looks = 0;
  one_.observe = [&](const StepContext&) { return answer(json::value{{"held", ++looks > 1}}); };
  begin();
  at_rest(start_one());
  EXPECT_EQ(states, (Kinds{"acting"}));
}

TEST_F(EngineStep, AWaitIsARowAndShowsNothingNewWithoutACommit) {
  int looks = 0;
  one_.decide = [&](const StepContext&, const json::value&, const History&) -> Decision {
    if (++looks > 20) return Done{};
    return Wait{milliseconds(30'000), "Building"};
  };
  begin();
  const auto id = start_one();
  time_.run_for(milliseconds(1'000));
  const auto waiting = get(id);
  EXPECT_EQ(waiting.state, OperationState::waiting);
  EXPECT_EQ(waiting.steps.at(0).progress, "Building");
  EXPECT_TRUE(waiting.steps.at(0).wake_at.has_value());
  const auto before = database_->commits();
  time_.run_for(milliseconds(500'000));
  EXPECT_GT(looks, 15);
  EXPECT_EQ(database_->commits(), before);
  EXPECT_EQ(at_rest(id).state, OperationState::succeeded);
}

TEST_F(EngineStep, HistoryTellsWhatHappened) {
  std::vector<json::value> told;
  one_.observe = [&, n = 0](const StepContext&) mutable { return answer(json::value(++n)); };
  one_.decide = [&](const StepContext& context, const json::value& seen, const History& history) -> Decision {
    told.push_back({{"seen", seen},
                    {"acts", history.acts},
                    {"before", history.before.value_or(nullptr)},
                    {"receipt", history.receipt.value_or(nullptr)},
                    {"context_receipt", context.receipt.value_or(nullptr)}});
    if (history.acts == 0) return Act{.request = 1};
    return Done{.output = json::string(context.principal)};
  };
  one_.act = [](const StepContext&, const json::value&) { return answer(json::value("id-7")); };
  begin();
  EXPECT_EQ(at_rest(start_one()).outputs.at("s").as_string(), "tester");
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[0], (json::value{{"seen", 1},
                                  {"acts", 0},
                                  {"before", nullptr},
                                  {"receipt", nullptr},
                                  {"context_receipt", nullptr}}));
  EXPECT_EQ(told[1],
            (json::value{
                {"seen", 2}, {"acts", 1}, {"before", 1}, {"receipt", "id-7"}, {"context_receipt", "id-7"}}));
}

TEST_F(EngineStep, LaterStepsSeeTheOutputsOfEarlierOnes) {
  one_.observe = [](const StepContext&) { return answer(json::value{{"held", true}}); };
  two_.decide = [](const StepContext& context, const json::value&, const History&) -> Decision {
    const auto* output = context.output("a");
    return Done{.output = output == nullptr ? json::value("nothing") : *output};
  };
  begin();
  const auto view = at_rest(started(planned({planned("b", "two", {"a"}), planned("a", "one")})));
  EXPECT_EQ(view.outputs.at("b").as_string(), "held");
}

TEST_F(EngineStep, RunsBranchesBesideEachOtherUpToTheLimit) {
  kinds_.add(OperationKind{.name = "change", .parallel = 2});
  int now = 0;
  int most = 0;
  one_.decide = [&](const StepContext&, const json::value&, const History& history) -> Decision {
    return history.acts > 0 ? Decision(Done{}) : Decision(Act{.request = 1});
  };
  one_.act = [&](StepContext, json::value) -> Task<json::value> {
    most = std::max(most, ++now);
    co_await time_.sleep(milliseconds(1'000));
    --now;
    co_return json::value(1);
  };
  begin();
  std::vector<contract::PlannedStep> steps;
  for (int i = 0; i < 6; ++i) steps.push_back(planned("s" + std::to_string(i), "one"));
  const auto begun = time_.steady();
  EXPECT_EQ(at_rest(started(planned(std::move(steps)))).state, OperationState::succeeded);
  EXPECT_EQ(most, 2);
  EXPECT_LT(time_.steady() - begun, milliseconds(4'000));
}

TEST_F(EngineStep, ARetryableRefusalIsTriedAgainWithNewTokensAndThenFails) {
  one_.act = [this](const StepContext& context, const json::value&) {
    tokens_.push_back(context.token);
    return answer(fail(Error{.code = "rate_limited", .message = "Slow down.", .retryable = true}));
  };
  begin();
  const auto view = at_rest(start_one());
  EXPECT_EQ(view.state, OperationState::failed);
  EXPECT_EQ(view.error->code, "rate_limited");
  EXPECT_EQ(view.steps.at(0).state, StepState::failed);
  EXPECT_EQ(tokens_.size(), 5U);
  EXPECT_EQ(std::set<std::string>(tokens_.begin(), tokens_.end()).size(), 5U);
  EXPECT_EQ(view.next.at(0).action, "operation_retry");
}

TEST_F(EngineStep, ARefusalForGoodFailsAfterOneMoreLook) {
  std::vector<std::optional<Error>> told;
  auto decide = one_.decide;
  one_.decide = [&told, decide](const StepContext& context, const json::value& seen, const History& history) {
    told.push_back(history.act_error);
    return decide(context, seen, history);
  };
  int acts = 0;
  one_.act = [&](const StepContext&, const json::value&) {
    ++acts;
    return answer(fail("access_denied", "No."));
  };
  begin();
  const auto view = at_rest(start_one());
  EXPECT_EQ(view.state, OperationState::failed);
  EXPECT_EQ(view.error->code, "access_denied");
  EXPECT_EQ(acts, 1);
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told.back()->code, "access_denied");
}

TEST_F(EngineStep, ARefusalCanBecomeAQuestion) {
  one_.decide = [](const StepContext&, const json::value& seen, const History& history) -> Decision {
    if (seen.at("held").as_bool()) return Done{.output = json::string(history.choice.value_or(""))};
    if (history.choice) return Act{.request = json::object{{"zone", json::string(*history.choice)}}};
    if (history.act_error) return Ask{{"No capacity in a. Where else?", {{"b", "Zone b"}, {"c", "Zone c"}}}};
    return Act{.request = json::object{{"zone", "a"}}};
  };
  auto act = one_.act;
  one_.act = [act](const StepContext& context, const json::value& request) {
    if (request.at("zone").as_string() == "a") return answer(fail("upstream_error", "No capacity."));
    return act(context, request);
  };
  begin();
  const auto id = start_one();
  const auto asking = at_rest(id);
  EXPECT_EQ(asking.state, OperationState::needs_input);
  EXPECT_EQ(asking.steps.at(0).question->choices.size(), 2U);
  ASSERT_EQ(asking.next.size(), 2U);
  EXPECT_EQ(asking.next[1].arguments.at("choice").as_string(), "c");

  EXPECT_EQ(run(engine_->retry(id, {}, "d")).error().code, "invalid_request");
  EXPECT_EQ(run(engine_->retry(id, "nothing", "b")).error().code, "not_found");
  ASSERT_TRUE(run(engine_->retry(id, {}, "c")));
  const auto done = at_rest(id);
  EXPECT_EQ(done.state, OperationState::succeeded);
  EXPECT_EQ(done.outputs.at("s").as_string(), "c");
  EXPECT_EQ(run(engine_->retry(id, {}, "c")).error().code, "conflict");
}

TEST_F(EngineStep, ABlockedStepLooksAgainOnlyWhenAsked) {
  bool taken = true;
  int looks = 0;
  one_.decide = [&](const StepContext&, const json::value&, const History&) -> Decision {
    ++looks;
    if (taken) return Blocked{{.code = "name_taken", .message = "It is somebody's."}};
    return Done{};
  };
  begin();
  const auto id = start_one();
  const auto blocked = at_rest(id);
  EXPECT_EQ(blocked.state, OperationState::needs_input);
  EXPECT_EQ(blocked.steps.at(0).state, StepState::blocked);
  EXPECT_EQ(blocked.error->code, "name_taken");
  EXPECT_EQ(blocked.next.at(0).action, "operation_retry");
  time_.run_for(milliseconds(3'600'000));
  EXPECT_EQ(looks, 1);
  taken = false;
  ASSERT_TRUE(run(engine_->retry(id, "s", {})));
  EXPECT_EQ(at_rest(id).state, OperationState::succeeded);
}

TEST_F(EngineStep, ALookThatFailsIsTriedAgainButNotForEver) {
  int looks = 0;
  one_.observe = [&](const StepContext&) {
    ++looks;
    return answer(fail(Error{.code = "unavailable", .message = "Down.", .retryable = true}));
  };
  two_.observe = [](const StepContext&) { return answer(fail("access_denied", "No.")); };
  begin();
  const auto first = at_rest(start_one());
  EXPECT_EQ(first.state, OperationState::failed);
  EXPECT_EQ(looks, 10);
  const auto second = at_rest(started(planned({planned("s", "two")}, "cluster/b")));
  EXPECT_EQ(second.error->code, "access_denied");
}

TEST_F(EngineStep, ALostReplyIsRepeatedWithTheSameToken) {
  auto act = one_.act;
  one_.act = [this, act](const StepContext& context, const json::value& request) {
    if (!tokens_.empty()) return act(context, request);
    tokens_.push_back(context.token);
    return answer(fail("unknown_outcome", "The reply was lost."));
  };
  begin();
  const auto begun = time_.steady();
  EXPECT_EQ(at_rest(start_one()).state, OperationState::succeeded);
  ASSERT_EQ(tokens_.size(), 2U);
  EXPECT_EQ(tokens_[0], tokens_[1]);
  EXPECT_LT(time_.steady() - begun, milliseconds(1'000));
}

TEST_F(EngineStep, WithoutATokenALostReplyWaitsUntilItCanNotLand) {
  std::vector<milliseconds> looks;
  std::vector<bool> unknown;
  const auto begun = time_.steady();
  one_.observe = [&](const StepContext&) {
    looks.push_back(time_.steady() - begun);
    return answer(json::value{{"held", false}});
  };
  one_.decide = [&](const StepContext&, const json::value&, const History& history) -> Decision {
    unknown.push_back(history.outcome_unknown);
    if (history.acts == 2) return Done{};
    return Act{.request = 1, .repeat = Repeat::observe, .deadline = milliseconds(20'000)};
  };
  one_.act = [](const StepContext&, const json::value&) {
    return answer(fail("deadline_exceeded", "No answer in time."));
  };
  begin();
  EXPECT_EQ(at_rest(start_one()).state, OperationState::succeeded);
  EXPECT_EQ(looks, (std::vector<milliseconds>{milliseconds(0), milliseconds(35'000), milliseconds(70'000)}));
  EXPECT_EQ(unknown, (std::vector<bool>{false, true, true}));
}

TEST_F(EngineStep, WhatMustNotBeRepeatedAsks) {
  int acts = 0;
  bool answers = false;
  one_.decide = [&](const StepContext&, const json::value&, const History& history) -> Decision {
    if (history.receipt) return Done{};
    return Act{.request = 1, .repeat = Repeat::ask};
  };
  one_.act = [&](const StepContext&, const json::value&) {
    ++acts;
    if (answers) return answer(json::value("paid"));
    return answer(fail("unknown_outcome", "The reply was lost."));
  };
  begin();
  const auto id = start_one();
  auto asking = at_rest(id);
  EXPECT_EQ(asking.state, OperationState::needs_input);
  EXPECT_EQ(acts, 1);
  ASSERT_TRUE(run(engine_->retry(id, {}, {})));  // Without an answer it looks again and sends nothing.
  at_rest(id);
  ASSERT_TRUE(run(engine_->retry(id, {}, "look_again")));
  asking = at_rest(id);
  EXPECT_EQ(asking.state, OperationState::needs_input);
  EXPECT_EQ(acts, 1);
  ASSERT_TRUE(run(engine_->retry(id, {}, "send_again_1")));
  asking = at_rest(id);
  EXPECT_EQ(acts, 2);
  EXPECT_EQ(asking.state, OperationState::needs_input);
  // The same answer again, late: it doesn't answer the next question.
  EXPECT_EQ(run(engine_->retry(id, {}, "send_again_1")).error().code, "invalid_request");
  EXPECT_EQ(acts, 2);
  answers = true;
  ASSERT_TRUE(run(engine_->retry(id, {}, "send_again_2")));
  EXPECT_EQ(at_rest(id).state, OperationState::succeeded);
}

TEST_F(EngineStep, AnActThatDoesNotReturnIsCancelledAndItsOutcomeUnknown) {
  int acts = 0;
  one_.decide = [&](const StepContext&, const json::value&, const History& history) -> Decision {
    if (history.outcome_unknown) return Done{};
    return Act{.request = 1, .deadline = milliseconds(10'000)};
  };
  one_.act = [&](StepContext, json::value) -> Task<json::value> {
    ++acts;
    co_await time_.sleep_until(SteadyTime::max());
    co_return json::value(1);
  };
  begin();
  EXPECT_EQ(at_rest(start_one()).state, OperationState::succeeded);
  EXPECT_EQ(acts, 1);
  const auto kinds = event_kinds();
  EXPECT_EQ(std::ranges::count(kinds, "step_outcome_unknown"), 1);
}

TEST_F(EngineStep, WhatAStepThrowsBecomesAnError) {
  one_.decide = [](const StepContext&, const json::value&, const History& history) -> Decision {
    if (history.outcome_unknown) throw std::runtime_error("decide broke");
    return Act{.request = 1};
  };
  one_.act = [](const StepContext&, const json::value&) -> Task<json::value> {
    throw std::runtime_error("act broke");
    co_return json::value(1);
  };
  two_.observe = [](const StepContext&) -> Task<json::value> { throw std::runtime_error("observe broke"); };
  begin();
  const auto first = at_rest(start_one());
  EXPECT_EQ(first.state, OperationState::failed);
  EXPECT_EQ(first.error->code, "internal");
  EXPECT_EQ(first.steps.at(0).acts, 1);
  const auto second = at_rest(started(planned({planned("s", "two")}, "cluster/b")));
  EXPECT_EQ(second.error->code, "internal");
}

TEST_F(EngineStep, AFailureLetsBegunSiblingsEndAndStartsNothingNew) {
  one_.decide = [](const StepContext&, const json::value&, const History& history) -> Decision {
    if (history.since_start == milliseconds(0)) return Wait{milliseconds(1'000), "Not yet"};
    return Fail{{.code = "upstream_error", .message = "No."}};
  };
  int looks = 0;
  two_.decide = [&](const StepContext& context, const json::value&, const History&) -> Decision {
    if (context.step_id == "slow" && ++looks < 3) return Wait{milliseconds(10'000), "Building"};
    return Done{};
  };
  begin();
  const auto view = at_rest(
      started(planned({planned("bad", "one"), planned("slow", "two"), planned("after", "two", {"slow"})})));
  EXPECT_EQ(view.state, OperationState::failed);
  EXPECT_EQ(view.steps.at(1).state, StepState::done);
  EXPECT_EQ(view.steps.at(2).state, StepState::pending);
}

TEST_F(EngineStep, RetryGoesOnWithWhatIsNotDone) {
  bool allowed = false;
  int first = 0;
  auto act = one_.act;
  one_.act = [&first, act](const StepContext& context, const json::value& request) {
    ++first;
    return act(context, request);
  };
  two_.act = [&allowed, act = two_.act](const StepContext& context, const json::value& request) {
    if (allowed) return act(context, request);
    return answer(fail("access_denied", "No."));
  };
  begin();
  const auto id = started(planned({planned("a", "one"), planned("b", "two", {"a"})}));
  EXPECT_EQ(at_rest(id).state, OperationState::failed);
  allowed = true;
  const auto retried = run(engine_->retry(id, {}, {}));
  ASSERT_TRUE(retried);
  EXPECT_FALSE(is_terminal(retried->state));
  EXPECT_EQ(at_rest(id).state, OperationState::succeeded);
  EXPECT_EQ(first, 1);
}

TEST_F(EngineStep, RetryIsRefusedWhereSomebodyElseWorksMeanwhile) {
  one_.decide = [](const StepContext&, const json::value&, const History&) -> Decision {
    return Fail{{.code = "upstream_error", .message = "No."}};
  };
  two_.decide = [](const StepContext&, const json::value&, const History&) -> Decision {
    return Wait{milliseconds(1'000), "Working"};
  };
  begin();
  const auto id = start_one();
  at_rest(id);
  started(planned({planned("s", "two")}), {{"other", true}});
  EXPECT_EQ(run(engine_->retry(id, {}, {})).error().code, "operation_conflict");
  EXPECT_EQ(get(id).state, OperationState::failed);
}

TEST_F(EngineStep, ThePaceDividesWaitsAndMultipliesAges) {
  std::vector<milliseconds> ages;
  one_.decide = [&](const StepContext&, const json::value&, const History& history) -> Decision {
    ages.push_back(history.since_start);
    if (ages.size() == 3) return Done{};
    return Wait{milliseconds(40'000), "Building"};
  };
  begin({.pace = 100});
  const auto begun = time_.steady();
  EXPECT_EQ(at_rest(start_one()).state, OperationState::succeeded);
  EXPECT_EQ(time_.steady() - begun, milliseconds(800));
  EXPECT_EQ(ages.back(), milliseconds(80'000));
}

TEST_F(EngineStep, AnUnknownKindAfterAnUpgradeIsBlockedAndLosesNothing) {
  two_.decide = [](const StepContext&, const json::value&, const History&) -> Decision {
    return Wait{milliseconds(1'000), "Working"};
  };
  begin();
  const auto id = started(planned({planned("a", "two"), planned("b", "one", {"a"})}));
  time_.run_for(milliseconds(100));
  stop();
  KindRegistry older;
  older.add(OperationKind{.name = "change"});
  std::swap(older, kinds_);
  begin();
  const auto blocked = at_rest(id);
  EXPECT_EQ(blocked.state, OperationState::needs_input);
  EXPECT_EQ(blocked.steps.at(0).state, StepState::blocked);
  EXPECT_EQ(blocked.steps.at(0).error->code, "blocked");
  EXPECT_EQ(blocked.steps.at(0).error->detail.at("step_kind").as_string(), "two");
  stop();
  std::swap(older, kinds_);
  two_.decide = [](const StepContext&, const json::value&, const History&) -> Decision { return Done{}; };
  begin();
  ASSERT_TRUE(run(engine_->retry(id, {}, {})));
  EXPECT_EQ(at_rest(id).state, OperationState::succeeded);
}

TEST_F(EngineStep, StoppingWaitsForTheActAndGivesUpALook) {
  bool acted = false;
  one_.act = [&](StepContext, json::value) -> Task<json::value> {
    co_await time_.sleep(milliseconds(5'000));
    acted = true;
    co_return json::value(1);
  };
  two_.observe = [&](StepContext) -> Task<json::value> {
    co_await time_.sleep(milliseconds(20'000));
    co_return json::value{{"held", false}};
  };
  begin();
  const auto id = started(planned({planned("a", "one"), planned("b", "two")}));
  time_.run_for(milliseconds(1'000));
  const auto begun = time_.steady();
  stop();
  EXPECT_TRUE(acted);
  EXPECT_EQ(time_.steady() - begun, milliseconds(4'000));
  begin();
  EXPECT_EQ(get(id).steps.at(0).state, StepState::waiting);  // Its receipt is written.
}

}  // namespace
}  // namespace instantstart::operations::testing
