// Clusters: from CREATING to gone.
#pragma once

#include <string>
#include <string_view>

#include "sandbox/services/eks/state.h"

namespace instantstart::sandbox::eks {

/// Keys are those of clusters on their way.
inline constexpr std::string_view k_cluster_timer = "eks.cluster";
/// What the timer runs: the cluster takes its next step.
void advance_cluster(State& state, const std::string& key);

/// As answers carry it: with the endpoint, once there is one, and the tags.
aws::eks::Cluster shown(const State& state, const std::string& key);

Reply<aws::eks::CreateClusterResponse> create_cluster(State& state, const Call& call,
                                                      const aws::eks::CreateClusterRequest& in);
Reply<aws::eks::DescribeClusterResponse> describe_cluster(State& state, const Call& call,
                                                          const aws::eks::DescribeClusterRequest& in);
Reply<aws::eks::ListClustersResponse> list_clusters(State& state, const Call& call,
                                                    const aws::eks::ListClustersRequest& in);
/// Add-ons go with it. There are no node groups and Fargate profiles that could hold it back.
Reply<aws::eks::DeleteClusterResponse> delete_cluster(State& state, const Call& call,
                                                      const aws::eks::DeleteClusterRequest& in);

}  // namespace instantstart::sandbox::eks
