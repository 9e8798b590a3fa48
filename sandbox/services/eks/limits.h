// How much of each kind an account may have in a region.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace instantstart::sandbox::eks {

/// "View and manage Amazon EKS and Fargate service quotas" in the EKS user guide, at their defaults.
struct Limits {
  std::size_t clusters = 100;
  std::size_t pod_identity_associations = 5000;  ///< Of a cluster.
};

/// Asked at every call that makes something, since quotas change.
using LimitsSource = std::function<Limits(std::string_view region)>;

}  // namespace instantstart::sandbox::eks
