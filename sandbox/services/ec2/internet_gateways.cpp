#include "sandbox/services/ec2/internet_gateways.h"

#include <array>

#include <fmt/format.h>

#include "sandbox/services/ec2/errors.h"
#include "sandbox/services/ec2/listing.h"
#include "sandbox/services/ec2/queries.h"
#include "sandbox/services/ec2/tags.h"

namespace instantstart::sandbox::ec2 {
namespace {

using aws::ec2::InternetGateway;
using aws::ec2::InternetGatewayAttachment;

constexpr std::array<FilterName, 6> k_filters{{{"attachment.state", "Attachments.State"},
                                               {"attachment.vpc-id", "Attachments.VpcId"},
                                               {"internet-gateway-id", "InternetGatewayId"},
                                               {"owner-id", "OwnerId"},
                                               {"tag:", "Tags"},
                                               {"tag-key", "Tags.Key"}}};

void attach(InternetGateway& gateway, std::string_view vpc_id) {
  gateway.attachments->push_back({.state = "available", .vpc_id = std::string(vpc_id)});
}

/// Network interfaces of the VPC that the internet reaches through the gateway.
bool has_public_addresses(const State& state, std::string_view region, std::string_view vpc_id) {
  return any_in(state.network_interfaces, region, [vpc_id](const auto& interface) {
    return interface.vpc_id == vpc_id && interface.association.has_value();
  });
}

}  // namespace

std::string make_internet_gateway(State& state, std::string_view region, std::string_view vpc_id) {
  std::string id = state.world.make_id("igw");
  InternetGateway gateway{.attachments = std::vector<InternetGatewayAttachment>{},
                          .internet_gateway_id = id,
                          .owner_id = state.world.account()};
  if (!vpc_id.empty()) attach(gateway, vpc_id);
  state.internet_gateways.put(regional_id(region, id), std::move(gateway));
  return id;
}

std::optional<std::string> attached_vpc(const InternetGateway& gateway) {
  const auto& attachments = aws::items(gateway.attachments);
  return attachments.empty() ? std::nullopt : attachments.front().vpc_id;
}

bool has_internet_gateway(const State& state, std::string_view region, std::string_view vpc_id) {
  return any_in(state.internet_gateways, region,
                [vpc_id](const InternetGateway& gateway) { return attached_vpc(gateway) == vpc_id; });
}

Reply<aws::ec2::CreateInternetGatewayResult> create_internet_gateway(
    State& state, const Call& call, const aws::ec2::CreateInternetGatewayRequest& in) {
  auto tags = requested_tags(call, ResourceKind::internet_gateway, in.tag_specifications);
  if (!tags) return std::unexpected(std::move(tags.error()));
  const auto all =
      count_in(state.internet_gateways, call.region, [](const InternetGateway&) { return true; });
  if (all >= state.limits(call.region).internet_gateways_per_region) {
    return fault("InternetGatewayLimitExceeded", "The maximum number of internet gateways has been reached.");
  }
  const std::string id = make_internet_gateway(state, call.region);
  put_tags(state, call.region, id, *tags);
  return aws::ec2::CreateInternetGatewayResult{
      .internet_gateway =
          with_tags(state, call.region, id, *state.internet_gateways.find(regional_id(call.region, id)))};
}

Reply<aws::ec2::DescribeInternetGatewaysResult> describe_internet_gateways(
    State& state, const Call& call, const aws::ec2::DescribeInternetGatewaysRequest& in) {
  auto filters = FilterSet::make(in.filters, k_filters);
  if (!filters) return std::unexpected(std::move(filters.error()));
  auto page =
      list_records(state.internet_gateways, ResourceKind::internet_gateway, call, in.internet_gateway_ids,
                   *filters, page_request(in), [&](const InternetGateway& gateway) {
                     return with_tags(state, call.region, *gateway.internet_gateway_id, gateway);
                   });
  if (!page) return std::unexpected(std::move(page.error()));
  return aws::ec2::DescribeInternetGatewaysResult{.internet_gateways = std::move(page->items),
                                                  .next_token = page->next_token};
}

Reply<aws::Empty> attach_internet_gateway(State& state, const Call& call,
                                          const aws::ec2::AttachInternetGatewayRequest& in) {
  const std::string& id = *in.internet_gateway_id;
  const InternetGateway* gateway = state.internet_gateways.find(regional_id(call.region, id));
  if (!gateway) return not_found(ResourceKind::internet_gateway, id);
  if (!state.vpcs.contains(regional_id(call.region, *in.vpc_id))) {
    return not_found(ResourceKind::vpc, *in.vpc_id);
  }
  if (const auto vpc = attached_vpc(*gateway)) {
    return fault("Resource.AlreadyAssociated",
                 fmt::format("resource {} is already attached to network {}", id, *vpc));
  }
  if (has_internet_gateway(state, call.region, *in.vpc_id)) {
    return invalid_parameter(fmt::format("Network {} already has an internet gateway attached", *in.vpc_id));
  }
  state.internet_gateways.edit(regional_id(call.region, id),
                               [&in](InternetGateway& record) { attach(record, *in.vpc_id); });
  return {};
}

Reply<aws::Empty> detach_internet_gateway(State& state, const Call& call,
                                          const aws::ec2::DetachInternetGatewayRequest& in) {
  const std::string& id = *in.internet_gateway_id;
  const InternetGateway* gateway = state.internet_gateways.find(regional_id(call.region, id));
  if (!gateway) return not_found(ResourceKind::internet_gateway, id);
  if (attached_vpc(*gateway) != in.vpc_id) {
    return fault("Gateway.NotAttached",
                 fmt::format("resource {} is not attached to network {}", id, *in.vpc_id));
  }
  if (has_public_addresses(state, call.region, *in.vpc_id)) {
    return fault("DependencyViolation",
                 fmt::format("Network {} has some mapped public address(es). Please unmap those public "
                             "address(es) before detaching the gateway.",
                             *in.vpc_id));
  }
  state.internet_gateways.edit(regional_id(call.region, id),
                               [](InternetGateway& record) { record.attachments->clear(); });
  return {};
}

Reply<aws::Empty> delete_internet_gateway(State& state, const Call& call,
                                          const aws::ec2::DeleteInternetGatewayRequest& in) {
  const std::string& id = *in.internet_gateway_id;
  const std::string key = regional_id(call.region, id);
  const InternetGateway* gateway = state.internet_gateways.find(key);
  if (!gateway) return not_found(ResourceKind::internet_gateway, id);
  if (attached_vpc(*gateway)) return has_dependencies("internetGateway", id);
  forget_tags(state, call.region, id);
  state.internet_gateways.erase(key);
  return {};
}

}  // namespace instantstart::sandbox::ec2
