// Who an AWS principal is in a cluster.
#pragma once

#include <optional>
#include <string_view>

#include "sandbox/core/control_planes.h"
#include "sandbox/services/eks/state.h"

namespace instantstart::sandbox::eks {

/// By the cluster's access entries. Without them (mode CONFIG_MAP) only who made the cluster is known, as one
/// of "system:masters". "system:authenticated" is the API server's to add.
std::optional<ClusterUser> find_user(const State& state, std::string_view cluster_id,
                                     std::string_view caller_arn);

}  // namespace instantstart::sandbox::eks
