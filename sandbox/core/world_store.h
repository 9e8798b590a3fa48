// The world's tables: what a commit writes in one transaction, and how it is read back.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <boost/json/object.hpp>

#include "base/json.h"
#include "base/time.h"
#include "sandbox/core/audit.h"
#include "sandbox/core/timer_queue.h"
#include "store/database.h"

namespace instantstart::sandbox {

/// What changed since the last commit: for each record and timer its latest value, or nullopt when it is
/// gone.
struct ChangeSet {
  std::optional<std::string> new_account;  ///< Everything older is forgotten first; the account's id.
  std::map<std::pair<std::string, std::string>, std::optional<json::object>>
      records;  ///< By collection and id.
  std::map<TimerName, std::optional<WallTime>> timers;
  std::vector<AuditEntry> audit;

  /// Puts what an earlier commit failed to write before this: later changes win.
  void put_before(ChangeSet earlier);
};

struct StoredRecord {
  std::string collection;
  std::string id;
  json::object body;
};

struct StoredWorld {
  std::optional<std::string> account;  ///< nullopt: there is none yet.
  std::vector<StoredRecord> records;
  std::vector<std::pair<TimerName, WallTime>> timers;
  std::int64_t last_sequence = 0;
};

std::span<const store::Migration> world_migrations();

/// These run inside a transaction, maybe on another thread.
Result<> write_changes(store::Transaction& transaction, const ChangeSet& changes);
Result<StoredWorld> read_world(store::Transaction& transaction);
Result<std::vector<AuditEntry>> read_audit_after(store::Transaction& transaction, std::int64_t sequence,
                                                 std::int32_t limit);
Result<std::vector<AuditEntry>> read_audit_before(store::Transaction& transaction, std::int64_t sequence,
                                                  std::int32_t limit);

}  // namespace instantstart::sandbox
