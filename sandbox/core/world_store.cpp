#include "sandbox/core/world_store.h"

#include <array>
#include <iterator>

#include "base/decode.h"

namespace instantstart::sandbox {
namespace {

constexpr std::array k_migrations{store::Migration{
    .room = "sandbox",
    .version = 1,
    .sql =
        "CREATE TABLE sandbox_account (id TEXT NOT NULL PRIMARY KEY) STRICT;"
        "CREATE TABLE sandbox_record (collection TEXT NOT NULL, id TEXT NOT NULL, body TEXT NOT NULL,"
        " PRIMARY KEY (collection, id)) STRICT;"
        "CREATE TABLE sandbox_timer (kind TEXT NOT NULL, name TEXT NOT NULL, due INTEGER NOT NULL,"
        " PRIMARY KEY (kind, name)) STRICT;"
        "CREATE TABLE sandbox_audit (sequence INTEGER NOT NULL PRIMARY KEY, entry TEXT NOT NULL) STRICT;"}};

/// A record may hold an object of S3, in base64.
constexpr JsonLimits k_stored_limits{.max_bytes = 512 * 1024 * 1024, .max_depth = 96};

Result<> forget_all(store::Transaction& transaction, const std::string& account) {
  for (const auto* statement : {"DELETE FROM sandbox_account", "DELETE FROM sandbox_record",
                                "DELETE FROM sandbox_timer", "DELETE FROM sandbox_audit"}) {
    if (auto done = transaction.execute(statement); !done) return std::unexpected(std::move(done.error()));
  }
  auto made = transaction.execute("INSERT INTO sandbox_account (id) VALUES ($1)", {account});
  if (!made) return std::unexpected(std::move(made.error()));
  return {};
}

Result<std::int64_t> write_record(store::Transaction& transaction, const std::string& collection,
                                  const std::string& id, const std::optional<json::object>& body) {
  if (!body) {
    return transaction.execute("DELETE FROM sandbox_record WHERE collection = $1 AND id = $2",
                               {collection, id});
  }
  return transaction.execute(
      "INSERT INTO sandbox_record (collection, id, body) VALUES ($1, $2, $3)"
      " ON CONFLICT (collection, id) DO UPDATE SET body = excluded.body",
      {collection, id, to_text(*body)});
}

Result<std::int64_t> write_timer(store::Transaction& transaction, const TimerName& name,
                                 const std::optional<WallTime>& due) {
  if (!due) {
    return transaction.execute("DELETE FROM sandbox_timer WHERE kind = $1 AND name = $2",
                               {name.kind, name.key});
  }
  return transaction.execute(
      "INSERT INTO sandbox_timer (kind, name, due) VALUES ($1, $2, $3)"
      " ON CONFLICT (kind, name) DO UPDATE SET due = excluded.due",
      {name.kind, name.key, std::int64_t{due->time_since_epoch().count()}});
}

/// After a disk error it isn't known whether the row is there already; the same row may be written again.
Result<std::int64_t> write_audit(store::Transaction& transaction, const AuditEntry& entry) {
  return transaction.execute(
      "INSERT INTO sandbox_audit (sequence, entry) VALUES ($1, $2)"
      " ON CONFLICT (sequence) DO UPDATE SET entry = excluded.entry",
      {entry.sequence, to_text(encode(entry))});
}

Result<json::value> stored_json(const std::string& text, std::string_view what) {
  auto value = parse_json(text, k_stored_limits);
  if (!value) return fail(within(what, std::move(value.error())));
  return value;
}

Result<std::vector<AuditEntry>> audit_entries(const std::vector<store::Row>& rows) {
  std::vector<AuditEntry> entries;
  entries.reserve(rows.size());
  for (const auto& row : rows) {
    auto value = stored_json(row.text(0), "Audit row");
    if (!value) return std::unexpected(std::move(value.error()));
    auto entry = decode<AuditEntry>(*value);
    if (!entry) return fail(within("Audit row", std::move(entry.error())));
    entries.push_back(std::move(*entry));
  }
  return entries;
}

}  // namespace

void ChangeSet::put_before(ChangeSet earlier) {
  if (new_account) return;  // All that came before is to be forgotten anyway.
  new_account = std::move(earlier.new_account);
  records.merge(earlier.records);  // keeps what is here already
  timers.merge(earlier.timers);
  audit.insert(audit.begin(), std::make_move_iterator(earlier.audit.begin()),
               std::make_move_iterator(earlier.audit.end()));
}

std::span<const store::Migration> world_migrations() { return k_migrations; }

Result<> write_changes(store::Transaction& transaction, const ChangeSet& changes) {
  if (changes.new_account) {
    if (auto done = forget_all(transaction, *changes.new_account); !done) return done;
  }
  for (const auto& [name, body] : changes.records) {
    auto done = write_record(transaction, name.first, name.second, body);
    if (!done) return std::unexpected(std::move(done.error()));
  }
  for (const auto& [name, due] : changes.timers) {
    auto done = write_timer(transaction, name, due);
    if (!done) return std::unexpected(std::move(done.error()));
  }
  for (const auto& entry : changes.audit) {
    auto done = write_audit(transaction, entry);
    if (!done) return std::unexpected(std::move(done.error()));
  }
  return {};
}

Result<StoredWorld> read_world(store::Transaction& transaction) {
  StoredWorld world;
  auto account = transaction.query("SELECT id FROM sandbox_account");
  if (!account) return std::unexpected(std::move(account.error()));
  if (!account->empty()) world.account = account->front().text(0);

  auto records = transaction.query("SELECT collection, id, body FROM sandbox_record");
  if (!records) return std::unexpected(std::move(records.error()));
  for (const auto& row : *records) {
    auto body = stored_json(row.text(2), row.text(0) + " " + row.text(1));
    if (!body) return std::unexpected(std::move(body.error()));
    world.records.push_back({row.text(0), row.text(1), std::move(body->as_object())});
  }

  auto timers = transaction.query("SELECT kind, name, due FROM sandbox_timer ORDER BY due, kind, name");
  if (!timers) return std::unexpected(std::move(timers.error()));
  for (const auto& row : *timers) {
    world.timers.emplace_back(TimerName{row.text(0), row.text(1)}, WallTime(milliseconds(row.integer(2))));
  }

  auto last = transaction.query("SELECT coalesce(max(sequence), 0) FROM sandbox_audit");
  if (!last) return std::unexpected(std::move(last.error()));
  world.last_sequence = last->front().integer(0);
  return world;
}

Result<std::vector<AuditEntry>> read_audit_after(store::Transaction& transaction, std::int64_t sequence,
                                                 std::int32_t limit) {
  auto rows =
      transaction.query("SELECT entry FROM sandbox_audit WHERE sequence > $1 ORDER BY sequence LIMIT $2",
                        {sequence, std::int64_t{limit}});
  if (!rows) return std::unexpected(std::move(rows.error()));
  return audit_entries(*rows);
}

Result<std::vector<AuditEntry>> read_audit_before(store::Transaction& transaction, std::int64_t sequence,
                                                  std::int32_t limit) {
  auto rows =
      transaction.query("SELECT entry FROM sandbox_audit WHERE sequence < $1 ORDER BY sequence DESC LIMIT $2",
                        {sequence, std::int64_t{limit}});
  if (!rows) return std::unexpected(std::move(rows.error()));
  return audit_entries(*rows);
}

}  // namespace instantstart::sandbox
