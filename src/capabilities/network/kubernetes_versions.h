// EKS's Kubernetes versions in our words. Pure.
#pragma once

#include <vector>

#include "aws/shapes/eks.h"
#include "capabilities/network/network.h"

namespace instantstart::capabilities {

/// Newest first; those out of support, and without `extended` those in extended support, are left out.
std::vector<KubernetesVersionView> to_versions(
    const std::vector<aws::eks::ClusterVersionInformation>& versions, bool extended);

}  // namespace instantstart::capabilities
