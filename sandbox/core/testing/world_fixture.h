// A simulated account in virtual time, on a store in memory that survives "restarts".
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>

#include "base/random.h"
#include "net/testing/virtual_time.h"
#include "sandbox/core/service.h"
#include "sandbox/core/world.h"
#include "store/testing/inline_database.h"

namespace instantstart::sandbox {

/// One start of the process. Make it, then the collections and services, then load().
class TestWorld {
 public:
  TestWorld(store::MemoryStore& store, net::VirtualTime& time, Random& random, WorldOptions options = {},
            store::MemoryHooks hooks = {});
  ~TestWorld();

  World& world() { return world_; }
  store::MemoryDatabase& database() { return database_; }

  Result<> load();
  /// From now on, timers run whenever virtual time does.
  void start_timers();
  void pass(milliseconds duration) { time_.run_for(duration); }

  /// Runs the task to its end. The outcome is an `internal` error when it never ends (the process crashed).
  template <class T>
  Result<T> run(Task<T> task) {
    std::optional<Result<T>> outcome;
    asio::co_spawn(time_.context(), std::move(task),
                   [&outcome](const std::exception_ptr& broken, Result<T> value) {
                     if (broken) std::rethrow_exception(broken);
                     outcome.emplace(std::move(value));
                   });
    if (!time_.run_until([&outcome] { return outcome.has_value(); })) return fail("internal", "never ends");
    return std::move(*outcome);
  }

  /// What a service answers; the world is committed after it, as the gateway does.
  template <class Op>
  Reply<typename Op::Output> ask(Service& service, const typename Op::Input& input,
                                 Call call = {.region = "us-west-2"}) {
    auto answer = run(ask_untyped(service, Op::info(), std::move(call), &input));
    if (!answer) {
      ADD_FAILURE() << answer.error().message;
      return fault("InternalFailure", answer.error().message);
    }
    Reply<aws::ShapeValue>& reply = answer->value();
    if (!reply) return std::unexpected(std::move(reply.error()));
    return std::move(*reply->template as<typename Op::Output>());
  }

 private:
  /// Optional, since what a coroutine brings home has to have a default.
  Task<std::optional<Reply<aws::ShapeValue>>> ask_untyped(Service& service,
                                                          const aws::OperationInfo& operation, Call call,
                                                          const void* input);

  net::VirtualTime& time_;
  store::MemoryDatabase database_;
  World world_;
  asio::cancellation_signal stop_timers_;
};

/// The disk, the clock and one start of the process on them.
class WorldFixture : public testing::Test {
 protected:
  /// Ends the earlier process, if any: collections and services that refer to its world must be gone.
  TestWorld& start(WorldOptions options = {}, store::MemoryHooks hooks = {}) {
    process.reset();
    process = std::make_unique<TestWorld>(store, time, random, std::move(options), std::move(hooks));
    return *process;
  }

  net::VirtualTime time;
  store::MemoryStore store;
  SeededRandom random{1};
  std::unique_ptr<TestWorld> process;
};

}  // namespace instantstart::sandbox
