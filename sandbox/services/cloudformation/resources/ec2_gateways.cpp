// AWS::EC2::InternetGateway, VPCGatewayAttachment, EIP, NatGateway.
#include <array>

#include <fmt/format.h>

#include "aws/shapes/ec2.h"
#include "sandbox/services/cloudformation/resources/ec2_tags.h"
#include "sandbox/services/cloudformation/resources/requests.h"
#include "sandbox/services/cloudformation/resources/resource_type.h"

namespace instantstart::sandbox::cloudformation {
namespace {

namespace ec2 = aws::ec2;

constexpr std::array<Property, 1> k_gateway_properties{{{"Tags", Update::in_place}}};
constexpr std::array<std::string_view, 1> k_gateway_attributes{"InternetGatewayId"};
constexpr std::array<Property, 2> k_attachment_properties{
    {{"VpcId", Update::replacement, true}, {"InternetGatewayId", Update::in_place, true}}};
constexpr std::array<std::string_view, 1> k_attachment_attributes{"AttachmentType"};
constexpr std::array<Property, 2> k_address_properties{{{"Domain"}, {"Tags", Update::in_place}}};
constexpr std::array<std::string_view, 2> k_address_attributes{"AllocationId", "PublicIp"};
constexpr std::array<Property, 4> k_nat_properties{{{"SubnetId", Update::replacement, true},
                                                    {"AllocationId"},
                                                    {"ConnectivityType"},
                                                    {"Tags", Update::in_place}}};
constexpr std::array<std::string_view, 2> k_nat_attributes{"NatGatewayId", "EniId"};

Reply<Made> create_gateway(const ResourceContext& context, const json::object&) {
  const auto made = context.ask<ec2::CreateInternetGateway>(
      {.tag_specifications = tag_specifications(context, "internet-gateway")});
  if (!made) return std::unexpected(made.error());
  const auto& id = made->internet_gateway->internet_gateway_id;
  return Made{*id, {{"InternetGatewayId", text_value(id)}}};
}

/// For types that change nothing in place but their tags.
Reply<Made> update_tags(const ResourceContext& context, const Made& made, const json::object&,
                        const json::object&) {
  auto done = retag(context, made.physical_id);
  if (!done) return std::unexpected(std::move(done.error()));
  return made;
}

Reply<Progress> remove_gateway(const ResourceContext& context, const Made& made, const json::object&) {
  auto done = context.ask<ec2::DeleteInternetGateway>({.internet_gateway_id = made.physical_id});
  if (!done) return std::unexpected(std::move(done.error()));
  return Progress{};
}

Reply<Made> create_attachment(const ResourceContext& context, const json::object& properties) {
  auto request = request_from<ec2::AttachInternetGatewayRequest>(properties);
  if (!request) return std::unexpected(std::move(request.error()));
  const auto made = context.ask<ec2::AttachInternetGateway>(*request);
  if (!made) return std::unexpected(made.error());
  return Made{fmt::format("IGW|{}", *request->vpc_id), {{"AttachmentType", "IGW"}}};
}

Reply<Progress> remove_attachment(const ResourceContext& context, const Made&,
                                  const json::object& properties) {
  auto request = request_from<ec2::DetachInternetGatewayRequest>(properties);
  if (!request) return std::unexpected(std::move(request.error()));
  auto done = context.ask<ec2::DetachInternetGateway>(*request);
  if (!done) return std::unexpected(std::move(done.error()));
  return Progress{};
}

Reply<Made> update_attachment(const ResourceContext& context, const Made& made, const json::object& before,
                              const json::object& after) {
  auto gone = remove_attachment(context, made, before);
  if (!gone && !is_absent(gone.error())) return std::unexpected(std::move(gone.error()));
  return create_attachment(context, after);
}

/// The physical id is the address, as `Ref` of the type is; the calls want the allocation.
Reply<Made> create_address(const ResourceContext& context, const json::object& properties) {
  auto request = request_from<ec2::AllocateAddressRequest>(properties);
  if (!request) return std::unexpected(std::move(request.error()));
  request->domain = "vpc";
  request->tag_specifications = tag_specifications(context, "elastic-ip");
  const auto made = context.ask<ec2::AllocateAddress>(*request);
  if (!made) return std::unexpected(made.error());
  return Made{*made->public_ip,
              {{"AllocationId", text_value(made->allocation_id)}, {"PublicIp", text_value(made->public_ip)}}};
}

Reply<Made> update_address(const ResourceContext& context, const Made& made, const json::object&,
                           const json::object&) {
  auto done = retag(context, text(made.attributes, "AllocationId").value_or(""));
  if (!done) return std::unexpected(std::move(done.error()));
  return made;
}

Reply<Progress> remove_address(const ResourceContext& context, const Made& made, const json::object&) {
  auto done = context.ask<ec2::ReleaseAddress>({.allocation_id = text(made.attributes, "AllocationId")});
  if (!done) return std::unexpected(std::move(done.error()));
  return Progress{};
}

Reply<Made> create_nat(const ResourceContext& context, const json::object& properties) {
  auto request = request_from<ec2::CreateNatGatewayRequest>(properties);
  if (!request) return std::unexpected(std::move(request.error()));
  request->tag_specifications = tag_specifications(context, "natgateway");
  const auto made = context.ask<ec2::CreateNatGateway>(*request);
  if (!made) return std::unexpected(made.error());
  const auto& id = made->nat_gateway->nat_gateway_id;
  json::object attributes{{"NatGatewayId", text_value(id)}};
  const auto& addresses = aws::items(made->nat_gateway->nat_gateway_addresses);
  if (!addresses.empty()) attributes.emplace("EniId", text_value(addresses.front().network_interface_id));
  return Made{*id, std::move(attributes)};
}

Reply<ec2::NatGateway> find_nat(const ResourceContext& context, const std::string& id) {
  const auto found = context.ask<ec2::DescribeNatGateways>({.nat_gateway_ids = {{id}}});
  if (!found) return std::unexpected(found.error());
  return found->nat_gateways->at(0);
}

Reply<Progress> check_nat(const ResourceContext& context, const Made& made, const json::object&) {
  const auto gateway = find_nat(context, made.physical_id);
  if (!gateway) return std::unexpected(gateway.error());
  if (gateway->state == "pending") return Progress{.done = false};
  if (gateway->state == "available") return Progress{};
  return fault(
      "NotStabilized",
      fmt::format("NatGateway {} is in state {} and hence failed to stabilize. Detailed failure "
                  "message: {}",
                  made.physical_id, gateway->state.value_or(""), gateway->failure_message.value_or("")));
}

Reply<Progress> remove_nat(const ResourceContext& context, const Made& made, const json::object&) {
  const auto gateway = find_nat(context, made.physical_id);
  if (!gateway) return std::unexpected(gateway.error());
  if (gateway->state == "deleted") return Progress{};
  if (gateway->state == "deleting") return Progress{.done = false};
  auto done = context.ask<ec2::DeleteNatGateway>({.nat_gateway_id = made.physical_id});
  if (!done) return std::unexpected(std::move(done.error()));
  return Progress{.done = false};
}

}  // namespace

std::span<const ResourceType> gateway_types() {
  static constexpr std::array<ResourceType, 4> k_types{{
      {.name = "AWS::EC2::InternetGateway",
       .properties = k_gateway_properties,
       .attributes = k_gateway_attributes,
       .tagged = true,
       .time_to_create = std::chrono::seconds(15),
       .create = create_gateway,
       .update = update_tags,
       .remove = remove_gateway},
      {.name = "AWS::EC2::VPCGatewayAttachment",
       .properties = k_attachment_properties,
       .attributes = k_attachment_attributes,
       .create = create_attachment,
       .update = update_attachment,
       .remove = remove_attachment},
      {.name = "AWS::EC2::EIP",
       .properties = k_address_properties,
       .attributes = k_address_attributes,
       .tagged = true,
       .time_to_create = std::chrono::seconds(15),
       .create = create_address,
       .update = update_address,
       .remove = remove_address},
      {.name = "AWS::EC2::NatGateway",
       .properties = k_nat_properties,
       .attributes = k_nat_attributes,
       .tagged = true,
       .time_to_create = std::chrono::seconds(90),
       .create = create_nat,
       .check = check_nat,
       .update = update_tags,
       .remove = remove_nat},
  }};
  return k_types;
}

}  // namespace instantstart::sandbox::cloudformation
