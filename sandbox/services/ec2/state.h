// What EC2 remembers: one collection a noun, keyed by region and id. The functions of each noun work on it;
// they run to their end on the loop, so each sees a consistent world.
//
// Records are AWS's own output shapes. What can be worked out (tags, the rules inside a group, whether a
// route leads anywhere) is not kept in them; it is added when they are shown.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "aws/shapes/ec2.h"
#include "base/describe.h"
#include "base/json.h"
#include "sandbox/core/world.h"
#include "sandbox/services/ec2/limits.h"
#include "sandbox/services/ec2/resource_kinds.h"

namespace instantstart::sandbox::ec2 {

/// What DescribeVpcs doesn't show of a VPC.
struct VpcAttributes {
  bool dns_support = true;
  bool dns_hostnames = false;
  bool network_address_usage_metrics = false;
};
Type describe(VpcAttributes*);

/// The tags of one resource.
struct TagSet {
  std::map<std::string, std::string> tags;
};
Type describe(TagSet*);

/// A client token that was used, and what was answered.
struct TokenUse {
  std::string parameters;  ///< Digest of the request.
  json::object answer;     ///< In API names.
  std::int64_t at_ms = 0;  ///< Wall time, milliseconds since 1970.
};
Type describe(TokenUse*);

/// Who has a private address of a subnet.
struct AddressUse {
  std::string interface_id;
};
Type describe(AddressUse*);

/// How a resource on its way is going to end.
struct PlannedEnd {
  std::string code;
  std::string message;
};
Type describe(PlannedEnd*);

/// What every region has from its first use on.
struct RegionBasics {
  std::string dhcp_options_id;  ///< Of the DHCP options that all VPCs have: AmazonProvidedDNS.
};
Type describe(RegionBasics*);

struct State {
  State(World& the_world, LimitsSource the_limits);
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  World& world;
  LimitsSource limits;
  Collection<RegionBasics> regions;  ///< By region.
  Collection<aws::ec2::Vpc> vpcs;
  Collection<VpcAttributes> vpc_attributes;
  Collection<aws::ec2::Subnet> subnets;
  Collection<aws::ec2::RouteTable> route_tables;
  Collection<aws::ec2::InternetGateway> internet_gateways;
  Collection<aws::ec2::NatGateway> nat_gateways;
  Collection<PlannedEnd> nat_gateway_failures;  ///< Of those that are going to fail.
  Collection<aws::ec2::Address> addresses;
  Collection<aws::ec2::SecurityGroup> security_groups;
  Collection<aws::ec2::SecurityGroupRule> security_group_rules;
  Collection<aws::ec2::VpcEndpoint> vpc_endpoints;
  Collection<aws::ec2::NetworkInterface> network_interfaces;
  Collection<AddressUse> private_addresses;  ///< By region, subnet and address.
  Collection<aws::ec2::VpcPeeringConnection> vpc_peering_connections;
  Collection<TagSet> tags;
  Collection<TokenUse> tokens;

  bool exists(ResourceKind kind, std::string_view region, std::string_view id) const;
};

/// Seconds since 1970 as the shapes carry them.
aws::Timestamp timestamp(WallTime time);

}  // namespace instantstart::sandbox::ec2
