// What a control plane is made of, with everything decided: the parameters of its stack. A stack's parameters
// say what was chosen for it, so asking again changes nothing that the caller doesn't name.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/describe.h"
#include "base/result.h"
#include "capabilities/network/network.h"

namespace instantstart::capabilities {

using Parameters = std::map<std::string, std::string>;

struct ControlPlaneChoices {
  std::string cluster_name;
  std::string role_name;
  std::string kubernetes_version;
  std::string vpc_cidr;            ///< Empty with an existing VPC.
  std::vector<std::string> zones;  ///< Names; empty with an existing VPC.
  NatMode nat = NatMode::single;
  std::string vpc_id;                   ///< Of an existing VPC; else empty.
  std::vector<std::string> subnet_ids;  ///< …
  EndpointAccess endpoint_access = EndpointAccess::public_and_private;
  std::vector<std::string> public_access_cidrs;
  std::vector<std::string> administrators;  ///< ARNs, sorted, each once.

  bool existing_vpc() const { return !vpc_id.empty(); }
  bool operator==(const ControlPlaneChoices&) const = default;
};
Type describe(ControlPlaneChoices*);

/// As parameters of the stack, and back. Error `upstream_error` when they are not of a stack of ours.
Parameters to_parameters(const ControlPlaneChoices& choices);
Result<ControlPlaneChoices> from_parameters(const Parameters& parameters);

/// What is known of the place before a new control plane is chosen.
struct PlaceFacts {
  std::vector<std::string> zones;     ///< That EKS takes, by name.
  std::vector<domain::Cidr> taken;    ///< Blocks of VPCs and their peers.
  std::vector<std::string> versions;  ///< In standard support; empty when unknown.
  std::string default_version;
};

/// Choices for a new control plane. Problems have pointers into the request.
Result<ControlPlaneChoices> choose_new(const ControlPlaneCreate& request, const PlaceFacts& facts);

/// Choices for one that exists: what the request names is changed, the rest stays. Error `invalid_request`
/// for what can't change: the network, and versions that are not the next.
Result<ControlPlaneChoices> choose_changed(const ControlPlaneCreate& request,
                                           const ControlPlaneChoices& existing);

/// The names of what differs, as callers write it: "nat", "endpoint_access".
std::vector<std::string> differences(const ControlPlaneChoices& from, const ControlPlaneChoices& to);

/// How a VPC is cut. Its first /20 holds a public and a private /24 for each zone; every other /20 is for
/// nodes.
struct AddressPlan {
  std::vector<domain::Cidr> public_subnets;
  std::vector<domain::Cidr> private_subnets;
};
inline constexpr int k_node_block_prefix = 20;
inline constexpr int k_subnet_prefix = 24;
/// nullopt when not a /20 is left for the nodes of each zone.
std::optional<AddressPlan> address_plan(const domain::Cidr& vpc, std::size_t zones);

}  // namespace instantstart::capabilities
