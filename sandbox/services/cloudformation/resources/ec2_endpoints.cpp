// AWS::EC2::VPCEndpoint.
#include <array>

#include <fmt/format.h>
#include <boost/json/array.hpp>

#include "aws/shapes/ec2.h"
#include "sandbox/services/cloudformation/resources/ec2_tags.h"
#include "sandbox/services/cloudformation/resources/requests.h"
#include "sandbox/services/cloudformation/resources/resource_type.h"

namespace instantstart::sandbox::cloudformation {
namespace {

namespace ec2 = aws::ec2;

constexpr std::array<Property, 9> k_properties{{{"VpcId", Update::replacement, true},
                                                {"ServiceName", Update::replacement, true},
                                                {"VpcEndpointType"},
                                                {"PolicyDocument", Update::in_place},
                                                {"PrivateDnsEnabled", Update::in_place},
                                                {"RouteTableIds", Update::in_place},
                                                {"SecurityGroupIds", Update::in_place},
                                                {"SubnetIds", Update::in_place},
                                                {"Tags", Update::in_place}}};
constexpr std::array<std::string_view, 3> k_attributes{"Id", "NetworkInterfaceIds", "DnsEntries"};

/// Lists of strings in a request are absent rather than empty.
std::optional<std::vector<std::string>> present(std::vector<std::string> list) {
  return list.empty() ? std::nullopt : std::optional(std::move(list));
}

json::object attributes_of(const ec2::VpcEndpoint& endpoint) {
  json::array names;
  for (const auto& entry : aws::items(endpoint.dns_entries)) {
    names.emplace_back(
        json::string(fmt::format("{}:{}", entry.hosted_zone_id.value_or(""), entry.dns_name.value_or(""))));
  }
  return {{"Id", text_value(endpoint.vpc_endpoint_id)},
          {"NetworkInterfaceIds", list_value(aws::items(endpoint.network_interface_ids))},
          {"DnsEntries", std::move(names)}};
}

Reply<Made> create(const ResourceContext& context, const json::object& properties) {
  auto request = request_from<ec2::CreateVpcEndpointRequest>(properties, {"Tags", "PolicyDocument"});
  if (!request) return std::unexpected(std::move(request.error()));
  request->policy_document = document(properties, "PolicyDocument");
  request->tag_specifications = tag_specifications(context, "vpc-endpoint");
  const auto made = context.ask<ec2::CreateVpcEndpoint>(*request);
  if (!made) return std::unexpected(made.error());
  return Made{*made->vpc_endpoint->vpc_endpoint_id, attributes_of(*made->vpc_endpoint)};
}

Reply<ec2::VpcEndpoint> find(const ResourceContext& context, const std::string& id) {
  const auto found = context.ask<ec2::DescribeVpcEndpoints>({.vpc_endpoint_ids = {{id}}});
  if (!found) return std::unexpected(found.error());
  return found->vpc_endpoints->at(0);
}

Reply<Progress> check(const ResourceContext& context, const Made& made, const json::object&) {
  const auto endpoint = find(context, made.physical_id);
  if (!endpoint) return std::unexpected(endpoint.error());
  const std::string state = endpoint->state.value_or("");
  if (state == "pending") return Progress{.done = false};
  if (state == "available") return Progress{.attributes = attributes_of(*endpoint)};
  return fault(
      "NotStabilized",
      fmt::format("VPC endpoint {} is in state {} and hence failed to stabilize. {}", made.physical_id, state,
                  endpoint->last_error ? endpoint->last_error->message.value_or("") : ""));
}

Reply<Made> update(const ResourceContext& context, const Made& made, const json::object& before,
                   const json::object& after) {
  const auto added = [&](std::string_view name) {
    return present(without(texts(after, name), texts(before, name)));
  };
  const auto removed = [&](std::string_view name) {
    return present(without(texts(before, name), texts(after, name)));
  };
  ec2::ModifyVpcEndpointRequest request{.vpc_endpoint_id = made.physical_id,
                                        .add_route_table_ids = added("RouteTableIds"),
                                        .remove_route_table_ids = removed("RouteTableIds"),
                                        .add_subnet_ids = added("SubnetIds"),
                                        .remove_subnet_ids = removed("SubnetIds"),
                                        .add_security_group_ids = added("SecurityGroupIds"),
                                        .remove_security_group_ids = removed("SecurityGroupIds")};
  if (differs(before, after, "PolicyDocument")) {
    request.policy_document = document(after, "PolicyDocument");
    if (!request.policy_document) request.reset_policy = true;
  }
  if (differs(before, after, "PrivateDnsEnabled")) {
    request.private_dns_enabled = flag(after, "PrivateDnsEnabled");
  }
  auto changed = context.ask<ec2::ModifyVpcEndpoint>(request);
  if (!changed) return std::unexpected(std::move(changed.error()));
  auto done = retag(context, made.physical_id);
  if (!done) return std::unexpected(std::move(done.error()));
  return made;
}

Reply<Progress> remove(const ResourceContext& context, const Made& made, const json::object&) {
  const auto endpoint = find(context, made.physical_id);
  if (!endpoint) return std::unexpected(endpoint.error());
  if (endpoint->state == "deleted") return Progress{};
  if (endpoint->state == "deleting") return Progress{.done = false};
  const auto done = context.ask<ec2::DeleteVpcEndpoints>({.vpc_endpoint_ids = {{made.physical_id}}});
  if (!done) return std::unexpected(done.error());
  for (const auto& failure : aws::items(done->unsuccessful)) {
    if (failure.error) return fault(failure.error->code.value_or(""), failure.error->message.value_or(""));
  }
  return Progress{.done = false};
}

}  // namespace

std::span<const ResourceType> endpoint_types() {
  static constexpr std::array<ResourceType, 1> k_types{{
      {.name = "AWS::EC2::VPCEndpoint",
       .properties = k_properties,
       .attributes = k_attributes,
       .tagged = true,
       .time_to_create = std::chrono::seconds(10),
       .create = create,
       .check = check,
       .update = update,
       .remove = remove},
  }};
  return k_types;
}

}  // namespace instantstart::sandbox::cloudformation
