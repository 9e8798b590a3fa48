// HyperPod's cluster dependencies as Kubernetes objects: what the chart would install, as values. Pure.
//
// They are the chart's objects in its release v3.9.0 with these intended differences: namespaces are left out
// of cluster-wide objects, deprecated fields are written by their names of today, device plugins run on the
// types that the chart forgot, and the EFA plugin tolerates the taints of accelerator nodes. The chart's
// Kubeflow training operator and MPI operator are not here: HyperPod doesn't need them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace instantstart::capabilities {

struct ObjectScope {
  std::string region;   ///< Chooses images.
  std::string release;  ///< Prefix of names, where the chart has it.
};

/// In the order in which they are applied. None of them has owner labels yet.
using Objects = std::vector<json::object>;

Objects namespace_objects(const ObjectScope& scope);
/// Watches the nodes' logs and says on the node what is wrong with it.
Objects health_agent_objects(const ObjectScope& scope);
/// The account that the service's check pods run as. The pods are the service's own.
Objects deep_health_check_objects(const ObjectScope& scope);
/// Lets the service read nodes and pods, and restart jobs.
Objects job_auto_restart_objects(const ObjectScope& scope);
/// Lets the service evict pods before it patches a node.
Objects hyperpod_patching_objects(const ObjectScope& scope);

Objects nvidia_plugin_objects(const ObjectScope& scope);
Objects efa_plugin_objects(const ObjectScope& scope);
Objects neuron_plugin_objects(const ObjectScope& scope);

}  // namespace instantstart::capabilities
