// Crashes, restarts and several owners. The simulation covers the combinations; these say what each rule is.
#include <gtest/gtest.h>

#include "operations/testing/engine_fixture.h"
#include "operations/testing/made_up_process.h"

namespace instantstart::operations::testing {
namespace {

/// Processes on one store; their one step kind sends a call that takes ten seconds, then holds.
class Owners : public ::testing::Test {
 protected:
  struct Process {
    Process(Owners& test, EngineOptions options)
        : memory(test.store_),
          process(test.time_, memory, test.hooks_, test.commits_),
          random(++test.seed_),
          engine(test.time_.context().get_executor(), process.time(), random, Log(), process.database(),
                 test.kinds_, options) {}

    store::MemoryDatabase memory;
    MadeUpProcess process;
    SeededRandom random;
    Engine engine;
  };

  Owners() {
    hooks_.before = [](MadeUpProcess&, std::uint64_t) { return WriteFate::goes_well; };
    hooks_.after = [](MadeUpProcess&, std::uint64_t) {};
    kinds_.add(OperationKind{.name = "change"});
    kinds_.add(std::make_unique<ScriptedStep>("one", one_));
    one_.observe = [this](const StepContext&) {
      looks_.push_back(time_.steady());
      return answer(json::value{{"held", held_}});
    };
    one_.decide = [this](const StepContext&, const json::value& seen, const History&) -> Decision {
      if (seen.at("held").as_bool()) return Done{};
      return Act{.request = 1, .repeat = repeat_, .deadline = deadline_};
    };
    one_.act = [this](StepContext context, json::value) -> Task<json::value> {
      tokens_.push_back(context.token);
      co_await time_.sleep(call_takes_);
      held_ = true;
      co_return json::value(1);
    };
    store::MemoryDatabase database(store_);
    EXPECT_TRUE(run(database.migrate(Engine::migrations())));
  }

  void TearDown() override {
    for (auto& process : processes_) stop(*process);
    processes_.clear();
  }

  Process& begin(EngineOptions options = {}) {
    processes_.push_back(std::make_unique<Process>(*this, options));
    EXPECT_TRUE(run(processes_.back()->engine.run()));
    return *processes_.back();
  }

  void stop(Process& process) {
    bool stopped = false;
    asio::co_spawn(time_.context(), process.engine.stop(),
                   [&](const std::exception_ptr&) { stopped = true; });
    time_.run_until([&] { return stopped; });
  }

  void kill(Process& process) { process.process.die(); }

  template <class T>
  Result<T> run(Task<T> task) {
    std::optional<Result<T>> outcome;
    asio::co_spawn(time_.context(), std::move(task),
                   [&](const std::exception_ptr&, Result<T> value) { outcome = std::move(value); });
    time_.run_until([&] { return outcome.has_value(); });
    return std::move(*outcome);
  }

  std::string start(Process& process) {
    auto outcome = run(process.engine.start({planned({planned("s", "one")}), {}, "tester", {}}));
    EXPECT_TRUE(outcome);
    return outcome->operation_id;
  }

  OperationView get(Process& process, const std::string& id, milliseconds wait = {}) {
    auto view = run(process.engine.get(id, wait));
    return view ? std::move(*view) : OperationView{};
  }

  milliseconds now() const { return time_.steady().time_since_epoch(); }

