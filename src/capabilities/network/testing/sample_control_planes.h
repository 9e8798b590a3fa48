// One control plane of each kind, for tests of what is made of it.
#pragma once

#include <map>
#include <string>

#include "capabilities/network/control_plane_choices.h"

namespace instantstart::capabilities::testing {

/// "single", "per_zone" (four zones, many administrators), "private", "existing_vpc".
inline std::map<std::string, ControlPlaneChoices> sample_choices() {
  ControlPlaneChoices single{.cluster_name = "demo",
                             .role_name = "demo-us-west-2-control-plane",
                             .kubernetes_version = "1.33",
                             .vpc_cidr = "10.64.0.0/16",
                             .zones = {"us-west-2a", "us-west-2b"},
                             .public_access_cidrs = {"0.0.0.0/0"}};
  ControlPlaneChoices per_zone = single;
  per_zone.zones = {"us-west-2a", "us-west-2b", "us-west-2c", "us-west-2d"};
  per_zone.nat = NatMode::per_zone;
  per_zone.public_access_cidrs = {"198.51.100.0/24", "203.0.113.0/24"};
  for (char letter = 'a'; letter < 'a' + 20; ++letter) {
    per_zone.administrators.push_back("arn:aws:iam::123456789012:role/team-" + std::string(1, letter));
  }
  ControlPlaneChoices hidden = single;
  hidden.endpoint_access = EndpointAccess::private_only;
  hidden.public_access_cidrs.clear();
  ControlPlaneChoices existing = single;
  existing.vpc_cidr.clear();
  existing.zones.clear();
  existing.vpc_id = "vpc-0123456789abcdef0";
  existing.subnet_ids = {"subnet-0123456789abcdef0", "subnet-0123456789abcdef1"};
  return {{"single", single}, {"per_zone", per_zone}, {"private", hidden}, {"existing_vpc", existing}};
}

}  // namespace instantstart::capabilities::testing
