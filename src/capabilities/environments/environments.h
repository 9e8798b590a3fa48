// A whole environment as one operation of operations: control plane → selection → dependencies → HyperPod →
// storage, and the way back. Each stage is an operation of its own that can fail and be retried by itself.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "access/selection_store.h"
#include "aws/accounts.h"
#include "base/describe.h"
#include "base/time.h"
#include "capabilities/clusters/hyperpod.h"
#include "capabilities/dependencies/dependencies.h"
#include "capabilities/network/network.h"
#include "capabilities/storage/storage.h"
#include "contract/action.h"
#include "fleet/fleet.h"
#include "kube/eks_clusters.h"
#include "operations/kind.h"

namespace instantstart::capabilities {

/// A bucket for the pods, as storage_mount takes it.
struct EnvironmentStorage {
  StorageName name{{"shared"}};
  BucketName bucket;
  bool create = false;
  std::optional<KeyPrefix> prefix;
  NamespaceName space{{"default"}};
  MountPath path{{"/data"}};
  bool read_only = false;
  std::optional<PosixId> uid;
  std::optional<PosixId> gid;
  std::optional<domain::KmsKeyArn> kms_key;
};

/// What is left out is chosen, or kept as it is: the members up to `administrators` are those of
/// control_plane_create.
struct EnvironmentCreate {
  domain::ClusterName name;
  std::optional<domain::Region> region;
  std::optional<domain::Profile> profile;
  std::optional<domain::ClusterTag> tag;
  std::optional<domain::KubernetesVersion> kubernetes_version;
  std::optional<domain::CidrText> vpc_cidr;
  std::optional<std::vector<domain::CidrText>> avoid_cidrs;
  std::optional<std::vector<domain::ZoneName>> zones;
  std::optional<NatMode> nat;
  std::optional<ExistingVpc> vpc;
  std::optional<EndpointAccess> endpoint_access;
  std::optional<std::vector<domain::CidrText>> public_access_cidrs;
  std::optional<std::vector<PrincipalArn>> administrators;

  std::optional<std::vector<ComponentName>> components;  ///< Beside HyperPod's; absent: all.
  std::optional<HyperpodName> hyperpod_name;
  InstanceGroup group;
  std::optional<EnvironmentStorage> storage;  ///< Absent: nothing is mounted.
};

struct EnvironmentDelete {
  domain::ClusterReference cluster;
};

Type describe(EnvironmentStorage*);
Type describe(EnvironmentCreate*);
Type describe(EnvironmentDelete*);

/// Operation kinds; equal to the actions that start them.
inline constexpr std::string_view k_environment_create = "environment_create";
inline constexpr std::string_view k_environment_delete = "environment_delete";

/// What the stages of environments work with. All of it outlives table and engine; null where rows are only
/// read. Without a selection store nothing is selected.
struct EnvironmentParts {
  aws::Accounts* accounts = nullptr;
  fleet::Fleet* fleet = nullptr;
  kube::EksClusters* clusters = nullptr;
  const Clock* clock = nullptr;
  access::SelectionStore* selections = nullptr;
};

/// The rows of the contract.
std::vector<contract::Action> environment_actions(EnvironmentParts parts);

/// The operation and step kinds behind them. The kinds of network, dependencies, clusters and storage must be
/// there too: stages run their operations.
void add_environment_kinds(operations::KindRegistry& kinds, EnvironmentParts parts);

/// The plans. Nothing is changed. `recent` keeps two that are planned at once apart.
Task<contract::Plan> plan_environment_create(EnvironmentParts parts, contract::Caller caller,
                                             EnvironmentCreate request, RecentBlocks* recent = nullptr);
Task<contract::Plan> plan_environment_delete(EnvironmentParts parts, contract::Caller caller,
                                             EnvironmentDelete request);

}  // namespace instantstart::capabilities
