#include "sandbox/services/ec2/vpc_endpoints.h"

#include <algorithm>
#include <array>
#include <chrono>

#include <fmt/format.h>

#include "base/json.h"
#include "sandbox/services/ec2/client_tokens.h"
#include "sandbox/services/ec2/endpoint_parts.h"
#include "sandbox/services/ec2/errors.h"
#include "sandbox/services/ec2/listing.h"
#include "sandbox/services/ec2/queries.h"
#include "sandbox/services/ec2/tags.h"

namespace instantstart::sandbox::ec2 {
namespace {

using aws::ec2::VpcEndpoint;

/// About what an interface endpoint takes, either way; a gateway takes no time.
constexpr milliseconds k_time_to_start = std::chrono::seconds(60);
constexpr milliseconds k_time_to_delete = std::chrono::seconds(45);
/// "If the value is greater than 1,000, we return only 1,000 items."
constexpr std::int64_t k_largest_page = 1000;

/// What an endpoint without a policy has.
constexpr std::string_view k_full_access =
    R"({"Version":"2008-10-17","Statement":[{"Action":"*","Effect":"Allow","Principal":"*","Resource":"*"}]})";

constexpr std::array<FilterName, 9> k_filters{{{"ip-address-type", "IpAddressType"},
                                               {"service-name", "ServiceName"},
                                               {"service-region", "ServiceRegion"},
                                               {"tag:", "Tags"},
                                               {"tag-key", "Tags.Key"},
                                               {"vpc-id", "VpcId"},
                                               {"vpc-endpoint-id", "VpcEndpointId"},
                                               {"vpc-endpoint-state", "State"},
                                               {"vpc-endpoint-type", "VpcEndpointType"}}};

VpcEndpoint shown(const State& state, std::string_view region, const VpcEndpoint& endpoint) {
  return with_tags(state, region, *endpoint.vpc_endpoint_id, endpoint);
}

std::optional<AwsFault> refuse_policy(const std::optional<std::string>& document) {
  if (!document) return std::nullopt;
  const auto parsed = parse_json(*document);
  const auto* object = parsed ? parsed->if_object() : nullptr;
  if (object && object->contains("Statement")) return std::nullopt;
  return fault("InvalidPolicyDocument", "The specified policy document is not a valid JSON policy document.")
      .error();
}

std::optional<AwsFault> refuse_features(const aws::ec2::CreateVpcEndpointRequest& in) {
  const std::string type = in.vpc_endpoint_type.value_or("Gateway");
  if (type != "Gateway" && type != "Interface") {
    return not_simulated(fmt::format("VPC endpoints of the type {}", type)).error();
  }
  if (in.ip_address_type.value_or("ipv4") != "ipv4") return not_simulated("IPv6 endpoints").error();
  if (in.service_region) return not_simulated("endpoints to other regions").error();
  if (!aws::items(in.subnet_configurations).empty())
    return not_simulated("chosen addresses of endpoints").error();
  if (!in.service_name) return missing_parameter("serviceName").error();
  return std::nullopt;
}

std::optional<AwsFault> refuse_parts(const State& state, const Call& call,
                                     const aws::ec2::CreateVpcEndpointRequest& in, bool gateway,
                                     const EndpointService& service) {
  const auto& region = call.region;
  if (gateway) {
    if (!aws::items(in.subnet_ids).empty() || !aws::items(in.security_group_ids).empty() ||
        in.private_dns_enabled.value_or(false)) {
      return fault("InvalidParameter",
                   "Subnets, security groups and private DNS are not supported for gateway endpoints")
          .error();
    }
    const auto all = count_in(state.vpc_endpoints, region, is_gateway);
    if (all >= state.limits(region).gateway_endpoints_per_region) {
      return fault("VpcEndpointLimitExceeded", "The maximum number of VPC endpoints has been reached.")
          .error();
    }
    return refuse_tables(state, region, *in.vpc_id, prefix_list_of(region, service),
                         aws::items(in.route_table_ids));
  }
  if (!aws::items(in.route_table_ids).empty()) {
    return fault("InvalidParameter", "Route tables are not supported for interface endpoints").error();
  }
  const auto siblings = count_in(state.vpc_endpoints, region, [&in](const VpcEndpoint& other) {
    return other.vpc_id == in.vpc_id && !is_gateway(other);
  });
  if (siblings >= state.limits(region).interface_endpoints_per_vpc) {
    return fault("VpcEndpointLimitExceeded", "The maximum number of VPC endpoints has been reached.").error();
  }
  if (auto refusal = refuse_subnets(state, region, *in.vpc_id, {}, aws::items(in.subnet_ids))) return refusal;
  if (auto refusal = refuse_groups(state, region, *in.vpc_id, aws::items(in.security_group_ids)))
    return refusal;
  if (!in.private_dns_enabled.value_or(true)) return std::nullopt;
  return refuse_private_names(state, region, *in.vpc_id, *in.service_name, "");
}

/// The names under which an interface endpoint is reached.
std::vector<aws::ec2::DnsEntry> names_of(World& world, const Call& call, const VpcEndpoint& endpoint,
                                         const EndpointService& service) {
  const std::string zone = world.make_capital_id("Z");
  const std::string unique = world.make_id("x").substr(3, 8);
  std::vector<aws::ec2::DnsEntry> names{
      {.dns_name = fmt::format("{}-{}.{}.{}.vpce.amazonaws.com", *endpoint.vpc_endpoint_id, unique,
                               service.short_name, call.region),
       .hosted_zone_id = zone}};
  if (*endpoint.private_dns_enabled) {
    names.push_back({.dns_name = fmt::format("{}.{}.amazonaws.com", service.short_name, call.region),
                     .hosted_zone_id = zone});
  }
  return names;
}

VpcEndpoint new_endpoint(const State& state, const Call& call, const aws::ec2::CreateVpcEndpointRequest& in,
                         bool gateway) {
  return {.vpc_endpoint_id = state.world.make_id("vpce"),
          .vpc_endpoint_type = gateway ? "Gateway" : "Interface",
          .vpc_id = in.vpc_id,
          .service_name = in.service_name,
          .state = gateway ? "available" : "pending",
          .policy_document = in.policy_document.value_or(std::string(k_full_access)),
          .route_table_ids = aws::items(in.route_table_ids),
          .subnet_ids = Ids{},
          .groups = std::vector<aws::ec2::SecurityGroupIdentifier>{},
          .ip_address_type = "ipv4",
          .dns_options = aws::ec2::DnsOptions{.dns_record_ip_type = gateway ? "service-defined" : "ipv4"},
          .private_dns_enabled = !gateway && in.private_dns_enabled.value_or(true),
          .requester_managed = false,
          .network_interface_ids = Ids{},
          .dns_entries = std::vector<aws::ec2::DnsEntry>{},
          .creation_timestamp = timestamp(state.world.now()),
          .owner_id = state.world.account(),
          .service_region = call.region};
}

Reply<VpcEndpoint> make_requested(State& state, const Call& call,
                                  const aws::ec2::CreateVpcEndpointRequest& in) {
  if (auto refusal = refuse_features(in)) return std::unexpected(std::move(*refusal));
  if (!state.vpcs.contains(regional_id(call.region, *in.vpc_id))) {
    return not_found(ResourceKind::vpc, *in.vpc_id);
  }
  const bool gateway = in.vpc_endpoint_type.value_or("Gateway") == "Gateway";
  const auto service = find_endpoint_service(call.region, *in.service_name);
  if (!service || (gateway ? !service->has_gateway : !service->has_interface)) {
    return fault("InvalidServiceName",
                 fmt::format("The Vpc Endpoint Service '{}' does not exist", *in.service_name));
  }
  if (auto refusal = refuse_policy(in.policy_document)) return std::unexpected(std::move(*refusal));
  auto tags = requested_tags(call, ResourceKind::vpc_endpoint, in.tag_specifications);
  if (!tags) return std::unexpected(std::move(tags.error()));
  if (auto refusal = refuse_parts(state, call, in, gateway, *service))
    return std::unexpected(std::move(*refusal));

  VpcEndpoint endpoint = new_endpoint(state, call, in, gateway);
  const std::string id = *endpoint.vpc_endpoint_id;
  const std::string key = regional_id(call.region, id);
  if (gateway) {
    add_routes(state, call.region, id, prefix_list_of(call.region, *service), aws::items(in.route_table_ids));
  } else {
    set_groups(state, call.region, endpoint, aws::items(in.security_group_ids));
    add_interfaces(state, call.region, endpoint, aws::items(in.subnet_ids));
    endpoint.dns_entries = names_of(state.world, call, endpoint, *service);
    state.world.set_timer(k_vpc_endpoint_timer, key, k_time_to_start);
  }
  put_tags(state, call.region, id, *tags);
  state.vpc_endpoints.put(key, endpoint);
  return shown(state, call.region, endpoint);
}

void forget_endpoint(State& state, const std::string& key) {
  const VpcEndpoint* found = state.vpc_endpoints.find(key);
  if (!found) return;
  const std::string region = key.substr(0, key.find('/'));
  VpcEndpoint endpoint = *found;
  remove_routes(state, region, *endpoint.vpc_endpoint_id, aws::items(endpoint.route_table_ids));
  remove_interfaces(state, region, endpoint, Ids(aws::items(endpoint.subnet_ids)));
  forget_tags(state, region, *endpoint.vpc_endpoint_id);
  state.vpc_endpoints.erase(key);
}

/// The list with some taken out and others put in.
Ids changed_ids(const Ids& present, const Ids& removed, const Ids& added) {
  Ids ids;
  for (const auto& id : present) {
    if (!contains(removed, id)) ids.push_back(id);
  }
  for (const auto& id : added) {
    if (!contains(ids, id)) ids.push_back(id);
  }
  return ids;
}

Ids group_ids_of(const VpcEndpoint& endpoint) {
  Ids ids;
  for (const auto& group : aws::items(endpoint.groups)) ids.push_back(*group.group_id);
  return ids;
}

/// Those that the endpoint doesn't have yet.
Ids really_added(const Ids& present, const Ids& wanted) {
  Ids ids;
  for (const auto& id : wanted) {
    if (!contains(present, id) && !contains(ids, id)) ids.push_back(id);
  }
  return ids;
}

std::optional<AwsFault> modify_gateway(State& state, const Call& call, const EndpointService& service,
                                       const aws::ec2::ModifyVpcEndpointRequest& in, VpcEndpoint& endpoint) {
  const std::string prefix_list = prefix_list_of(call.region, service);
  const Ids added = really_added(*endpoint.route_table_ids, aws::items(in.add_route_table_ids));
  if (auto refusal = refuse_tables(state, call.region, *endpoint.vpc_id, prefix_list, added)) return refusal;
  remove_routes(state, call.region, *endpoint.vpc_endpoint_id, aws::items(in.remove_route_table_ids));
  add_routes(state, call.region, *endpoint.vpc_endpoint_id, prefix_list, added);
  endpoint.route_table_ids =
      changed_ids(*endpoint.route_table_ids, aws::items(in.remove_route_table_ids), added);
  return std::nullopt;
}

std::optional<AwsFault> modify_interface(State& state, const Call& call,
                                         const aws::ec2::ModifyVpcEndpointRequest& in,
                                         VpcEndpoint& endpoint) {
  const auto& region = call.region;
  const Ids kept = changed_ids(*endpoint.subnet_ids, aws::items(in.remove_subnet_ids), {});
  const Ids added = really_added(kept, aws::items(in.add_subnet_ids));
  if (auto refusal = refuse_subnets(state, region, *endpoint.vpc_id, kept, added)) return refusal;
  const Ids groups = changed_ids(group_ids_of(endpoint), aws::items(in.remove_security_group_ids),
                                 aws::items(in.add_security_group_ids));
  if (auto refusal = refuse_groups(state, region, *endpoint.vpc_id, groups)) return refusal;
  if (in.private_dns_enabled.value_or(false)) {
    if (auto refusal = refuse_private_names(state, region, *endpoint.vpc_id, *endpoint.service_name,
                                            *endpoint.vpc_endpoint_id)) {
      return refusal;
    }
  }
  remove_interfaces(state, region, endpoint, aws::items(in.remove_subnet_ids));
  set_groups(state, region, endpoint, groups);
  add_interfaces(state, region, endpoint, added);
  if (in.private_dns_enabled) endpoint.private_dns_enabled = in.private_dns_enabled;
  return std::nullopt;
}

}  // namespace

void advance_vpc_endpoint(State& state, const std::string& key) {
  const VpcEndpoint* endpoint = state.vpc_endpoints.find(key);
  if (!endpoint) return;
  if (endpoint->state == "pending") {
    state.vpc_endpoints.edit(key, [](VpcEndpoint& record) { record.state = "available"; });
  } else if (endpoint->state == "deleting") {
    forget_endpoint(state, key);
  }
}

void forget_endpoint_table(State& state, std::string_view region, std::string_view table_id) {
  for (const auto* endpoint : records_in(state.vpc_endpoints, region, [table_id](const VpcEndpoint& one) {
         return contains(aws::items(one.route_table_ids), table_id);
       })) {
    const std::string key = regional_id(region, *endpoint->vpc_endpoint_id);
    state.vpc_endpoints.edit(
        key, [table_id](VpcEndpoint& record) { std::erase(*record.route_table_ids, std::string(table_id)); });
  }
}

Reply<aws::ec2::CreateVpcEndpointResult> create_vpc_endpoint(State& state, const Call& call,
                                                             const aws::ec2::CreateVpcEndpointRequest& in) {
  return once_per_token<aws::ec2::CreateVpcEndpoint>(
      state, call, in, [&]() -> Reply<aws::ec2::CreateVpcEndpointResult> {
        auto endpoint = make_requested(state, call, in);
        if (!endpoint) return std::unexpected(std::move(endpoint.error()));
        return aws::ec2::CreateVpcEndpointResult{.vpc_endpoint = std::move(*endpoint)};
      });
}

Reply<aws::ec2::DescribeVpcEndpointsResult> describe_vpc_endpoints(
    State& state, const Call& call, const aws::ec2::DescribeVpcEndpointsRequest& in) {
  auto filters = FilterSet::make(in.filters, k_filters);
  if (!filters) return std::unexpected(std::move(filters.error()));
  if (in.max_results.value_or(1) < 1) {
    return invalid_value(fmt::format("{}", *in.max_results), "MaxResults", "It must be at least 1.");
  }
  PageRequest request = page_request(in);
  if (request.max_results) request.max_results = std::min(*request.max_results, k_largest_page);
  auto page =
      list_records(state.vpc_endpoints, ResourceKind::vpc_endpoint, call, in.vpc_endpoint_ids, *filters,
                   request, [&](const VpcEndpoint& endpoint) { return shown(state, call.region, endpoint); });
  if (!page) return std::unexpected(std::move(page.error()));
  return aws::ec2::DescribeVpcEndpointsResult{.vpc_endpoints = std::move(page->items),
                                              .next_token = page->next_token};
}

Reply<aws::ec2::ModifyVpcEndpointResult> modify_vpc_endpoint(State& state, const Call& call,
                                                             const aws::ec2::ModifyVpcEndpointRequest& in) {
  if (in.ip_address_type || in.dns_options || !aws::items(in.subnet_configurations).empty()) {
    return not_simulated("changes of address types, DNS options and chosen addresses of endpoints");
  }
  const std::string key = regional_id(call.region, *in.vpc_endpoint_id);
  const VpcEndpoint* found = state.vpc_endpoints.find(key);
  if (!found) return not_found(ResourceKind::vpc_endpoint, *in.vpc_endpoint_id);
  if (auto refusal = refuse_policy(in.policy_document)) return std::unexpected(std::move(*refusal));
  VpcEndpoint endpoint = *found;
  const auto service = find_endpoint_service(call.region, *endpoint.service_name);
  auto refusal = is_gateway(endpoint) ? modify_gateway(state, call, *service, in, endpoint)
                                      : modify_interface(state, call, in, endpoint);
  if (refusal) return std::unexpected(std::move(*refusal));
  if (in.policy_document) endpoint.policy_document = in.policy_document;
  if (in.reset_policy.value_or(false)) endpoint.policy_document = std::string(k_full_access);
  state.vpc_endpoints.put(key, std::move(endpoint));
  return aws::ec2::ModifyVpcEndpointResult{.return_ = true};
}

Reply<aws::ec2::DeleteVpcEndpointsResult> delete_vpc_endpoints(
    State& state, const Call& call, const aws::ec2::DeleteVpcEndpointsRequest& in) {
  aws::ec2::DeleteVpcEndpointsResult result{.unsuccessful = std::vector<aws::ec2::UnsuccessfulItem>{}};
  for (const auto& id : aws::items(in.vpc_endpoint_ids)) {
    const std::string key = regional_id(call.region, id);
    const VpcEndpoint* endpoint = state.vpc_endpoints.find(key);
    if (!endpoint) {
      const AwsFault refusal = not_found(ResourceKind::vpc_endpoint, id).error();
      result.unsuccessful->push_back(
          {.error = aws::ec2::UnsuccessfulItemError{.code = refusal.code, .message = refusal.message},
           .resource_id = id});
    } else if (is_gateway(*endpoint)) {
      forget_endpoint(state, key);
    } else if (endpoint->state != "deleting") {
      state.vpc_endpoints.edit(key, [](VpcEndpoint& record) { record.state = "deleting"; });
      state.world.set_timer(k_vpc_endpoint_timer, key, k_time_to_delete);
    }
  }
  return result;
}

}  // namespace instantstart::sandbox::ec2
