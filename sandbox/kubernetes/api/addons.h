// EKS add-ons as objects in a cluster: a table of what each one runs.
#pragma once

#include <string_view>
#include <vector>

#include "sandbox/core/control_planes.h"
#include "sandbox/kubernetes/api/cluster_objects.h"

namespace instantstart::sandbox::kubernetes {

/// Namespaces first, then in the order to apply them. Empty for an add-on that isn't in the table: it is
/// installed and has nothing in the cluster.
std::vector<json::object> addon_objects(const AddonRef& addon, std::string_view region,
                                        std::string_view service_cidr);

/// Healthy when every Deployment of it has its replicas; DaemonSets have what their nodes allow.
AddonHealth addon_health(const ObjectStore& store, std::string_view cluster, std::string_view addon_name);

/// All but its namespaces and definitions, which other objects may live in.
void remove_addon_objects(ClusterObjects& objects, std::string_view addon_name);

}  // namespace instantstart::sandbox::kubernetes
