// What a new EKS cluster has in it.
#pragma once

#include "sandbox/kubernetes/api/cluster_objects.h"

namespace instantstart::sandbox::kubernetes {

/// Namespaces, ClusterRoles and their bindings, the Service "kubernetes", priority classes, storage class
/// gp2. The refusal says which object the rules do not take: a fault of the program.
Outcome<> furnish_cluster(ClusterObjects& objects, std::string_view service_cidr);

}  // namespace instantstart::sandbox::kubernetes
