#include "sandbox/services/ec2/resource_kinds.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace instantstart::sandbox::ec2 {
namespace {

/// Codes: "Error codes for the Amazon EC2 API". Sentences: as the API answers them.
constexpr std::array<ResourceKindInfo, 11> k_kinds{{
    {ResourceKind::vpc, "vpc", "vpc", "InvalidVpcID.NotFound", "The vpc ID '{}' does not exist", ""},
    {ResourceKind::subnet, "subnet", "subnet", "InvalidSubnetID.NotFound",
     "The subnet ID '{}' does not exist", ""},
    {ResourceKind::route_table, "rtb", "route-table", "InvalidRouteTableID.NotFound",
     "The routeTable ID '{}' does not exist", "InvalidRouteTableId.Malformed"},
    {ResourceKind::internet_gateway, "igw", "internet-gateway", "InvalidInternetGatewayID.NotFound",
     "The internetGateway ID '{}' does not exist", ""},
    {ResourceKind::nat_gateway, "nat", "natgateway", "NatGatewayNotFound", "NAT gateway {} was not found",
     "NatGatewayMalformed"},
    {ResourceKind::address, "eipalloc", "elastic-ip", "InvalidAllocationID.NotFound",
     "The allocation ID '{}' does not exist", ""},
    {ResourceKind::security_group, "sg", "security-group", "InvalidGroup.NotFound",
     "The security group '{}' does not exist", "InvalidGroupId.Malformed"},
    {ResourceKind::security_group_rule, "sgr", "security-group-rule", "InvalidSecurityGroupRuleId.NotFound",
     "The security group rule ID '{}' does not exist", "InvalidSecurityGroupRuleId.Malformed"},
    {ResourceKind::vpc_endpoint, "vpce", "vpc-endpoint", "InvalidVpcEndpointId.NotFound",
     "The Vpc Endpoint Id '{}' does not exist", "InvalidVpcEndpointId.Malformed"},
    {ResourceKind::network_interface, "eni", "network-interface", "InvalidNetworkInterfaceID.NotFound",
     "The networkInterface ID '{}' does not exist", "InvalidNetworkInterfaceId.Malformed"},
    {ResourceKind::vpc_peering_connection, "pcx", "vpc-peering-connection",
     "InvalidVpcPeeringConnectionID.NotFound", "The vpcPeeringConnection ID '{}' does not exist", ""},
}};

}  // namespace

std::span<const ResourceKindInfo> resource_kinds() { return k_kinds; }

const ResourceKindInfo& kind_info(ResourceKind kind) {
  return *std::ranges::find(k_kinds, kind, &ResourceKindInfo::kind);
}

const ResourceKindInfo* kind_of_id(std::string_view id) {
  const auto found = std::ranges::find(k_kinds, id.substr(0, id.find('-')), &ResourceKindInfo::id_prefix);
  return found == k_kinds.end() ? nullptr : &*found;
}

std::unexpected<AwsFault> not_found(ResourceKind kind, std::string_view id) {
  const ResourceKindInfo& info = kind_info(kind);
  if (!info.malformed.empty() && kind_of_id(id) != &info) {
    return fault(std::string(info.malformed),
                 fmt::format("Invalid id: \"{}\" (expecting \"{}-...\")", id, info.id_prefix));
  }
  return fault(std::string(info.not_found), fmt::format(fmt::runtime(info.sentence), id));
}

std::unexpected<AwsFault> has_dependencies(std::string_view noun, std::string_view id) {
  return fault("DependencyViolation",
               fmt::format("The {} '{}' has dependencies and cannot be deleted.", noun, id));
}

}  // namespace instantstart::sandbox::ec2
