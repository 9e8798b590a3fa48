// What people and agents ask of an operation that exists: go on, or stop.
#include <algorithm>

#include <fmt/core.h>

#include "base/error_codes.h"
#include "operations/journal_rows.h"

namespace instantstart::operations::journal {
namespace {

std::string id_of(const Hold& hold) { return hold.operation_id; }

bool stands_still(const StepRecord& step) {
  return step.state == StepState::failed || step.state == StepState::blocked ||
         step.state == StepState::needs_input;
}

std::vector<Question::Choice> choices_of(const StepRecord& step) {
  if (!step.question) return {};
  auto question = decode<Question>(parse_stored(*step.question));
  return question ? std::move(question->choices) : std::vector<Question::Choice>{};
}

bool offers(const StepRecord& step, const std::string& choice) {
  const auto choices = choices_of(step);
  return std::ranges::any_of(choices, [&](const auto& offered) { return offered.value == choice; });
}

Error nothing_to_retry(std::string why) {
  return {.code = std::string(codes::conflict), .message = std::move(why), .retryable = false};
}

Error no_such_choice(const std::vector<StepRecord>& asking) {
  json::array offered;
  for (const auto& step : asking) {
    for (const auto& choice : choices_of(step)) {
      offered.push_back(json::object{{"step_id", step.id}, {"choice", choice.value}, {"doc", choice.doc}});
    }
  }
  return {.code = std::string(codes::invalid_request),
          .message = asking.empty()
                         ? "No step asks a question now."
                         : "That is not one of the choices, or several steps offer it: name the step too.",
          .detail = {{"choices", std::move(offered)}}};
}

/// The steps that were meant, or why there are none.
Result<std::vector<StepRecord>> chosen_steps(std::vector<StepRecord> steps, Phase phase,
                                             const std::optional<std::string>& step_id,
                                             const std::optional<std::string>& choice) {
  if (step_id && std::ranges::none_of(steps, [&](const auto& step) { return step.id == *step_id; })) {
    return fail(codes::not_found, fmt::format("The operation has no step '{}'.", *step_id));
  }
  std::erase_if(steps, [&](const StepRecord& step) {
    return step.phase != phase || !stands_still(step) || (step_id && step.id != *step_id);
  });
  if (steps.empty()) return fail(nothing_to_retry("No step has failed, is blocked or asks a question."));
  if (!choice) return steps;

  std::erase_if(steps, [](const StepRecord& step) { return step.state != StepState::needs_input; });
  std::vector<StepRecord> offering;
  std::ranges::copy_if(steps, std::back_inserter(offering),
                       [&](const StepRecord& step) { return offers(step, *choice); });
  if (offering.size() != 1) return fail(no_such_choice(steps));
  return offering;
}

/// The record of a step that looks again at once, with all its tries before it.
void start_over(StepRecord& step, const std::optional<std::string>& choice, WallTime now) {
  const bool engine_asked = step.repeat == Repeat::ask;
  if (choice && engine_asked && *choice == send_again_choice(step)) {
    // Somebody looked: the last act did not happen. Another one follows, with a token of its own.
    step.outcome = Outcome::none;
    step.settled = true;
    ++step.generation;
  }
  if (choice) step.choice = choice;
  step.state = StepState::waiting;
  step.wake_at = now;
  step.wait = {};
  step.attempts = 0;
  step.failed_looks = 0;
  step.act_error.reset();
  step.error.reset();
  step.question.reset();
  step.progress.reset();
  step.finished_at.reset();
}

class Request {
 public:
  Request(JournalTransaction& journal, const std::optional<std::string>& owner)
      : journal_(journal), owner_(owner) {}

  Result<> retry(const std::string& id, const std::optional<std::string>& step_id,
                 const std::optional<std::string>& choice);
  Result<> cancel(const std::string& id, bool rollback, bool even_succeeded);

  Requested outcome() && {
    auto woken = journal_.woken();
    std::ranges::transform(taken_, std::back_inserter(woken), id_of);
    return {.taken = std::move(taken_), .woken = std::move(woken)};
  }

