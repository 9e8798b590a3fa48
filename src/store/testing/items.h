// One small table and what the tests of this room do to it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>

#include "store/database.h"

namespace instantstart::store {

inline constexpr std::array k_item_migrations{
    Migration{.room = "items",
              .version = 1,
              .sql = "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,"
                     " size INTEGER NOT NULL CONSTRAINT size_not_negative CHECK (size >= 0)) STRICT;"
                     "CREATE TABLE part (item INTEGER NOT NULL REFERENCES item (id), weight REAL) STRICT;"}};

inline std::function<Result<std::int64_t>(Transaction&)> insert_item(std::string name,
                                                                     std::int64_t size = 1) {
  return [name = std::move(name), size](Transaction& transaction) {
    return transaction.execute("INSERT INTO item (name, size) VALUES ($1, $2)", {name, size});
  };
}

inline Result<std::int64_t> count_items(Transaction& transaction) {
  const auto rows = transaction.query("SELECT count(*) FROM item");
  if (!rows) return std::unexpected(rows.error());
  return rows->front().integer(0);
}

}  // namespace instantstart::store
