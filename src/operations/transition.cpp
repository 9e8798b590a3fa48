#include "operations/transition.h"

#include <utility>

#include <fmt/core.h>

#include "base/text.h"

namespace instantstart::operations {
namespace {

/// Texts from outside that end in events and views.
constexpr std::size_t k_longest_text = 2'000;

std::string clean(std::string_view text) { return shortened(without_controls(text), k_longest_text); }

/// What goes into the journal of an error or a question: foreign text in it can't steer a terminal later.
std::string stored(Error error) {
  error.message = clean(error.message);
  return error_text(error);
}

std::string stored(Question question) {
  question.text = clean(question.text);
  return to_text(encode(question));
}

json::object error_detail(const Error& error) { return {{"error", encode(error)}}; }

/// What every look leaves behind, whatever it led to.
StepChange begun(const StepRecord& step, const Looked& looked) {
  StepChange change{.record = step};
  StepRecord& record = change.record;
  if (!record.started_at) record.started_at = looked.at;
  if (!record.before) record.before = looked.seen;
  if (looked.settled) record.settled = true;
  record.failed_looks = 0;
  return change;
}

void wake_in(StepRecord& record, milliseconds wait, WallTime now) {
  record.state = StepState::waiting;
  record.wake_at = now + wait;
  record.wait = wait;
}

void stand_still(StepRecord& record, StepState state) {
  record.state = state;
  record.wake_at.reset();
  record.wait = {};
  record.progress.reset();
}

StepChange after_act(const StepRecord& step, milliseconds wake, WallTime now) {
  StepChange change{.kind = wake > milliseconds::zero() ? ChangeKind::other : ChangeKind::receipt,
                    .record = step};
  wake_in(change.record, wake, now);
  return change;
}

}  // namespace

StepChange to_send(const StepRecord& step, const Send& send, const Looked& looked, const Pace& pace,
                   milliseconds engine_settle) {
  StepChange change = begun(step, looked);
  change.kind = ChangeKind::intent;
  change.owes = send.makes;
  StepRecord& record = change.record;
  // A repeat of an act whose outcome is unknown: whatever becomes of the repeat, the first may still land.
  const bool repeats_unknown = record.outcome == Outcome::unknown && send.generation == record.generation &&
                               record.request == send.request;
  if (!repeats_unknown) {
    record.outcome = Outcome::sent;
    record.settled = true;
  }
  record.state = StepState::acting;
  record.request = send.request;
  record.repeat = send.repeat;
  record.deadline = pace.deadline(send.deadline);
  record.settle = pace.wait(std::max(engine_settle, send.settle.value_or(milliseconds::zero())));
  record.generation = send.generation;
  record.attempts = send.attempts;
  ++record.acts;
  record.act_error.reset();
  record.sent_at = looked.at;
  record.wake_at.reset();
  record.wait = {};
  record.progress.reset();
  record.error.reset();
  record.question.reset();
  change.event = EventDraft{"step_acting", record.title, {{"act", record.acts}}};
  return change;
}

StepChange act_accepted(const StepRecord& step, const json::value& receipt, WallTime now) {
  StepChange change = after_act(step, milliseconds::zero(), now);
  change.record.outcome = Outcome::accepted;
  change.record.settled = true;
  change.record.receipt = to_text(receipt);
  change.event = EventDraft{"step_accepted", step.title, {}};
  return change;
}

StepChange act_refused(const StepRecord& step, const Error& error, milliseconds wake, WallTime now) {
  StepChange change = after_act(step, wake, now);
  change.record.act_error = stored(error);
  if (step.outcome != Outcome::unknown) change.record.outcome = Outcome::refused;
  if (wake > milliseconds::zero()) change.record.progress = clean("Tries again: " + error.message);
  change.event = EventDraft{"step_refused", clean(error.message), error_detail(error)};
  return change;
}

StepChange act_lost(const StepRecord& step, const Error& error, milliseconds wake, WallTime now) {
  StepChange change = after_act(step, wake, now);
  change.record.outcome = Outcome::unknown;
  change.record.settled = false;
  if (wake > milliseconds::zero())
    change.record.progress = "No answer; looks when the call can't take effect any more";
  change.event = EventDraft{"step_outcome_unknown", clean(error.message), error_detail(error)};
  return change;
}

StepChange to_finish(const StepRecord& step, Done done, const Looked& looked) {
  StepChange change = begun(step, looked);
  change.finishes = true;
  change.owned = std::move(done.owned);
  change.removed = std::move(done.removed);
  StepRecord& record = change.record;
  stand_still(record, StepState::done);
  record.settled = true;
  record.finished_at = looked.at;
  record.output = to_text(done.output);
  record.error.reset();
  record.question.reset();
  change.event = EventDraft{
      step.phase == Phase::undo ? "step_undone" : "step_done", record.title, {{"acts", record.acts}}};
  return change;
}

StepChange to_park(const StepRecord& step, const Park& park, const Looked& looked) {
  StepChange change = begun(step, looked);
  StepRecord& record = change.record;
  wake_in(record, park.after, looked.at);
  std::string progress = clean(park.progress);
  if (record.progress != progress || step.state != StepState::waiting) {
    change.event = EventDraft{"step_waiting", progress, {}};
  }
  record.progress = std::move(progress);
  record.error.reset();
  record.question.reset();
  return change;
}

StepChange to_stop(const StepRecord& step, const Stop& stop, WallTime now,
                   const std::optional<Looked>& looked) {
  StepChange change = looked ? begun(step, *looked) : StepChange{.record = step};
  StepRecord& record = change.record;
  if (!record.started_at) record.started_at = now;
  stand_still(record, stop.state);
  record.finished_at.reset();
  record.question.reset();
  record.error.reset();
  if (stop.question) record.question = stored(*stop.question);
  if (stop.error) record.error = stored(*stop.error);
  std::string message = stop.error ? stop.error->message : stop.question ? stop.question->text : "";
  json::object detail = stop.error ? error_detail(*stop.error) : json::object{};
  if (stop.question) detail["question"] = encode(*stop.question);
  change.event = EventDraft{stop.state == StepState::needs_input ? "step_needs_input"
                            : stop.state == StepState::blocked   ? "step_blocked"
                                                                 : "step_failed",
                            clean(message), std::move(detail)};
  if (stop.state == StepState::failed) record.finished_at = now;
  return change;
}

StepChange look_failed(const StepRecord& step, const Error& error, milliseconds wake, WallTime now) {
  StepChange change{.record = step};
  StepRecord& record = change.record;
  if (!record.started_at) record.started_at = now;
  ++record.failed_looks;
  wake_in(record, wake, now);
  record.progress = clean("Could not look, tries again: " + error.message);
  change.event = EventDraft{"step_look_failed", clean(error.message), error_detail(error)};
  return change;
}

StepChange to_settle(const StepRecord& step, const std::optional<Looked>& looked) {
  StepChange change = looked ? begun(step, *looked) : StepChange{.record = step};
  change.record.settled = true;
  return change;
}

bool park_is_news(const StepRecord& step, const Park& park, const Looked& looked) {
  return step.state != StepState::waiting || !step.before || step.failed_looks > 0 ||
         step.progress != clean(park.progress) || park.after > k_short_wait ||
         (looked.settled && step.unsettled());
}

}  // namespace instantstart::operations
