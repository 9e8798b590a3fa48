// The clusters that this installation manages.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "fleet/cluster_record.h"
#include "store/database.h"

namespace instantstart::fleet {

/// This room's own error code: the reference means several clusters.
inline constexpr std::string_view k_ambiguous = "ambiguous";

/// Loop thread only. The database outlives it and must be migrated.
class Fleet {
 public:
  explicit Fleet(store::Database& database) : database_(database) {}

  static std::span<const store::Migration> migrations();

  /// Adds it, or replaces tag and profile of the one with this key; when it was first put, and by which
  /// operation, stays. Answers what is kept now. Error `name_taken` when another cluster has the tag.
  Task<ClusterRecord> put(ClusterRecord record);

  /// By key, tag, ARN, or by EKS name where only one cluster has it. Errors: `not_found` with the nearest
  /// tag, `ambiguous` with the keys (detail "clusters") when several clusters have that EKS name.
  Task<ClusterRecord> find(std::string reference);
  Task<std::optional<ClusterRecord>> get(domain::ClusterKey key);
  Task<std::optional<ClusterRecord>> tagged(std::string tag);

  /// By key, after the cursor (that of the page before). `limit` 1–1000.
  Task<ClusterPage> list(std::int32_t limit, std::optional<std::string> cursor);

  /// False when there was none: forgetting twice is harmless. Nothing is removed in AWS.
  Task<bool> forget(domain::ClusterKey key);

 private:
  store::Database& database_;
};

}  // namespace instantstart::fleet
