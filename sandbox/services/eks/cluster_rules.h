// What CreateCluster and UpdateClusterConfig ask of their requests beyond the network.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/services/eks/state.h"

namespace instantstart::sandbox::eks {

/// All of CreateCluster's request but the network; the name must not be taken.
std::optional<AwsFault> refuse_cluster(const State& state, const Call& call,
                                       const aws::eks::CreateClusterRequest& in);

/// Both endpoints off, or blocks that are none.
std::optional<AwsFault> refuse_endpoint_access(bool is_public, bool is_private,
                                               const std::vector<std::string>& public_blocks,
                                               const std::string& cluster_name);

/// As DescribeCluster shows it: the types that are on, then those that are off.
aws::eks::Logging whole_logging(const std::optional<aws::eks::Logging>& before,
                                const std::optional<aws::eks::Logging>& change);

}  // namespace instantstart::sandbox::eks
