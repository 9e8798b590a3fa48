// All that is managed here in one small answer: what a person or an agent looks at first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "access/selection_store.h"
#include "aws/accounts.h"
#include "base/describe.h"
#include "base/error.h"
#include "contract/action.h"
#include "domain/names.h"
#include "fleet/fleet.h"
#include "kube/eks_clusters.h"
#include "operations/engine.h"

namespace instantstart::capabilities {

struct OverviewGet {
  std::optional<domain::Region> region;
  std::optional<domain::Profile> profile;
};

/// Whose credentials AWS is called with.
struct IdentityView {
  std::optional<std::string> account;
  std::optional<std::string> arn;
  std::optional<std::string> expires_at;  ///< RFC 3339; absent: they don't.
  std::optional<std::string> problem;     ///< Why AWS can't be called.
};

/// GPUs (or Neuron devices) of nodes in the cluster, each in one state.
struct AcceleratorCount {
  std::int64_t in_use = 0;       ///< Asked for by pods that are bound to a node.
  std::int64_t idle = 0;         ///< On ready nodes, free.
  std::int64_t unavailable = 0;  ///< On nodes that are not ready or take no pods.
};

struct WorkloadCount {
  std::int64_t ready = 0;     ///< Jobs: running. Deployments: all replicas are there.
  std::int64_t starting = 0;  ///< Jobs: not running yet. Deployments: replicas are missing.
  std::int64_t failed = 0;    ///< Jobs alone.
  std::int64_t ended = 0;     ///< Jobs alone: succeeded.
};

struct ClusterLook {
  std::string cluster;  ///< By tag.
  std::int64_t nodes = 0;
  std::int64_t nodes_ready = 0;
  AcceleratorCount gpus;
  WorkloadCount jobs;
  WorkloadCount deployments;
  std::optional<std::string> problem;  ///< Why it could not be looked at; the counts are 0 then.
};

struct RunningOperation {
  std::string id;
  std::string kind;
  std::string subject;
  operations::OperationState state = operations::OperationState::pending;
};

struct OverviewAnswer {
  IdentityView identity;
  std::optional<std::string> selected;  ///< The caller's cluster, by key.
  std::vector<ClusterLook> clusters;    ///< At most k_most_looked_at.
  std::int64_t more_clusters = 0;
  std::vector<RunningOperation> operations;  ///< Unfinished, newest first, at most k_most_operations_shown.
  std::vector<std::string> alarms;           ///< In words.
  std::vector<NextAction> next;
};

Type describe(OverviewGet*);
Type describe(IdentityView*);
Type describe(AcceleratorCount*);
Type describe(WorkloadCount*);
Type describe(ClusterLook*);
Type describe(RunningOperation*);
Type describe(OverviewAnswer*);

inline constexpr std::size_t k_most_looked_at = 10;
inline constexpr std::size_t k_most_operations_shown = 5;

struct OverviewParts {
  operations::Engine* engine = nullptr;
  aws::Accounts* accounts = nullptr;
  fleet::Fleet* fleet = nullptr;
  kube::EksClusters* clusters = nullptr;
  access::SelectionStore* selections = nullptr;
};

/// The row of the contract. All parts outlive the table; null where rows are only read.
std::vector<contract::Action> overview_actions(OverviewParts parts);

}  // namespace instantstart::capabilities
