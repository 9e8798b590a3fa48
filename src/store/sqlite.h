// SQLite behind Database: one writer thread that commits in groups, a few reader threads (WAL,
// synchronous=FULL).
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>

#include <boost/asio/any_io_executor.hpp>

#include "base/log.h"
#include "store/database.h"

namespace instantstart::store {

struct SqliteOptions {
  std::filesystem::path file;     ///< Made with mode 0600 in a directory that must exist.
  std::size_t readers = 2;        ///< Threads with a connection each; at least 1.
  std::size_t group_limit = 256;  ///< Writes that share one commit at most; at least 1.
};

/// Opens or makes the file; `state_unusable` with the reason when it is damaged, read-only or on a full disk.
/// `executor` is the loop that tasks are resumed on. It must outlive the database, whose destructor finishes
/// what was asked for: tasks that wait then are resumed if the loop still runs.
Result<std::unique_ptr<Database>> open_sqlite(asio::any_io_executor executor, Log log,
                                              const SqliteOptions& options);

}  // namespace instantstart::store
