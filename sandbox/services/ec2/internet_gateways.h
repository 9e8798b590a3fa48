// Internet gateways.
#pragma once

#include <string>
#include <string_view>

#include "sandbox/services/ec2/state.h"

namespace instantstart::sandbox::ec2 {

/// No checks. The id of the gateway, which is attached when `vpc_id` is not empty.
std::string make_internet_gateway(State& state, std::string_view region, std::string_view vpc_id = "");
/// nullopt: it is detached.
std::optional<std::string> attached_vpc(const aws::ec2::InternetGateway& gateway);
bool has_internet_gateway(const State& state, std::string_view region, std::string_view vpc_id);

Reply<aws::ec2::CreateInternetGatewayResult> create_internet_gateway(
    State& state, const Call& call, const aws::ec2::CreateInternetGatewayRequest& in);
Reply<aws::ec2::DescribeInternetGatewaysResult> describe_internet_gateways(
    State& state, const Call& call, const aws::ec2::DescribeInternetGatewaysRequest& in);
Reply<aws::Empty> attach_internet_gateway(State& state, const Call& call,
                                          const aws::ec2::AttachInternetGatewayRequest& in);
Reply<aws::Empty> detach_internet_gateway(State& state, const Call& call,
                                          const aws::ec2::DetachInternetGatewayRequest& in);
Reply<aws::Empty> delete_internet_gateway(State& state, const Call& call,
                                          const aws::ec2::DeleteInternetGatewayRequest& in);

}  // namespace instantstart::sandbox::ec2