  net::VirtualTime time_;
  store::MemoryStore store_;
  CommitHooks hooks_;
  std::uint64_t commits_ = 0;
  std::uint64_t seed_ = 0;
  Script one_;
  KindRegistry kinds_;
  Repeat repeat_ = Repeat::observe;
  milliseconds deadline_{20'000};
  milliseconds call_takes_{10'000};
  bool held_ = false;
  std::vector<SteadyTime> looks_;
  std::vector<std::string> tokens_;
  std::vector<std::unique_ptr<Process>> processes_;
};

constexpr EngineOptions k_replica{.sole_owner = false};
constexpr milliseconds k_day{24 * 3'600'000};

TEST_F(Owners, WithATokenANewOwnerRepeatsTheActAtOnce) {
  repeat_ = Repeat::with_token;
  auto& first = begin();
  const auto id = start(first);
  time_.run_for(milliseconds(5'000));
  kill(first);
  auto& second = begin();
  time_.run_for(milliseconds(1));
  EXPECT_EQ(tokens_.size(), 2U);
  EXPECT_EQ(get(second, id, k_day).state, OperationState::succeeded);
  EXPECT_EQ(tokens_.front(), tokens_.back());
}

TEST_F(Owners, WithoutOneItLooksWhenTheCallOfTheDeadCanNotLandAnyMore) {
  auto& first = begin();
  const auto id = start(first);
  time_.run_for(milliseconds(5'000));
  kill(first);
  time_.run_for(milliseconds(7'000));
  const auto claimed = now();
  auto& second = begin();
  const auto view = get(second, id, k_day);
  EXPECT_EQ(view.state, OperationState::succeeded);
  EXPECT_EQ(view.steps.at(0).acts, 1);
  EXPECT_EQ(looks_.back().time_since_epoch(), claimed + milliseconds(20'000 + 15'000));
}

TEST_F(Owners, CrashingWhileItWaitsForThatBeginsTheWaitAnew) {
  auto& first = begin();
  const auto id = start(first);
  time_.run_for(milliseconds(5'000));
  kill(first);
  auto& second = begin();
  time_.run_for(milliseconds(30'000));
  kill(second);
  time_.shift_wall(k_day);  // Nor does a clock that jumps shorten it.
  const auto claimed = now();
  auto& third = begin();
  EXPECT_EQ(get(third, id, k_day).state, OperationState::succeeded);
  EXPECT_EQ(looks_.back().time_since_epoch(), claimed + milliseconds(35'000));
  EXPECT_EQ(tokens_.size(), 1U);
}

TEST_F(Owners, AnotherReplicaTakesOverWhenTheLeaseHasRunOut) {
  auto& first = begin(k_replica);
  auto& second = begin(k_replica);
  const auto id = start(first);
  time_.run_for(milliseconds(15'000));
  EXPECT_EQ(get(second, id).state, OperationState::succeeded);
  held_ = false;
  const auto other = start(first);
  time_.run_for(milliseconds(5'000));
  kill(first);
  const auto died = now();
  EXPECT_EQ(get(second, other, k_day).state, OperationState::succeeded);
  EXPECT_GT(now() - died, milliseconds(40'000 + 35'000));
  EXPECT_LT(now() - died, milliseconds(100'000 + 35'000));
  EXPECT_EQ(tokens_.size(), 2U);
}

TEST_F(Owners, AnOwnerThatStopsInGoodOrderHandsOverAtOnce) {
  one_.decide = [this](const StepContext&, const json::value&, const History&) -> Decision {
    if (held_) return Done{};
    return Wait{milliseconds(5'000), "Waiting"};
  };
  auto& first = begin(k_replica);
  auto& second = begin(k_replica);
  const auto id = start(first);
  time_.run_for(milliseconds(1'000));
  stop(first);
  held_ = true;
  const auto stopped = now();
  EXPECT_EQ(get(second, id, k_day).state, OperationState::succeeded);
  EXPECT_LT(now() - stopped, milliseconds(30'000));  // The next beat.
}

TEST_F(Owners, APausedOwnerIsFencedAndBeginsAnew) {
  hooks_.after = [this](MadeUpProcess& process, std::uint64_t) {
    // Once, with the intent written and the call not sent.
    if (&process == &processes_.front()->process && tokens_.empty() && looks_.size() == 1) {
      process.pause_for(milliseconds(300'000));
    }
  };
  auto& first = begin(k_replica);
  auto& second = begin(k_replica);
  const auto id = start(first);
  EXPECT_EQ(get(second, id, k_day).state, OperationState::succeeded);
  EXPECT_EQ(tokens_.size(), 1U);
  EXPECT_LT(now(), milliseconds(300'000));
  time_.run_for(milliseconds(600'000));
  EXPECT_EQ(tokens_.size(), 1U);
  held_ = false;
  const auto other = start(first);  // It serves again, as a new owner.
  EXPECT_EQ(get(first, other, k_day).state, OperationState::succeeded);
}

TEST_F(Owners, ALeaseIsMadeAsLongAsTheCallNeeds) {
  deadline_ = milliseconds(600'000);
  call_takes_ = milliseconds(500'000);
  auto& first = begin(k_replica);
  begin(k_replica);
  const auto id = start(first);
  const auto view = get(first, id, k_day);
  EXPECT_EQ(view.state, OperationState::succeeded);
  EXPECT_EQ(tokens_.size(), 1U);
  EXPECT_EQ(looks_.size(), 2U);
}

TEST_F(Owners, ARetryRunsWhereItWasAskedFor) {
  bool allowed = false;
  one_.decide = [&](const StepContext&, const json::value&, const History&) -> Decision {
    if (allowed) return Done{};
    return Fail{{.code = "upstream_error", .message = "No."}};
  };
  auto& first = begin(k_replica);
  auto& second = begin(k_replica);
  const auto id = start(first);
  EXPECT_EQ(get(first, id, k_day).state, OperationState::failed);
  kill(first);
  allowed = true;
  ASSERT_TRUE(run(second.engine.retry(id, {}, {})));
  const auto asked = now();
  EXPECT_EQ(get(second, id, k_day).state, OperationState::succeeded);
  EXPECT_LT(now() - asked, milliseconds(5'000));
}

TEST_F(Owners, ACancelByAnotherReplicaLetsTheActOfTheOwnerEnd) {
  auto& first = begin(k_replica);
  auto& second = begin(k_replica);
  const auto id = start(first);
  time_.run_for(milliseconds(2'000));
  auto cancelled = run(second.engine.cancel(id, false));
  ASSERT_TRUE(cancelled);
  EXPECT_EQ(cancelled->state, OperationState::cancelling);
  const auto view = get(second, id, k_day);
  EXPECT_EQ(view.state, OperationState::cancelled);
  EXPECT_EQ(view.steps.at(0).acts, 1);
  EXPECT_LT(now(), milliseconds(15'000));
}

TEST_F(Owners, AClockThatWasSetBackDoesNotMakeAWaitLonger) {
  one_.decide = [this](const StepContext&, const json::value&, const History&) -> Decision {
    if (looks_.size() > 1) return Done{};
    return Wait{milliseconds(600'000), "Building"};
  };
  auto& first = begin();
  const auto id = start(first);
  time_.run_for(milliseconds(1'000));
  kill(first);
  time_.shift_wall(-k_day);
  auto& second = begin();
  EXPECT_EQ(get(second, id, k_day).state, OperationState::succeeded);
  EXPECT_LE(now(), milliseconds(602'000));
}

TEST_F(Owners, ARestartLooksWhenTheTimeHasComeNotBefore) {
  one_.decide = [this](const StepContext&, const json::value&, const History&) -> Decision {
    if (looks_.size() > 1) return Done{};
    return Wait{milliseconds(600'000), "Building"};
  };
  auto& first = begin();
  const auto id = start(first);
  time_.run_for(milliseconds(100'000));
  kill(first);
  auto& second = begin();
  time_.run_for(milliseconds(490'000));
  EXPECT_EQ(looks_.size(), 1U);
  EXPECT_EQ(get(second, id, k_day).state, OperationState::succeeded);
  EXPECT_EQ(now(), milliseconds(600'000));
}

TEST_F(Owners, AStoreThatFailsForAWhileLosesNothing) {
  const auto failures = std::make_shared<int>(3);
  hooks_.before = [this, failures](MadeUpProcess&, std::uint64_t) {
    if (tokens_.size() == 1 && *failures > 0)
      return --*failures % 2 == 0 ? WriteFate::fails : WriteFate::fails_afterwards;
    return WriteFate::goes_well;
  };
  auto& first = begin();
  const auto id = start(first);
  const auto view = get(first, id, k_day);
  EXPECT_EQ(view.state, OperationState::succeeded);
  EXPECT_EQ(view.steps.at(0).acts, 1);
  EXPECT_EQ(*failures, 0);
}

}  // namespace
}  // namespace instantstart::operations::testing
