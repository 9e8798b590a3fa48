#include "access/selection_store.h"

#include <array>

#include "access/stored_form.h"

namespace instantstart::access {
namespace {

constexpr std::array<store::Migration, 1> k_migrations{{{"access_selection", 1, R"sql(
CREATE TABLE access_selection (
  principal TEXT PRIMARY KEY, cluster TEXT NOT NULL, selected_at INTEGER NOT NULL) STRICT;
)sql"}}};

struct Selected {
  std::string cluster;
  std::int64_t at = 0;
};

Result<std::optional<Selected>> read(store::Transaction& transaction, const std::string& principal) {
  auto rows = transaction.query("SELECT cluster, selected_at FROM access_selection WHERE principal = $1",
                                {principal});
  if (!rows) return std::unexpected(rows.error());
  if (rows->empty()) return std::nullopt;
  return Selected{rows->front().text(0), rows->front().integer(1)};
}

Result<> write(store::Transaction& transaction, const std::string& principal, const std::string& cluster,
               std::int64_t now) {
  auto written = transaction.execute(
      "INSERT INTO access_selection (principal, cluster, selected_at) VALUES ($1, $2, $3) "
      "ON CONFLICT (principal) DO UPDATE SET cluster = excluded.cluster, selected_at = excluded.selected_at",
      {principal, cluster, now});
  if (!written) return std::unexpected(written.error());
  return {};
}

}  // namespace

std::span<const store::Migration> SelectionStore::migrations() { return k_migrations; }

Task<std::optional<std::string>> SelectionStore::get(std::string principal) {
  co_return co_await database_.read<std::optional<std::string>>(
      [&](store::Transaction& transaction) -> Result<std::optional<std::string>> {
        auto selected = read(transaction, principal);
        if (!selected) return std::unexpected(selected.error());
        if (!*selected) return std::nullopt;
        return (*selected)->cluster;
      });
}

Task<> SelectionStore::select(std::string principal, std::string cluster) {
  const std::int64_t now = to_milliseconds(clock_.wall());
  co_return co_await database_.write<void>(
      [&](store::Transaction& transaction) { return write(transaction, principal, cluster, now); });
}

Task<bool> SelectionStore::select_unless_chosen(std::string principal, std::string cluster, WallTime since) {
  const std::int64_t now = to_milliseconds(clock_.wall());
  co_return co_await database_.write<bool>([&](store::Transaction& transaction) -> Result<bool> {
    auto selected = read(transaction, principal);
    if (!selected) return std::unexpected(selected.error());
    if (*selected && (*selected)->cluster == cluster) return true;
    if (*selected && (*selected)->at > to_milliseconds(since)) return false;
    auto written = write(transaction, principal, cluster, now);
    if (!written) return std::unexpected(written.error());
    return true;
  });
}

}  // namespace instantstart::access
