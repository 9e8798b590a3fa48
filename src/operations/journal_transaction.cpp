#include "operations/journal_transaction.h"

namespace instantstart::operations {

std::int64_t stored_time(WallTime time) { return time.time_since_epoch().count(); }

store::Value stored_time(std::optional<WallTime> time) {
  if (!time) return nullptr;
  return stored_time(*time);
}

WallTime time_of(std::int64_t stored) { return WallTime(milliseconds(stored)); }

std::vector<store::Row> JournalTransaction::rows(std::string_view sql,
                                                 std::initializer_list<store::Value> parameters) {
  if (error_) return {};
  auto found = transaction_.query(sql, parameters);
  if (found) return std::move(*found);
  error_ = std::move(found.error());
  return {};
}

std::optional<store::Row> JournalTransaction::row(std::string_view sql,
                                                  std::initializer_list<store::Value> parameters) {
  auto found = rows(sql, parameters);
  if (found.empty()) return std::nullopt;
  return std::move(found.front());
}

std::int64_t JournalTransaction::run(std::string_view sql, std::initializer_list<store::Value> parameters) {
  if (error_) return 0;
  auto changed = transaction_.execute(sql, parameters);
  if (changed) return *changed;
  error_ = std::move(changed.error());
  return 0;
}

void JournalTransaction::event(std::string_view operation_id, std::string_view subject,
                               std::optional<std::string> step_id, EventDraft draft) {
  events_.push_back({std::string(operation_id), std::string(subject), std::move(step_id), std::move(draft)});
}

void JournalTransaction::write_events() {
  if (events_.empty() || error_) return;
  const auto count = static_cast<std::int64_t>(events_.size());
  // The row stays locked until the commit, so numbers become visible in their order and none is missing: a
  // sequence object would hand out 8 while the transaction with 7 is still open.
  const auto last =
      row("UPDATE operation_counter SET value = value + $1 WHERE name = 'event' RETURNING value", {count});
  if (!last) return;
  std::int64_t sequence = last->integer(0) - count;
  for (const auto& event : events_) {
    run("INSERT INTO operation_event (sequence, operation_id, at, subject, kind, step_id, message, detail) "
        "VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        {++sequence, event.operation_id, now_stored(), event.subject, std::string(event.draft.kind),
         store::or_null(event.step_id), event.draft.message, to_text(event.draft.detail)});
  }
  events_.clear();
}

}  // namespace instantstart::operations
