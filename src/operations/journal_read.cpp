// What callers see.
#include <algorithm>
#include <set>

#include "operations/journal_rows.h"

namespace instantstart::operations::journal {
namespace {

constexpr std::int32_t k_longest_page = 1000;

OperationSummary summary_of(const store::Row& row) {
  OperationSummary summary{.id = row.text(0),
                           .kind = row.text(1),
                           .subject = row.text(2),
                           .summary = row.text(3),
                           .state = enum_of<OperationState>(row.text(4)),
                           .started_by = row.text(5),
                           .created_at = to_rfc3339(time_of(row.integer(6))),
                           .steps_done = row.integer(8),
                           .steps_total = row.integer(9)};
  if (const auto finished = row.optional_integer(7)) summary.finished_at = to_rfc3339(time_of(*finished));
  return summary;
}

/// The operation and all below it, by walking down: an operation has few descendants.
std::vector<std::string> itself_and_below(JournalTransaction& journal, const std::string& id) {
  std::vector<std::string> found{id};
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (const auto& row :
         journal.rows("SELECT id FROM operation WHERE parent_id = $1 ORDER BY id", {found[i]})) {
      found.push_back(row.text(0));
    }
  }
  return found;
}

}  // namespace

Result<LoadedOperation> load(store::Transaction& transaction, const std::string& id) {
  JournalTransaction journal(transaction, WallTime{});
  auto operation = read_operation(journal, id);
  if (!operation) return journal.refuse(no_such_operation(id));
  auto steps = read_steps(journal, id);
  return journal.done(LoadedOperation{std::move(*operation), std::move(steps)});
}

Result<OperationPage> list(store::Transaction& transaction, const ListFilter& filter) {
  JournalTransaction journal(transaction, WallTime{});
  const std::int64_t limit = std::clamp(filter.limit, 1, k_longest_page);
  std::optional<std::string> state;
  if (filter.state) state = std::string(text_of(*filter.state));
  // Ids begin with the time of their making (UUID version 7). One row more than asked for tells whether there
  // are more.
  const auto rows = journal.rows(
      "SELECT o.id, o.kind, o.subject, o.summary, o.state, o.principal, o.created_at, o.finished_at, "
      "(SELECT count(*) FROM operation_step s WHERE s.operation_id = o.id AND s.phase = 'forward' AND "
      "s.state = 'done'), "
      "(SELECT count(*) FROM operation_step s WHERE s.operation_id = o.id AND s.phase = 'forward') "
      "FROM operation o WHERE (CAST($1 AS TEXT) IS NULL OR o.id < $1) AND (CAST($2 AS TEXT) IS NULL OR "
      "o.state = $2) "
      "AND (CAST($3 AS TEXT) IS NULL OR o.kind = $3) AND (CAST($4 AS TEXT) IS NULL OR o.subject = $4 OR "
      "substr(o.subject, 1, length($4) + 1) = $4 || '/') ORDER BY o.id DESC LIMIT $5",
      {store::or_null(filter.cursor), store::or_null(state), store::or_null(filter.kind),
       store::or_null(filter.subject), limit + 1});
  OperationPage page;
  for (const auto& row : rows) page.operations.push_back(summary_of(row));
  if (std::ssize(page.operations) > limit) {
    page.operations.pop_back();
    page.next_cursor = page.operations.back().id;
  }
  return journal.done(std::move(page));
}

Result<std::vector<Event>> events(store::Transaction& transaction, std::int64_t cursor,
                                  const std::optional<std::string>& operation_id, std::int32_t limit) {
  JournalTransaction journal(transaction, WallTime{});
  const std::int64_t most = std::clamp(limit, 1, k_longest_page);
  const auto rows =
      operation_id
          ? journal.rows(
                "SELECT sequence, operation_id, subject, at, kind, step_id, message, detail FROM "
                "operation_event WHERE operation_id = $1 AND sequence > $2 ORDER BY sequence LIMIT $3",
                {*operation_id, cursor, most})
          : journal.rows(
                "SELECT sequence, operation_id, subject, at, kind, step_id, message, detail FROM "
                "operation_event WHERE sequence > $1 ORDER BY sequence LIMIT $2",
                {cursor, most});
  std::vector<Event> found;
  for (const auto& row : rows) {
    Event event{.sequence = row.integer(0),
                .operation_id = row.text(1),
                .subject = row.text(2),
                .at = to_rfc3339(time_of(row.integer(3))),
                .kind = row.text(4),
                .step_id = row.optional_text(5),
                .message = row.text(6)};
    auto detail = parse_stored(row.text(7));
    if (detail.is_object()) event.detail = std::move(detail.get_object());
    found.push_back(std::move(event));
  }
  return journal.done(std::move(found));
}

Result<std::int64_t> newest_event(store::Transaction& transaction) {
  JournalTransaction journal(transaction, WallTime{});
  const auto rows = journal.rows("SELECT COALESCE(max(sequence), 0) FROM operation_event", {});
  return journal.done(rows.empty() ? std::int64_t{0} : rows.front().integer(0));
}

Result<std::vector<StoredResource>> resources(store::Transaction& transaction, const std::string& id) {
  JournalTransaction journal(transaction, WallTime{});
  std::vector<StoredResource> found;
  for (const auto& operation_id : itself_and_below(journal, id)) {
    for (const auto& row :
         journal.rows("SELECT step_id, type, name, state FROM operation_resource WHERE operation_id = $1 "
                      "ORDER BY created_at, step_id, type, name",
                      {operation_id})) {
      found.push_back({operation_id, row.text(0), row.text(1), row.text(2), row.text(3)});
    }
  }
  return journal.done(std::move(found));
}

Result<std::vector<Child>> children(store::Transaction& transaction, const std::string& parent_id) {
  JournalTransaction journal(transaction, WallTime{});
  std::vector<Child> found;
  for (const auto& row : journal.rows(
           "SELECT o.id, o.parent_step, o.parent_token, o.state, o.rollback, "
           "(SELECT count(*) FROM operation_step s WHERE s.operation_id = o.id AND s.phase = 'forward' AND "
           "s.state = 'done'), "
           "(SELECT count(*) FROM operation_step s WHERE s.operation_id = o.id AND s.phase = 'forward') "
           "FROM operation o WHERE o.parent_id = $1 ORDER BY o.created_at, o.id",
           {parent_id})) {
    found.push_back({.id = row.text(0),
                     .step_id = row.text(1),
                     .token = row.text(2),
                     .state = enum_of<OperationState>(row.text(3)),
                     .rollback = row.integer(4) != 0,
                     .steps_done = row.integer(5),
                     .steps_total = row.integer(6)});
  }
  return journal.done(std::move(found));
}

}  // namespace instantstart::operations::journal
