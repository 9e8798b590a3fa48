// Blocks that were planned for networks which do not exist yet: two clusters that are created at once get
// different ones.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "domain/cidr.h"
#include "domain/cluster_key.h"

namespace instantstart::capabilities {

/// Loop thread only. Of this process alone, and the latest 16: by then the networks can be seen.
class RecentBlocks {
 public:
  /// What was planned for other clusters of the same account and region.
  std::vector<domain::Cidr> of_others(const domain::ClusterKey& key) const;
  void remember(const domain::ClusterKey& key, const domain::Cidr& block);

 private:
  struct Entry {
    domain::ClusterKey key;
    domain::Cidr block;
  };
  std::deque<Entry> entries_;  ///< Oldest first.
};

}  // namespace instantstart::capabilities
