// AWS::EC2::RouteTable, Route, SubnetRouteTableAssociation.
#include <array>

#include <fmt/format.h>

#include "aws/shapes/ec2.h"
#include "sandbox/services/cloudformation/resources/ec2_tags.h"
#include "sandbox/services/cloudformation/resources/requests.h"
#include "sandbox/services/cloudformation/resources/resource_type.h"

namespace instantstart::sandbox::cloudformation {
namespace {

namespace ec2 = aws::ec2;

constexpr std::array<Property, 2> k_table_properties{
    {{"VpcId", Update::replacement, true}, {"Tags", Update::in_place}}};
constexpr std::array<std::string_view, 1> k_table_attributes{"RouteTableId"};
constexpr std::array<Property, 4> k_route_properties{{{"RouteTableId", Update::replacement, true},
                                                      {"DestinationCidrBlock"},
                                                      {"GatewayId", Update::in_place},
                                                      {"NatGatewayId", Update::in_place}}};
constexpr std::array<std::string_view, 1> k_route_attributes{"CidrBlock"};
constexpr std::array<Property, 2> k_association_properties{
    {{"SubnetId", Update::replacement, true}, {"RouteTableId", Update::in_place, true}}};
constexpr std::array<std::string_view, 1> k_association_attributes{"Id"};

Reply<Made> create_table(const ResourceContext& context, const json::object& properties) {
  auto request = request_from<ec2::CreateRouteTableRequest>(properties);
  if (!request) return std::unexpected(std::move(request.error()));
  request->tag_specifications = tag_specifications(context, "route-table");
  const auto made = context.ask<ec2::CreateRouteTable>(*request);
  if (!made) return std::unexpected(made.error());
  const auto& id = made->route_table->route_table_id;
  return Made{*id, {{"RouteTableId", text_value(id)}}};
}

Reply<Made> update_table(const ResourceContext& context, const Made& made, const json::object&,
                         const json::object&) {
  auto done = retag(context, made.physical_id);
  if (!done) return std::unexpected(std::move(done.error()));
  return made;
}

Reply<Progress> remove_table(const ResourceContext& context, const Made& made, const json::object&) {
  auto done = context.ask<ec2::DeleteRouteTable>({.route_table_id = made.physical_id});
  if (!done) return std::unexpected(std::move(done.error()));
  return Progress{};
}

Reply<Made> create_route(const ResourceContext& context, const json::object& properties) {
  auto request = request_from<ec2::CreateRouteRequest>(properties);
  if (!request) return std::unexpected(std::move(request.error()));
  const auto made = context.ask<ec2::CreateRoute>(*request);
  if (!made) return std::unexpected(made.error());
  return Made{fmt::format("{}|{}", *request->route_table_id, request->destination_cidr_block.value_or("")),
              {{"CidrBlock", text_value(request->destination_cidr_block)}}};
}

Reply<Made> update_route(const ResourceContext& context, const Made& made, const json::object&,
                         const json::object& after) {
  auto request = request_from<ec2::ReplaceRouteRequest>(after);
  if (!request) return std::unexpected(std::move(request.error()));
  auto done = context.ask<ec2::ReplaceRoute>(*request);
  if (!done) return std::unexpected(std::move(done.error()));
  return made;
}

Reply<Progress> remove_route(const ResourceContext& context, const Made&, const json::object& properties) {
  auto request = request_from<ec2::DeleteRouteRequest>(properties, {"GatewayId", "NatGatewayId"});
  if (!request) return std::unexpected(std::move(request.error()));
  auto done = context.ask<ec2::DeleteRoute>(*request);
  if (!done) return std::unexpected(std::move(done.error()));
  return Progress{};
}

Reply<Made> create_association(const ResourceContext& context, const json::object& properties) {
  auto request = request_from<ec2::AssociateRouteTableRequest>(properties);
  if (!request) return std::unexpected(std::move(request.error()));
  const auto made = context.ask<ec2::AssociateRouteTable>(*request);
  if (!made) return std::unexpected(made.error());
  return Made{*made->association_id, {{"Id", text_value(made->association_id)}}};
}

Reply<Progress> remove_association(const ResourceContext& context, const Made& made, const json::object&) {
  auto done = context.ask<ec2::DisassociateRouteTable>({.association_id = made.physical_id});
  if (!done) return std::unexpected(std::move(done.error()));
  return Progress{};
}

/// A subnet has one table of its own, so the old association goes first. Nobody sees it missing: nothing else
/// runs in between.
Reply<Made> update_association(const ResourceContext& context, const Made& made, const json::object& before,
                               const json::object& after) {
  auto gone = remove_association(context, made, before);
  if (!gone && !is_absent(gone.error())) return std::unexpected(std::move(gone.error()));
  return create_association(context, after);
}

}  // namespace

std::span<const ResourceType> routing_types() {
  static constexpr std::array<ResourceType, 3> k_types{{
      {.name = "AWS::EC2::RouteTable",
       .properties = k_table_properties,
       .attributes = k_table_attributes,
       .tagged = true,
       .time_to_create = std::chrono::seconds(10),
       .create = create_table,
       .update = update_table,
       .remove = remove_table},
      {.name = "AWS::EC2::Route",
       .properties = k_route_properties,
       .attributes = k_route_attributes,
       .create = create_route,
       .update = update_route,
       .remove = remove_route},
      {.name = "AWS::EC2::SubnetRouteTableAssociation",
       .properties = k_association_properties,
       .attributes = k_association_attributes,
       .create = create_association,
       .update = update_association,
       .remove = remove_association},
  }};
  return k_types;
}

}  // namespace instantstart::sandbox::cloudformation
