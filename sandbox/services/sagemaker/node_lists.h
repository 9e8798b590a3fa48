// Nodes as clients see them.
#pragma once

#include "sandbox/services/sagemaker/state.h"

namespace instantstart::sandbox::sagemaker {

Reply<api::ListClusterNodesResponse> list_cluster_nodes(State& state, const Call& call,
                                                        const api::ListClusterNodesRequest& in);
Reply<api::DescribeClusterNodeResponse> describe_cluster_node(State& state, const Call& call,
                                                              const api::DescribeClusterNodeRequest& in);

}  // namespace instantstart::sandbox::sagemaker
