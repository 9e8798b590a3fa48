// Clusters: made, described, listed, deleted.
#pragma once

#include <string>
#include <string_view>

#include "sandbox/services/sagemaker/group_rules.h"
#include "sandbox/services/sagemaker/state.h"

namespace instantstart::sandbox::sagemaker {

/// Lets instances of a group not be had, as the call's planned failure says; without one, ends that.
void plan_group_failure(State& state, const Call& call, const std::string& group_key);
/// HyperPod lets its own role and the groups' roles into the EKS cluster, with the caller's rights.
std::optional<AwsFault> add_access_entries(State& state, const Call& call, const std::string& eks_cluster,
                                           const std::vector<api::ClusterInstanceGroupSpecification>& groups);
/// The EKS cluster's name in its ARN.
std::string eks_name(std::string_view arn);
/// Rules about autoscaling and the role for it.
std::optional<AwsFault> refuse_autoscaling(const State& state, bool continuous, bool recovers,
                                           const std::optional<api::ClusterAutoScalingConfig>& config,
                                           const std::optional<std::string>& cluster_role);
api::ClusterAutoScalingConfigOutput autoscaling_of(const api::ClusterAutoScalingConfig& config);

Reply<api::CreateClusterResponse> create_cluster(State& state, const Call& call,
                                                 const api::CreateClusterRequest& in);
Reply<api::DescribeClusterResponse> describe_cluster(State& state, const Call& call,
                                                     const api::DescribeClusterRequest& in);
Reply<api::ListClustersResponse> list_clusters(State& state, const Call& call,
                                               const api::ListClustersRequest& in);
Reply<api::DeleteClusterResponse> delete_cluster(State& state, const Call& call,
                                                 const api::DeleteClusterRequest& in);

}  // namespace instantstart::sandbox::sagemaker
