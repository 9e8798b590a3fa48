// VPC endpoints: gateways are routes to a service, interfaces are addresses of it in the subnets.
#pragma once

#include <string>
#include <string_view>

#include "sandbox/services/ec2/state.h"

namespace instantstart::sandbox::ec2 {

inline constexpr std::string_view k_vpc_endpoint_timer = "ec2.vpc_endpoint";
/// The next step of the endpoint whose regional id is `key`.
void advance_vpc_endpoint(State& state, const std::string& key);

/// With the route table.
void forget_endpoint_table(State& state, std::string_view region, std::string_view table_id);

Reply<aws::ec2::CreateVpcEndpointResult> create_vpc_endpoint(State& state, const Call& call,
                                                             const aws::ec2::CreateVpcEndpointRequest& in);
Reply<aws::ec2::DescribeVpcEndpointsResult> describe_vpc_endpoints(
    State& state, const Call& call, const aws::ec2::DescribeVpcEndpointsRequest& in);
Reply<aws::ec2::ModifyVpcEndpointResult> modify_vpc_endpoint(State& state, const Call& call,
                                                             const aws::ec2::ModifyVpcEndpointRequest& in);
Reply<aws::ec2::DeleteVpcEndpointsResult> delete_vpc_endpoints(State& state, const Call& call,
                                                               const aws::ec2::DeleteVpcEndpointsRequest& in);

}  // namespace instantstart::sandbox::ec2
