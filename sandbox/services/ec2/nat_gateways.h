// NAT gateways, the slowest things of a VPC: pending → available or failed; deleting → deleted, shown for an
// hour more.
#pragma once

#include <string>
#include <string_view>

#include "sandbox/services/ec2/state.h"

namespace instantstart::sandbox::ec2 {

/// pending, available or deleting: it holds its subnet and its address.
bool is_alive(const aws::ec2::NatGateway& gateway);

inline constexpr std::string_view k_nat_gateway_timer = "ec2.nat_gateway";
/// The next step of the gateway whose regional id is `key`.
void advance_nat_gateway(State& state, const std::string& key);

Reply<aws::ec2::CreateNatGatewayResult> create_nat_gateway(State& state, const Call& call,
                                                           const aws::ec2::CreateNatGatewayRequest& in);
Reply<aws::ec2::DescribeNatGatewaysResult> describe_nat_gateways(
    State& state, const Call& call, const aws::ec2::DescribeNatGatewaysRequest& in);
Reply<aws::ec2::DeleteNatGatewayResult> delete_nat_gateway(State& state, const Call& call,
                                                           const aws::ec2::DeleteNatGatewayRequest& in);

}  // namespace instantstart::sandbox::ec2
