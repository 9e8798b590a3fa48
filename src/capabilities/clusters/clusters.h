// Clusters: those that are managed here, those that are there, and how one is taken in or left alone. Their
// HyperPod clusters are in hyperpod.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "aws/accounts.h"
#include "base/describe.h"
#include "capabilities/clusters/hyperpod.h"
#include "contract/action.h"
#include "domain/cluster_key.h"
#include "domain/names.h"
#include "fleet/fleet.h"
#include "kube/eks_clusters.h"
#include "operations/kind.h"

namespace instantstart::capabilities {

enum class StageState {
  absent,
  progressing,
  ready,
  failed,
  foreign,  ///< It is there, and not made here.
  unknown,  ///< It could not be looked at; the message says why.
};

struct StageView {
  std::string name;  ///< "network", "control_plane", "dependencies", "hyperpod"
  StageState state = StageState::absent;
  std::optional<std::string> status;  ///< AWS's word.
  std::optional<std::string> message;
};

struct ClusterList {};

struct ClusterSummary {
  std::string cluster;  ///< Key
  std::string tag;
  std::string name;
  std::string region;
  std::string account;
  std::optional<std::string> profile;
  std::string managed_since;  ///< RFC 3339
};
struct ClusterListAnswer {
  std::vector<ClusterSummary> clusters;
  std::optional<std::string> next_cursor;
};

struct ClusterGet {
  domain::ClusterReference cluster;
};
struct ClusterGetAnswer {
  ClusterSummary summary;
  std::string arn;
  std::optional<std::string> kubernetes_version;
  std::optional<std::string> platform_version;
  std::optional<std::string> vpc_id;
  std::optional<std::string> authentication_mode;
  std::vector<StageView> stages;
  std::vector<HyperpodView> hyperpod;
  std::vector<std::string> drift;  ///< Where what is there is not what was settled.
};

struct ClusterDiscover {
  std::optional<domain::Region> region;
  std::optional<domain::Profile> profile;
};
struct FoundHyperpod {
  std::string name;
  std::string arn;
  std::string status;
  std::string orchestrator;         ///< "eks", "slurm" or "unknown"
  std::optional<std::string> note;  ///< "Slurm clusters are not managed here."
};
struct FoundCluster {
  std::string name;
  std::string arn;
  std::string status;
  std::optional<std::string> kubernetes_version;
  bool managed = false;
  std::optional<std::string> tag;
  std::vector<FoundHyperpod> hyperpod;
};
struct ClusterDiscoverAnswer {
  std::string region;
  std::string account;
  std::vector<FoundCluster> clusters;
  std::vector<FoundHyperpod> other_hyperpod;  ///< On Slurm, or on an EKS cluster of another place.
};

struct ClusterImport {
  std::string name;  ///< EKS name or ARN.
  std::optional<domain::Region> region;
  std::optional<domain::Profile> profile;
  std::optional<domain::ClusterTag> tag;
  bool access_entry = false;
};

struct ClusterForget {
  domain::ClusterReference cluster;
};
struct ClusterForgetAnswer {
  std::string cluster;
  bool forgotten = false;  ///< False: in a dry run.
};

Type describe(StageState*);
Type describe(StageView*);
Type describe(ClusterList*);
Type describe(ClusterSummary*);
Type describe(ClusterListAnswer*);
Type describe(ClusterGet*);
Type describe(ClusterGetAnswer*);
Type describe(ClusterDiscover*);
Type describe(FoundHyperpod*);
Type describe(FoundCluster*);
Type describe(ClusterDiscoverAnswer*);
Type describe(ClusterImport*);
Type describe(ClusterForget*);
Type describe(ClusterForgetAnswer*);

inline constexpr std::string_view k_cluster_import = "cluster_import";

/// The rows of the contract. All outlive the table; null where rows are only read.
std::vector<contract::Action> cluster_actions(aws::Accounts* accounts, fleet::Fleet* fleet,
                                              kube::EksClusters* clusters);

/// The operation and step kinds behind them. All outlive the registry's engine. The step kinds of
/// add_network_kinds must be there too: an import keeps its record by one of them.
void add_cluster_kinds(operations::KindRegistry& kinds, aws::Accounts& accounts);

/// The plan, for operations that run this as a part. Nothing is changed.
Task<contract::Plan> plan_cluster_import(aws::Accounts& accounts, fleet::Fleet& fleet,
                                         contract::Caller caller, ClusterImport request);

}  // namespace instantstart::capabilities
