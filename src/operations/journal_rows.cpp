#include "operations/journal_rows.h"

#include <fmt/core.h>

#include "base/error_codes.h"
#include "base/text.h"

namespace instantstart::operations::journal {
namespace {

std::optional<WallTime> optional_time(const store::Row& row, std::size_t column) {
  const auto stored = row.optional_integer(column);
  if (!stored) return std::nullopt;
  return time_of(*stored);
}

std::vector<std::string> texts_of(const std::string& stored) {
  auto texts = decode<std::vector<std::string>>(parse_stored(stored));
  return texts ? std::move(*texts) : std::vector<std::string>{};
}

StepRecord step_of(const store::Row& row) {
  StepRecord step;
  step.phase = enum_of<Phase>(row.text(0));
  step.id = row.text(1);
  step.state = enum_of<StepState>(row.text(2));
  step.settled = row.integer(3) != 0;
  step.outcome = enum_of<Outcome>(row.text(4));
  step.version = row.integer(5);
  step.kind = row.text(6);
  step.generation = row.integer(7);
  step.acts = row.integer(8);
  step.attempts = row.integer(9);
  step.failed_looks = row.integer(10);
  step.repeat = enum_of<Repeat>(row.text(11));
  step.deadline = milliseconds(row.integer(12));
  step.settle = milliseconds(row.integer(13));
  step.sent_at = optional_time(row, 14);
  step.started_at = optional_time(row, 15);
  step.finished_at = optional_time(row, 16);
  step.wake_at = optional_time(row, 17);
  step.wait = milliseconds(row.integer(18));
  step.title = row.text(19);
  step.after = texts_of(row.text(20));
  step.progress = row.optional_text(21);
  step.choice = row.optional_text(22);
  step.question = row.optional_text(23);
  step.error = row.optional_text(24);
  step.act_error = row.optional_text(25);
  step.input = row.text(26);
  step.request = row.optional_text(27);
  step.receipt = row.optional_text(28);
  step.output = row.optional_text(29);
  step.before = row.optional_text(30);
  return step;
}

Rival rival_of(const store::Row& row) {
  return {.id = row.text(0),
          .kind = row.text(1),
          .subject = row.text(2),
          .digest = row.text(3),
          .principal = row.text(4),
          .cancel_requested = row.integer(5) != 0};
}

Claim claim_of(const store::Row& row) {
  return {.subject = row.text(2), .scope = enum_of<Scope>(row.text(6)), .removes = row.integer(7) != 0};
}

void add_rivals(const std::vector<store::Row>& rows, const Claim& claim, std::vector<Rival>& found) {
  for (const auto& row : rows) {
    if (in_conflict(claim, claim_of(row))) found.push_back(rival_of(row));
  }
}

/// "cluster/a/group/g" → "cluster/a", "cluster/a/group/g"
std::vector<std::string> itself_and_above(std::string_view subject) {
  std::vector<std::string> paths;
  for (std::size_t end = subject.find('/'); end != std::string_view::npos; end = subject.find('/', end + 1)) {
    end = subject.find('/', end + 1);
    paths.emplace_back(subject.substr(0, end));
    if (end == std::string_view::npos) break;
  }
  return paths;
}

}  // namespace

std::optional<OperationRecord> read_operation(JournalTransaction& journal, const std::string& id) {
  const auto row = journal.row(
      "SELECT id, kind, subject, summary, principal, state, active, cancel_requested, rollback, revision, "
      "owner, "
      "epoch, parent_id, parent_step, root_id, created_at, updated_at, finished_at FROM operation WHERE id = "
      "$1",
      {id});
  if (!row) return std::nullopt;
  return OperationRecord{.id = row->text(0),
                         .kind = row->text(1),
                         .subject = row->text(2),
                         .summary = row->text(3),
                         .principal = row->text(4),
                         .state = enum_of<OperationState>(row->text(5)),
                         .active = row->integer(6) != 0,
                         .cancel_requested = row->integer(7) != 0,
                         .rollback = row->integer(8) != 0,
                         .revision = row->integer(9),
                         .owner = row->optional_text(10),
                         .epoch = row->integer(11),
                         .parent_id = row->optional_text(12),
                         .parent_step = row->optional_text(13),
                         .root_id = row->text(14),
                         .created_at = time_of(row->integer(15)),
                         .updated_at = time_of(row->integer(16)),
                         .finished_at = optional_time(*row, 17)};
}

std::vector<StepRecord> read_steps(JournalTransaction& journal, const std::string& operation_id) {
  const auto rows = journal.rows(
      "SELECT phase, id, state, settled, outcome, version, kind, generation, acts, attempts, failed_looks, "
      "repeat, "
      "deadline_ms, settle_ms, sent_at, started_at, finished_at, wake_at, wait_ms, title, after_ids, "
      "progress, choice, "
      "question, error, act_error, input, request, receipt, output, before "
      "FROM operation_step WHERE operation_id = $1 ORDER BY phase, position",
      {operation_id});
  std::vector<StepRecord> steps;
  steps.reserve(rows.size());
  for (const auto& row : rows) steps.push_back(step_of(row));
  return steps;
}

void insert_step(JournalTransaction& journal, const std::string& operation_id, std::int64_t position,
                 const StepRecord& step, std::string_view effect, std::string_view calls) {
  journal.run(
      "INSERT INTO operation_step (operation_id, phase, id, position, state, settled, outcome, version, "
      "kind, "
      "generation, acts, attempts, failed_looks, repeat, deadline_ms, settle_ms, wake_at, wait_ms, title, "
      "effect, "
      "after_ids, calls, input) "
      "VALUES ($1, $2, $3, $4, $5, 1, $6, 1, $7, 0, 0, 0, 0, $8, 0, 0, $9, $10, $11, $12, $13, $14, $15)",
      {operation_id, std::string(text_of(step.phase)), step.id, position, std::string(text_of(step.state)),
       std::string(text_of(step.outcome)), step.kind, std::string(text_of(step.repeat)),
       stored_time(step.wake_at), step.wait.count(), step.title, std::string(effect),
       to_text(encode(step.after)), std::string(calls), step.input});
}

bool update_step(JournalTransaction& journal, const std::string& operation_id, const StepRecord& step) {
  return journal.run(
             "UPDATE operation_step SET version = version + 1, state = $5, settled = $6, outcome = $7, "
             "generation = $8, "
             "acts = $9, attempts = $10, failed_looks = $11, repeat = $12, deadline_ms = $13, settle_ms = "
             "$14, "
             "sent_at = $15, started_at = $16, finished_at = $17, wake_at = $18, wait_ms = $19, progress = "
             "$20, "
             "choice = $21, question = $22, error = $23, act_error = $24, request = $25, receipt = $26, "
             "output = $27, "
             "before = $28 WHERE operation_id = $1 AND phase = $2 AND id = $3 AND version = $4",
             {operation_id,
              std::string(text_of(step.phase)),
              step.id,
              step.version,
              std::string(text_of(step.state)),
              std::int64_t{step.settled},
              std::string(text_of(step.outcome)),
              step.generation,
              step.acts,
              step.attempts,
              step.failed_looks,
              std::string(text_of(step.repeat)),
              step.deadline.count(),
              step.settle.count(),
              stored_time(step.sent_at),
              stored_time(step.started_at),
              stored_time(step.finished_at),
              stored_time(step.wake_at),
              step.wait.count(),
              store::or_null(step.progress),
              store::or_null(step.choice),
              store::or_null(step.question),
              store::or_null(step.error),
              store::or_null(step.act_error),
              store::or_null(step.request),
              store::or_null(step.receipt),
              store::or_null(step.output),
              store::or_null(step.before)}) == 1;
}

std::vector<Rival> rivals(JournalTransaction& journal, const Claim& claim, const std::string& root_id) {
  std::vector<Rival> found;
  for (auto& path : itself_and_above(claim.subject)) {
    add_rivals(
        journal.rows(
            "SELECT id, kind, subject, digest, principal, cancel_requested, scope, removes FROM operation "
            "WHERE active = 1 AND subject = $1 AND root_id <> $2 ORDER BY id",
            {std::move(path), root_id}),
        claim, found);
  }
  // A leaf that removes nothing has no quarrel with anybody below it, and there may be thousands.
  if (claim.scope == Scope::leaf && !claim.removes) return found;
  add_rivals(
      journal.rows(
          "SELECT id, kind, subject, digest, principal, cancel_requested, scope, removes FROM operation "
          "WHERE active = 1 AND area = $1 AND subject <> $2 AND length(subject) > length($2) "
          "AND root_id <> $3 ORDER BY id",
          {std::string(area_of(claim.subject)), claim.subject, root_id}),
      claim, found);
  return found;
}

Error operation_conflict(const Rival& rival) {
  return {.code = std::string(codes::operation_conflict),
          .message = fmt::format("Another operation ({}) works on {}.", rival.kind, rival.subject),
          .retryable = true,
          .next = {{"operation_get",
                    {{"operation_id", rival.id}, {"wait_seconds", 45}},
                    "Wait until it has ended."}},
          .detail = {{"operation_id", rival.id}, {"subject", rival.subject}, {"kind", rival.kind}}};
}

Error no_such_operation(std::string_view id) {
  return {.code = std::string(codes::not_found),
          .message = fmt::format("There is no operation '{}'.", shortened(without_controls(id), 100))};
}

}  // namespace instantstart::operations::journal
