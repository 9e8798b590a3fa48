// Network interfaces. No call of the simulated ones makes them: NAT gateways, endpoints and other services
// do, and each takes addresses of its subnet.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/services/ec2/state.h"

namespace instantstart::sandbox::ec2 {

struct InterfaceSpec {
  std::string subnet_id;
  std::vector<std::string> group_ids;
  std::string description;
  std::string type = "interface";  ///< "nat_gateway", "vpc_endpoint" …
  std::string requester_id;        ///< Who made it: an account's id or a service's role session.
  std::string instance_id;         ///< Empty: attached to something that is no instance of the account.
  std::int64_t addresses = 1;      ///< Private IPv4 addresses, at least 1.
};

/// The id. Refuses a subnet or group that doesn't exist and a subnet with too few free addresses
/// (InsufficientFreeAddressesInSubnet).
Reply<std::string> add_interface(State& state, std::string_view region, const InterfaceSpec& spec);
/// Gives its addresses back; nothing happens when it is gone.
void remove_interface(State& state, std::string_view region, std::string_view id);

Reply<aws::ec2::DescribeNetworkInterfacesResult> describe_network_interfaces(
    State& state, const Call& call, const aws::ec2::DescribeNetworkInterfacesRequest& in);

}  // namespace instantstart::sandbox::ec2
