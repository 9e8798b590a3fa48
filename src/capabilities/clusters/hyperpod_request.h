// What is sent to SageMaker for a cluster and its groups, and what it answers put into our words. Pure.
#pragma once

#include <string>
#include <vector>

#include "aws/shapes/sagemaker.h"
#include "capabilities/clusters/hyperpod_steps.h"

namespace instantstart::capabilities {

/// A new group. `subnet_id`: where it is placed when that is not where the cluster is; else empty.
aws::sagemaker::ClusterInstanceGroupSpecification to_specification(
    const InstanceGroup& group, const std::string& role_arn, const std::string& lifecycle_uri,
    const std::vector<std::string>& security_group_ids, const std::string& subnet_id);

/// A group that is there, as UpdateCluster wants it back with every field: what is left out there may be
/// taken for a change.
aws::sagemaker::ClusterInstanceGroupSpecification to_specification(
    const aws::sagemaker::ClusterInstanceGroupDetails& group);

aws::sagemaker::CreateClusterRequest create_request(const HyperpodInput& input, const std::string& subnet_id,
                                                    const std::string& operation_id);

/// All groups as they are, and of the input's group what may be changed.
aws::sagemaker::UpdateClusterRequest update_request(const HyperpodInput& input,
                                                    const aws::sagemaker::DescribeClusterResponse& cluster);

/// The threads that HyperPod wants: 2 for training plans and p4, p5 and p6 types, else 1.
std::int64_t threads_per_core(const InstanceGroup& group);
bool has_deep_checks(const InstanceGroup& group);
CapacityType capacity_of(const InstanceGroup& group);

GroupView to_view(const aws::sagemaker::ClusterInstanceGroupDetails& group,
                  const std::vector<std::string>& cluster_subnets);
HyperpodView to_view(const aws::sagemaker::DescribeClusterResponse& cluster, bool ours);
NodeView to_view(const aws::sagemaker::ClusterNodeSummary& node);
NodeView to_view(const aws::sagemaker::ClusterNodeDetails& node);

}  // namespace instantstart::capabilities
