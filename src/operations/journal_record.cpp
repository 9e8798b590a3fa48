// What the owner of an operation writes while it runs.
#include "operations/journal_rows.h"

namespace instantstart::operations::journal {
namespace {

/// Touches the operation under its epoch, which also keeps others from changing it until the commit. Empty:
/// not ours any more.
std::optional<OperationRecord> touch(JournalTransaction& journal, const Hold& hold) {
  const auto row = journal.row(
      "UPDATE operation SET updated_at = $3 WHERE id = $1 AND epoch = $2 AND active = 1 "
      "RETURNING subject, state, cancel_requested, rollback, revision, parent_id, parent_step, summary",
      {hold.operation_id, hold.epoch, journal.now_stored()});
  if (!row) return std::nullopt;
  OperationRecord operation;
  operation.id = hold.operation_id;
  operation.epoch = hold.epoch;
  operation.subject = row->text(0);
  operation.state = enum_of<OperationState>(row->text(1));
  operation.cancel_requested = row->integer(2) != 0;
  operation.rollback = row->integer(3) != 0;
  operation.revision = row->integer(4);
  operation.parent_id = row->optional_text(5);
  operation.parent_step = row->optional_text(6);
  operation.summary = row->text(7);
  return operation;
}

void owe(JournalTransaction& journal, const std::string& operation_id, const StepChange& change) {
  for (const auto& resource : change.owes) {
    journal.run(
        "INSERT INTO operation_resource (operation_id, step_id, type, name, state, created_at) "
        "VALUES ($1, $2, $3, $4, 'owed', $5) ON CONFLICT (operation_id, step_id, type, name) DO UPDATE SET "
        "state = CASE operation_resource.state WHEN 'removed' THEN 'owed' ELSE operation_resource.state END",
        {operation_id, change.record.id, resource.type, resource.name, journal.now_stored()});
  }
}

/// What the step owed is settled: it is ours, or it is not there.
void settle_inventory(JournalTransaction& journal, const std::string& operation_id,
                      const StepChange& change) {
  const std::string& step_id = change.record.id;
  if (change.record.phase == Phase::undo) {
    journal.run("UPDATE operation_resource SET state = 'removed' WHERE operation_id = $1 AND step_id = $2",
                {operation_id, step_id});
  } else if (change.record.acts > 0) {
    journal.run("DELETE FROM operation_resource WHERE operation_id = $1 AND step_id = $2 AND state = 'owed'",
                {operation_id, step_id});
  }
  for (const auto& resource : change.owned) {
    journal.run(
        "INSERT INTO operation_resource (operation_id, step_id, type, name, state, created_at) "
        "VALUES ($1, $2, $3, $4, 'owned', $5) ON CONFLICT (operation_id, step_id, type, name) DO UPDATE SET "
        "state = 'owned'",
        {operation_id, step_id, resource.type, resource.name, journal.now_stored()});
  }
  // Names are those of the thing that is worked on: two clusters have objects of equal name.
  for (const auto& resource : change.removed) {
    journal.run(
        "UPDATE operation_resource SET state = 'removed' WHERE type = $1 AND name = $2 AND operation_id IN "
        "(SELECT id FROM operation WHERE area = (SELECT area FROM operation WHERE id = $3))",
        {resource.type, resource.name, operation_id});
  }
}

/// The cheap half of settle_state: an act is news only for an operation that stood still.
void set_running(JournalTransaction& journal, OperationRecord& operation) {
  if (operation.state != OperationState::pending && operation.state != OperationState::waiting) return;
  operation.state = OperationState::running;
  journal.run("UPDATE operation SET state = 'running' WHERE id = $1", {operation.id});
}

Recorded recorded(const JournalTransaction& journal, Verdict verdict, const OperationRecord& operation) {
  return {
      .verdict = verdict, .revision = operation.revision, .state = operation.state, .woken = journal.woken()};
}

/// Forward steps that have something in the inventory and no record of an undo yet.
std::vector<StepRecord> still_to_undo(JournalTransaction& journal, const std::string& operation_id,
                                      const std::set<std::string>& undoable) {
  std::set<std::string> holding;
  for (const auto& row :
       journal.rows("SELECT DISTINCT step_id FROM operation_resource WHERE operation_id = $1 AND "
                    "state IN ('owed', 'owned')",
                    {operation_id})) {
    holding.insert(row.text(0));
  }
  auto all = read_steps(journal, operation_id);
  for (const auto& step : all) {
    if (step.phase == Phase::undo) holding.erase(step.id);
  }
  std::erase_if(all, [&](const StepRecord& step) {
    return step.phase != Phase::forward || !holding.contains(step.id) || !undoable.contains(step.id);
  });
  return all;
}

/// How many were begun.
std::size_t begin_undo(JournalTransaction& journal, const OperationRecord& operation,
                       const std::set<std::string>& undoable) {
  const auto steps = still_to_undo(journal, operation.id, undoable);
  std::int64_t position = 0;
  for (const auto& step : steps) {
    const StepRecord undo{.id = step.id,
                          .phase = Phase::undo,
                          .kind = step.kind,
                          .title = "Undo: " + step.title,
                          .input = step.input};
    insert_step(journal, operation.id, position++, undo, "remove", "[]");
    journal.event(operation.id, operation.subject, step.id, {"step_undoing", undo.title, {}});
  }
  return steps.size();
}

}  // namespace

Result<Recorded> record(store::Transaction& transaction, const Hold& hold, const StepChange& change,
                        WallTime now) {
  JournalTransaction journal(transaction, now);
  auto operation = touch(journal, hold);
  if (!operation) return journal.done(Recorded{.verdict = Verdict::fenced});
  const bool is_intent = change.kind == ChangeKind::intent;
  if (is_intent && change.record.phase == Phase::forward && operation->cancel_requested) {
    return journal.done(recorded(journal, Verdict::stopped, *operation));
  }
  if (!update_step(journal, hold.operation_id, change.record)) {
    return journal.done(recorded(journal, Verdict::stale, *operation));
  }
  owe(journal, hold.operation_id, change);
  if (change.finishes) settle_inventory(journal, hold.operation_id, change);
  if (change.event) journal.event(operation->id, operation->subject, change.record.id, *change.event);
  const bool moves_on = is_intent || change.kind == ChangeKind::receipt;
  if (moves_on && !operation->cancel_requested) {
    set_running(journal, *operation);
  } else {
    *operation = settle_state(journal, std::move(*operation));
  }
  return journal.done(recorded(journal, Verdict::recorded, *operation));
}

Result<Recorded> advance_cancel(store::Transaction& transaction, const Hold& hold,
                                const std::set<std::string>& undoable, WallTime now) {
  JournalTransaction journal(transaction, now);
  auto operation = touch(journal, hold);
  if (!operation) return journal.done(Recorded{.verdict = Verdict::fenced});
  if (!operation->cancel_requested) return journal.done(recorded(journal, Verdict::stale, *operation));
  if (still_in_motion(journal, operation->id)) {
    return journal.done(recorded(journal, Verdict::recorded, *operation));
  }
  const std::size_t begun = operation->rollback ? begin_undo(journal, *operation, undoable) : 0;
  *operation = settle_state(journal, std::move(*operation), begun == 0);
  return journal.done(recorded(journal, begun > 0 ? Verdict::stale : Verdict::recorded, *operation));
}

}  // namespace instantstart::operations::journal
