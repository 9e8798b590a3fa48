#include "operations/testing/simulation.h"

#include <algorithm>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>

#include <fmt/core.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/system/system_error.hpp>

#include "operations/engine.h"
#include "operations/step_record.h"
#include "operations/testing/made_up_kinds.h"
#include "operations/testing/promises.h"
#include "store/connection.h"

namespace instantstart::operations::testing {
namespace {

/// The last seeds of everything that goes wrong by itself; afterwards the operation must come to its end.
constexpr milliseconds k_longest_trouble{40 * 60'000};
constexpr milliseconds k_patience{6 * 3'600'000};

/// What will go wrong, drawn from the seed before anything runs.
struct Plot {
  std::map<std::uint64_t, bool> crash_at_commit;  ///< true: after it
  std::set<std::uint64_t> crash_at_fault_point;
  std::map<std::uint64_t, milliseconds> pause_at_commit;
  std::map<std::uint64_t, WriteFate> fate_of_commit;
  std::map<std::uint64_t, milliseconds> clock_jump_at_commit;
  std::set<std::uint64_t> stop_at_commit;  ///< In good order.
  std::uint64_t cancel_at_commit = 0;      ///< 0: never
  bool rollback = false;
  WorldFaults faults;
  milliseconds trouble_ends{};
  int starts = 1;
};

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}
  std::uint64_t below(std::uint64_t limit) { return random_.next() % limit; }
  bool chance(double probability) { return random_.unit() < probability; }
  double share(double most) { return random_.unit() * most; }
  milliseconds time(std::int64_t most_ms) {
    return milliseconds(static_cast<std::int64_t>(random_.unit() * static_cast<double>(most_ms)));
  }

