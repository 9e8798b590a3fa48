// Runs one operation for as long as something can be done at once: starts the steps that are ready or whose
// time has come, beside each other, and rests when all of them wait.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>

#include "net/signal.h"
#include "operations/engine_parts.h"
#include "operations/journal.h"

namespace instantstart::operations {

/// When a step looks again, on the steady clock. Kept while the operation is held: the wall clock may jump.
struct Timing {
  std::int64_t version = -1;  ///< Of the record that it was worked out from.
  SteadyTime due{};
  SteadyTime settles{};  ///< From then on its last act can't land any more, and is visible if it did.
};
using Timings = std::map<StepKey, Timing>;

/// The instant at which an operation was claimed, on both clocks: what the journal says about times is
/// counted from there.
struct Anchor {
  SteadyTime steady{};
  WallTime wall{};
};

/// Loop thread only. Its coroutines keep it alive.
class OperationRunner : public std::enable_shared_from_this<OperationRunner> {
 public:
  OperationRunner(EngineParts& parts, Hold hold, Anchor claimed, Timings timings);

  struct Rest {
    bool over = false;  ///< Nothing more to do here: it has ended, or somebody else holds it.
    SteadyTime wake = SteadyTime::max();
    Timings timings;
  };
  asio::awaitable<Rest> run();

  /// Something changed from outside: read it again.
  void poke();
  bool poked() const { return stale_; }
  const Hold& hold() const { return hold_; }

  // For the step that runs:

  const OperationRecord& operation() const { return model_.operation; }
  const StepRecord* forward_step(const std::string& id) const;
  /// Of a step that is done.
  const json::value* output(std::string_view step_id) const;
  bool kind_is_known() const { return parts_.kinds.operation(model_.operation.kind) != nullptr; }

  /// Writes a change, again and again while the store fails. True when it is written: `record` is as it is
  /// then. False: the step must not go on.
  asio::awaitable<bool> commit(StepRecord& record, StepChange change, SteadyTime settles);

  SteadyTime settles(const StepRecord& record) { return timing(record).settles; }
  /// Doesn't start the step for a while.
  void hold_back(const StepKey& key, milliseconds duration) {
    held_back_[key] = parts_.time.steady() + duration;
  }
  void look_again_at(const StepRecord& record, SteadyTime due) { timing(record).due = due; }

 private:
  class InFlight;

  asio::awaitable<void> read();
  void take_over(LoadedOperation loaded);
  void start_ready();
  struct Room;
  Room room() const;
  bool is_ready(const StepRecord& step, Room& room);
  bool is_ready_forward(const StepRecord& step, Room& room);
  SteadyTime undo_from(const StepRecord& undo);
  bool undo_in_motion();
  asio::awaitable<bool> advance_cancel();
  asio::awaitable<void> run_step(std::shared_ptr<OperationRunner> self, StepRecord record);
  SteadyTime next_due(bool in_future);
  Timing& timing(const StepRecord& step);
  void keep(const StepRecord& step);

  EngineParts& parts_;
  Hold hold_;
  Anchor claimed_;
  Timings timings_;
  net::Signal changed_;
  LoadedOperation model_;
  std::map<std::string, json::value, std::less<>> outputs_;
  std::set<StepKey> in_flight_;
  std::map<StepKey, SteadyTime> held_back_;  ///< Steps that broke: not at once again.
  bool stale_ = true;
  bool over_ = false;
  bool unreadable_ = false;
};

}  // namespace instantstart::operations
