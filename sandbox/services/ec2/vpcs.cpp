#include "sandbox/services/ec2/vpcs.h"

#include <array>

#include <fmt/format.h>

#include "sandbox/services/ec2/errors.h"
#include "sandbox/services/ec2/listing.h"
#include "sandbox/services/ec2/nat_gateways.h"
#include "sandbox/services/ec2/queries.h"
#include "sandbox/services/ec2/route_tables.h"
#include "sandbox/services/ec2/security_groups.h"
#include "sandbox/services/ec2/tags.h"
#include "sandbox/services/ec2/vpc_cidr_blocks.h"

namespace instantstart::sandbox::ec2 {
namespace {

using aws::ec2::Vpc;

constexpr std::array<FilterName, 16> k_filters{
    {{"cidr", "CidrBlock"},
     {"cidr-block-association.cidr-block", "CidrBlockAssociationSet.CidrBlock"},
     {"cidr-block-association.association-id", "CidrBlockAssociationSet.AssociationId"},
     {"cidr-block-association.state", "CidrBlockAssociationSet.CidrBlockState.State"},
     {"dhcp-options-id", "DhcpOptionsId"},
     {"ipv6-cidr-block-association.ipv6-cidr-block", "Ipv6CidrBlockAssociationSet.Ipv6CidrBlock"},
     {"ipv6-cidr-block-association.ipv6-pool", "Ipv6CidrBlockAssociationSet.Ipv6Pool"},
     {"ipv6-cidr-block-association.association-id", "Ipv6CidrBlockAssociationSet.AssociationId"},
     {"ipv6-cidr-block-association.state", "Ipv6CidrBlockAssociationSet.Ipv6CidrBlockState.State"},
     {"is-default", "IsDefault"},
     {"isDefault", "IsDefault"},
     {"owner-id", "OwnerId"},
     {"state", "State"},
     {"tag:", "Tags"},
     {"tag-key", "Tags.Key"},
     {"vpc-id", "VpcId"}}};

/// What else would be left in it: what goes with the VPC itself doesn't count.
bool has_contents(const State& state, const Call& call, const std::string& id) {
  const auto& region = call.region;
  const auto is_inside = [&id](const auto& record) { return record.vpc_id == id; };
  return any_in(state.subnets, region, is_inside) || any_in(state.vpc_endpoints, region, is_inside) ||
         any_in(state.network_interfaces, region, is_inside) ||
         any_in(state.nat_gateways, region,
                [&](const auto& gateway) { return is_inside(gateway) && is_alive(gateway); }) ||
         any_in(state.internet_gateways, region,
                [&id](const auto& gateway) {
                  const auto& attachments = aws::items(gateway.attachments);
                  return !attachments.empty() && attachments.front().vpc_id == id;
                }) ||
         any_in(state.security_groups, region,
                [&](const auto& group) { return is_inside(group) && group.group_name != k_default_group; }) ||
         any_in(state.route_tables, region,
                [&](const auto& table) { return is_inside(table) && !is_main(table); });
}

}  // namespace

std::string make_vpc(State& state, std::string_view region, const VpcSpec& spec) {
  World& world = state.world;
  std::string id = world.make_id("vpc");
  const RegionBasics* basics = state.regions.find(region);
  Vpc vpc{
      .owner_id = world.account(),
      .instance_tenancy = spec.tenancy,
      .cidr_block_association_set = {{make_block_association(world, spec.block)}},
      .is_default = spec.is_default,
      .block_public_access_states = aws::ec2::BlockPublicAccessStates{.internet_gateway_block_mode = "off"},
      .vpc_id = id,
      .state = "available",
      .cidr_block = spec.block.text(),
      .dhcp_options_id = basics ? basics->dhcp_options_id : "default"};
  state.vpcs.put(regional_id(region, id), std::move(vpc));
  state.vpc_attributes.put(regional_id(region, id), {.dns_hostnames = spec.is_default});
  make_route_table(state, region, id, TableRole::main);
  make_default_group(state, region, id);
  return id;
}

const Vpc* default_vpc(const State& state, std::string_view region) {
  const auto found =
      records_in(state.vpcs, region, [](const Vpc& vpc) { return vpc.is_default.value_or(false); });
  return found.empty() ? nullptr : found.front();
}

Reply<aws::ec2::CreateVpcResult> create_vpc(State& state, const Call& call,
                                            const aws::ec2::CreateVpcRequest& in) {
  if (in.amazon_provided_ipv6_cidr_block.value_or(false) || in.ipv6_cidr_block || in.ipv6_pool) {
    return not_simulated("IPv6 blocks of VPCs");
  }
  if (in.ipv4_ipam_pool_id || in.ipv6_ipam_pool_id) return not_simulated("address pools (IPAM)");
  if (in.vpc_encryption_control) return not_simulated("encryption controls of VPCs");
  if (!in.cidr_block) {
    return fault("MissingParameter", "Either 'cidrBlock' or 'ipv4IpamPoolId' should be provided.");
  }
  const auto block = parse_block(*in.cidr_block, "cidrBlock");
  if (!block) return std::unexpected(block.error());
  if (!is_legal_for_vpc(*block)) {
    return fault("InvalidVpc.Range", fmt::format("The CIDR '{}' is invalid.", *in.cidr_block));
  }
  auto tags = requested_tags(call, ResourceKind::vpc, in.tag_specifications);
  if (!tags) return std::unexpected(std::move(tags.error()));
  if (count_in(state.vpcs, call.region, [](const Vpc&) { return true; }) >=
      state.limits(call.region).vpcs_per_region) {
    return fault("VpcLimitExceeded", "The maximum number of VPCs has been reached.");
  }
  const std::string id =
      make_vpc(state, call.region, {.block = *block, .tenancy = in.instance_tenancy.value_or("default")});
  put_tags(state, call.region, id, *tags);
  Vpc shown = with_tags(state, call.region, id, *state.vpcs.find(regional_id(call.region, id)));
  shown.state = "pending";
  shown.ipv6_cidr_block_association_set.emplace();  // Only this answer has the empty list.
  return aws::ec2::CreateVpcResult{.vpc = std::move(shown)};
}

Reply<aws::ec2::DescribeVpcsResult> describe_vpcs(State& state, const Call& call,
                                                  const aws::ec2::DescribeVpcsRequest& in) {
  auto filters = FilterSet::make(in.filters, k_filters);
  if (!filters) return std::unexpected(std::move(filters.error()));
  auto page = list_records(state.vpcs, ResourceKind::vpc, call, in.vpc_ids, *filters, page_request(in),
                           [&](const Vpc& vpc) { return with_tags(state, call.region, *vpc.vpc_id, vpc); });
  if (!page) return std::unexpected(std::move(page.error()));
  return aws::ec2::DescribeVpcsResult{.next_token = page->next_token, .vpcs = std::move(page->items)};
}

Reply<aws::Empty> modify_vpc_attribute(State& state, const Call& call,
                                       const aws::ec2::ModifyVpcAttributeRequest& in) {
  const std::string key = regional_id(call.region, *in.vpc_id);
  const VpcAttributes* found = state.vpc_attributes.find(key);
  if (!found) return not_found(ResourceKind::vpc, *in.vpc_id);
  const int named = int{in.enable_dns_hostnames.has_value()} + int{in.enable_dns_support.has_value()} +
                    int{in.enable_network_address_usage_metrics.has_value()};
  if (named != 1) {
    return fault("InvalidParameterCombination",
                 named == 0 ? "No attributes specified." : "Fields for multiple attribute types specified");
  }
  VpcAttributes changed = *found;
  if (in.enable_dns_hostnames) changed.dns_hostnames = in.enable_dns_hostnames->value.value_or(false);
  if (in.enable_dns_support) changed.dns_support = in.enable_dns_support->value.value_or(false);
  if (in.enable_network_address_usage_metrics) {
    changed.network_address_usage_metrics = in.enable_network_address_usage_metrics->value.value_or(false);
  }
  if (in.enable_dns_hostnames && changed.dns_hostnames && !changed.dns_support) {
    return fault("InvalidParameterCombination",
                 "DNS hostnames can be enabled only if DNS support is enabled for the VPC.");
  }
  state.vpc_attributes.put(key, changed);
  return {};
}

Reply<aws::Empty> delete_vpc(State& state, const Call& call, const aws::ec2::DeleteVpcRequest& in) {
  const std::string key = regional_id(call.region, *in.vpc_id);
  if (!state.vpcs.contains(key)) return not_found(ResourceKind::vpc, *in.vpc_id);
  if (has_contents(state, call, *in.vpc_id)) return has_dependencies("vpc", *in.vpc_id);
  forget_groups(state, call.region, *in.vpc_id);
  forget_route_tables(state, call.region, *in.vpc_id);
  forget_tags(state, call.region, *in.vpc_id);
  state.vpc_attributes.erase(key);
  state.vpcs.erase(key);
  return {};
}

}  // namespace instantstart::sandbox::ec2
