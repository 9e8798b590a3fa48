#include "store/migrations.h"

#include <map>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "base/error_codes.h"

namespace instantstart::store {
namespace {

using Versions = std::map<std::string, std::int64_t, std::less<>>;

constexpr std::string_view k_table = R"sql(
  CREATE TABLE IF NOT EXISTS schema_version (room TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT
)sql";

/// The newest version of each room in the list, which must count 1, 2, … for each.
Result<Versions> newest(std::span<const Migration> migrations) {
  Versions newest;
  for (const auto& migration : migrations) {
    auto& version = newest[std::string(migration.room)];
    if (migration.version != version + 1) {
      return fail(codes::internal, fmt::format("Migration {} of {} comes after {}.", migration.version,
                                               migration.room, version));
    }
    version = migration.version;
  }
  return newest;
}

Result<Versions> stored(Connection& connection) {
  const auto rows = connection.query("SELECT room, version FROM schema_version", {});
  if (!rows) return fail(rows.error());
  Versions versions;
  for (const auto& row : *rows) versions[row.text(0)] = row.integer(1);
  return versions;
}

Result<> refuse_newer(const Versions& stored, const Versions& known) {
  for (const auto& [room, version] : known) {
    const auto found = stored.find(room);
    if (found == stored.end() || found->second <= version) continue;
    auto error = Error{
        .code = std::string(codes::state_unusable),
        .message = fmt::format("The store was written by a newer version of this program: '{}' has schema "
                               "{}, this program knows {}. Nothing was changed; run the newer version.",
                               room, found->second, version)};
    error.detail = {{"room", room}, {"stored", found->second}, {"known", version}};
    return fail(std::move(error));
  }
  return {};
}

Result<> apply(Connection& connection, const Migration& migration) {
  if (auto done = connection.run_script(migration.sql); !done) {
    return fail(within(fmt::format("Migration {} of {}", migration.version, migration.room),
                       std::move(done.error())));
  }
  const auto noted = connection.execute(
      "INSERT INTO schema_version (room, version) VALUES ($1, $2) ON CONFLICT (room) DO UPDATE SET version = "
      "$2",
      {std::string(migration.room), migration.version});
  if (!noted) return fail(noted.error());
  return {};
}

/// Row's accessors rely on columns that hold what they are declared to hold.
Result<> require_strict_tables(Connection& connection) {
  const auto loose = connection.query(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND strict = 0 AND name "
      "NOT LIKE 'sqlite_%'",
      {});
  if (!loose) return fail(loose.error());
  if (loose->empty()) return {};
  return fail(codes::internal, fmt::format("Table '{}' must be STRICT.", loose->front().text(0)));
}

}  // namespace

Result<> apply_migrations(Connection& connection, std::span<const Migration> migrations) {
  const auto known = newest(migrations);
  if (!known) return fail(known.error());
  if (auto made = connection.run_script(k_table); !made) return made;
  auto versions = stored(connection);
  if (!versions) return fail(versions.error());
  if (auto checked = refuse_newer(*versions, *known); !checked) return checked;

  for (const auto& migration : migrations) {
    if (migration.version <= (*versions)[std::string(migration.room)]) continue;
    if (auto done = apply(connection, migration); !done) return done;
  }
  return require_strict_tables(connection);
}

}  // namespace instantstart::store
