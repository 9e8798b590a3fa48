// The plan of a reconcile, from what was seen: a step only for what differs. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "capabilities/dependencies/cluster_target.h"
#include "capabilities/dependencies/component.h"
#include "capabilities/dependencies/component_seen.h"
#include "contract/plan.h"
#include "kube/helm_release.h"

namespace instantstart::capabilities {

struct SeenComponent {
  const Component* component = nullptr;
  ComponentSeen seen;
};

struct ReconcileFacts {
  ClusterTarget cluster;
  std::optional<kube::HelmRelease> helm;  ///< Of the HyperPod chart.
  std::vector<SeenComponent> components;  ///< In the table's order.
  bool adopt = false;
};

/// The name that objects are made under: that of the release that is there, else the chart's usual one.
std::string release_of(const std::optional<kube::HelmRelease>& helm);

/// Error `invalid_request` when the cluster's name is too long for a role.
Result<contract::Plan> plan_reconcile(const ReconcileFacts& facts);

}  // namespace instantstart::capabilities
