// AWS::EC2::VPC, VPCCidrBlock, Subnet.
#include <array>

#include <boost/json/array.hpp>

#include "aws/shapes/ec2.h"
#include "sandbox/services/cloudformation/resources/ec2_tags.h"
#include "sandbox/services/cloudformation/resources/requests.h"
#include "sandbox/services/cloudformation/resources/resource_type.h"

namespace instantstart::sandbox::cloudformation {
namespace {

namespace ec2 = aws::ec2;

constexpr std::array<Property, 5> k_vpc_properties{{{"CidrBlock"},
                                                    {"InstanceTenancy"},
                                                    {"EnableDnsSupport", Update::in_place},
                                                    {"EnableDnsHostnames", Update::in_place},
                                                    {"Tags", Update::in_place}}};
constexpr std::array<std::string_view, 4> k_vpc_attributes{"VpcId", "CidrBlock", "CidrBlockAssociations",
                                                           "DefaultSecurityGroup"};
constexpr std::array<Property, 2> k_block_properties{
    {{"VpcId", Update::replacement, true}, {"CidrBlock", Update::replacement, true}}};
constexpr std::array<std::string_view, 1> k_block_attributes{"Id"};
constexpr std::array<Property, 6> k_subnet_properties{{{"VpcId", Update::replacement, true},
                                                       {"CidrBlock", Update::replacement},
                                                       {"AvailabilityZone"},
                                                       {"AvailabilityZoneId"},
                                                       {"MapPublicIpOnLaunch", Update::in_place},
                                                       {"Tags", Update::in_place}}};
constexpr std::array<std::string_view, 5> k_subnet_attributes{"SubnetId", "VpcId", "CidrBlock",
                                                              "AvailabilityZone", "AvailabilityZoneId"};

/// One attribute a call, as ModifyVpcAttribute takes them; only what is not as a new VPC has it, or changes.
Reply<void> put_dns(const ResourceContext& context, const std::string& vpc, bool support, bool hostnames,
                    bool support_now, bool hostnames_now) {
  if (hostnames_now && !hostnames) {
    auto done = context.ask<ec2::ModifyVpcAttribute>(
        {.enable_dns_hostnames = ec2::AttributeBooleanValue{.value = false}, .vpc_id = vpc});
    if (!done) return std::unexpected(std::move(done.error()));
  }
  if (support != support_now) {
    auto done = context.ask<ec2::ModifyVpcAttribute>(
        {.enable_dns_support = ec2::AttributeBooleanValue{.value = support}, .vpc_id = vpc});
    if (!done) return std::unexpected(std::move(done.error()));
  }
  if (!hostnames_now && hostnames) {
    auto done = context.ask<ec2::ModifyVpcAttribute>(
        {.enable_dns_hostnames = ec2::AttributeBooleanValue{.value = true}, .vpc_id = vpc});
    if (!done) return std::unexpected(std::move(done.error()));
  }
  return {};
}

Reply<Made> create_vpc(const ResourceContext& context, const json::object& properties) {
  auto request =
      request_from<ec2::CreateVpcRequest>(properties, {"Tags", "EnableDnsSupport", "EnableDnsHostnames"});
  if (!request) return std::unexpected(std::move(request.error()));
  request->tag_specifications = tag_specifications(context, "vpc");
  const auto made = context.ask<ec2::CreateVpc>(*request);
  if (!made) return std::unexpected(made.error());
  const std::string id = *made->vpc->vpc_id;
  json::object attributes{{"VpcId", text_value(id)}, {"CidrBlock", text_value(made->vpc->cidr_block)}};
  json::array blocks;
  for (const auto& block : aws::items(made->vpc->cidr_block_association_set)) {
    blocks.push_back(text_value(block.association_id));
  }
  attributes.emplace("CidrBlockAssociations", std::move(blocks));
  return Made{id, std::move(attributes)};
}

/// A VPC that was made is known by its id before anything about it can fail.
Reply<Progress> check_vpc(const ResourceContext& context, const Made& made, const json::object& properties) {
  const auto& id = made.physical_id;
  if (!made.attributes.contains("DefaultSecurityGroup")) {
    auto done = put_dns(context, id, flag(properties, "EnableDnsSupport", true),
                        flag(properties, "EnableDnsHostnames"), true, false);
    if (!done) return std::unexpected(std::move(done.error()));
  }
  const auto groups = context.ask<ec2::DescribeSecurityGroups>(
      {.filters = {{{.name = "vpc-id", .values = {{id}}}, {.name = "group-name", .values = {{"default"}}}}}});
  if (!groups) return std::unexpected(groups.error());
  const auto& found = aws::items(groups->security_groups);
  return Progress{.attributes = {{"DefaultSecurityGroup",
                                  text_value(found.empty() ? std::nullopt : found.front().group_id)}}};
}

Reply<Made> update_vpc(const ResourceContext& context, const Made& made, const json::object& before,
                       const json::object& after) {
  auto done = put_dns(context, made.physical_id, flag(after, "EnableDnsSupport", true),
                      flag(after, "EnableDnsHostnames"), flag(before, "EnableDnsSupport", true),
                      flag(before, "EnableDnsHostnames"));
  if (done) done = retag(context, made.physical_id);
  if (!done) return std::unexpected(std::move(done.error()));
  return made;
}

Reply<Progress> remove_vpc(const ResourceContext& context, const Made& made, const json::object&) {
  auto done = context.ask<ec2::DeleteVpc>({.vpc_id = made.physical_id});
  if (!done) return std::unexpected(std::move(done.error()));
  return Progress{};
}

Reply<Made> create_block(const ResourceContext& context, const json::object& properties) {
  auto request = request_from<ec2::AssociateVpcCidrBlockRequest>(properties);
  if (!request) return std::unexpected(std::move(request.error()));
  const auto made = context.ask<ec2::AssociateVpcCidrBlock>(*request);
  if (!made) return std::unexpected(made.error());
  const auto& id = made->cidr_block_association->association_id;
  return Made{*id, {{"Id", text_value(id)}}};
}

Reply<Progress> remove_block(const ResourceContext& context, const Made& made, const json::object&) {
  auto done = context.ask<ec2::DisassociateVpcCidrBlock>({.association_id = made.physical_id});
  if (!done) return std::unexpected(std::move(done.error()));
  return Progress{};
}

Reply<void> put_public_ip(const ResourceContext& context, const std::string& subnet, bool on) {
  auto done = context.ask<ec2::ModifySubnetAttribute>(
      {.map_public_ip_on_launch = ec2::AttributeBooleanValue{.value = on}, .subnet_id = subnet});
  if (!done) return std::unexpected(std::move(done.error()));
  return {};
}

Reply<Made> create_subnet(const ResourceContext& context, const json::object& properties) {
  auto request = request_from<ec2::CreateSubnetRequest>(properties, {"Tags", "MapPublicIpOnLaunch"});
  if (!request) return std::unexpected(std::move(request.error()));
  request->tag_specifications = tag_specifications(context, "subnet");
  const auto made = context.ask<ec2::CreateSubnet>(*request);
  if (!made) return std::unexpected(made.error());
  const ec2::Subnet& subnet = *made->subnet;
  return Made{*subnet.subnet_id,
              {{"SubnetId", text_value(subnet.subnet_id)},
               {"VpcId", text_value(subnet.vpc_id)},
               {"CidrBlock", text_value(subnet.cidr_block)},
               {"AvailabilityZone", text_value(subnet.availability_zone)},
               {"AvailabilityZoneId", text_value(subnet.availability_zone_id)}}};
}

Reply<Progress> check_subnet(const ResourceContext& context, const Made& made,
                             const json::object& properties) {
  if (flag(properties, "MapPublicIpOnLaunch")) {
    auto done = put_public_ip(context, made.physical_id, true);
    if (!done) return std::unexpected(std::move(done.error()));
  }
  return Progress{};
}

Reply<Made> update_subnet(const ResourceContext& context, const Made& made, const json::object& before,
                          const json::object& after) {
  const bool on = flag(after, "MapPublicIpOnLaunch");
  Reply<void> done;
  if (on != flag(before, "MapPublicIpOnLaunch")) done = put_public_ip(context, made.physical_id, on);
  if (done) done = retag(context, made.physical_id);
  if (!done) return std::unexpected(std::move(done.error()));
  return made;
}

Reply<Progress> remove_subnet(const ResourceContext& context, const Made& made, const json::object&) {
  auto done = context.ask<ec2::DeleteSubnet>({.subnet_id = made.physical_id});
  if (!done) return std::unexpected(std::move(done.error()));
  return Progress{};
}

}  // namespace

std::span<const ResourceType> vpc_types() {
  static constexpr std::array<ResourceType, 3> k_types{{
      {.name = "AWS::EC2::VPC",
       .properties = k_vpc_properties,
       .attributes = k_vpc_attributes,
       .tagged = true,
       .time_to_create = std::chrono::seconds(10),
       .create = create_vpc,
       .check = check_vpc,
       .update = update_vpc,
       .remove = remove_vpc},
      {.name = "AWS::EC2::VPCCidrBlock",
       .properties = k_block_properties,
       .attributes = k_block_attributes,
       .create = create_block,
       .remove = remove_block},
      {.name = "AWS::EC2::Subnet",
       .properties = k_subnet_properties,
       .attributes = k_subnet_attributes,
       .tagged = true,
       .time_to_create = std::chrono::seconds(4),
       .create = create_subnet,
       .check = check_subnet,
       .update = update_subnet,
       .remove = remove_subnet},
  }};
  return k_types;
}

}  // namespace instantstart::sandbox::cloudformation
