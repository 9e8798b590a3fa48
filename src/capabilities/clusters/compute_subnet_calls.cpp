#include "capabilities/clusters/compute_subnet_calls.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "aws/pagination.h"
#include "aws/shapes/ec2.h"
#include "base/decode.h"
#include "base/error_codes.h"
#include "capabilities/clusters/client_of.h"
#include "capabilities/dependencies/pod_role.h"

namespace instantstart::capabilities {
namespace {

namespace ec2 = aws::ec2;

constexpr std::string_view k_everywhere = "0.0.0.0/0";

aws::CallOptions until(net::Deadline deadline) { return {.deadline = deadline}; }

using Tags = std::map<std::string, std::string>;

Tags to_map(const std::optional<std::vector<ec2::Tag>>& tags) {
  Tags found;
  for (const auto& tag : aws::items(tags)) found[tag.key.value_or("")] = tag.value.value_or("");
  return found;
}

std::string purpose_of(const Tags& tags) {
  const auto found = tags.find(std::string(k_purpose_tag));
  return found == tags.end() ? "" : found->second;
}

/// Ours, and for nodes of that zone.
std::optional<OurThing> ours(const std::optional<std::string>& id, const Tags& tags,
                             const ComputeSubnetInput& input) {
  const auto maker = maker_of(tags, input.cluster);
  if (!maker || purpose_of(tags) != compute_purpose(input.zone)) return std::nullopt;
  return OurThing{id.value_or(""), *maker};
}

ec2::Filter filter(std::string name, std::string value) {
  ec2::Filter made;
  made.name = std::move(name);
  made.values = {std::move(value)};
  return made;
}

std::vector<ec2::TagSpecification> tag_specifications(std::string type, const ComputeSubnetInput& input,
                                                      const std::string& operation_id) {
  Tags tags = owner_tags(input.cluster, operation_id);
  tags["Name"] = fmt::format("{}-compute-{}", input.cluster.name, input.zone);
  tags[std::string(k_purpose_tag)] = compute_purpose(input.zone);
  if (type == "subnet") {
    tags["kubernetes.io/cluster/" + input.cluster.name] = "shared";
    tags["kubernetes.io/role/internal-elb"] = "1";
  }
  ec2::TagSpecification specification;
  specification.resource_type = std::move(type);
  specification.tags.emplace();
  for (const auto& [key, value] : tags) specification.tags->push_back({.key = key, .value = value});
  return {std::move(specification)};
}

std::string s3_service(const ComputeSubnetInput& input) {
  return fmt::format("com.amazonaws.{}.s3", input.cluster.region);
}

Task<> add_blocks(aws::Client& client, const ComputeSubnetInput& input, const std::string& added_block,
                  ComputeSubnetSeen& seen, net::Deadline deadline) {
  auto vpcs =
      co_await aws::collect<ec2::DescribeVpcs>(client, {}, &ec2::DescribeVpcsResult::vpcs, until(deadline));
  if (!vpcs) co_return fail(within("List VPCs", vpcs.error()));
  bool found = false;
  for (const auto& vpc : *vpcs) {
    const bool own = vpc.vpc_id == input.vpc_id;
    found = found || own;
    auto& blocks = own ? seen.vpc_blocks : seen.around;
    if (vpc.cidr_block) blocks.push_back(*vpc.cidr_block);
    for (const auto& more : aws::items(vpc.cidr_block_association_set)) {
      const std::string block = more.cidr_block.value_or("");
      const std::string state =
          more.cidr_block_state ? more.cidr_block_state->state.value_or("associated") : "associated";
      if (own && state == "associating") seen.block_coming = true;
      if (state != "associated") continue;
      if (own && block == added_block) seen.added_association = more.association_id.value_or("");
      if (block != vpc.cidr_block) blocks.push_back(block);
    }
  }
  if (!found) co_return fail(codes::not_found, fmt::format("There is no VPC {}.", input.vpc_id));
  auto peers = co_await aws::collect<ec2::DescribeVpcPeeringConnections>(
      client, {}, &ec2::DescribeVpcPeeringConnectionsResult::vpc_peering_connections, until(deadline));
  if (!peers) co_return fail(within("List VPC peering connections", peers.error()));
  for (const auto& peer : *peers) {
    for (const auto* side : {&peer.requester_vpc_info, &peer.accepter_vpc_info}) {
      if (*side && (*side)->vpc_id != input.vpc_id && (*side)->cidr_block) {
        seen.around.push_back(*(*side)->cidr_block);
      }
    }
  }
  co_return Result<>{};
}

using ZoneOfSubnet = std::map<std::string, std::string>;

Task<ZoneOfSubnet> add_subnets(aws::Client& client, const ComputeSubnetInput& input, ComputeSubnetSeen& seen,
                               net::Deadline deadline) {
  ec2::DescribeSubnetsRequest asked;
  asked.filters = {filter("vpc-id", input.vpc_id)};
  auto subnets = co_await aws::collect<ec2::DescribeSubnets>(
      client, std::move(asked), &ec2::DescribeSubnetsResult::subnets, until(deadline));
  if (!subnets) co_return fail(within("List the VPC's subnets", subnets.error()));
  ZoneOfSubnet zones;
  for (const auto& subnet : *subnets) {
    zones[subnet.subnet_id.value_or("")] = subnet.availability_zone.value_or("");
    const std::string block = subnet.cidr_block.value_or("");
    seen.taken.push_back(block);
    auto mine = ours(subnet.subnet_id, to_map(subnet.tags), input);
    // Of two, which only a maker outside this program can make, the first by id.
    if (!mine || (seen.subnet && seen.subnet->id < mine->id)) continue;
    seen.subnet = std::move(mine);
    seen.subnet_block = block;
    seen.subnet_state = subnet.state.value_or("available");
    seen.free_addresses = subnet.available_ip_address_count.value_or(0);
  }
  co_return zones;
}

void add_default_route(const ec2::RouteTable& table, ComputeSubnetSeen& seen) {
  for (const auto& route : aws::items(table.routes)) {
    if (route.destination_cidr_block != std::string(k_everywhere)) continue;
    seen.table_nat = route.nat_gateway_id.value_or(route.gateway_id.value_or("other"));
    seen.table_route_dead = route.state == "blackhole";
  }
}

Task<> add_tables(aws::Client& client, const ComputeSubnetInput& input, ComputeSubnetSeen& seen,
                  net::Deadline deadline) {
  ec2::DescribeRouteTablesRequest asked;
  asked.filters = {filter("vpc-id", input.vpc_id)};
  auto tables = co_await aws::collect<ec2::DescribeRouteTables>(
      client, std::move(asked), &ec2::DescribeRouteTablesResult::route_tables, until(deadline));
  if (!tables) co_return fail(within("List the VPC's route tables", tables.error()));
  std::string associated_with;
  for (const auto& table : *tables) {
    for (const auto& association : aws::items(table.associations)) {
      if (seen.subnet && association.subnet_id == seen.subnet->id) {
        associated_with = table.route_table_id.value_or("");
      }
    }
    auto mine = ours(table.route_table_id, to_map(table.tags), input);
    if (!mine || (seen.table && seen.table->id < mine->id)) continue;
    seen.table = std::move(mine);
    seen.table_nat.clear();
    seen.table_route_dead = false;
    add_default_route(table, seen);
  }
  seen.associated = seen.table && associated_with == seen.table->id;
  if (!seen.associated) seen.other_table = associated_with;
  co_return Result<>{};
}

Task<> add_gateway(aws::Client& client, const ComputeSubnetInput& input, const ZoneOfSubnet& zones,
                   ComputeSubnetSeen& seen, net::Deadline deadline) {
  ec2::DescribeNatGatewaysRequest asked;
  asked.filter = {filter("vpc-id", input.vpc_id), filter("state", "available")};
  auto gateways = co_await aws::collect<ec2::DescribeNatGateways>(
      client, std::move(asked), &ec2::DescribeNatGatewaysResult::nat_gateways, until(deadline));
  if (!gateways) co_return fail(within("List the VPC's NAT gateways", gateways.error()));
  for (const auto& gateway : *gateways) {
    if (gateway.state && gateway.state != "available") continue;
    const auto zone = zones.find(gateway.subnet_id.value_or(""));
    const bool of_zone = zone != zones.end() && zone->second == input.zone;
    const std::string id = gateway.nat_gateway_id.value_or("");
    const bool better =
        seen.nat.empty() || (of_zone && !seen.nat_of_zone) || (of_zone == seen.nat_of_zone && id < seen.nat);
    if (!better) continue;
    seen.nat = id;
    seen.nat_of_zone = of_zone;
  }
  co_return Result<>{};
}

Task<> add_endpoint(aws::Client& client, const ComputeSubnetInput& input, ComputeSubnetSeen& seen,
                    net::Deadline deadline) {
  ec2::DescribeVpcEndpointsRequest asked;
  asked.filters = {filter("vpc-id", input.vpc_id), filter("service-name", s3_service(input))};
  auto endpoints = co_await aws::collect<ec2::DescribeVpcEndpoints>(
      client, std::move(asked), &ec2::DescribeVpcEndpointsResult::vpc_endpoints, until(deadline));
  if (!endpoints) co_return fail(within("List the VPC's endpoints", endpoints.error()));
  for (const auto& endpoint : *endpoints) {
    if (endpoint.vpc_endpoint_type.value_or("Gateway") != "Gateway") continue;
    if (endpoint.service_name != s3_service(input)) continue;
    const std::string state = endpoint.state.value_or("available");
    if (state == "deleting" || state == "deleted" || state == "Deleting" || state == "Deleted") continue;
    const auto& tables = aws::items(endpoint.route_table_ids);
    const auto mine = ours(endpoint.vpc_endpoint_id, to_map(endpoint.tags), input);
    seen.endpoint = endpoint.vpc_endpoint_id.value_or("");
    seen.endpoint_maker = mine ? mine->maker : "";
    seen.endpoint_tables = static_cast<std::int64_t>(tables.size());
    seen.endpoint_has_table = seen.table && std::ranges::find(tables, seen.table->id) != tables.end();
    if (seen.endpoint_has_table) break;
  }
  co_return Result<>{};
}

Task<json::value> create(aws::Client& client, ComputeSubnetInput input, SubnetRequest request,
                         std::string operation_id, std::string token, net::Deadline deadline) {
  aws::CallOptions options{.deadline = deadline, .idempotency_token = token};
  if (request.call == SubnetCall::create_subnet) {
    ec2::CreateSubnetRequest wanted;
    wanted.vpc_id = input.vpc_id;
    wanted.availability_zone = input.zone;
    wanted.cidr_block = request.block;
    wanted.tag_specifications = tag_specifications("subnet", input, operation_id);
    auto made = co_await client.call<ec2::CreateSubnet>(std::move(wanted), until(deadline));
    co_return receipt_of(std::move(made), encode(request), "Create the subnet " + request.block);
  }
  if (request.call == SubnetCall::create_table) {
    ec2::CreateRouteTableRequest wanted;
    wanted.vpc_id = input.vpc_id;
    wanted.client_token = token;
    wanted.tag_specifications = tag_specifications("route-table", input, operation_id);
    auto made = co_await client.call<ec2::CreateRouteTable>(std::move(wanted), options);
    co_return receipt_of(std::move(made), encode(request), "Create the route table");
  }
  ec2::CreateVpcEndpointRequest wanted;
  wanted.vpc_id = input.vpc_id;
  wanted.vpc_endpoint_type = "Gateway";
  wanted.service_name = s3_service(input);
  wanted.route_table_ids = {request.table_id};
  wanted.client_token = token;
  wanted.tag_specifications = tag_specifications("vpc-endpoint", input, operation_id);
  auto made = co_await client.call<ec2::CreateVpcEndpoint>(std::move(wanted), options);
  co_return receipt_of(std::move(made), encode(request), "Create the S3 endpoint");
}

Task<json::value> connect(aws::Client& client, ComputeSubnetInput input, SubnetRequest request,
                          net::Deadline deadline) {
  switch (request.call) {
    case SubnetCall::associate_block: {
      auto made = co_await client.call<ec2::AssociateVpcCidrBlock>(
          {.cidr_block = request.block, .vpc_id = input.vpc_id}, until(deadline));
      co_return receipt_of(std::move(made), encode(request),
                           "Add the block " + request.block + " to the VPC");
    }
    case SubnetCall::create_route: {
      ec2::CreateRouteRequest wanted;
      wanted.route_table_id = request.table_id;
      wanted.destination_cidr_block = std::string(k_everywhere);
      wanted.nat_gateway_id = request.nat_id;
      auto made = co_await client.call<ec2::CreateRoute>(std::move(wanted), until(deadline));
      co_return receipt_of(std::move(made), encode(request), "Create the route to " + request.nat_id);
    }
    case SubnetCall::replace_route: {
      ec2::ReplaceRouteRequest wanted;
      wanted.route_table_id = request.table_id;
      wanted.destination_cidr_block = std::string(k_everywhere);
      wanted.nat_gateway_id = request.nat_id;
      auto made = co_await client.call<ec2::ReplaceRoute>(std::move(wanted), until(deadline));
      co_return receipt_of(std::move(made), encode(request), "Replace the route by one to " + request.nat_id);
    }
    case SubnetCall::associate_table: {
      ec2::AssociateRouteTableRequest wanted;
      wanted.subnet_id = request.subnet_id;
      wanted.route_table_id = request.table_id;
      auto made = co_await client.call<ec2::AssociateRouteTable>(std::move(wanted), until(deadline));
      co_return receipt_of(std::move(made), encode(request), "Give the subnet its route table");
    }
    default: {
      ec2::ModifyVpcEndpointRequest wanted;
      wanted.vpc_endpoint_id = request.endpoint_id;
      const bool adds = request.call == SubnetCall::add_to_endpoint;
      (adds ? wanted.add_route_table_ids : wanted.remove_route_table_ids) = {request.table_id};
      auto made = co_await client.call<ec2::ModifyVpcEndpoint>(std::move(wanted), until(deadline));
      co_return receipt_of(std::move(made), encode(request), "Change the S3 endpoint");
    }
  }
}

Task<json::value> remove(aws::Client& client, SubnetRequest request, net::Deadline deadline) {
  switch (request.call) {
    case SubnetCall::delete_subnet: {
      auto made = co_await client.call<ec2::DeleteSubnet>({.subnet_id = request.subnet_id}, until(deadline));
      co_return receipt_of_deletion(std::move(made), encode(request), "Delete the subnet");
    }
    case SubnetCall::delete_table: {
      auto made =
          co_await client.call<ec2::DeleteRouteTable>({.route_table_id = request.table_id}, until(deadline));
      co_return receipt_of_deletion(std::move(made), encode(request), "Delete the route table");
    }
    case SubnetCall::delete_endpoint: {
      ec2::DeleteVpcEndpointsRequest wanted;
      wanted.vpc_endpoint_ids = {request.endpoint_id};
      auto made = co_await client.call<ec2::DeleteVpcEndpoints>(std::move(wanted), until(deadline));
      co_return receipt_of_deletion(std::move(made), encode(request), "Delete the S3 endpoint");
    }
    default: {
      auto made = co_await client.call<ec2::DisassociateVpcCidrBlock>(
          {.association_id = request.association_id}, until(deadline));
      co_return receipt_of_deletion(std::move(made), encode(request), "Take the block from the VPC");
    }
  }
}

}  // namespace

Task<ComputeSubnetSeen> look_at_compute_subnet(aws::Client& client, ComputeSubnetInput input,
                                               std::string added_block, net::Deadline deadline) {
  ComputeSubnetSeen seen;
  auto blocks = co_await add_blocks(client, input, added_block, seen, deadline);
  if (!blocks) co_return fail(blocks.error());
  auto zones = co_await add_subnets(client, input, seen, deadline);
  if (!zones) co_return fail(zones.error());
  auto tables = co_await add_tables(client, input, seen, deadline);
  if (!tables) co_return fail(tables.error());
  auto gateway = co_await add_gateway(client, input, *zones, seen, deadline);
  if (!gateway) co_return fail(gateway.error());
  auto endpoint = co_await add_endpoint(client, input, seen, deadline);
  if (!endpoint) co_return fail(endpoint.error());
  co_return seen;
}

Task<std::vector<std::string>> compute_zones(aws::Client& client, ClusterTarget cluster, std::string vpc_id,
                                             net::Deadline deadline) {
  std::set<std::string> zones;
  const std::string prefix = compute_purpose("");
  const auto note = [&](const Tags& tags) {
    const std::string purpose = purpose_of(tags);
    if (maker_of(tags, cluster) && purpose.starts_with(prefix)) zones.insert(purpose.substr(prefix.size()));
  };
  ec2::DescribeSubnetsRequest asked;
  asked.filters = {filter("vpc-id", vpc_id)};
  auto subnets = co_await aws::collect<ec2::DescribeSubnets>(
      client, std::move(asked), &ec2::DescribeSubnetsResult::subnets, until(deadline));
  if (!subnets) co_return fail(within("List the VPC's subnets", subnets.error()));
  for (const auto& subnet : *subnets) note(to_map(subnet.tags));
  ec2::DescribeRouteTablesRequest asked_tables;
  asked_tables.filters = {filter("vpc-id", vpc_id)};
  auto tables = co_await aws::collect<ec2::DescribeRouteTables>(
      client, std::move(asked_tables), &ec2::DescribeRouteTablesResult::route_tables, until(deadline));
  if (!tables) co_return fail(within("List the VPC's route tables", tables.error()));
  for (const auto& table : *tables) note(to_map(table.tags));
  co_return std::vector<std::string>(zones.begin(), zones.end());
}

Task<json::value> send_about_subnet(aws::Client& client, ComputeSubnetInput input, SubnetRequest request,
                                    std::string operation_id, std::string token, net::Deadline deadline) {
  switch (request.call) {
    case SubnetCall::create_subnet:
    case SubnetCall::create_table:
    case SubnetCall::create_endpoint:
      return create(client, std::move(input), std::move(request), std::move(operation_id), std::move(token),
                    deadline);
    case SubnetCall::delete_subnet:
    case SubnetCall::delete_table:
    case SubnetCall::delete_endpoint:
    case SubnetCall::disassociate_block: return remove(client, std::move(request), deadline);
    default: return connect(client, std::move(input), std::move(request), deadline);
  }
}

}  // namespace instantstart::capabilities
