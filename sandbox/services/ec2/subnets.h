// Subnets.
#pragma once

#include <string>
#include <string_view>

#include "sandbox/core/cidr.h"
#include "sandbox/services/ec2/state.h"
#include "sandbox/services/ec2/zones.h"

namespace instantstart::sandbox::ec2 {

/// The first four addresses of a subnet and its last are AWS's ("Subnet sizing" in the VPC user guide).
inline constexpr std::int64_t k_reserved_addresses = 5;

struct SubnetSpec {
  std::string vpc_id;
  Cidr block;
  Zone zone;
  bool is_default = false;
};

/// No checks. The id of the subnet.
std::string make_subnet(State& state, std::string_view region, const SubnetSpec& spec);

Reply<aws::ec2::CreateSubnetResult> create_subnet(State& state, const Call& call,
                                                  const aws::ec2::CreateSubnetRequest& in);
Reply<aws::ec2::DescribeSubnetsResult> describe_subnets(State& state, const Call& call,
                                                        const aws::ec2::DescribeSubnetsRequest& in);
Reply<aws::Empty> modify_subnet_attribute(State& state, const Call& call,
                                          const aws::ec2::ModifySubnetAttributeRequest& in);
Reply<aws::Empty> delete_subnet(State& state, const Call& call, const aws::ec2::DeleteSubnetRequest& in);

}  // namespace instantstart::sandbox::ec2
