#include "sandbox/services/ec2/subnets.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "sandbox/core/arn.h"
#include "sandbox/services/ec2/errors.h"
#include "sandbox/services/ec2/listing.h"
#include "sandbox/services/ec2/queries.h"
#include "sandbox/services/ec2/route_tables.h"
#include "sandbox/services/ec2/tags.h"
#include "sandbox/services/ec2/vpc_cidr_blocks.h"

namespace instantstart::sandbox::ec2 {
namespace {

using aws::ec2::Subnet;
using aws::ec2::Vpc;

constexpr std::array<FilterName, 32> k_filters{
    {{"availability-zone", "AvailabilityZone"},
     {"availabilityZone", "AvailabilityZone"},
     {"availability-zone-id", "AvailabilityZoneId"},
     {"availabilityZoneId", "AvailabilityZoneId"},
     {"available-ip-address-count", "AvailableIpAddressCount"},
     {"cidr-block", "CidrBlock"},
     {"cidr", "CidrBlock"},
     {"cidrBlock", "CidrBlock"},
     {"customer-owned-ipv4-pool", "CustomerOwnedIpv4Pool"},
     {"default-for-az", "DefaultForAz"},
     {"defaultForAz", "DefaultForAz"},
     {"enable-dns64", "EnableDns64"},
     {"enable-lni-at-device-index", "EnableLniAtDeviceIndex"},
     {"ipv6-cidr-block-association.ipv6-cidr-block", "Ipv6CidrBlockAssociationSet.Ipv6CidrBlock"},
     {"ipv6-cidr-block-association.association-id", "Ipv6CidrBlockAssociationSet.AssociationId"},
     {"ipv6-cidr-block-association.state", "Ipv6CidrBlockAssociationSet.Ipv6CidrBlockState.State"},
     {"ipv6-native", "Ipv6Native"},
     {"map-customer-owned-ip-on-launch", "MapCustomerOwnedIpOnLaunch"},
     {"map-public-ip-on-launch", "MapPublicIpOnLaunch"},
     {"mapPublicIpOnLaunch", "MapPublicIpOnLaunch"},
     {"outpost-arn", "OutpostArn"},
     {"owner-id", "OwnerId"},
     {"private-dns-name-options-on-launch.hostname-type", "PrivateDnsNameOptionsOnLaunch.HostnameType"},
     {"private-dns-name-options-on-launch.enable-resource-name-dns-a-record",
      "PrivateDnsNameOptionsOnLaunch.EnableResourceNameDnsARecord"},
     {"private-dns-name-options-on-launch.enable-resource-name-dns-aaaa-record",
      "PrivateDnsNameOptionsOnLaunch.EnableResourceNameDnsAAAARecord"},
     {"state", "State"},
     {"subnet-arn", "SubnetArn"},
     {"subnet-id", "SubnetId"},
     {"tag:", "Tags"},
     {"tag-key", "Tags.Key"},
     {"vpc-id", "VpcId"},
     {"vpcId", "VpcId"}}};

/// By name or id, as the request has it; the region's first availability zone when it has neither.
Reply<Zone> requested_zone(const Call& call, const aws::ec2::CreateSubnetRequest& in) {
  const auto zones = zones_of(call.region);
  if (in.availability_zone && in.availability_zone_id) {
    return fault("InvalidParameterCombination",
                 "Only one of availabilityZone and availabilityZoneId may be specified.");
  }
  if (!in.availability_zone && !in.availability_zone_id) {
    return *std::ranges::find_if_not(zones, &Zone::is_local);
  }
  const bool by_name = in.availability_zone.has_value();
  const std::string& wanted = by_name ? *in.availability_zone : *in.availability_zone_id;
  std::vector<std::string> usable;
  for (const auto& zone : zones) {
    const std::string& text = by_name ? zone.name : zone.id;
    if (!zone.usable()) continue;
    if (text == wanted) return zone;
    usable.push_back(text);
  }
  return invalid_value(
      wanted, by_name ? "availabilityZone" : "availabilityZoneId",
      fmt::format("Subnets can currently only be created in the following availability zones: {}.",
                  join(usable, ", ")));
}

std::optional<AwsFault> refuse_block(const State& state, const Call& call, const Vpc& vpc,
                                     const Cidr& block) {
  const auto blocks = blocks_of(vpc);
  const bool inside =
      std::ranges::any_of(blocks, [&block](const Cidr& outer) { return outer.contains(block); });
  if (!is_legal_size(block) || !inside) {
    return fault("InvalidSubnet.Range", fmt::format("The CIDR '{}' is invalid.", block.text())).error();
  }
  std::size_t siblings = 0;
  for (const auto* subnet : records_in(state.subnets, call.region,
                                       [&vpc](const Subnet& other) { return other.vpc_id == vpc.vpc_id; })) {
    ++siblings;
    const auto taken = Cidr::parse(subnet->cidr_block.value_or(""));
    if (taken && taken->overlaps(block)) {
      return fault("InvalidSubnet.Conflict",
                   fmt::format("The CIDR '{}' conflicts with another subnet", block.text()))
          .error();
    }
  }
  if (siblings >= state.limits(call.region).subnets_per_vpc) {
    return fault("SubnetLimitExceeded", "The maximum number of subnets has been reached.").error();
  }
  return std::nullopt;
}

/// Sets what the request names; the number of attributes that it named.
int apply(const aws::ec2::ModifySubnetAttributeRequest& in, Subnet& subnet) {
  int named = 0;
  const auto set = [&named](const auto& wanted, auto& member) {
    if (!wanted) return;
    ++named;
    member = wanted->value.value_or(false);
  };
  auto& names = *subnet.private_dns_name_options_on_launch;
  set(in.map_public_ip_on_launch, subnet.map_public_ip_on_launch);
  set(in.enable_resource_name_dns_a_record_on_launch, names.enable_resource_name_dns_a_record);
  set(in.enable_resource_name_dns_aaaa_record_on_launch, names.enable_resource_name_dns_aaaa_record);
  if (in.private_dns_hostname_type_on_launch) {
    ++named;
    names.hostname_type = in.private_dns_hostname_type_on_launch;
  }
  return named;
}

}  // namespace

std::string make_subnet(State& state, std::string_view region, const SubnetSpec& spec) {
  World& world = state.world;
  std::string id = world.make_id("subnet");
  Subnet subnet{
      .availability_zone_id = spec.zone.id,
      .map_customer_owned_ip_on_launch = false,
      .owner_id = world.account(),
      .assign_ipv6_address_on_creation = false,
      .ipv6_cidr_block_association_set = std::vector<aws::ec2::SubnetIpv6CidrBlockAssociation>{},
      .subnet_arn = make_arn("ec2", region, world.account(), fmt::format("subnet/{}", id)),
      .enable_dns64 = false,
      .ipv6_native = false,
      .private_dns_name_options_on_launch =
          aws::ec2::PrivateDnsNameOptionsOnLaunch{.hostname_type = "ip-name",
                                                  .enable_resource_name_dns_a_record = false,
                                                  .enable_resource_name_dns_aaaa_record = false},
      .block_public_access_states = aws::ec2::BlockPublicAccessStates{.internet_gateway_block_mode = "off"},
      .subnet_id = id,
      .state = "available",
      .vpc_id = spec.vpc_id,
      .cidr_block = spec.block.text(),
      .available_ip_address_count = static_cast<std::int64_t>(spec.block.size()) - k_reserved_addresses,
      .availability_zone = spec.zone.name,
      .default_for_az = spec.is_default,
      .map_public_ip_on_launch = spec.is_default};
  state.subnets.put(regional_id(region, id), std::move(subnet));
  return id;
}

Reply<aws::ec2::CreateSubnetResult> create_subnet(State& state, const Call& call,
                                                  const aws::ec2::CreateSubnetRequest& in) {
  if (in.ipv6_cidr_block || in.ipv6_native.value_or(false)) return not_simulated("IPv6 blocks of subnets");
  if (in.ipv4_ipam_pool_id || in.ipv6_ipam_pool_id) return not_simulated("address pools (IPAM)");
  if (in.outpost_arn) return not_simulated("Outposts");
  const Vpc* vpc = state.vpcs.find(regional_id(call.region, *in.vpc_id));
  if (!vpc) return not_found(ResourceKind::vpc, *in.vpc_id);
  if (!in.cidr_block) {
    return fault("MissingParameter", "Either 'cidrBlock' or 'ipv4IpamPoolId' should be provided.");
  }
  const auto block = parse_block(*in.cidr_block, "cidrBlock");
  if (!block) return std::unexpected(block.error());
  auto zone = requested_zone(call, in);
  if (!zone) return std::unexpected(std::move(zone.error()));
  auto tags = requested_tags(call, ResourceKind::subnet, in.tag_specifications);
  if (!tags) return std::unexpected(std::move(tags.error()));
  if (auto refusal = refuse_block(state, call, *vpc, *block)) return std::unexpected(std::move(*refusal));

  const std::string id =
      make_subnet(state, call.region, {.vpc_id = *in.vpc_id, .block = *block, .zone = std::move(*zone)});
  put_tags(state, call.region, id, *tags);
  return aws::ec2::CreateSubnetResult{
      .subnet = with_tags(state, call.region, id, *state.subnets.find(regional_id(call.region, id)))};
}

Reply<aws::ec2::DescribeSubnetsResult> describe_subnets(State& state, const Call& call,
                                                        const aws::ec2::DescribeSubnetsRequest& in) {
  auto filters = FilterSet::make(in.filters, k_filters);
  if (!filters) return std::unexpected(std::move(filters.error()));
  auto page = list_records(
      state.subnets, ResourceKind::subnet, call, in.subnet_ids, *filters, page_request(in),
      [&](const Subnet& subnet) { return with_tags(state, call.region, *subnet.subnet_id, subnet); });
  if (!page) return std::unexpected(std::move(page.error()));
  return aws::ec2::DescribeSubnetsResult{.next_token = page->next_token, .subnets = std::move(page->items)};
}

Reply<aws::Empty> modify_subnet_attribute(State& state, const Call& call,
                                          const aws::ec2::ModifySubnetAttributeRequest& in) {
  if (in.assign_ipv6_address_on_creation || in.enable_dns64) return not_simulated("IPv6 in subnets");
  if (in.map_customer_owned_ip_on_launch || in.customer_owned_ipv4_pool || in.enable_lni_at_device_index ||
      in.disable_lni_at_device_index) {
    return not_simulated("Outposts");
  }
  const std::string key = regional_id(call.region, *in.subnet_id);
  const Subnet* found = state.subnets.find(key);
  if (!found) return not_found(ResourceKind::subnet, *in.subnet_id);
  Subnet changed = *found;
  const int named = apply(in, changed);
  if (named != 1) {
    return fault("InvalidParameterCombination",
                 named == 0 ? "No attributes specified." : "Fields for multiple attribute types specified");
  }
  state.subnets.put(key, std::move(changed));
  return {};
}

Reply<aws::Empty> delete_subnet(State& state, const Call& call, const aws::ec2::DeleteSubnetRequest& in) {
  const std::string key = regional_id(call.region, *in.subnet_id);
  if (!state.subnets.contains(key)) return not_found(ResourceKind::subnet, *in.subnet_id);
  const bool in_use = any_in(state.network_interfaces, call.region,
                             [&in](const auto& interface) { return interface.subnet_id == in.subnet_id; });
  if (in_use) return has_dependencies("subnet", *in.subnet_id);
  forget_subnet_association(state, call.region, *in.subnet_id);
  forget_tags(state, call.region, *in.subnet_id);
  state.subnets.erase(key);
  return {};
}

}  // namespace instantstart::sandbox::ec2
