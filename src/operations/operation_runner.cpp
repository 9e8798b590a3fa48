#include "operations/operation_runner.h"

#include <algorithm>
#include <exception>

#include <boost/system/system_error.hpp>

#include "operations/step_runner.h"
#include "operations/undo.h"

namespace instantstart::operations {
namespace {

/// After the store failed.
constexpr milliseconds k_journal_retry{1'000};
/// After a step threw, which is a mistake in it or in us.
constexpr milliseconds k_hold_back{60'000};
/// A cancelled operation that waits for its children hears of their end; this is for ends that it missed.
constexpr milliseconds k_children_poll{30'000};

}  // namespace

/// In the frame of a step's coroutine, however that ends.
class OperationRunner::InFlight {
 public:
  InFlight(OperationRunner& runner, StepKey key) : runner_(runner), key_(std::move(key)) {}
  InFlight(const InFlight&) = delete;
  InFlight& operator=(const InFlight&) = delete;
  ~InFlight() {
    runner_.in_flight_.erase(key_);
    runner_.changed_.notify();
  }

 private:
  OperationRunner& runner_;
  StepKey key_;
};

OperationRunner::OperationRunner(EngineParts& parts, Hold hold, Anchor claimed, Timings timings)
    : parts_(parts),
      hold_(std::move(hold)),
      claimed_(claimed),
      timings_(std::move(timings)),
      changed_(parts.time) {}

void OperationRunner::poke() {
  stale_ = true;
  changed_.notify();
}

asio::awaitable<OperationRunner::Rest> OperationRunner::run() {
  const auto self = shared_from_this();
  while (true) {
    const auto seen = changed_.generation();
    if (stale_ && !over_) co_await read();
    if (!over_ && !unreadable_ && !parts_.stopping) start_ready();
    if (!in_flight_.empty()) {
      co_await changed_.wait_after(seen, net::Deadline{next_due(true)});
      continue;
    }
    if (over_ || unreadable_ || parts_.stopping) break;
    if (stale_) continue;
    if (model_.operation.cancel_requested && !undo_in_motion()) {
      const bool moved = co_await advance_cancel();
      if (moved) continue;
    }
    if (!stale_ && in_flight_.empty()) break;
  }
  Rest rest{.over = over_, .wake = next_due(false), .timings = std::move(timings_)};
  if (unreadable_) rest.wake = parts_.time.steady() + k_journal_retry;
  co_return rest;
}

asio::awaitable<void> OperationRunner::read() {
  stale_ = false;
  auto loaded = co_await parts_.database.read<LoadedOperation>(
      [id = hold_.operation_id](store::Transaction& transaction) { return journal::load(transaction, id); });
  unreadable_ = !loaded;
  if (!loaded) {
    parts_.log.error("an operation can't be read",
                     {{"operation", hold_.operation_id}, {"reason", loaded.error().message}});
    co_return;
  }
  take_over(std::move(*loaded));
}

void OperationRunner::take_over(LoadedOperation loaded) {
  if (loaded.operation.epoch != hold_.epoch || !loaded.operation.active) {
    over_ = true;
    return;
  }
  // What a step wrote while this was being read is newer.
  for (auto& step : loaded.steps) {
    const auto known = std::ranges::find(model_.steps, step.key(), &StepRecord::key);
    if (known != model_.steps.end() && known->version > step.version) step = *known;
  }
  model_ = std::move(loaded);
  for (const auto& step : model_.steps) {
    if (step.phase == Phase::forward && step.output)
      outputs_.try_emplace(step.id, parse_stored(*step.output));
  }
}

/// What new forward steps depend on, gathered once for all of them.
struct OperationRunner::Room {
  bool something_failed = false;
  std::size_t left = 0;  ///< Steps that may begin.
  std::set<std::string_view> done;
};

OperationRunner::Room OperationRunner::room() const {
  const OperationKind* kind = parts_.kinds.operation(model_.operation.kind);
  const std::size_t limit = kind == nullptr ? 1 : std::max<std::size_t>(kind->parallel, 1);
  Room room;
  std::size_t taken = 0;
  for (const auto& step : model_.steps) {
    if (step.phase != Phase::forward) continue;
    if (step.state == StepState::failed) room.something_failed = true;
    if (step.state == StepState::done) room.done.insert(step.id);
    // A step that waits takes room too: what it is waiting for goes on.
    if (step.state == StepState::waiting || step.state == StepState::acting) ++taken;
    if (step.state == StepState::pending && in_flight_.contains(step.key())) ++taken;
  }
  room.left = limit > taken ? limit - taken : 0;
  return room;
}

void OperationRunner::start_ready() {
  Room room = this->room();
  std::vector<StepRecord> ready;
  for (const auto& step : model_.steps) {
    if (step.state == StepState::done && !step.unsettled()) continue;
    if (!in_flight_.contains(step.key()) && is_ready(step, room)) ready.push_back(step);
  }
  for (const auto& step : ready) in_flight_.insert(step.key());
  for (auto& step : ready) {
    parts_.group.spawn("operation step", run_step(shared_from_this(), std::move(step)));
  }
}

bool OperationRunner::is_ready(const StepRecord& step, Room& room) {
  const SteadyTime now = parts_.time.steady();
  if (const auto held = held_back_.find(step.key()); held != held_back_.end() && held->second > now)
    return false;
  if (step.state == StepState::acting) return true;  // Its coroutine broke off.
  if (!model_.operation.cancel_requested) return step.phase == Phase::forward && is_ready_forward(step, room);
  if (step.phase == Phase::forward) return step.unsettled() && timing(step).settles <= now;
  if (step.state == StepState::waiting) return timing(step).due <= now;
  return step.state == StepState::pending && may_undo(model_.steps, step.id) && undo_from(step) <= now;
}

bool OperationRunner::is_ready_forward(const StepRecord& step, Room& room) {
  if (step.state == StepState::waiting) return timing(step).due <= parts_.time.steady();
  if (step.state != StepState::pending || room.something_failed || room.left == 0) return false;
  const auto is_done = [&](const std::string& id) { return room.done.contains(id); };
  if (!std::ranges::all_of(step.after, is_done)) return false;
  --room.left;
  return true;
}

/// What a step made and has not seen yet must have had time to become visible: an undo that looks too early
/// finds nothing to remove.
SteadyTime OperationRunner::undo_from(const StepRecord& undo) {
  const StepRecord* made_by = forward_step(undo.id);
  if (made_by == nullptr || made_by->state == StepState::done) return parts_.time.steady();
  return timing(*made_by).settles;
}

bool OperationRunner::undo_in_motion() {
  return std::ranges::any_of(model_.steps, [&](const StepRecord& step) {
    if (step.phase != Phase::undo) return false;
    return step.state == StepState::acting || step.state == StepState::waiting ||
           (step.state == StepState::pending && may_undo(model_.steps, step.id));
  });
}

/// True when something changed: look at the operation anew.
asio::awaitable<bool> OperationRunner::advance_cancel() {
  std::set<std::string> undoable;
  for (const auto& step : model_.steps) {
    // The undo of an unknown kind is asked for too: it is reported as blocked, not skipped.
    const StepKind* kind = parts_.kinds.step(step.kind);
    if (kind == nullptr || kind->undo() != nullptr) undoable.insert(step.id);
  }
  const WallTime now = parts_.time.wall();
  auto advanced = co_await parts_.database.write<journal::Recorded>([&](store::Transaction& transaction) {
    return journal::advance_cancel(transaction, hold_, undoable, now);
  });
  if (!advanced) {
    parts_.store_failed();
    parts_.log.error("a cancellation can't be recorded",
                     {{"operation", hold_.operation_id}, {"reason", advanced.error().message}});
    unreadable_ = true;
    co_return true;
  }
  parts_.notices.changed(hold_.operation_id, is_at_rest(advanced->state));
  parts_.wake(advanced->woken);
  model_.operation.state = advanced->state;
  if (advanced->verdict == journal::Verdict::fenced || is_terminal(advanced->state)) over_ = true;
  if (advanced->verdict == journal::Verdict::stale) stale_ = true;
  co_return over_ || stale_;
}

asio::awaitable<void> OperationRunner::run_step(std::shared_ptr<OperationRunner> self, StepRecord record) {
  const StepKey key = record.key();
  const InFlight in_flight(*self, key);
  StepRunner runner(parts_, *self, std::move(record));
  try {
    co_await runner.run();
  } catch (const boost::system::system_error&) {
    // Cancelled: the engine is being taken down, or the step cancelled itself, and would again.
    hold_back(key, k_hold_back);
    throw;
  } catch (const std::exception& exception) {
    parts_.log.error("a step broke off",
                     {{"operation", hold_.operation_id}, {"step", key.id}, {"reason", exception.what()}});
    hold_back(key, k_hold_back);
  }
}

asio::awaitable<bool> OperationRunner::commit(StepRecord& record, StepChange change, SteadyTime settles) {
  Result<journal::Recorded> written;
  while (true) {
    const WallTime now = parts_.time.wall();
    written = co_await parts_.database.write<journal::Recorded>(
        [&](store::Transaction& transaction) { return journal::record(transaction, hold_, change, now); });
    if (written) break;
    parts_.store_failed();
    parts_.log.error(
        "a step can't be recorded",
        {{"operation", hold_.operation_id}, {"step", record.id}, {"reason", written.error().message}});
    if (parts_.stopping) co_return false;
    co_await parts_.time.sleep(k_journal_retry);
  }
  if (written->verdict == journal::Verdict::fenced) {
    over_ = true;
    co_return false;
  }
  if (written->revision != model_.operation.revision || written->verdict != journal::Verdict::recorded)
    stale_ = true;
  if (written->verdict != journal::Verdict::recorded) co_return false;

  record = std::move(change.record);
  ++record.version;
  model_.operation.state = written->state;
  if (is_terminal(written->state)) over_ = true;
  timings_[record.key()] = {record.version, parts_.time.steady() + record.wait, settles};
  keep(record);
  parts_.notices.changed(hold_.operation_id, is_at_rest(written->state));
  parts_.wake(written->woken);
  co_return !over_;
}

void OperationRunner::keep(const StepRecord& step) {
  const auto known = std::ranges::find(model_.steps, step.key(), &StepRecord::key);
  if (known != model_.steps.end() && known->version < step.version) *known = step;
  if (step.phase == Phase::forward && step.output) outputs_.try_emplace(step.id, parse_stored(*step.output));
}

const StepRecord* OperationRunner::forward_step(const std::string& id) const {
  const auto found = std::ranges::find(model_.steps, StepKey{Phase::forward, id}, &StepRecord::key);
  return found == model_.steps.end() ? nullptr : &*found;
}

const json::value* OperationRunner::output(std::string_view step_id) const {
  const auto found = outputs_.find(step_id);
  return found == outputs_.end() ? nullptr : &found->second;
}

/// The time of a record that was read. When its act was sent is known to whoever sent it; everybody else
/// gives it all of its time to land and to show, from now on.
Timing& OperationRunner::timing(const StepRecord& step) {
  Timing& timing = timings_[step.key()];
  if (timing.version == step.version) return timing;
  const SteadyTime now = parts_.time.steady();
  timing = {step.version, claimed_.steady, std::max(timing.settles, now)};
  if (step.wake_at) timing.due += std::clamp(*step.wake_at - claimed_.wall, milliseconds::zero(), step.wait);
  if (step.outcome == Outcome::accepted) {
    timing.settles = std::max(timing.settles, now + step.settle);
  } else if (step.outcome == Outcome::unknown) {
    timing.settles = std::max(timing.settles, now + step.deadline + step.settle);
    if (step.unsettled() && step.repeat != Repeat::with_token)
      timing.due = std::max(timing.due, timing.settles);
  }
  return timing;
}

SteadyTime OperationRunner::next_due(bool in_future) {
  const bool cancelling = model_.operation.cancel_requested;
  const SteadyTime now = parts_.time.steady();
  SteadyTime next = SteadyTime::max();
  const auto consider = [&](SteadyTime due) {
    if (!in_future || due > now) next = std::min(next, due);
  };
  for (const auto& step : model_.steps) {
    if (in_flight_.contains(step.key())) continue;
    if (const auto held = held_back_.find(step.key()); held != held_back_.end() && held->second > now) {
      consider(held->second);
    } else if (cancelling && step.phase == Phase::forward) {
      if (step.unsettled()) consider(timing(step).settles);
    } else if (step.state == StepState::waiting) {
      consider(timing(step).due);
    } else if (cancelling && step.state == StepState::pending && may_undo(model_.steps, step.id)) {
      consider(undo_from(step));
    }
  }
  if (cancelling && model_.operation.state == OperationState::cancelling) {
    consider(now + parts_.pace.wait(k_children_poll));
  }
  return next;
}

}  // namespace instantstart::operations
