#include "workload_logs/log_rows.h"

#include <array>
#include <utility>

#include <fmt/core.h>

#include "base/decode.h"
#include "base/error_codes.h"
#include "base/json.h"

namespace instantstart::workload_logs {
namespace {

// Of a stream, `time`, `lines` and `part` are its StreamCursor.
constexpr std::array k_migrations{store::Migration{"workload_logs", 1, R"sql(
CREATE TABLE workload_log (
  key TEXT PRIMARY KEY NOT NULL,
  cluster TEXT NOT NULL,
  space TEXT NOT NULL,
  name TEXT NOT NULL,
  profile TEXT,
  selector TEXT NOT NULL,
  owner TEXT,
  following INTEGER NOT NULL,
  finishing INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  first INTEGER NOT NULL,
  UNIQUE (cluster, space, name)
) STRICT;
CREATE INDEX workload_log_by_following ON workload_log (following);
CREATE TABLE workload_log_stream (
  log_key TEXT NOT NULL,
  number INTEGER NOT NULL,
  pod TEXT NOT NULL,
  pod_uid TEXT NOT NULL,
  container TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  rank INTEGER,
  prefix TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  first INTEGER NOT NULL,
  merged_from INTEGER NOT NULL,
  time TEXT NOT NULL,
  lines INTEGER NOT NULL,
  part INTEGER NOT NULL,
  ended INTEGER NOT NULL,
  incomplete INTEGER NOT NULL,
  PRIMARY KEY (log_key, number)
) STRICT;
)sql"}};

Result<std::optional<LogOwner>> owner_of(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  const auto value = parse_json(*text);
  if (!value) return fail(value.error());
  auto owner = decode<LogOwner>(*value);
  if (!owner) return fail(owner.error());
  return std::move(*owner);
}

Result<LogRow> log_of(const store::Row& row, const LogName& name) {
  auto owner = owner_of(row.optional_text(3));
  if (!owner) return fail(within("Read the owner of a log", owner.error()));
  return LogRow{.key = row.text(0),
                .subject = {.id = name,
                            .profile = row.optional_text(1),
                            .selector = row.text(2),
                            .owner = std::move(*owner)},
                .following = row.integer(4) != 0,
                .finishing = row.integer(5) != 0,
                .bytes = row.integer(6),
                .first = row.integer(7)};
}

StreamRow stream_of(const store::Row& row) {
  return {.number = row.integer(0),
          .pod = row.text(1),
          .pod_uid = row.text(2),
          .container = row.text(3),
          .attempt = row.integer(4),
          .rank = row.optional_integer(5),
          .prefix = row.text(6),
          .bytes = row.integer(7),
          .first = row.integer(8),
          .merged_from = row.integer(9),
          .cursor = {.time = row.text(10), .lines = row.integer(11), .part = row.integer(12)},
          .ended = row.integer(13) != 0,
          .incomplete = row.integer(14) != 0};
}

std::int64_t number_of(bool flag) { return flag ? 1 : 0; }

}  // namespace

std::span<const store::Migration> log_migrations() { return k_migrations; }

Result<std::optional<StoredLog>> load_log(store::Transaction& transaction, const LogName& name) {
  const auto logs = transaction.query(
      "SELECT key, profile, selector, owner, following, finishing, bytes, first FROM workload_log"
      " WHERE cluster = $1 AND space = $2 AND name = $3",
      {domain::to_text(name.cluster), name.space, name.name});
  if (!logs) return fail(logs.error());
  if (logs->empty()) return std::nullopt;
  auto log = log_of(logs->front(), name);
  if (!log) return fail(log.error());
  StoredLog stored{.log = std::move(*log), .streams = {}};
  const auto streams = transaction.query(
      "SELECT number, pod, pod_uid, container, attempt, rank, prefix, bytes, first, merged_from, time, lines,"
      " part, ended, incomplete FROM workload_log_stream WHERE log_key = $1 ORDER BY number",
      {stored.log.key});
  if (!streams) return fail(streams.error());
  for (const auto& row : *streams) stored.streams.push_back(stream_of(row));
  return stored;
}

Result<std::vector<LogName>> followed_logs(store::Transaction& transaction) {
  const auto rows = transaction.query(
      "SELECT cluster, space, name FROM workload_log WHERE following = 1 ORDER BY cluster, space, name");
  if (!rows) return fail(rows.error());
  std::vector<LogName> names;
  for (const auto& row : *rows) {
    auto cluster = domain::parse_cluster_key(row.text(0));
    if (!cluster) return fail(codes::internal, "A stored log has a cluster that can't be read.");
    names.push_back({.cluster = std::move(*cluster), .space = row.text(1), .name = row.text(2)});
  }
  return names;
}

Result<> put_log(store::Transaction& transaction, const LogRow& log) {
  const auto& subject = log.subject;
  std::optional<std::string> owner;
  if (subject.owner) owner = instantstart::to_text(encode(*subject.owner));
  auto put = transaction.execute(
      "INSERT INTO workload_log (key, cluster, space, name, profile, selector, owner, following, finishing,"
      " bytes, first) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)"
      " ON CONFLICT (key) DO UPDATE SET profile = excluded.profile, selector = excluded.selector,"
      " owner = excluded.owner, following = excluded.following, finishing = excluded.finishing",
      {log.key, domain::to_text(subject.id.cluster), subject.id.space, subject.id.name,
       store::or_null(subject.profile), subject.selector, store::or_null(owner), number_of(log.following),
       number_of(log.finishing), log.bytes, log.first});
  if (!put) return fail(put.error());
  return {};
}

Result<> count_log(store::Transaction& transaction, const LogRow& log) {
  auto counted = transaction.execute("UPDATE workload_log SET bytes = $1, first = $2 WHERE key = $3",
                                     {log.bytes, log.first, log.key});
  if (!counted) return fail(counted.error());
  return {};
}

Result<> put_stream(store::Transaction& transaction, const std::string& log_key, const StreamRow& stream) {
  auto put = transaction.execute(
      "INSERT INTO workload_log_stream (log_key, number, pod, pod_uid, container, attempt, rank, prefix, "
      "bytes,"
      " first, merged_from, time, lines, part, ended, incomplete)"
      " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)"
      " ON CONFLICT (log_key, number) DO UPDATE SET bytes = excluded.bytes, first = excluded.first,"
      " merged_from = excluded.merged_from, time = excluded.time, lines = excluded.lines,"
      " part = excluded.part, ended = excluded.ended, incomplete = excluded.incomplete",
      {log_key, stream.number, stream.pod, stream.pod_uid, stream.container, stream.attempt,
       store::or_null(stream.rank), stream.prefix, stream.bytes, stream.first, stream.merged_from,
       stream.cursor.time, stream.cursor.lines, stream.cursor.part, number_of(stream.ended),
       number_of(stream.incomplete)});
  if (!put) return fail(put.error());
  return {};
}

Result<> delete_log(store::Transaction& transaction, const std::string& log_key) {
  auto streams = transaction.execute("DELETE FROM workload_log_stream WHERE log_key = $1", {log_key});
  if (!streams) return fail(streams.error());
  auto log = transaction.execute("DELETE FROM workload_log WHERE key = $1", {log_key});
  if (!log) return fail(log.error());
  return {};
}

}  // namespace instantstart::workload_logs
