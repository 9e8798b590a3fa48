// Looks at deployments, their pods and the nodes they may run on. It changes nothing.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capabilities/dependencies/component_reader.h"
#include "capabilities/inference/deployment_objects.h"
#include "capabilities/inference/deployment_plan.h"
#include "capabilities/inference/deployment_state.h"

namespace instantstart::capabilities {

/// Loop thread only. What it is made of outlives it and its calls. Errors of all: those of the Kubernetes
/// client.
class DeploymentReader {
 public:
  DeploymentReader(aws::Accounts& accounts, kube::EksClusters& clusters) : components_(accounts, clusters) {}

  const ComponentReader& components() const { return components_; }
  Task<std::shared_ptr<kube::EksCluster>> kubernetes(ClusterTarget cluster, net::Deadline deadline) const {
    return components_.kubernetes(std::move(cluster), deadline);
  }

  /// Objects against what is wanted, the rollout, and of pods that crashed the end of their log.
  Task<DeploymentSeen> look(ServedModel model, net::Deadline deadline) const;
  /// Ours, by namespace and name. `space` empty: of all namespaces.
  Task<std::vector<DeploymentView>> list(ClusterTarget cluster, std::string space,
                                         net::Deadline deadline) const;
  /// Nodes with GPUs, or of the model's instance type; used GPUs without those of the model's own pods.
  Task<std::vector<GpuNodeSeen>> nodes(ServedModel model, net::Deadline deadline) const;

 private:
  ComponentReader components_;
};

}  // namespace instantstart::capabilities
