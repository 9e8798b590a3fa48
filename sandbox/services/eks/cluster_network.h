// The network of a control plane: what CreateCluster asks of subnets and groups, and what EKS puts there.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/services/eks/state.h"

namespace instantstart::sandbox::eks {

struct ClusterNetwork {
  std::string vpc_id;
  std::vector<std::string> subnet_ids;
  std::vector<std::string> security_group_ids;
};

/// At least two subnets of one VPC in two zones with room, and groups of that VPC.
Reply<ClusterNetwork> checked_network(const State& state, std::string_view region,
                                      const aws::eks::VpcConfigRequest& in, const std::string& cluster_name);

/// The block for services: as asked, else "10.100.0.0/16" or "172.20.0.0/16", whichever the VPC doesn't use.
Reply<std::string> checked_service_cidr(const State& state, std::string_view region,
                                        const std::string& vpc_id, const std::optional<std::string>& asked,
                                        const std::string& cluster_name);

/// The cluster's own security group: its id.
std::string make_cluster_group(State& state, std::string_view region, const std::string& cluster_name,
                               const std::string& vpc_id);
/// One interface in a subnet of each of two zones. Refuses what checked_network would refuse by now.
Reply<std::vector<std::string>> add_interfaces(State& state, std::string_view region,
                                               const std::string& cluster_name,
                                               const aws::eks::VpcConfigResponse& network);

}  // namespace instantstart::sandbox::eks
