// What HyperPod asks of an instance group.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/services/sagemaker/state.h"

namespace instantstart::sandbox::sagemaker {

/// The cluster that a group is to be in.
struct GroupSurroundings {
  std::string region;
  std::string vpc_id;  ///< Of the EKS cluster.
  bool continuous = false;
  const api::VpcConfig& network;  ///< Of the HyperPod cluster.
};

/// Subnets and groups that exist and are in the VPC.
std::optional<AwsFault> refuse_network(const State& state, const GroupSurroundings& around,
                                       const api::VpcConfig& network);
/// A role that exists and trusts SageMaker.
std::optional<AwsFault> refuse_role(const State& state, const std::string& role_arn);
/// `present` is what the group has of its training plan already.
std::optional<AwsFault> refuse_group(const State& state, const GroupSurroundings& around,
                                     const api::ClusterInstanceGroupSpecification& spec,
                                     std::int64_t present = 0);
/// "[a-zA-Z0-9](-*[a-zA-Z0-9])*", up to 63: names of clusters and groups (API reference).
bool is_name(const std::string& text);
/// A name that is none, or one twice.
std::optional<AwsFault> refuse_names(const std::vector<api::ClusterInstanceGroupSpecification>& specs);
/// What can't be changed of a group that exists.
std::optional<AwsFault> refuse_changes(const api::ClusterInstanceGroupDetails& present,
                                       const api::ClusterInstanceGroupSpecification& spec);

}  // namespace instantstart::sandbox::sagemaker
