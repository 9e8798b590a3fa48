// A cluster that this installation manages, as it is kept in the store. What AWS knows of it is not here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "domain/cluster_key.h"

namespace instantstart::fleet {

struct ClusterRecord {
  domain::ClusterKey key;
  std::string tag;                     ///< Unique; the EKS name unless chosen.
  std::optional<std::string> profile;  ///< The AWS profile that reaches it; absent: the environment's.
  WallTime created_at{};               ///< When it was first put.
  /// The operation that made it or took it in.
  std::string operation_id;

  bool operator==(const ClusterRecord&) const = default;
};

struct ClusterPage {
  std::vector<ClusterRecord> clusters;     ///< By key.
  std::optional<std::string> next_cursor;  ///< Absent at the end.
};

}  // namespace instantstart::fleet
