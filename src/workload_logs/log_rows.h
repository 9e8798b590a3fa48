// What the store knows of logs: which are followed, and how much of each file counts.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "store/database.h"
#include "workload_logs/log_subject.h"
#include "workload_logs/timed_lines.h"

namespace instantstart::workload_logs {

struct StreamRow {
  std::int64_t number = 0;  ///< Of the file; in the order of their beginnings.
  std::string pod;
  std::string pod_uid;
  std::string container;
  std::int64_t attempt = 0;
  std::optional<std::int64_t> rank;
  std::string prefix;            ///< Of its lines among all.
  std::int64_t bytes = 0;        ///< Of the file.
  std::int64_t first = 0;        ///< What is before was dropped.
  std::int64_t merged_from = 0;  ///< What is before stands among the lines of all.
  StreamCursor cursor;
  bool ended = false;
  bool incomplete = false;
};

struct LogRow {
  std::string key;  ///< Also the name of its folder.
  LogSubject subject;
  bool following = true;   ///< Its workload has not ended, or not all is read.
  bool finishing = false;  ///< Somebody said that the workload has ended.
  std::int64_t bytes = 0;  ///< Of the file with the lines of all.
  std::int64_t first = 0;
};

struct StoredLog {
  LogRow log;
  std::vector<StreamRow> streams;  ///< By number.
};

std::span<const store::Migration> log_migrations();

Result<std::optional<StoredLog>> load_log(store::Transaction& transaction, const LogName& name);
/// The names of those that are followed.
Result<std::vector<LogName>> followed_logs(store::Transaction& transaction);
/// Adds it, or replaces what is wanted of it: not its key and how much of it counts.
Result<> put_log(store::Transaction& transaction, const LogRow& log);
/// How much of the file with the lines of all counts.
Result<> count_log(store::Transaction& transaction, const LogRow& log);
Result<> put_stream(store::Transaction& transaction, const std::string& log_key, const StreamRow& stream);
Result<> delete_log(store::Transaction& transaction, const std::string& log_key);

}  // namespace instantstart::workload_logs
