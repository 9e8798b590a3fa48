// The cluster that a step works on, as its input holds it.
#pragma once

#include <optional>
#include <string>

#include "base/describe.h"
#include "domain/arn_text.h"
#include "domain/cluster_key.h"
#include "fleet/cluster_record.h"
#include "kube/eks_clusters.h"

namespace instantstart::capabilities {

struct ClusterTarget {
  std::string name;
  std::string region;
  std::string account;
  std::optional<std::string> profile;
};
Type describe(ClusterTarget*);

ClusterTarget target_of(const fleet::ClusterRecord& record);
domain::ClusterKey key_of(const ClusterTarget& target);
kube::EksClusterId eks_id_of(const ClusterTarget& target);
/// With the partition that the region is in.
domain::Place place_of(const ClusterTarget& target);
std::string cluster_arn_of(const ClusterTarget& target);

}  // namespace instantstart::capabilities
