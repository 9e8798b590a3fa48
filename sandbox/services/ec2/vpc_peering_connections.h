// Peering connections. None can be made here; whoever asks learns that there are none.
#pragma once

#include "sandbox/services/ec2/state.h"

namespace instantstart::sandbox::ec2 {

Reply<aws::ec2::DescribeVpcPeeringConnectionsResult> describe_vpc_peering_connections(
    State& state, const Call& call, const aws::ec2::DescribeVpcPeeringConnectionsRequest& in);

}  // namespace instantstart::sandbox::ec2
