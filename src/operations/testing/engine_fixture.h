// An engine in virtual time over a store in memory, with steps that a test scripts.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "net/testing/virtual_time.h"
#include "operations/engine.h"
#include "store/testing/inline_database.h"

namespace instantstart::operations::testing {

/// What a step does, as functions. Without an own decision it acts until `holds`.
struct Script {
  std::function<Task<json::value>(StepContext)> observe;
  std::function<Decision(const StepContext&, const json::value&, const History&)> decide;
  std::function<Task<json::value>(StepContext, json::value)> act;
  const StepKind* undo = nullptr;
};

class ScriptedStep final : public StepKind {
 public:
  ScriptedStep(std::string name, Script& script) : name_(std::move(name)), script_(script) {}

  std::string_view name() const override { return name_; }
  Task<json::value> observe(const StepContext& context, const json::object&) const override {
    return script_.observe(context);
  }
  Decision decide(const StepContext& context, const json::object&, const json::value& seen,
                  const History& history) const override {
    return script_.decide(context, seen, history);
  }
  Task<json::value> act(const StepContext& context, const json::object&,
                        const json::value& request) const override {
    return script_.act(context, request);
  }
  const StepKind* undo() const override { return script_.undo; }

 private:
  std::string name_;
  Script& script_;
};

inline Task<json::value> answer(Result<json::value> value) { co_return value; }

inline contract::PlannedStep planned(std::string id, std::string kind, std::vector<std::string> after = {}) {
  contract::PlannedStep step{
      .id = id, .kind = std::move(kind), .title = "Step " + id, .after = std::move(after)};
  return step;
}

inline contract::Plan planned(std::vector<contract::PlannedStep> steps, std::string subject = "cluster/a",
                              std::string kind = "change") {
  contract::Plan plan;
  plan.kind = std::move(kind);
  plan.subject = std::move(subject);
  plan.summary = "A change.";
  plan.steps = std::move(steps);
  return plan;
}

/// Kinds: operations "change" (a tree), "work" (a leaf), "removal" (a tree that removes); steps "one" and
/// "two", which a test scripts. As they are, both hold from their first act on.
class EngineFixture : public ::testing::Test {
 protected:
  EngineFixture() {
    kinds_.add(OperationKind{.name = "change"});
    kinds_.add(OperationKind{.name = "work", .scope = Scope::leaf});
    kinds_.add(OperationKind{.name = "removal", .removes = true});
    kinds_.add(std::make_unique<ScriptedStep>("one", one_));
    kinds_.add(std::make_unique<ScriptedStep>("two", two_));
    for (auto* script : {&one_, &two_}) {
      auto acts = std::make_shared<int>(0);
      script->observe = [acts](const StepContext&) { return answer(json::value{{"held", *acts > 0}}); };
      script->decide = [](const StepContext&, const json::value& seen, const History&) -> Decision {
        if (seen.at("held").as_bool()) return Done{.output = "held"};
        return Act{.request = json::object{}, .repeat = Repeat::with_token};
      };
      script->act = [this, acts](const StepContext& context, const json::value&) {
        ++*acts;
        tokens_.push_back(context.token);
        return answer(json::object{});
      };
    }
    EXPECT_TRUE(run(database_->migrate(Engine::migrations())));
  }

  /// Before the members of derived fixtures go.
  void TearDown() override { stop(); }

  void begin(EngineOptions options = {}, FaultPoint fault_point = {}) {
    engine_ = std::make_unique<Engine>(time_.context().get_executor(), time_, random_, Log(), *database_,
                                       kinds_, options, std::move(fault_point));
    const auto begun = run(engine_->run());
    ASSERT_TRUE(begun) << begun.error().message;
  }

  void stop() {
    if (!engine_) return;
    bool stopped = false;
    asio::co_spawn(time_.context(), engine_->stop(), [&](const std::exception_ptr&) { stopped = true; });
    time_.run_until([&] { return stopped; });
    engine_.reset();
  }

  /// Runs the loop until the task has ended.
  template <class T>
  Result<T> run(Task<T> task) {
    std::optional<Result<T>> outcome;
    asio::co_spawn(time_.context(), std::move(task), [&](const std::exception_ptr& error, Result<T> value) {
      if (error) std::rethrow_exception(error);
      outcome = std::move(value);
    });
    time_.run_until([&] { return outcome.has_value(); });
    if (!outcome) return fail("internal", "The task did not end.");
    return std::move(*outcome);
  }

  Result<Started> start(contract::Plan plan, json::object input = {},
                        std::optional<std::string> token = std::nullopt, std::string principal = "tester") {
    return run(engine_->start({std::move(plan), std::move(input), std::move(principal), std::move(token)}));
  }

  /// Its id; the test fails when it is refused.
  std::string started(contract::Plan plan, json::object input = {}) {
    auto outcome = start(std::move(plan), std::move(input));
    EXPECT_TRUE(outcome) << outcome.error().message;
    return outcome ? outcome->operation_id : "";
  }

  OperationView get(const std::string& id, milliseconds wait = {}) {
    auto view = run(engine_->get(id, wait));
    EXPECT_TRUE(view) << view.error().message;
    return view ? std::move(*view) : OperationView{};
  }

  /// When there is nothing to do any more but to wait for somebody.
  OperationView at_rest(const std::string& id) { return get(id, milliseconds(24 * 3'600'000)); }

  std::vector<std::string> event_kinds(std::optional<std::string> id = std::nullopt) {
    std::vector<std::string> found;
    const auto events = run(engine_->events(0, std::move(id), 1000));
    for (const auto& event : events.value_or(std::vector<Event>{})) found.push_back(event.kind);
    return found;
  }

  net::VirtualTime time_;
  store::MemoryStore store_;
  std::unique_ptr<store::MemoryDatabase> database_ = std::make_unique<store::MemoryDatabase>(store_);
  SeededRandom random_{1};
  Script one_;
  Script two_;
  KindRegistry kinds_;
  std::vector<std::string> tokens_;  ///< Of the acts, in order.
  std::unique_ptr<Engine> engine_;
};

}  // namespace instantstart::operations::testing
