// Changes of a cluster's configuration, one at a time, and the updates that tell how changes go.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sandbox/services/eks/state.h"

namespace instantstart::sandbox::eks {

/// Keys are those of updates of clusters.
inline constexpr std::string_view k_update_timer = "eks.update";
/// What the timer runs: the cluster is as it was asked to be.
void finish_cluster_update(State& state, const std::string& update_key);

struct UpdateSpec {
  std::string type;  ///< "LoggingUpdate"
  std::vector<std::pair<std::string, std::string>> params;
};
/// A new update in progress. `scope` is the child_key of the cluster and the add-on's name or "". Its key.
std::string begin_update(State& state, const std::string& scope, UpdateSpec spec);
/// Successful, or failed for that reason.
void end_update(State& state, const std::string& update_key, std::optional<aws::eks::ErrorDetail> failure);
/// All of a cluster, with their tokens.
void forget_updates(State& state, const std::string& cluster_key);

Reply<aws::eks::UpdateClusterConfigResponse> update_cluster_config(
    State& state, const Call& call, const aws::eks::UpdateClusterConfigRequest& in);
Reply<aws::eks::DescribeUpdateResponse> describe_update(State& state, const Call& call,
                                                        const aws::eks::DescribeUpdateRequest& in);

}  // namespace instantstart::sandbox::eks