 private:
  Result<> reactivate(OperationRecord& operation);
  void change_from_outside(OperationRecord& operation, bool was_active);
  Result<> retry_step(const OperationRecord& operation, StepRecord step,
                      const std::optional<std::string>& choice);
  void restart_failed_undo(const OperationRecord& operation);
  std::optional<Child> newest_child(const std::string& parent_id, const std::string& step_id);

  JournalTransaction& journal_;
  const std::optional<std::string>& owner_;
  std::vector<Hold> taken_;
};

/// What has ended gave up its subject; somebody else may work there now.
Result<> Request::reactivate(OperationRecord& operation) {
  const auto row = journal_.row("SELECT scope, removes FROM operation WHERE id = $1", {operation.id});
  if (!row) return journal_.refuse(no_such_operation(operation.id));
  const Claim claim{operation.subject, enum_of<Scope>(row->text(0)), row->integer(1) != 0};
  const auto others = rivals(journal_, claim, operation.root_id);
  if (!others.empty()) return journal_.refuse(operation_conflict(others.front()));
  operation.active = true;
  return {};
}

/// Stores the flags, and takes the operation over unless its owner is in the middle of an act: that one sees
/// the new revision with its next write.
void Request::change_from_outside(OperationRecord& operation, bool was_active) {
  ++operation.revision;
  const auto acting = journal_.row(
      "SELECT count(*) FROM operation_step WHERE operation_id = $1 AND state = 'acting'", {operation.id});
  const bool busy = !acting || acting->integer(0) > 0;
  if (!was_active || (owner_ && operation.owner != owner_ && !busy)) {
    operation.owner = owner_;
    ++operation.epoch;
    if (owner_) taken_.push_back({operation.id, operation.epoch});
  }
  journal_.run(
      "UPDATE operation SET active = 1, finished_at = NULL, cancel_requested = $2, rollback = $3, revision = "
      "$4, "
      "owner = $5, epoch = $6, updated_at = $7 WHERE id = $1",
      {operation.id, std::int64_t{operation.cancel_requested}, std::int64_t{operation.rollback},
       operation.revision, store::or_null(operation.owner), operation.epoch, journal_.now_stored()});
  journal_.wake(operation.id);
}

std::optional<Child> Request::newest_child(const std::string& parent_id, const std::string& step_id) {
  const auto row = journal_.row(
      "SELECT id, state FROM operation WHERE parent_id = $1 AND parent_step = $2 ORDER BY created_at DESC, "
      "id DESC LIMIT 1",
      {parent_id, step_id});
  if (!row) return std::nullopt;
  return Child{.id = row->text(0), .step_id = step_id, .state = enum_of<OperationState>(row->text(1))};
}

Result<> Request::retry_step(const OperationRecord& operation, StepRecord step,
                             const std::optional<std::string>& choice) {
  start_over(step, choice, journal_.now());
  const auto child = newest_child(operation.id, step.id);
  if (child && child->state == OperationState::cancelled && step.phase == Phase::forward) {
    // Gone for good: a new one takes its place, under a new token.
    step.outcome = Outcome::none;
    ++step.generation;
  }
  update_step(journal_, operation.id, step);
  journal_.event(operation.id, operation.subject, step.id,
                 {"step_retried", step.title, choice ? json::object{{"choice", *choice}} : json::object{}});
  if (child && (child->state == OperationState::failed || child->state == OperationState::needs_input)) {
    return retry(child->id, std::nullopt, choice);
  }
  return {};
}

Result<> Request::retry(const std::string& id, const std::optional<std::string>& step_id,
                        const std::optional<std::string>& choice) {
  auto operation = read_operation(journal_, id);
  if (!operation) return journal_.refuse(no_such_operation(id));
  if (operation->state == OperationState::succeeded || operation->state == OperationState::cancelled) {
    return journal_.refuse(nothing_to_retry(
        fmt::format("The operation has {}.",
                    operation->state == OperationState::succeeded ? "succeeded" : "been cancelled")));
  }
  const Phase phase = operation->cancel_requested ? Phase::undo : Phase::forward;
  auto steps = chosen_steps(read_steps(journal_, id), phase, step_id, choice);
  if (!steps) return journal_.refuse(std::move(steps.error()));
  const bool was_active = operation->active;
  if (!was_active) {
    if (auto ready = reactivate(*operation); !ready) return ready;
  }
  change_from_outside(*operation, was_active);
  for (auto& step : *steps) {
    if (auto going = retry_step(*operation, std::move(step), choice); !going) return going;
  }
  if (auto now = read_operation(journal_, id)) settle_state(journal_, std::move(*now));
  return {};
}

void Request::restart_failed_undo(const OperationRecord& operation) {
  for (auto& step : read_steps(journal_, operation.id)) {
    if (step.phase != Phase::undo || step.state != StepState::failed) continue;
    start_over(step, std::nullopt, journal_.now());
    update_step(journal_, operation.id, step);
  }
}

Result<> Request::cancel(const std::string& id, bool rollback, bool even_succeeded) {
  auto operation = read_operation(journal_, id);
  if (!operation) return journal_.refuse(no_such_operation(id));
  if (operation->state == OperationState::succeeded && !even_succeeded) {
    return journal_.refuse(nothing_to_retry("The operation has succeeded; there is nothing to cancel."));
  }
  if (operation->state == OperationState::cancelled && !rollback) return {};

  const bool was_active = operation->active;
  if (!was_active && rollback) {
    if (auto ready = reactivate(*operation); !ready) return ready;
    restart_failed_undo(*operation);
  }
  // Without rollback an undo that came to a stop is given up, but not one that is under way.
  const bool gives_up = !rollback && operation->state != OperationState::cancelling;
  operation->cancel_requested = true;
  operation->rollback = gives_up ? false : operation->rollback || rollback;
  change_from_outside(*operation, was_active);
  if (!was_active && !rollback) {
    // Nobody looks any more whether a lost act landed: what it owes stays listed.
    journal_.run(
        "UPDATE operation_step SET settled = 1, version = version + 1 WHERE operation_id = $1 AND settled = "
        "0",
        {id});
  }
  for (const auto& row :
       journal_.rows("SELECT id FROM operation WHERE parent_id = $1 AND active = 1 ORDER BY id", {id})) {
    if (auto child = cancel(row.text(0), rollback, false); !child) return child;
  }
  if (auto now = read_operation(journal_, id)) settle_state(journal_, std::move(*now));
  return {};
}

}  // namespace

Result<Requested> retry(store::Transaction& transaction, const std::string& id,
                        const std::optional<std::string>& step_id, const std::optional<std::string>& choice,
                        const std::optional<std::string>& owner, WallTime now) {
  JournalTransaction journal(transaction, now);
  journal.run(k_accept_lock);
  Request request(journal, owner);
  if (auto made = request.retry(id, step_id, choice); !made) return fail(std::move(made.error()));
  return journal.done(std::move(request).outcome());
}

Result<Requested> cancel(store::Transaction& transaction, const std::string& id, bool rollback,
                         const std::optional<std::string>& owner, WallTime now) {
  JournalTransaction journal(transaction, now);
  journal.run(k_accept_lock);
  Request request(journal, owner);
  if (auto made = request.cancel(id, rollback, false); !made) return fail(std::move(made.error()));
  return journal.done(std::move(request).outcome());
}

Result<Requested> roll_back_child(store::Transaction& transaction, const std::string& id,
                                  const std::optional<std::string>& owner, WallTime now) {
  JournalTransaction journal(transaction, now);
  journal.run(k_accept_lock);
  Request request(journal, owner);
  if (auto made = request.cancel(id, true, true); !made) return fail(std::move(made.error()));
  return journal.done(std::move(request).outcome());
}

}  // namespace instantstart::operations::journal
