// What a cluster needs before and beside HyperPod: namespaces, rights and agents of the HyperPod chart,
// device plugins, EKS add-ons, the OIDC provider. Each is a component by itself, with its own state and its
// own steps.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aws/accounts.h"
#include "base/describe.h"
#include "contract/action.h"
#include "domain/cluster_key.h"
#include "fleet/fleet.h"
#include "kube/eks_clusters.h"
#include "operations/kind.h"

namespace instantstart::capabilities {

/// A name of the component table (component.h): "health_agent".
struct ComponentName : Text<ComponentName> {};

enum class DependencyState {
  absent,
  ready,
  progressing,        ///< It is there and on its way.
  waiting_for_nodes,  ///< All is in place; it completes by itself when nodes join.
  degraded,           ///< It is there and does not do what it should; the reasons say why.
  foreign,            ///< Somebody else installed it, in a way that we don't touch.
};

struct DependencyList {
  domain::ClusterReference cluster;
};

struct DependencyView {
  std::string name;
  std::string title;
  std::string how;  ///< "objects", "eks_addon" or "oidc_provider".
  DependencyState state = DependencyState::absent;
  std::optional<std::string> desired_version;
  std::optional<std::string> observed_version;
  std::optional<std::string> owner;  ///< "instantstart", "helm:<release>", "eks_addon" or "other".
  std::vector<std::string> reasons;  ///< In words, for whatever isn't ready.
  std::vector<std::string>
      differences;                 ///< What a reconcile would change: "daemonsets/x/y: /spec/template/…".
  std::vector<std::string> needs;  ///< Components that come before it.
  bool needs_nodes = false;        ///< It can't be complete without nodes.
};

struct DependencyListAnswer {
  std::string cluster;  ///< By key.
  std::optional<std::string>
      helm_release;  ///< "dependencies (kube-system)": it keeps what it has switched on.
  std::vector<DependencyView> dependencies;
};

struct DependencyReconcile {
  domain::ClusterReference cluster;
  std::optional<std::vector<ComponentName>> components;  ///< Absent: all. What they need comes along.
  bool adopt = false;
};

/// What dependencies have outside the cluster goes; the rest goes with the cluster.
struct DependencyRemoval {
  domain::ClusterReference cluster;
};

struct ClusterKubeconfig {
  domain::ClusterReference cluster;
};

struct ClusterKubeconfigAnswer {
  std::string cluster;
  std::string context;
  json::object kubeconfig;
};

Type describe(ComponentName*);
Type describe(DependencyState*);
Type describe(DependencyList*);
Type describe(DependencyView*);
Type describe(DependencyListAnswer*);
Type describe(DependencyReconcile*);
Type describe(DependencyRemoval*);
Type describe(ClusterKubeconfig*);
Type describe(ClusterKubeconfigAnswer*);

inline constexpr std::string_view k_dependency_reconcile = "dependency_reconcile";
/// Only as a part of other operations.
inline constexpr std::string_view k_dependency_removal = "dependency_removal";

/// The rows of the contract. All outlive the table; null where rows are only read.
std::vector<contract::Action> dependency_actions(aws::Accounts* accounts, fleet::Fleet* fleet,
                                                 kube::EksClusters* clusters);

/// The operation and step kinds behind them. All outlive the registry's engine.
void add_dependency_kinds(operations::KindRegistry& kinds, aws::Accounts& accounts,
                          kube::EksClusters& clusters);

/// The plan, for operations that run this as a part. Nothing is changed.
Task<contract::Plan> plan_dependency_reconcile(aws::Accounts& accounts, fleet::Fleet& fleet,
                                               kube::EksClusters& clusters, contract::Caller caller,
                                               DependencyReconcile request);
/// The OIDC provider and the roles of pods, as far as they were made here.
Task<contract::Plan> plan_dependency_removal(aws::Accounts& accounts, fleet::Fleet& fleet,
                                             kube::EksClusters& clusters, contract::Caller caller,
                                             DependencyRemoval request);

}  // namespace instantstart::capabilities
