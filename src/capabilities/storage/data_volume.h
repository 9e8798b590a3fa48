// The data contract: one bucket is at /data in the development environment and in every pod that we submit.
// What `aws s3 cp` put there a job reads, and what a job wrote there `aws s3 ls` shows.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "aws/accounts.h"
#include "base/json.h"
#include "capabilities/dependencies/cluster_target.h"
#include "kube/eks_clusters.h"
#include "net/task.h"

namespace instantstart::capabilities {

inline constexpr std::string_view k_data_path = "/data";

struct DataVolume {
  json::object volume;  ///< An element of a pod's spec.volumes.
  json::object mount;   ///< An element of a container's volumeMounts.
};

/// Pure. The claim is in the pod's namespace.
DataVolume data_volume(std::string_view claim, bool read_only);

/// For pods of a namespace; nullopt: the namespace has no mount at /data, and storage_mount makes one. It
/// changes nothing.
Task<std::optional<DataVolume>> look_for_data_volume(aws::Accounts& accounts, kube::EksClusters& clusters,
                                                     ClusterTarget cluster, std::string space,
                                                     net::Deadline deadline);

}  // namespace instantstart::capabilities
