// Virtual private clouds.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sandbox/core/cidr.h"
#include "sandbox/services/ec2/state.h"

namespace instantstart::sandbox::ec2 {

struct VpcSpec {
  Cidr block;
  std::string tenancy = "default";
  bool is_default = false;
};

/// With its main route table and its default security group; no checks. The id of the VPC.
std::string make_vpc(State& state, std::string_view region, const VpcSpec& spec);
/// The region's; nullptr when the user has deleted it.
const aws::ec2::Vpc* default_vpc(const State& state, std::string_view region);

Reply<aws::ec2::CreateVpcResult> create_vpc(State& state, const Call& call,
                                            const aws::ec2::CreateVpcRequest& in);
Reply<aws::ec2::DescribeVpcsResult> describe_vpcs(State& state, const Call& call,
                                                  const aws::ec2::DescribeVpcsRequest& in);
Reply<aws::Empty> modify_vpc_attribute(State& state, const Call& call,
                                       const aws::ec2::ModifyVpcAttributeRequest& in);
Reply<aws::Empty> delete_vpc(State& state, const Call& call, const aws::ec2::DeleteVpcRequest& in);

}  // namespace instantstart::sandbox::ec2
