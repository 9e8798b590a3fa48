#include "fleet/fleet.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/core.h>

#include "base/error_codes.h"
#include "base/json.h"
#include "base/text.h"

namespace instantstart::fleet {
namespace {

using domain::ClusterKey;

// `key` is name.region.account, which is also what lists are ordered by.
constexpr std::array k_migrations{store::Migration{"fleet", 1, R"sql(
CREATE TABLE fleet_cluster (
  key TEXT PRIMARY KEY NOT NULL,
  name TEXT NOT NULL,
  tag TEXT NOT NULL UNIQUE,
  profile TEXT,
  created_at INTEGER NOT NULL,
  operation_id TEXT NOT NULL
) STRICT;
CREATE INDEX fleet_cluster_by_name ON fleet_cluster (name);
)sql"}};

constexpr std::size_t k_most_named = 10;

Result<ClusterRecord> from_row(const store::Row& row) {
  auto key = domain::parse_cluster_key(row.text(0));
  if (!key) return fail(codes::internal, "A stored cluster has a key that can't be read: " + row.text(0));
  return ClusterRecord{.key = std::move(*key),
                       .tag = row.text(1),
                       .profile = row.optional_text(2),
                       .created_at = WallTime(milliseconds(row.integer(3))),
                       .operation_id = row.text(4)};
}

Result<std::optional<ClusterRecord>> one(Result<std::vector<store::Row>> rows) {
  if (!rows) return fail(rows.error());
  if (rows->empty()) return std::nullopt;
  return from_row(rows->front());
}

Result<std::optional<ClusterRecord>> with_key(store::Transaction& transaction, const std::string& key) {
  return one(transaction.query(
      "SELECT key, tag, profile, created_at, operation_id FROM fleet_cluster WHERE key = $1", {key}));
}

Result<std::optional<ClusterRecord>> with_tag(store::Transaction& transaction, const std::string& tag) {
  return one(transaction.query(
      "SELECT key, tag, profile, created_at, operation_id FROM fleet_cluster WHERE tag = $1", {tag}));
}

std::unexpected<Error> ambiguous(const std::string& name, const std::vector<store::Row>& rows) {
  Error error{
      .code = std::string(k_ambiguous),
      .message = fmt::format("{} clusters are named '{}'; say which by key or tag.", rows.size(), name)};
  json::array keys;
  for (const auto& row : rows) keys.emplace_back(row.text(0));
  error.detail["clusters"] = std::move(keys);
  return fail(std::move(error));
}

Result<ClusterRecord> unknown(store::Transaction& transaction, const std::string& reference) {
  const auto rows = transaction.query("SELECT tag FROM fleet_cluster ORDER BY tag");
  if (!rows) return fail(rows.error());
  std::vector<std::string_view> tags;
  for (const auto& row : *rows) tags.push_back(row.text(0));
  Error error{.code = std::string(codes::not_found),
              .message = fmt::format("No managed cluster is called '{}'.",
                                     shortened(without_controls(reference), 160))};
  if (const auto near = nearest(reference, tags)) {
    error.message += fmt::format(" The nearest is '{}'.", *near);
    error.detail["nearest"] = *near;
  }
  json::array known;
  for (std::size_t i = 0; i < std::min(tags.size(), k_most_named); ++i) known.emplace_back(tags[i]);
  error.detail["known"] = std::move(known);
  return fail(std::move(error));
}

Result<ClusterRecord> found(store::Transaction& transaction, const std::string& reference) {
  auto by_tag = with_tag(transaction, reference);
  if (!by_tag) return fail(by_tag.error());
  if (*by_tag) return std::move(**by_tag);
  const auto from_arn = domain::key_of_arn(reference);
  auto by_key = with_key(transaction, from_arn ? domain::to_text(*from_arn) : reference);
  if (!by_key) return fail(by_key.error());
  if (*by_key) return std::move(**by_key);
  const auto named = transaction.query(
      "SELECT key, tag, profile, created_at, operation_id FROM fleet_cluster WHERE name = $1 ORDER BY key",
      {reference});
  if (!named) return fail(named.error());
  if (named->size() > 1) return ambiguous(reference, *named);
  if (named->size() == 1) return from_row(named->front());
  return unknown(transaction, reference);
}

Result<ClusterRecord> stored(store::Transaction& transaction, const ClusterRecord& record) {
  const std::string key = domain::to_text(record.key);
  auto holder = with_tag(transaction, record.tag);
  if (!holder) return fail(holder.error());
  if (*holder && (*holder)->key != record.key) {
    Error error{.code = std::string(codes::name_taken),
                .message = fmt::format("The tag '{}' belongs to the cluster {}.", record.tag,
                                       domain::to_text((*holder)->key))};
    error.detail["cluster"] = domain::to_text((*holder)->key);
    return fail(std::move(error));
  }
  auto put = transaction.execute(
      "INSERT INTO fleet_cluster (key, name, tag, profile, created_at, operation_id) VALUES ($1, $2, $3, $4, "
      "$5, $6)"
      " ON CONFLICT (key) DO UPDATE SET tag = excluded.tag, profile = excluded.profile",
      {key, record.key.name, record.tag, store::or_null(record.profile),
       record.created_at.time_since_epoch().count(), record.operation_id});
  if (!put) return fail(put.error());
  auto kept = with_key(transaction, key);
  if (!kept) return fail(kept.error());
  return std::move(kept->value());
}

Result<ClusterPage> page(store::Transaction& transaction, std::int32_t limit, const std::string& after) {
  const auto rows = transaction.query(
      "SELECT key, tag, profile, created_at, operation_id FROM fleet_cluster WHERE key > $1 ORDER BY key "
      "LIMIT $2",
      {after, std::int64_t{limit} + 1});
  if (!rows) return fail(rows.error());
  ClusterPage answer;
  for (const auto& row : *rows) {
    if (answer.clusters.size() == static_cast<std::size_t>(limit)) {
      answer.next_cursor = domain::to_text(answer.clusters.back().key);
      break;
    }
    auto record = from_row(row);
    if (!record) return fail(record.error());
    answer.clusters.push_back(std::move(*record));
  }
  return answer;
}

}  // namespace

std::span<const store::Migration> Fleet::migrations() { return k_migrations; }

Task<ClusterRecord> Fleet::put(ClusterRecord record) {
  co_return co_await database_.write<ClusterRecord>(
      [&](store::Transaction& transaction) { return stored(transaction, record); });
}

Task<ClusterRecord> Fleet::find(std::string reference) {
  co_return co_await database_.read<ClusterRecord>(
      [&](store::Transaction& transaction) { return found(transaction, reference); });
}

Task<std::optional<ClusterRecord>> Fleet::get(ClusterKey key) {
  const std::string text = domain::to_text(key);
  co_return co_await database_.read<std::optional<ClusterRecord>>(
      [&](store::Transaction& transaction) { return with_key(transaction, text); });
}

Task<std::optional<ClusterRecord>> Fleet::tagged(std::string tag) {
  co_return co_await database_.read<std::optional<ClusterRecord>>(
      [&](store::Transaction& transaction) { return with_tag(transaction, tag); });
}

Task<ClusterPage> Fleet::list(std::int32_t limit, std::optional<std::string> cursor) {
  const std::string after = cursor.value_or("");
  co_return co_await database_.read<ClusterPage>([&](store::Transaction& transaction) {
    return page(transaction, std::clamp<std::int32_t>(limit, 1, 1000), after);
  });
}

Task<bool> Fleet::forget(ClusterKey key) {
  const std::string text = domain::to_text(key);
  co_return co_await database_.write<bool>([&](store::Transaction& transaction) -> Result<bool> {
    auto gone = transaction.execute("DELETE FROM fleet_cluster WHERE key = $1", {text});
    if (!gone) return fail(gone.error());
    return *gone > 0;
  });
}

}  // namespace instantstart::fleet
