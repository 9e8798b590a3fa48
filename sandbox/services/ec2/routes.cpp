#include "sandbox/services/ec2/routes.h"

#include <algorithm>

#include <fmt/format.h>

#include "sandbox/core/cidr.h"
#include "sandbox/services/ec2/errors.h"
#include "sandbox/services/ec2/internet_gateways.h"
#include "sandbox/services/ec2/nat_gateways.h"
#include "sandbox/services/ec2/vpc_cidr_blocks.h"

namespace instantstart::sandbox::ec2 {
namespace {

using aws::ec2::Route;
using aws::ec2::RouteTable;

constexpr std::string_view k_local = "local";

Route local_route(const Cidr& block) {
  return {.destination_cidr_block = block.text(),
          .gateway_id = std::string(k_local),
          .origin = "CreateRouteTable",
          .state = "active"};
}

Route user_route(const Cidr& destination) {
  return {.destination_cidr_block = destination.text(), .origin = "CreateRoute", .state = "active"};
}

bool leads_somewhere(const State& state, std::string_view region, const RouteTable& table,
                     const Route& route) {
  if (route.nat_gateway_id) {
    const auto* gateway = state.nat_gateways.find(regional_id(region, *route.nat_gateway_id));
    return gateway && is_alive(*gateway);
  }
  if (!route.gateway_id) return true;
  if (route.gateway_id->starts_with("vpce-")) {
    return state.vpc_endpoints.contains(regional_id(region, *route.gateway_id));
  }
  const auto* gateway = state.internet_gateways.find(regional_id(region, *route.gateway_id));
  return gateway && attached_vpc(*gateway) == table.vpc_id;
}

/// Of a CreateRouteRequest or ReplaceRouteRequest.
template <class Request>
int number_of_targets(const Request& in) {
  int count = 0;
  for (const auto* target :
       {&in.vpc_endpoint_id, &in.transit_gateway_id, &in.local_gateway_id, &in.carrier_gateway_id,
        &in.core_network_arn, &in.odb_network_arn, &in.gateway_id, &in.egress_only_internet_gateway_id,
        &in.instance_id, &in.network_interface_id, &in.vpc_peering_connection_id, &in.nat_gateway_id}) {
    if (target->has_value()) ++count;
  }
  return count;
}

/// Why the gateway can't be the target of this table's route.
std::optional<AwsFault> refuse_internet_gateway(const State& state, const Call& call, const RouteTable& table,
                                                const std::string& id) {
  const auto* gateway = state.internet_gateways.find(regional_id(call.region, id));
  if (!gateway) {
    return fault("InvalidGatewayID.NotFound", fmt::format("The gateway ID '{}' does not exist", id)).error();
  }
  if (attached_vpc(*gateway) == table.vpc_id) return std::nullopt;
  return invalid_parameter(fmt::format("route table {} and network gateway {} belong to different networks",
                                       *table.route_table_id, id))
      .error();
}

std::optional<AwsFault> refuse_nat_gateway(const State& state, const Call& call, const RouteTable& table,
                                           const std::string& id) {
  const auto* gateway = state.nat_gateways.find(regional_id(call.region, id));
  if (!gateway || !is_alive(*gateway) || gateway->state == "deleting") {
    return fault("InvalidNatGatewayID.NotFound", fmt::format("The natGateway ID '{}' does not exist", id))
        .error();
  }
  if (gateway->vpc_id == table.vpc_id) return std::nullopt;
  return invalid_parameter(fmt::format("route table {} and NAT gateway {} belong to different networks",
                                       *table.route_table_id, id))
      .error();
}

/// Why the table can't have a route to the target of this CreateRouteRequest or ReplaceRouteRequest.
template <class Request>
std::optional<AwsFault> refuse_target(const State& state, const Call& call, const RouteTable& table,
                                      const Request& in) {
  const int targets = number_of_targets(in);
  if (targets == 0) return missing_parameter("gatewayId or natGatewayId").error();
  if (targets > 1) {
    return fault("InvalidParameterCombination", "Only one target of a route may be specified.").error();
  }
  if (in.gateway_id) return refuse_internet_gateway(state, call, table, *in.gateway_id);
  if (in.nat_gateway_id) return refuse_nat_gateway(state, call, table, *in.nat_gateway_id);
  return not_simulated("routes to anything but internet and NAT gateways").error();
}

/// The block that names a route of the table's own; InvalidRoute.NotFound when it has none to there.
template <class Request>
Reply<std::string> own_route(const RouteTable& table, const Request& in) {
  if (in.destination_ipv6_cidr_block || in.destination_prefix_list_id) {
    return not_simulated("routes to IPv6 blocks and prefix lists");
  }
  if (!in.destination_cidr_block) return missing_parameter("destinationCidrBlock");
  const auto destination = Cidr::parse(*in.destination_cidr_block);
  if (!destination) {
    return invalid_value(*in.destination_cidr_block, "destinationCidrBlock",
                         "This is not a valid CIDR block.");
  }
  const bool known = std::ranges::any_of(aws::items(table.routes), [&destination](const Route& route) {
    return route.destination_cidr_block == destination->text();
  });
  if (known) return destination->text();
  return fault("InvalidRoute.NotFound",
               fmt::format("no route with destination-cidr-block {} in route table {}", destination->text(),
                           *table.route_table_id));
}

std::optional<AwsFault> refuse_destination(const State& state, const Call& call, const RouteTable& table,
                                           const Cidr& destination) {
  if (const auto* vpc = state.vpcs.find(regional_id(call.region, *table.vpc_id))) {
    for (const Cidr& block : blocks_of(*vpc)) {
      if (!block.contains(destination)) continue;
      return invalid_parameter(
                 fmt::format("The destination CIDR block {} is equal to or more specific than one of this "
                             "VPC's CIDR blocks. This route can target only an interface or an instance.",
                             destination.text()))
          .error();
    }
  }
  const auto& routes = aws::items(table.routes);
  const bool taken = std::ranges::any_of(routes, [&destination](const Route& route) {
    return route.destination_cidr_block == destination.text();
  });
  if (taken) {
    return fault("RouteAlreadyExists",
                 fmt::format("The route identified by {} already exists.", destination.text()))
        .error();
  }
  const auto own = std::ranges::count_if(
      routes, [](const Route& route) { return route.destination_cidr_block.has_value(); });
  if (static_cast<std::size_t>(own) >= state.limits(call.region).routes_per_table) {
    return fault("RouteLimitExceeded", "The maximum number of routes has been reached.").error();
  }
  return std::nullopt;
}

}  // namespace

std::vector<Route> shown_routes(const State& state, std::string_view region, const RouteTable& table) {
  std::vector<Route> routes;
  if (const auto* vpc = state.vpcs.find(regional_id(region, *table.vpc_id))) {
    for (const Cidr& block : blocks_of(*vpc)) routes.push_back(local_route(block));
  }
  for (Route route : aws::items(table.routes)) {
    route.state = leads_somewhere(state, region, table, route) ? "active" : "blackhole";
    routes.push_back(std::move(route));
  }
  return routes;
}

void put_internet_route(State& state, std::string_view region, std::string_view table_id,
                        std::string_view gateway_id) {
  state.route_tables.edit(regional_id(region, table_id), [gateway_id](RouteTable& table) {
    Route route = user_route(Cidr{});
    route.gateway_id = gateway_id;
    table.routes->push_back(std::move(route));
  });
}

Reply<aws::ec2::CreateRouteResult> create_route(State& state, const Call& call,
                                                const aws::ec2::CreateRouteRequest& in) {
  const std::string key = regional_id(call.region, *in.route_table_id);
  const RouteTable* table = state.route_tables.find(key);
  if (!table) return not_found(ResourceKind::route_table, *in.route_table_id);
  if (in.destination_ipv6_cidr_block || in.destination_prefix_list_id) {
    return not_simulated("routes to IPv6 blocks and prefix lists");
  }
  if (!in.destination_cidr_block) return missing_parameter("destinationCidrBlock");
  const auto destination = Cidr::parse(*in.destination_cidr_block);
  if (!destination) {
    return invalid_value(*in.destination_cidr_block, "destinationCidrBlock",
                         "This is not a valid CIDR block.");
  }
  if (auto refusal = refuse_target(state, call, *table, in)) return std::unexpected(std::move(*refusal));
  if (auto refusal = refuse_destination(state, call, *table, *destination)) {
    return std::unexpected(std::move(*refusal));
  }

  Route route = user_route(*destination);
  route.gateway_id = in.gateway_id;
  route.nat_gateway_id = in.nat_gateway_id;
  state.route_tables.edit(key, [&route](RouteTable& record) { record.routes->push_back(std::move(route)); });
  return aws::ec2::CreateRouteResult{.return_ = true};
}

Reply<aws::Empty> replace_route(State& state, const Call& call, const aws::ec2::ReplaceRouteRequest& in) {
  const std::string key = regional_id(call.region, *in.route_table_id);
  const RouteTable* table = state.route_tables.find(key);
  if (!table) return not_found(ResourceKind::route_table, *in.route_table_id);
  if (in.local_target) return not_simulated("local targets of routes");
  const auto destination = own_route(*table, in);
  if (!destination) return std::unexpected(destination.error());
  if (auto refusal = refuse_target(state, call, *table, in)) return std::unexpected(std::move(*refusal));
  state.route_tables.edit(key, [&](RouteTable& record) {
    for (Route& route : *record.routes) {
      if (route.destination_cidr_block != *destination) continue;
      route.gateway_id = in.gateway_id;
      route.nat_gateway_id = in.nat_gateway_id;
    }
  });
  return {};
}

Reply<aws::Empty> delete_route(State& state, const Call& call, const aws::ec2::DeleteRouteRequest& in) {
  const std::string key = regional_id(call.region, *in.route_table_id);
  const RouteTable* table = state.route_tables.find(key);
  if (!table) return not_found(ResourceKind::route_table, *in.route_table_id);
  const auto destination = own_route(*table, in);
  if (!destination) return std::unexpected(destination.error());
  state.route_tables.edit(key, [&](RouteTable& record) {
    std::erase_if(*record.routes,
                  [&](const Route& route) { return route.destination_cidr_block == *destination; });
  });
  return {};
}

}  // namespace instantstart::sandbox::ec2
