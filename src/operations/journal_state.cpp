// Where an operation stands after a change, and whom that concerns.
#include "operations/journal_rows.h"

namespace instantstart::operations::journal {
namespace {

std::vector<StepCount> count_steps(JournalTransaction& journal, const std::string& operation_id) {
  std::vector<StepCount> counts;
  for (const auto& row : journal.rows("SELECT phase, state, outcome, settled, count(*) FROM operation_step "
                                      "WHERE operation_id = $1 GROUP BY phase, state, outcome, settled",
                                      {operation_id})) {
    const bool unsettled = enum_of<Outcome>(row.text(2)) == Outcome::unknown && row.integer(3) == 0;
    counts.push_back(
        {enum_of<Phase>(row.text(0)), enum_of<StepState>(row.text(1)), unsettled, row.integer(4)});
  }
  return counts;
}

std::int64_t count_active_children(JournalTransaction& journal, const std::string& operation_id) {
  const auto row =
      journal.row("SELECT count(*) FROM operation WHERE parent_id = $1 AND active = 1", {operation_id});
  return row ? row->integer(0) : 0;
}

/// The error or question of the step that made it stop, for the event.
json::object why_it_stopped(JournalTransaction& journal, const std::string& operation_id) {
  const auto row = journal.row(
      "SELECT id, error FROM operation_step WHERE operation_id = $1 AND state IN ('failed', 'blocked', "
      "'needs_input') "
      "ORDER BY phase DESC, position LIMIT 1",
      {operation_id});
  json::object why;
  if (!row) return why;
  why["step_id"] = row->text(0);
  if (const auto error = row->optional_text(1)) why["error"] = parse_stored(*error);
  return why;
}

/// Running and waiting change too often to be told; the steps' own events say more.
bool is_news(OperationState state) {
  return is_terminal(state) || state == OperationState::needs_input || state == OperationState::cancelling;
}

EventDraft event_of(JournalTransaction& journal, const OperationRecord& operation) {
  switch (operation.state) {
    case OperationState::succeeded: return {"operation_succeeded", operation.summary, {}};
    case OperationState::failed:
      return {"operation_failed", operation.summary, why_it_stopped(journal, operation.id)};
    case OperationState::cancelled: return {"operation_cancelled", operation.summary, {}};
    case OperationState::cancelling:
      return {"operation_cancelling", operation.summary, {{"rollback", operation.rollback}}};
    default: return {"operation_needs_input", operation.summary, why_it_stopped(journal, operation.id)};
  }
}

/// The parent's step looks at its child again, and whoever holds the parent reads it again.
void wake_parent(JournalTransaction& journal, const OperationRecord& child) {
  if (!child.parent_id) return;
  const auto woken = journal.run(
      "UPDATE operation_step SET state = 'waiting', wake_at = $3, wait_ms = 0, question = NULL, error = "
      "NULL, "
      "version = version + 1 WHERE operation_id = $1 AND id = $2 AND state IN ('waiting', 'needs_input', "
      "'blocked')",
      {*child.parent_id, child.parent_step.value_or(""), journal.now_stored()});
  auto parent = read_operation(journal, *child.parent_id);
  if (!parent || !parent->active) return;
  journal.run("UPDATE operation SET revision = revision + 1 WHERE id = $1", {parent->id});
  ++parent->revision;
  journal.wake(parent->id);
  if (woken > 0) settle_state(journal, std::move(*parent));
}

}  // namespace

bool still_in_motion(JournalTransaction& journal, const std::string& operation_id) {
  for (const auto& step : count_steps(journal, operation_id)) {
    if (step.phase == Phase::forward && (step.unsettled || step.state == StepState::acting)) return true;
  }
  return count_active_children(journal, operation_id) > 0;
}

OperationRecord settle_state(JournalTransaction& journal, OperationRecord operation, bool exhausted) {
  OperationFacts facts{
      .cancel_requested = operation.cancel_requested, .rollback = operation.rollback, .exhausted = exhausted};
  if (operation.cancel_requested) facts.active_children = count_active_children(journal, operation.id);
  const OperationState state = derived_state(facts, count_steps(journal, operation.id));
  if (state == operation.state) return operation;

  const OperationState before = operation.state;
  operation.state = state;
  operation.active = !is_terminal(state);
  operation.updated_at = journal.now();
  if (operation.active) {
    operation.finished_at.reset();
  } else {
    operation.finished_at = journal.now();
  }
  journal.run("UPDATE operation SET state = $2, active = $3, updated_at = $4, finished_at = $5 WHERE id = $1",
              {operation.id, std::string(text_of(state)), std::int64_t{operation.active},
               journal.now_stored(), stored_time(operation.finished_at)});
  if (is_news(state))
    journal.event(operation.id, operation.subject, std::nullopt, event_of(journal, operation));
  if (is_news(state) || is_news(before)) wake_parent(journal, operation);
  return operation;
}

}  // namespace instantstart::operations::journal
