// The cluster that a principal has selected: what its requests mean that name none. It belongs to that
// principal alone, never to the process.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "base/time.h"
#include "net/task.h"
#include "store/database.h"

namespace instantstart::access {

/// Loop thread only. What it is given must outlive it; the database must be migrated.
class SelectionStore {
 public:
  SelectionStore(store::Database& database, const Clock& clock) : database_(database), clock_(clock) {}

  static std::span<const store::Migration> migrations();

  /// A cluster's key as text; nullopt when the principal has selected none.
  Task<std::optional<std::string>> get(std::string principal);
  Task<> select(std::string principal, std::string cluster);
  /// Unless the principal has selected something itself since `since`. True when `cluster` is the selected
  /// one now.
  Task<bool> select_unless_chosen(std::string principal, std::string cluster, WallTime since);

 private:
  store::Database& database_;
  const Clock& clock_;
};

}  // namespace instantstart::access
