#include "sandbox/services/ec2/route_tables.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "sandbox/services/ec2/client_tokens.h"
#include "sandbox/services/ec2/errors.h"
#include "sandbox/services/ec2/listing.h"
#include "sandbox/services/ec2/queries.h"
#include "sandbox/services/ec2/routes.h"
#include "sandbox/services/ec2/tags.h"
#include "sandbox/services/ec2/vpc_endpoints.h"

namespace instantstart::sandbox::ec2 {
namespace {

using aws::ec2::RouteTable;
using aws::ec2::RouteTableAssociation;

constexpr std::array<FilterName, 21> k_filters{
    {{"association.gateway-id", "Associations.GatewayId"},
     {"association.route-table-association-id", "Associations.RouteTableAssociationId"},
     {"association.route-table-id", "Associations.RouteTableId"},
     {"association.subnet-id", "Associations.SubnetId"},
     {"association.main", "Associations.Main"},
     {"owner-id", "OwnerId"},
     {"route-table-id", "RouteTableId"},
     {"route.destination-cidr-block", "Routes.DestinationCidrBlock"},
     {"route.destination-ipv6-cidr-block", "Routes.DestinationIpv6CidrBlock"},
     {"route.destination-prefix-list-id", "Routes.DestinationPrefixListId"},
     {"route.egress-only-internet-gateway-id", "Routes.EgressOnlyInternetGatewayId"},
     {"route.gateway-id", "Routes.GatewayId"},
     {"route.instance-id", "Routes.InstanceId"},
     {"route.nat-gateway-id", "Routes.NatGatewayId"},
     {"route.transit-gateway-id", "Routes.TransitGatewayId"},
     {"route.origin", "Routes.Origin"},
     {"route.state", "Routes.State"},
     {"route.vpc-peering-connection-id", "Routes.VpcPeeringConnectionId"},
     {"tag:", "Tags"},
     {"tag-key", "Tags.Key"},
     {"vpc-id", "VpcId"}}};

RouteTableAssociation make_association(World& world, const std::string& table_id) {
  return {.main = false,
          .route_table_association_id = world.make_id("rtbassoc"),
          .route_table_id = table_id,
          .association_state = aws::ec2::RouteTableAssociationState{.state = "associated"}};
}

/// The table that has an association which `predicate` is true of, and that one; nulls when none has.
template <class Predicate>
std::pair<const RouteTable*, const RouteTableAssociation*> find_association(const State& state,
                                                                            std::string_view region,
                                                                            Predicate predicate) {
  for (const auto& [key, table] : state.route_tables.starting_with(regional_id(region, ""))) {
    for (const auto& association : aws::items(table.associations)) {
      if (predicate(association)) return {&table, &association};
    }
  }
  return {nullptr, nullptr};
}

/// `id` by value: it usually stands in the record that is changed.
void erase_association(State& state, std::string_view region, std::string_view table_id, std::string id) {
  state.route_tables.edit(regional_id(region, table_id), [&id](RouteTable& table) {
    std::erase_if(*table.associations,
                  [&id](const auto& association) { return association.route_table_association_id == id; });
  });
}

Reply<RouteTable> make_requested(State& state, const Call& call,
                                 const aws::ec2::CreateRouteTableRequest& in) {
  if (!state.vpcs.contains(regional_id(call.region, *in.vpc_id))) {
    return not_found(ResourceKind::vpc, *in.vpc_id);
  }
  auto tags = requested_tags(call, ResourceKind::route_table, in.tag_specifications);
  if (!tags) return std::unexpected(std::move(tags.error()));
  const auto siblings = count_in(state.route_tables, call.region,
                                 [&in](const RouteTable& table) { return table.vpc_id == in.vpc_id; });
  if (siblings >= state.limits(call.region).route_tables_per_vpc) {
    return fault("RouteTableLimitExceeded", "The maximum number of route tables has been reached.");
  }
  const std::string id = make_route_table(state, call.region, *in.vpc_id, TableRole::custom);
  put_tags(state, call.region, id, *tags);
  return shown_table(state, call.region, *state.route_tables.find(regional_id(call.region, id)));
}

}  // namespace

std::string make_route_table(State& state, std::string_view region, std::string_view vpc_id, TableRole role) {
  World& world = state.world;
  std::string id = world.make_id("rtb");
  std::vector<RouteTableAssociation> associations;
  if (role == TableRole::main) {
    associations.push_back(make_association(world, id));
    associations.back().main = true;
  }
  state.route_tables.put(regional_id(region, id),
                         {.associations = std::move(associations),
                          .propagating_vgws = std::vector<aws::ec2::PropagatingVgw>{},
                          .route_table_id = id,
                          .routes = std::vector<aws::ec2::Route>{},
                          .vpc_id = std::string(vpc_id),
                          .owner_id = world.account()});
  return id;
}

bool is_main(const RouteTable& table) {
  return std::ranges::any_of(aws::items(table.associations),
                             [](const auto& association) { return association.main.value_or(false); });
}

RouteTable shown_table(const State& state, std::string_view region, RouteTable table) {
  table.routes = shown_routes(state, region, table);
  const std::string id = *table.route_table_id;
  return with_tags(state, region, id, std::move(table));
}

void forget_route_tables(State& state, std::string_view region, std::string_view vpc_id) {
  for (const auto* table :
       records_in(state.route_tables, region, [&](const RouteTable& one) { return one.vpc_id == vpc_id; })) {
    const std::string id = *table->route_table_id;
    forget_tags(state, region, id);
    state.route_tables.erase(regional_id(region, id));
  }
}

void forget_subnet_association(State& state, std::string_view region, std::string_view subnet_id) {
  const auto [table, association] = find_association(
      state, region, [&](const RouteTableAssociation& one) { return one.subnet_id == subnet_id; });
  if (table) {
    erase_association(state, region, std::string(*table->route_table_id),
                      *association->route_table_association_id);
  }
}

Reply<aws::ec2::CreateRouteTableResult> create_route_table(State& state, const Call& call,
                                                           const aws::ec2::CreateRouteTableRequest& in) {
  return once_per_token<aws::ec2::CreateRouteTable>(
      state, call, in, [&]() -> Reply<aws::ec2::CreateRouteTableResult> {
        auto table = make_requested(state, call, in);
        if (!table) return std::unexpected(std::move(table.error()));
        return aws::ec2::CreateRouteTableResult{.route_table = std::move(*table)};
      });
}

Reply<aws::ec2::DescribeRouteTablesResult> describe_route_tables(
    State& state, const Call& call, const aws::ec2::DescribeRouteTablesRequest& in) {
  auto filters = FilterSet::make(in.filters, k_filters);
  if (!filters) return std::unexpected(std::move(filters.error()));
  auto page = list_records(state.route_tables, ResourceKind::route_table, call, in.route_table_ids, *filters,
                           page_request(in),
                           [&](const RouteTable& table) { return shown_table(state, call.region, table); });
  if (!page) return std::unexpected(std::move(page.error()));
  return aws::ec2::DescribeRouteTablesResult{.route_tables = std::move(page->items),
                                             .next_token = page->next_token};
}

Reply<aws::Empty> delete_route_table(State& state, const Call& call,
                                     const aws::ec2::DeleteRouteTableRequest& in) {
  const std::string key = regional_id(call.region, *in.route_table_id);
  const RouteTable* table = state.route_tables.find(key);
  if (!table) return not_found(ResourceKind::route_table, *in.route_table_id);
  if (!aws::items(table->associations).empty()) return has_dependencies("routeTable", *in.route_table_id);
  forget_endpoint_table(state, call.region, *in.route_table_id);
  forget_tags(state, call.region, *in.route_table_id);
  state.route_tables.erase(key);
  return {};
}

Reply<aws::ec2::AssociateRouteTableResult> associate_route_table(
    State& state, const Call& call, const aws::ec2::AssociateRouteTableRequest& in) {
  if (in.gateway_id || in.public_ipv4_pool) return not_simulated("route tables of gateways");
  if (!in.subnet_id) return missing_parameter("subnetId");
  const std::string key = regional_id(call.region, *in.route_table_id);
  const RouteTable* table = state.route_tables.find(key);
  if (!table) return not_found(ResourceKind::route_table, *in.route_table_id);
  const auto* subnet = state.subnets.find(regional_id(call.region, *in.subnet_id));
  if (!subnet) return not_found(ResourceKind::subnet, *in.subnet_id);
  if (subnet->vpc_id != table->vpc_id) {
    return invalid_parameter(fmt::format("route table {} and network {} belong to different networks",
                                         *in.route_table_id, *in.subnet_id));
  }
  const auto [taken_by, taken] = find_association(
      state, call.region, [&in](const RouteTableAssociation& one) { return one.subnet_id == in.subnet_id; });
  if (taken_by) {
    return fault(
        "Resource.AlreadyAssociated",
        fmt::format("the specified association for route table {} conflicts with an existing association",
                    *in.route_table_id));
  }
  RouteTableAssociation association = make_association(state.world, *in.route_table_id);
  association.subnet_id = in.subnet_id;
  state.route_tables.edit(
      key, [&association](RouteTable& record) { record.associations->push_back(association); });
  return aws::ec2::AssociateRouteTableResult{.association_id = association.route_table_association_id,
                                             .association_state = association.association_state};
}

Reply<aws::Empty> disassociate_route_table(State& state, const Call& call,
                                           const aws::ec2::DisassociateRouteTableRequest& in) {
  const auto [table, association] =
      find_association(state, call.region, [&in](const RouteTableAssociation& one) {
        return one.route_table_association_id == in.association_id;
      });
  if (!table) {
    return fault("InvalidAssociationID.NotFound",
                 fmt::format("The association ID '{}' does not exist", *in.association_id));
  }
  if (association->main.value_or(false)) {
    return invalid_parameter(
        fmt::format("cannot disassociate the main route table association {}", *in.association_id));
  }
  erase_association(state, call.region, std::string(*table->route_table_id), *in.association_id);
  return {};
}

}  // namespace instantstart::sandbox::ec2
