// The calls about a subnet for nodes.
#pragma once

#include <string>
#include <vector>

#include "aws/client.h"
#include "capabilities/clusters/compute_subnet.h"

namespace instantstart::capabilities {

/// `added_block`: one that this operation may have added to the VPC, to find its association.
Task<ComputeSubnetSeen> look_at_compute_subnet(aws::Client& client, ComputeSubnetInput input,
                                               std::string added_block, net::Deadline deadline);

/// Zones, by name, in which the cluster has a subnet or route table for nodes.
Task<std::vector<std::string>> compute_zones(aws::Client& client, ClusterTarget cluster, std::string vpc_id,
                                             net::Deadline deadline);

/// The receipt is the request.
Task<json::value> send_about_subnet(aws::Client& client, ComputeSubnetInput input, SubnetRequest request,
                                    std::string operation_id, std::string token, net::Deadline deadline);

}  // namespace instantstart::capabilities