 private:
  SeededRandom random_;
};

WorldFaults drawn_faults(Dice& dice) {
  // Most schedules have a few kinds of trouble, not all of them.
  const auto some = [&](double most) { return dice.chance(0.4) ? dice.share(most) : 0.0; };
  return {.throttled = some(0.4),
          .refused = some(0.15),
          .never_sent = some(0.3),
          .request_lost = some(0.4),
          .reply_lost = some(0.6),
          .late = some(0.6),
          .error_after = some(0.4),
          .error_before = some(0.4),
          .look_failed = some(0.3)};
}

Plot drawn_plot(const Scenario& scenario, std::uint64_t seed) {
  Dice dice(seed * 2 + 1);
  Plot plot;
  constexpr std::uint64_t k_commits = 40;       // About as many as an operation makes.
  constexpr std::uint64_t k_fault_points = 40;  // As many as it passes.
  // The first seeds crash at each commit in turn, before and after, then at each fault point, with nothing
  // else going wrong.
  if (scenario.cancelling != Cancelling::with_rollback) {
    if (seed < 2 * k_commits) {
      plot.crash_at_commit[1 + seed / 2] = seed % 2 == 1;
      return plot;
    }
    if (seed < 2 * k_commits + k_fault_points) {
      plot.crash_at_fault_point.insert(1 + seed - 2 * k_commits);
      return plot;
    }
  }
  plot.trouble_ends = dice.time(k_longest_trouble.count());
  for (auto crashes = dice.below(5); crashes > 0; --crashes) {
    plot.crash_at_commit[1 + dice.below(2 * k_commits)] = dice.chance(0.5);
  }
  for (auto crashes = dice.below(4); crashes > 0; --crashes)
    plot.crash_at_fault_point.insert(1 + dice.below(2 * k_fault_points));
  if (scenario.two_owners) {
    for (auto pauses = dice.below(4); pauses > 0; --pauses) {
      plot.pause_at_commit[1 + dice.below(2 * k_commits)] = dice.time(200'000);
    }
  }
  if (dice.chance(0.3)) {
    for (auto failures = dice.below(6); failures > 0; --failures) {
      plot.fate_of_commit[1 + dice.below(2 * k_commits)] =
          dice.chance(0.5) ? WriteFate::fails : WriteFate::fails_afterwards;
    }
  }
  if (dice.chance(0.2)) {
    constexpr milliseconds k_hours{3 * 3'600'000};
    plot.clock_jump_at_commit[1 + dice.below(k_commits)] = dice.time(2 * k_hours.count()) - k_hours;
  }
  if (dice.chance(0.3)) plot.stop_at_commit.insert(1 + dice.below(k_commits));
  const bool cancels = scenario.cancelling == Cancelling::with_rollback ||
                       (scenario.cancelling == Cancelling::sometimes && dice.chance(0.3));
  if (cancels) plot.cancel_at_commit = 2 + dice.below(k_commits);
  plot.rollback = scenario.cancelling == Cancelling::with_rollback || dice.chance(0.5);
  plot.faults = drawn_faults(dice);
  plot.starts = 1 + static_cast<int>(dice.below(3));
  return plot;
}

/// One life of a process with its engine.
struct Life {
  Life(net::VirtualTime& time, store::MemoryStore& store, const CommitHooks& hooks, std::uint64_t& commits,
       MadeUpWorld& world, const EngineOptions& options, std::uint64_t seed, const Log& log,
       std::function<void(MadeUpProcess&)> on_fault_point)
      : memory(store),
        process(time, memory, hooks, commits),
        kinds(made_up_kinds(world, process)),
        random(seed),
        engine(time.context().get_executor(), process.time(), random, log, process.database(), kinds, options,
               [this, on_fault_point](std::string_view, std::string_view, std::string_view) {
                 on_fault_point(process);
               }) {}

  store::MemoryDatabase memory;
  MadeUpProcess process;
  KindRegistry kinds;
  SeededRandom random;
  Engine engine;
  int callers = 0;  ///< Coroutines of others that are inside the engine.
};

class Simulation {
 public:
  Simulation(store::MemoryStore& store, const Scenario& scenario, std::uint64_t seed, Log::Sink sink)
      : scenario_(scenario),
        store_(store),
        plot_(drawn_plot(scenario, seed)),
        dice_(seed * 2),
        world_(time_, seed * 3 + 7, milliseconds(15'000)),
        log_(sink ? Log(time_, LogLevel::debug, std::move(sink)) : Log()),
        news_(time_) {
    options_.sole_owner = !scenario.two_owners;
    hooks_.before = [this](MadeUpProcess& process, std::uint64_t n) { return before_commit(process, n); };
    hooks_.after = [this](MadeUpProcess& process, std::uint64_t n) { after_commit(process, n); };
  }

  Verdict run() {
    prepare();
    asio::co_spawn(time_.context(), watch_trouble(), asio::detached);
    for (int slot = 0; slot < (scenario_.two_owners ? 2 : 1); ++slot) {
      asio::co_spawn(time_.context(), keep_alive(), asio::detached);
    }
    asio::co_spawn(time_.context(), ask(), asio::detached);
    asio::co_spawn(time_.context(), operate(), asio::detached);
    time_.run_until([this] { return finished_ && keepers_ == 0; });
    time_.run_for(milliseconds(120'000));
    world_.settle_down();
    check();
    verdict_.commits = commits_;
    verdict_.mutations = world_.audit().size();
    return std::move(verdict_);
  }

 private:
  void prepare() {
    for (const auto& name : scenario_.given) world_.put(name, "somebody");
    world_.faults = plot_.faults;
    world_.on_send = [this](const StepContext& context) { on_send(context); };
  }

  void broken(std::string promise) { verdict_.broken.push_back(std::move(promise)); }

  bool in_trouble() const { return time_.steady().time_since_epoch() < plot_.trouble_ends || first_seeds(); }
  bool first_seeds() const { return plot_.trouble_ends == milliseconds::zero(); }

  void crash(MadeUpProcess& process) {
    if (process.dead()) return;
    ++verdict_.crashes;
    process.die();
    news_.notify();
  }

  WriteFate before_commit(MadeUpProcess& process, std::uint64_t n) {
    if (n == plot_.cancel_at_commit) {
      cancel_now_ = true;
      news_.notify();
    }
    if (!in_trouble()) return WriteFate::goes_well;
    if (const auto jump = plot_.clock_jump_at_commit.find(n); jump != plot_.clock_jump_at_commit.end()) {
      time_.shift_wall(jump->second);
    }
    if (n % 2 == 0) pause(process, n);
    crash_if_planned(process, n, false);
    const auto fate = plot_.fate_of_commit.find(n);
    return fate == plot_.fate_of_commit.end() ? WriteFate::goes_well : fate->second;
  }

  void after_commit(MadeUpProcess& process, std::uint64_t n) {
    if (!in_trouble()) return;
    if (n % 2 == 1) pause(process, n);
    crash_if_planned(process, n, true);
    if (plot_.stop_at_commit.contains(n)) {
      stopping_.insert(&process);
      news_.notify();
    }
  }

  void pause(MadeUpProcess& process, std::uint64_t n) {
    if (const auto pause = plot_.pause_at_commit.find(n); pause != plot_.pause_at_commit.end()) {
      process.pause_for(pause->second);
    }
  }

  void crash_if_planned(MadeUpProcess& process, std::uint64_t n, bool after) {
    const auto planned = plot_.crash_at_commit.find(n);
    if (planned != plot_.crash_at_commit.end() && planned->second == after) crash(process);
  }

  void on_fault_point(MadeUpProcess& process) {
    if (in_trouble() && plot_.crash_at_fault_point.contains(++fault_points_)) crash(process);
  }

  /// Whatever is sent must have been written down before.
  void on_send(const StepContext& context) {
    ++verdict_.sends;
    const std::int64_t sent = ++sends_[{context.operation_id, context.step_id}];
    auto complaint = complaint_about_send(store_.connection(), context, sent);
    if (complaint) broken(std::move(*complaint));
  }

  asio::awaitable<void> watch_trouble() {
    co_await time_.sleep_until(SteadyTime(plot_.trouble_ends));
    world_.faults = {};
  }

  /// Starts a process again and again when it has died.
  asio::awaitable<void> keep_alive() {
    ++keepers_;
    while (!finished_) {
      auto life = std::make_unique<Life>(time_, store_, hooks_, commits_, world_, options_,
                                         dice_.below(1'000'000'000), log_,
                                         [this](MadeUpProcess& process) { on_fault_point(process); });
      co_await live(*life);
      const auto down = dice_.time(20'000);
      life.reset();
      co_await time_.sleep(down);
    }
    --keepers_;
  }

  asio::awaitable<void> live(Life& life) {
    lives_.push_back(&life);
    bool runs = false;
    try {
      auto begun = co_await life.engine.run();
      runs = begun.has_value();
      if (!runs && !store_failed(begun.error())) broken("The engine did not begin: " + begun.error().message);
    } catch (const boost::system::system_error&) {
      runs = false;
    }
    while (runs && !life.process.dead() && !finished_ && !stopping_.contains(&life.process)) {
      const auto seen = news_.generation();
      co_await news_.wait_after(seen, net::Deadline::in(time_, milliseconds(60'000)));
    }
    lives_.remove(&life);
    stopping_.erase(&life.process);
    while (life.callers > 0) co_await time_.sleep(milliseconds(1));
    co_await stop(life);
  }

  asio::awaitable<void> stop(Life& life) {
    try {
      co_await life.engine.stop();
    } catch (const boost::system::system_error&) {
      if (!life.process.dead()) broken("The engine threw while it stopped.");
    }
  }

  Life* somebody_alive() {
    std::vector<Life*> alive;
    std::ranges::copy_if(lives_, std::back_inserter(alive), [](Life* life) { return !life->process.dead(); });
    return alive.empty() ? nullptr : alive[dice_.below(alive.size())];
  }

  /// A call to whichever process lives; the reply is lost when it dies.
  template <class T>
  asio::awaitable<std::optional<Result<T>>> call(std::function<Task<T>(Engine&)> work) {
    Life* life = somebody_alive();
    if (life == nullptr) co_return std::nullopt;
    ++life->callers;
    std::optional<Result<T>> answer;
    try {
      answer = co_await work(life->engine);
    } catch (const boost::system::system_error&) {
      answer.reset();
    }
    --life->callers;
    co_return answer;
  }

  static bool store_failed(const Error& error) {
    return error.code == "state_unusable" || error.code == "unavailable";
  }

  StartRequest request() const {
    return {.plan = scenario_.plan,
            .input = {{"wanted", scenario_.name}},
            .principal = "tester",
            .client_token = "token-1"};
  }

  /// The client: asks once or several times, and again whenever the reply is lost.
  asio::awaitable<void> ask() {
    for (int asked = 0; asked < plot_.starts;) {
      auto started = co_await call<Started>([this](Engine& engine) { return engine.start(request()); });
      if (started && *started) {
        ++asked;
        if (!operation_id_.empty() && operation_id_ != (*started)->operation_id)
          broken("The same token gave two operations.");
        operation_id_ = (*started)->operation_id;
        news_.notify();
      } else if (started && !store_failed(started->error())) {
        broken("A start was refused: " + started->error().message);
        co_return;
      }
      co_await time_.sleep(dice_.time(30'000));
    }
  }

  /// Whoever looks after the operation: cancels, retries, answers questions, until it is where it should be.
  asio::awaitable<void> operate() {
    while (!finished_) {
      const auto seen = news_.generation();
      if (cancel_now_ && !cancelled_ && !operation_id_.empty()) co_await cancel();
      if (!operation_id_.empty()) co_await look_after();
      if (time_.steady().time_since_epoch() > k_patience) {
        broken("It did not come to its end.");
        finish();
      }
      if (!finished_)
        co_await news_.wait_after(seen, net::Deadline::in(time_, milliseconds(3'000) + dice_.time(30'000)));
    }
  }

  void finish() {
    finished_ = true;
    news_.notify();
  }

  asio::awaitable<void> cancel() {
    cancel_sent_ = true;
    auto answer = co_await call<OperationView>(
        [this](Engine& engine) { return engine.cancel(operation_id_, plot_.rollback); });
    if (!answer || (!*answer && store_failed(answer->error()))) co_return;
    cancelled_ = true;
    if (!*answer && answer->error().code != "conflict")
      broken("A cancel was refused: " + answer->error().message);
  }

  asio::awaitable<void> look_after() {
    auto view = co_await call<OperationView>([this](Engine& engine) { return engine.get(operation_id_); });
    if (!view) co_return;
    if (!*view) {
      broken("The operation can't be read: " + view->error().message);
      co_return finish();
    }
    verdict_.final_state = std::string(text_of((*view)->state));
    switch ((*view)->state) {
      case OperationState::succeeded: co_return finish();
      case OperationState::cancelled:
        if (!cancel_sent_) broken("It was cancelled by nobody.");
        if (cancelled_ && !in_trouble() && plot_.rollback && !rolled_back_twice_) {
          rolled_back_twice_ = true;  // Asking again must be harmless.
          co_await cancel();
          co_return;
        }
        co_return finish();
      case OperationState::failed: co_return co_await retry(std::nullopt, std::nullopt);
      case OperationState::needs_input: co_return co_await answer(**view);
      default: co_return;
    }
  }

  asio::awaitable<void> retry(std::optional<std::string> step_id, std::optional<std::string> choice) {
    auto answer = co_await call<OperationView>(
        [this, step_id, choice](Engine& engine) { return engine.retry(operation_id_, step_id, choice); });
    if (answer && !*answer && answer->error().code != "conflict" && !store_failed(answer->error()))
      broken("A retry was refused: " + answer->error().message);
  }

  /// Looks at the world, as the question asks for: when nothing is under way any more it is clear whether it
  /// happened.
  asio::awaitable<void> answer(const OperationView& view) {
    for (const auto& step : view.steps) {
      if (!step.question || step.question->choices.empty()) continue;
      world_.settle_down();
      if (world_.something_under_way()) co_return;
      const auto things = world_.things(true);
      const bool happened = std::ranges::find(things, step.id, &Thing::name) != things.end();
      const auto& choices = step.question->choices;
      co_return co_await retry(step.id, happened ? choices.back().value : choices.front().value);
    }
    co_await retry(std::nullopt, std::nullopt);
  }

  void check() {
    Promises promises{.scenario = scenario_,
                      .cancelled = verdict_.final_state == "cancelled",
                      .rollback = plot_.rollback,
                      .operation_id = operation_id_};
    auto found = promises.broken(store_.connection(), world_);
    std::ranges::move(found, std::back_inserter(verdict_.broken));
    if (!verdict_.broken.empty()) verdict_.story = story(store_.connection(), world_);
  }

  const Scenario& scenario_;
  store::MemoryStore& store_;
  Plot plot_;
  Dice dice_;
  net::VirtualTime time_;
  EngineOptions options_;
  CommitHooks hooks_;
  std::uint64_t commits_ = 0;
  std::uint64_t fault_points_ = 0;
  MadeUpWorld world_;
  Log log_;
  net::Signal news_;
  std::list<Life*> lives_;
  std::set<MadeUpProcess*> stopping_;
  std::map<std::pair<std::string, std::string>, std::int64_t> sends_;
  std::string operation_id_;
  bool cancel_now_ = false;
  bool cancel_sent_ = false;
  bool cancelled_ = false;  ///< And answered.
  bool rolled_back_twice_ = false;
  bool finished_ = false;
  int keepers_ = 0;
  Verdict verdict_;
};

}  // namespace

Simulator::Simulator(Log::Sink sink) : sink_(std::move(sink)) {
  net::VirtualTime time;
  store::MemoryDatabase database(store_);
  bool migrated = false;
  asio::co_spawn(
      time.context(),
      [](store::MemoryDatabase& opened, bool& done) -> asio::awaitable<void> {
        auto made = co_await opened.migrate(Engine::migrations());
        done = made.has_value();
      }(database, migrated),
      asio::detached);
  if (!time.run_until([&] { return migrated; })) throw std::runtime_error("The schema can't be made.");
}

Verdict Simulator::run(const Scenario& scenario, std::uint64_t seed) {
  constexpr std::string_view k_empty = R"sql(
    DELETE FROM operation; DELETE FROM operation_step; DELETE FROM operation_event; DELETE FROM operation_resource;
    DELETE FROM operation_owner; UPDATE operation_counter SET value = 0;
  )sql";
  if (auto emptied = store_.connection().run_script(k_empty); !emptied)
    throw std::runtime_error(emptied.error().message);
  return Simulation(store_, scenario, seed, sink_).run();
}

}  // namespace instantstart::operations::testing
