// The quotas that EC2 enforces, at their defaults ("Amazon VPC quotas" in the VPC user guide).
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace instantstart::sandbox::ec2 {

struct Limits {
  std::size_t vpcs_per_region = 5;
  std::size_t cidr_blocks_per_vpc = 5;
  std::size_t subnets_per_vpc = 200;
  std::size_t internet_gateways_per_region = 5;
  std::size_t addresses_per_region = 5;
  std::size_t nat_gateways_per_zone = 5;
  std::size_t route_tables_per_vpc = 200;
  std::size_t routes_per_table = 50;  ///< Those that the user made.
  std::size_t security_groups_per_region = 2500;
  std::size_t rules_per_security_group = 60;  ///< In each direction.
  std::size_t groups_per_interface = 5;
  std::size_t gateway_endpoints_per_region = 20;
  std::size_t interface_endpoints_per_vpc = 50;
};

/// What applies to the account in a region; asked at each call, so that a raised quota counts at once.
using LimitsSource = std::function<Limits(std::string_view region)>;

}  // namespace instantstart::sandbox::ec2
