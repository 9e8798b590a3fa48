#include "sandbox/services/ec2/state.h"

namespace instantstart::sandbox::ec2 {

Type describe(VpcAttributes*) {
  return object_type<VpcAttributes>(
      "VpcAttributes", "What ModifyVpcAttribute sets.",
      {field<&VpcAttributes::dns_support>("dns_support", "enableDnsSupport"),
       field<&VpcAttributes::dns_hostnames>("dns_hostnames", "enableDnsHostnames"),
       field<&VpcAttributes::network_address_usage_metrics>("network_address_usage_metrics",
                                                            "enableNetworkAddressUsageMetrics")});
}

Type describe(TagSet*) {
  return object_type<TagSet>("TagSet", "The tags of one resource.",
                             {field<&TagSet::tags>("tags", "Values by key.")});
}

Type describe(TokenUse*) {
  return object_type<TokenUse>("TokenUse", "A client token that was used.",
                               {field<&TokenUse::parameters>("parameters", "Digest of the request."),
                                field<&TokenUse::answer>("answer", "The answer, in API names."),
                                field<&TokenUse::at_ms>("at_ms", "When, in milliseconds since 1970.")});
}

Type describe(AddressUse*) {
  return object_type<AddressUse>(
      "AddressUse", "Who has a private address of a subnet.",
      {field<&AddressUse::interface_id>("interface_id", "The network interface.")});
}

Type describe(PlannedEnd*) {
  return object_type<PlannedEnd>("PlannedEnd", "How a resource on its way is going to end.",
                                 {field<&PlannedEnd::code>("code", "The failure's code."),
                                  field<&PlannedEnd::message>("message", "The failure's message.")});
}

Type describe(RegionBasics*) {
  return object_type<RegionBasics>(
      "RegionBasics", "What every region has from its first use on.",
      {field<&RegionBasics::dhcp_options_id>("dhcp_options_id", "Of the DHCP options that all VPCs have.")});
}

State::State(World& the_world, LimitsSource the_limits)
    : world(the_world),
      limits(std::move(the_limits)),
      regions(world, "ec2.region"),
      vpcs(world, "ec2.vpc"),
      vpc_attributes(world, "ec2.vpc_attributes"),
      subnets(world, "ec2.subnet"),
      route_tables(world, "ec2.route_table"),
      internet_gateways(world, "ec2.internet_gateway"),
      nat_gateways(world, "ec2.nat_gateway"),
      nat_gateway_failures(world, "ec2.nat_gateway_failure"),
      addresses(world, "ec2.address"),
      security_groups(world, "ec2.security_group"),
      security_group_rules(world, "ec2.security_group_rule"),
      vpc_endpoints(world, "ec2.vpc_endpoint"),
      network_interfaces(world, "ec2.network_interface"),
      private_addresses(world, "ec2.private_address"),
      vpc_peering_connections(world, "ec2.vpc_peering_connection"),
      tags(world, "ec2.tags"),
      tokens(world, "ec2.client_token") {}

bool State::exists(ResourceKind kind, std::string_view region, std::string_view id) const {
  const std::string key = regional_id(region, id);
  switch (kind) {
    case ResourceKind::vpc: return vpcs.contains(key);
    case ResourceKind::subnet: return subnets.contains(key);
    case ResourceKind::route_table: return route_tables.contains(key);
    case ResourceKind::internet_gateway: return internet_gateways.contains(key);
    case ResourceKind::nat_gateway: return nat_gateways.contains(key);
    case ResourceKind::address: return addresses.contains(key);
    case ResourceKind::security_group: return security_groups.contains(key);
    case ResourceKind::security_group_rule: return security_group_rules.contains(key);
    case ResourceKind::vpc_endpoint: return vpc_endpoints.contains(key);
    case ResourceKind::network_interface: return network_interfaces.contains(key);
    case ResourceKind::vpc_peering_connection: return vpc_peering_connections.contains(key);
  }
  return false;
}

aws::Timestamp timestamp(WallTime time) {
  // EC2 tells times in whole seconds.
  return {std::chrono::floor<std::chrono::seconds>(time)};
}

}  // namespace instantstart::sandbox::ec2
