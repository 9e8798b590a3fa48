#include "operations/derived_state.h"

namespace instantstart::operations {
namespace {

struct Tally {
  std::int64_t total = 0;
  std::int64_t pending = 0;
  std::int64_t acting = 0;
  std::int64_t waiting = 0;
  std::int64_t asking = 0;  ///< needs_input, blocked
  std::int64_t failed = 0;
  std::int64_t done = 0;
  std::int64_t unsettled = 0;
};

Tally tally_of(Phase phase, std::span<const StepCount> steps) {
  Tally tally;
  for (const auto& step : steps) {
    if (step.phase != phase) continue;
    tally.total += step.count;
    if (step.unsettled) tally.unsettled += step.count;
    switch (step.state) {
      case StepState::pending: tally.pending += step.count; break;
      case StepState::acting: tally.acting += step.count; break;
      case StepState::waiting: tally.waiting += step.count; break;
      case StepState::needs_input:
      case StepState::blocked: tally.asking += step.count; break;
      case StepState::failed: tally.failed += step.count; break;
      case StepState::done: tally.done += step.count; break;
      case StepState::undoing:
      case StepState::undone:
      case StepState::undo_failed: break;  // Only in views.
    }
  }
  return tally;
}

OperationState going_forward(const Tally& steps) {
  if (steps.done == steps.total) return OperationState::succeeded;
  const bool in_motion = steps.acting + steps.waiting > 0;
  // Nothing new begins after a failure, but what has begun comes to its end first.
  if (steps.failed > 0 && !in_motion) return OperationState::failed;
  if (steps.asking > 0) return OperationState::needs_input;
  if (steps.acting > 0) return OperationState::running;
  if (steps.waiting > 0) return OperationState::waiting;
  return steps.pending == steps.total ? OperationState::pending : OperationState::running;
}

OperationState being_cancelled(const OperationFacts& facts, const Tally& forward, const Tally& undo) {
  if (forward.acting + forward.unsettled > 0 || facts.active_children > 0) return OperationState::cancelling;
  if (!facts.rollback) return OperationState::cancelled;
  // Until the runner has looked, more may be left to undo than has records.
  if (!facts.exhausted || undo.acting + undo.waiting > 0) return OperationState::cancelling;
  if (undo.done == undo.total) return OperationState::cancelled;
  return undo.asking > 0 ? OperationState::needs_input : OperationState::failed;
}

}  // namespace

OperationState derived_state(const OperationFacts& facts, std::span<const StepCount> steps) {
  const Tally forward = tally_of(Phase::forward, steps);
  if (!facts.cancel_requested) return going_forward(forward);
  return being_cancelled(facts, forward, tally_of(Phase::undo, steps));
}

}  // namespace instantstart::operations
