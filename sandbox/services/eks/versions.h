// The Kubernetes versions that EKS knows, and how long it supports them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sandbox/services/eks/state.h"

namespace instantstart::sandbox::eks {

/// A row of the release calendar. Dates are "2025-10-02", midnight UTC.
struct KubernetesVersion {
  std::string_view version;   ///< "1.34"
  std::string_view patch;     ///< "1.34.1"
  std::string_view platform;  ///< "eks.9"
  std::string_view released;
  std::string_view standard_until;
  std::string_view extended_until;
  /// "STANDARD_SUPPORT", "EXTENDED_SUPPORT" or "UNSUPPORTED" on the calendar's day, not today: a sandbox
  /// makes the same clusters in every year.
  std::string_view status;

  bool is_offered() const { return status != "UNSUPPORTED"; }
};

/// Newest first.
std::span<const KubernetesVersion> kubernetes_versions();
/// nullptr when EKS doesn't know it.
const KubernetesVersion* find_version(std::string_view version);
/// What CreateCluster takes when the request says nothing.
const KubernetesVersion& default_version();
/// 34 of "1.34"; 0 for what is no version.
int minor_of(std::string_view version);

Reply<aws::eks::DescribeClusterVersionsResponse> describe_cluster_versions(
    State& state, const Call& call, const aws::eks::DescribeClusterVersionsRequest& in);

}  // namespace instantstart::sandbox::eks
