// What instances are like, and where they may be.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/services/sagemaker/state.h"

namespace instantstart::sandbox::sagemaker {

/// What HyperPod makes of an EC2 instance type.
struct InstanceShape {
  std::string type;  ///< "ml.p5.48xlarge"
  std::int64_t vcpus = 0;
  std::int64_t cores = 0;
  std::int64_t memory_mib = 0;
  std::int64_t gpus = 0;
  std::int64_t neuron_devices = 0;
  std::int64_t neuron_cores = 0;
  std::int64_t efa_interfaces = 0;
  std::int64_t interfaces = 0;
  std::int64_t addresses_per_interface = 0;
};
/// nullopt when there is no such type.
std::optional<InstanceShape> shape_of(std::string_view type);
/// Private addresses that one takes of its subnet: those of the first interface, which the VPC CNI keeps
/// warm, and one for each further interface for EFA; an EFA-only interface has none.
std::int64_t addresses_of(const InstanceShape& shape, bool efa_only);

/// What a group may be made of, most wanted first.
std::vector<std::string> types_of(const api::ClusterInstanceGroupDetails& group);
/// The group's own network, or the cluster's.
const api::VpcConfig& network_of(const api::DescribeClusterResponse& cluster,
                                 const api::ClusterInstanceGroupDetails& group);

/// Where and what an instance becomes.
struct Choice {
  std::string type;
  std::string subnet_id;
};
/// The first type and subnet that go together and have room. `zones` and `types` narrow it, if not empty. A
/// fault with InsufficientInstanceCapacity or InsufficientFreeAddressesInSubnet.
Reply<Choice> choose_instance(const State& state, std::string_view region,
                              const api::DescribeClusterResponse& cluster,
                              const api::ClusterInstanceGroupDetails& group,
                              const std::vector<std::string>& zones, const std::vector<std::string>& types);
/// Whether the type is offered in the zone of one of the subnets.
bool is_offered(const State& state, std::string_view region, std::string_view type,
                const std::vector<std::string>& subnets);

}  // namespace instantstart::sandbox::sagemaker
