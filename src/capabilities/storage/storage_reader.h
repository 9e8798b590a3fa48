// Looks at buckets, policies, volumes, claims and the pods that use them. It changes nothing.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capabilities/dependencies/component_reader.h"
#include "capabilities/storage/mount.h"
#include "capabilities/storage/storage_seen.h"
#include "capabilities/storage/volume_objects.h"

namespace instantstart::capabilities {

/// Loop thread only. What it is made of outlives it and its calls. Errors of all: those of the AWS client and
/// of the Kubernetes client.
class StorageReader {
 public:
  StorageReader(aws::Accounts& accounts, kube::EksClusters& clusters)
      : accounts_(accounts), components_(accounts, clusters) {}

  const ComponentReader& components() const { return components_; }
  /// Of the cluster's account, in a region that need not be the cluster's.
  Result<aws::Client*> aws_client(const ClusterTarget& cluster, const std::string& region) const;

  /// `may_be_ours`: with what proves it and what matters then.
  Task<BucketSeen> bucket(ClusterTarget cluster, std::string name, bool may_be_ours,
                          net::Deadline deadline) const;
  Task<AccessSeen> access(Mount mount, std::string role_name, net::Deadline deadline) const;
  Task<MountSeen> mount(Mount mount, net::Deadline deadline) const;
  /// Of the driver, whoever made them.
  Task<std::vector<VolumeSummary>> volumes(ClusterTarget cluster, net::Deadline deadline) const;
  /// The role that the driver's service account names itself (IRSA); it comes before Pod Identity.
  Task<std::optional<std::string>> driver_role(ClusterTarget cluster, net::Deadline deadline) const;

 private:
  Task<BucketSeen> proof_of(ClusterTarget cluster, std::string name, BucketSeen seen,
                            net::Deadline deadline) const;
  Task<BucketSeen> elsewhere(aws::Client& client, std::string name, net::Deadline deadline) const;
  Task<MountSeen> with_users(MountSeen seen, Mount mount, std::shared_ptr<kube::EksCluster> api,
                             net::Deadline deadline) const;

  aws::Accounts& accounts_;
  ComponentReader components_;
};

}  // namespace instantstart::capabilities
