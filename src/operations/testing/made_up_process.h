// One process of a simulation: what its engine sees of time and of the store. It can be paused like by
// SIGSTOP and killed like by SIGKILL; both take hold where the process waits for something.
#pragma once

#include <cstdint>
#include <functional>

#include "net/signal.h"
#include "net/testing/virtual_time.h"
#include "store/testing/inline_database.h"

namespace instantstart::operations::testing {

/// Whoever waits in a process that dies leaves by this exception, which is what Asio's cancellation throws:
/// nothing below catches it.
[[noreturn]] void throw_dead();

class MadeUpProcess;

/// The process's clocks. Its steady clock begins anew, as after a reboot.
class ProcessTime final : public net::Timekeeper {
 public:
  explicit ProcessTime(MadeUpProcess& process) : process_(process) {}
  WallTime wall() const override;
  SteadyTime steady() const override;
  asio::awaitable<void> sleep_until(SteadyTime when) override;

 private:
  MadeUpProcess& process_;
};

/// What becomes of a write that the process goes on from.
enum class WriteFate {
  goes_well,
  fails,             ///< Nothing is written: a full disk.
  fails_afterwards,  ///< It is written, but the answer is an error: a connection that broke during the
                     ///< commit.
};

/// Asked around each commit; n counts those of all processes of the simulation.
struct CommitHooks {
  std::function<WriteFate(MadeUpProcess&, std::uint64_t n)> before;
  std::function<void(MadeUpProcess&, std::uint64_t n)> after;
};

class ProcessDatabase final : public store::Database {
 public:
  ProcessDatabase(MadeUpProcess& process, store::MemoryDatabase& inner, const CommitHooks& hooks,
                  std::uint64_t& commits)
      : process_(process), inner_(inner), hooks_(hooks), commits_(commits) {}
  Task<> migrate(std::span<const store::Migration> migrations) override { return inner_.migrate(migrations); }

 protected:
  Task<> run_untyped(Mode mode, std::function<Result<>(store::Transaction&)> work) override;

 private:
  MadeUpProcess& process_;
  store::MemoryDatabase& inner_;
  const CommitHooks& hooks_;
  std::uint64_t& commits_;
};

class MadeUpProcess {
 public:
  MadeUpProcess(net::VirtualTime& world_time, store::MemoryDatabase& store, const CommitHooks& hooks,
                std::uint64_t& commits)
      : world_time_(world_time),
        born_(world_time.steady()),
        changed_(world_time),
        time_(*this),
        database_(*this, store, hooks, commits) {}

  net::VirtualTime& world_time() { return world_time_; }
  const net::VirtualTime& world_time() const { return world_time_; }
  SteadyTime born() const { return born_; }
  ProcessTime& time() { return time_; }
  ProcessDatabase& database() { return database_; }

  bool dead() const { return dead_; }
  void die();
  void pause_for(milliseconds duration);
  bool paused() const { return world_time_.steady() < paused_until_; }

  /// Returns at once in a process that runs, later in one that is paused, never in one that is dead.
  asio::awaitable<void> gate();
  /// Until an instant of the world's steady clock, and until the process runs.
  asio::awaitable<void> wait_until(SteadyTime world_instant);

 private:
  net::VirtualTime& world_time_;
  SteadyTime born_;
  net::Signal changed_;
  bool dead_ = false;
  SteadyTime paused_until_{};
  ProcessTime time_;
  ProcessDatabase database_;
};

}  // namespace instantstart::operations::testing
