#include "sandbox/services/ec2/endpoint_parts.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "sandbox/services/ec2/network_interfaces.h"
#include "sandbox/services/ec2/queries.h"
#include "sandbox/services/ec2/resource_kinds.h"
#include "sandbox/services/ec2/security_groups.h"

namespace instantstart::sandbox::ec2 {
namespace {

using aws::ec2::NetworkInterface;
using aws::ec2::RouteTable;
using aws::ec2::VpcEndpoint;

AwsFault invalid(std::string message) { return fault("InvalidParameter", std::move(message)).error(); }

AwsFault foreign(std::string_view noun, std::string_view id, std::string_view vpc_id) {
  return invalid(fmt::format("The {} {} does not belong to the VPC {}", noun, id, vpc_id));
}

std::string default_group_of(const State& state, std::string_view region, std::string_view vpc_id) {
  const auto found = records_in(state.security_groups, region, [vpc_id](const auto& group) {
    return group.vpc_id == vpc_id && group.group_name == k_default_group;
  });
  return *found.front()->group_id;  // Each VPC has one.
}

}  // namespace

bool is_gateway(const VpcEndpoint& endpoint) { return endpoint.vpc_endpoint_type == "Gateway"; }

std::optional<AwsFault> refuse_tables(const State& state, std::string_view region, std::string_view vpc_id,
                                      const std::string& prefix_list, const Ids& table_ids) {
  for (const auto& id : table_ids) {
    const RouteTable* table = state.route_tables.find(regional_id(region, id));
    if (!table) return not_found(ResourceKind::route_table, id).error();
    if (table->vpc_id != vpc_id) return foreign("route table", id, vpc_id);
    for (const auto& route : aws::items(table->routes)) {
      if (route.destination_prefix_list_id != prefix_list) continue;
      return fault("RouteAlreadyExists",
                   fmt::format("route table {} already has a route with destination-prefix-list-id {}", id,
                               prefix_list))
          .error();
    }
  }
  return std::nullopt;
}

void add_routes(State& state, std::string_view region, const std::string& endpoint_id,
                const std::string& prefix_list, const Ids& table_ids) {
  for (const auto& id : table_ids) {
    state.route_tables.edit(regional_id(region, id), [&](RouteTable& table) {
      table.routes->push_back({.destination_prefix_list_id = prefix_list,
                               .gateway_id = endpoint_id,
                               .origin = "CreateRoute",
                               .state = "active"});
    });
  }
}

void remove_routes(State& state, std::string_view region, const std::string& endpoint_id,
                   const Ids& table_ids) {
  for (const auto& id : table_ids) {
    state.route_tables.edit(regional_id(region, id), [&endpoint_id](RouteTable& table) {
      std::erase_if(*table.routes,
                    [&endpoint_id](const auto& route) { return route.gateway_id == endpoint_id; });
    });
  }
}

std::optional<AwsFault> refuse_subnets(const State& state, std::string_view region, std::string_view vpc_id,
                                       const Ids& present, const Ids& added) {
  std::set<std::string> zones;
  for (const auto& id : present) {
    if (const auto* subnet = state.subnets.find(regional_id(region, id)))
      zones.insert(*subnet->availability_zone);
  }
  for (const auto& id : added) {
    const auto* subnet = state.subnets.find(regional_id(region, id));
    if (!subnet) return not_found(ResourceKind::subnet, id).error();
    if (subnet->vpc_id != vpc_id) return foreign("subnet", id, vpc_id);
    if (!zones.insert(*subnet->availability_zone).second) {
      return fault("DuplicateSubnetsInSameZone",
                   fmt::format(
                       "Found another VPC endpoint subnet in the availability zone of {}. VPC endpoint "
                       "subnets should be in different availability zones supported by the VPC endpoint "
                       "service.",
                       id))
          .error();
    }
    if (subnet->available_ip_address_count.value_or(0) < 1) {
      return fault("InsufficientFreeAddressesInSubnet",
                   fmt::format("The subnet {} does not have enough free addresses.", id))
          .error();
    }
  }
  return std::nullopt;
}

std::optional<AwsFault> refuse_groups(const State& state, std::string_view region, std::string_view vpc_id,
                                      const Ids& group_ids) {
  for (const auto& id : group_ids) {
    const auto* group = state.security_groups.find(regional_id(region, id));
    if (!group) return not_found(ResourceKind::security_group, id).error();
    if (group->vpc_id != vpc_id) return foreign("security group", id, vpc_id);
  }
  if (group_ids.size() <= state.limits(region).groups_per_interface) return std::nullopt;
  return fault("SecurityGroupsPerInterfaceLimitExceeded",
               "The maximum number of security groups per interface has been reached.")
      .error();
}

void add_interfaces(State& state, std::string_view region, VpcEndpoint& endpoint, const Ids& subnet_ids) {
  Ids groups;
  for (const auto& group : aws::items(endpoint.groups)) groups.push_back(*group.group_id);
  for (const auto& subnet_id : subnet_ids) {
    auto id =
        add_interface(state, region,
                      {.subnet_id = subnet_id,
                       .group_ids = groups,
                       .description = fmt::format("VPC Endpoint Interface {}", *endpoint.vpc_endpoint_id),
                       .type = "vpc_endpoint",
                       .requester_id = state.world.account()});
    if (!id) continue;  // Checked before: it can't be.
    endpoint.subnet_ids->push_back(subnet_id);
    endpoint.network_interface_ids->push_back(std::move(*id));
  }
}

void remove_interfaces(State& state, std::string_view region, VpcEndpoint& endpoint, const Ids& subnet_ids) {
  std::erase_if(*endpoint.network_interface_ids, [&](const std::string& id) {
    const NetworkInterface* interface = state.network_interfaces.find(regional_id(region, id));
    if (!interface || !contains(subnet_ids, *interface->subnet_id)) return false;
    remove_interface(state, region, id);
    return true;
  });
  std::erase_if(*endpoint.subnet_ids, [&](const std::string& id) { return contains(subnet_ids, id); });
}

void set_groups(State& state, std::string_view region, VpcEndpoint& endpoint, const Ids& group_ids) {
  const Ids wanted = group_ids.empty() ? Ids{default_group_of(state, region, *endpoint.vpc_id)} : group_ids;
  endpoint.groups.emplace();
  std::vector<aws::ec2::GroupIdentifier> of_interfaces;
  for (const auto& id : wanted) {
    const auto& name = state.security_groups.find(regional_id(region, id))->group_name;
    endpoint.groups->push_back({.group_id = id, .group_name = name});
    of_interfaces.push_back({.group_id = id, .group_name = name});
  }
  for (const auto& id : aws::items(endpoint.network_interface_ids)) {
    state.network_interfaces.edit(regional_id(region, id),
                                  [&](NetworkInterface& interface) { interface.groups = of_interfaces; });
  }
}

std::optional<AwsFault> refuse_private_names(const State& state, std::string_view region,
                                             std::string_view vpc_id, std::string_view service_name,
                                             std::string_view endpoint_id) {
  const VpcAttributes* attributes = state.vpc_attributes.find(regional_id(region, vpc_id));
  if (!attributes || !attributes->dns_support || !attributes->dns_hostnames) {
    return invalid(
        "Enabling private DNS requires both enableDnsSupport and enableDnsHostnames VPC attributes set to "
        "true "
        "for " +
        std::string(vpc_id));
  }
  const bool taken = any_in(state.vpc_endpoints, region, [&](const VpcEndpoint& other) {
    return other.vpc_id == vpc_id && other.service_name == service_name &&
           other.vpc_endpoint_id != endpoint_id && other.private_dns_enabled.value_or(false) &&
           other.state != "deleting";
  });
  if (!taken) return std::nullopt;
  return invalid(fmt::format(
      "private-dns-enabled cannot be set because there is already a conflicting DNS domain for {} in "
      "the VPC {}",
      service_name, vpc_id));
}

}  // namespace instantstart::sandbox::ec2
