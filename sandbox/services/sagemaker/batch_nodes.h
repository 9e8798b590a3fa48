// Calls about several nodes at once: each node has its own outcome.
#pragma once

#include "sandbox/services/sagemaker/state.h"

namespace instantstart::sandbox::sagemaker {

Reply<api::BatchAddClusterNodesResponse> batch_add_cluster_nodes(State& state, const Call& call,
                                                                 const api::BatchAddClusterNodesRequest& in);
Reply<api::BatchDeleteClusterNodesResponse> batch_delete_cluster_nodes(
    State& state, const Call& call, const api::BatchDeleteClusterNodesRequest& in);
Reply<api::BatchRebootClusterNodesResponse> batch_reboot_cluster_nodes(
    State& state, const Call& call, const api::BatchRebootClusterNodesRequest& in);
Reply<api::BatchReplaceClusterNodesResponse> batch_replace_cluster_nodes(
    State& state, const Call& call, const api::BatchReplaceClusterNodesRequest& in);

}  // namespace instantstart::sandbox::sagemaker
