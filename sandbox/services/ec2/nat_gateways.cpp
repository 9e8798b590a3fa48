#include "sandbox/services/ec2/nat_gateways.h"

#include <array>
#include <chrono>

#include <fmt/format.h>

#include "sandbox/services/ec2/addresses.h"
#include "sandbox/services/ec2/client_tokens.h"
#include "sandbox/services/ec2/errors.h"
#include "sandbox/services/ec2/internet_gateways.h"
#include "sandbox/services/ec2/listing.h"
#include "sandbox/services/ec2/network_interfaces.h"
#include "sandbox/services/ec2/queries.h"
#include "sandbox/services/ec2/tags.h"

namespace instantstart::sandbox::ec2 {
namespace {

using aws::ec2::NatGateway;
using aws::ec2::NatGatewayAddress;
using aws::ec2::Subnet;

/// About what a gateway takes; "usually about an hour" is what the user guide says of deleted ones.
constexpr milliseconds k_time_to_start = std::chrono::seconds(60);
constexpr milliseconds k_time_to_delete = std::chrono::seconds(45);
constexpr milliseconds k_time_to_forget = std::chrono::hours(1);

constexpr std::array<FilterName, 6> k_filters{{{"nat-gateway-id", "NatGatewayId"},
                                               {"state", "State"},
                                               {"subnet-id", "SubnetId"},
                                               {"tag:", "Tags"},
                                               {"tag-key", "Tags.Key"},
                                               {"vpc-id", "VpcId"}}};

NatGateway shown(const State& state, std::string_view region, const NatGateway& gateway) {
  return with_tags(state, region, *gateway.nat_gateway_id, gateway);
}

std::optional<AwsFault> refuse_address(const State& state, const Call& call,
                                       const aws::ec2::CreateNatGatewayRequest& in) {
  if (in.connectivity_type == "private") {
    if (!in.allocation_id) return std::nullopt;
    return fault("InvalidParameterCombination", "A private NAT gateway can't have an Elastic IP address.")
        .error();
  }
  if (!in.allocation_id) {
    return fault("MissingParameter",
                 "The request must include the AllocationId parameter. Add the required parameter and retry "
                 "the "
                 "request.")
        .error();
  }
  const auto* address = state.addresses.find(regional_id(call.region, *in.allocation_id));
  if (!address) return not_found(ResourceKind::address, *in.allocation_id).error();
  if (!address->association_id) return std::nullopt;
  return fault("Resource.AlreadyAssociated",
               fmt::format("Elastic IP address [{}] is already associated", *in.allocation_id))
      .error();
}

std::optional<AwsFault> refuse_features(const aws::ec2::CreateNatGatewayRequest& in) {
  if (in.availability_mode.value_or("zonal") != "zonal" || in.vpc_id ||
      !aws::items(in.availability_zone_addresses).empty()) {
    return not_simulated("regional NAT gateways").error();
  }
  if (in.private_ip_address || !aws::items(in.secondary_allocation_ids).empty() ||
      !aws::items(in.secondary_private_ip_addresses).empty() || in.secondary_private_ip_address_count) {
    return not_simulated("chosen and secondary addresses of NAT gateways").error();
  }
  return std::nullopt;
}

/// How the gateway is going to fail, if it is: as the fault plan wants, or since nothing leads to the
/// internet.
std::optional<PlannedEnd> planned_failure(const State& state, const Call& call, const Subnet& subnet,
                                          bool is_public) {
  if (call.fails_later) return PlannedEnd{call.fails_later->code, call.fails_later->message};
  if (!is_public || has_internet_gateway(state, call.region, *subnet.vpc_id)) return std::nullopt;
  return PlannedEnd{"Gateway.NotAttached",
                    fmt::format("Network {} has no Internet gateway attached", *subnet.vpc_id)};
}

NatGatewayAddress make_address(State& state, const Call& call, const aws::ec2::CreateNatGatewayRequest& in,
                               const std::string& interface_id) {
  const auto* interface = state.network_interfaces.find(regional_id(call.region, interface_id));
  NatGatewayAddress address{.network_interface_id = interface_id,
                            .private_ip = interface->private_ip_address,
                            .is_primary = true,
                            .status = "succeeded"};
  if (in.allocation_id) {
    address.allocation_id = in.allocation_id;
    address.association_id = associate_address(state, call.region, *in.allocation_id, interface_id);
    address.public_ip = state.addresses.find(regional_id(call.region, *in.allocation_id))->public_ip;
  }
  return address;
}

Reply<NatGateway> make_requested(State& state, const Call& call,
                                 const aws::ec2::CreateNatGatewayRequest& in) {
  if (auto refusal = refuse_features(in)) return std::unexpected(std::move(*refusal));
  if (!in.subnet_id) return missing_parameter("subnetId");
  const Subnet* found = state.subnets.find(regional_id(call.region, *in.subnet_id));
  if (!found) return not_found(ResourceKind::subnet, *in.subnet_id);
  const Subnet subnet = *found;
  if (auto refusal = refuse_address(state, call, in)) return std::unexpected(std::move(*refusal));
  auto tags = requested_tags(call, ResourceKind::nat_gateway, in.tag_specifications);
  if (!tags) return std::unexpected(std::move(tags.error()));
  const auto in_zone = count_in(state.nat_gateways, call.region, [&](const NatGateway& gateway) {
    const auto* place = state.subnets.find(regional_id(call.region, *gateway.subnet_id));
    return is_alive(gateway) && place && place->availability_zone == subnet.availability_zone;
  });
  if (in_zone >= state.limits(call.region).nat_gateways_per_zone) {
    return fault(
        "NatGatewayLimitExceeded",
        fmt::format("The maximum number of NAT Gateways has been reached in {}.", *subnet.availability_zone));
  }

  const std::string id = state.world.make_id("nat");
  const auto interface = add_interface(state, call.region,
                                       {.subnet_id = *in.subnet_id,
                                        .description = fmt::format("Interface for NAT Gateway {}", id),
                                        .type = "nat_gateway",
                                        .requester_id = state.world.account()});
  if (!interface) return std::unexpected(interface.error());
  const std::string key = regional_id(call.region, id);
  if (auto failure = planned_failure(state, call, subnet, in.allocation_id.has_value())) {
    state.nat_gateway_failures.put(key, std::move(*failure));
  }
  state.nat_gateways.put(key, {.create_time = timestamp(state.world.now()),
                               .nat_gateway_addresses = {{make_address(state, call, in, *interface)}},
                               .nat_gateway_id = id,
                               .state = "pending",
                               .subnet_id = in.subnet_id,
                               .vpc_id = subnet.vpc_id,
                               .connectivity_type = in.connectivity_type.value_or("public"),
                               .availability_mode = "zonal"});
  put_tags(state, call.region, id, *tags);
  state.world.set_timer(k_nat_gateway_timer, key, k_time_to_start);
  return shown(state, call.region, *state.nat_gateways.find(key));
}

std::string region_of(const std::string& key) { return key.substr(0, key.find('/')); }

/// Gives back what it holds. Its record keeps the addresses, as EC2 shows them.
void let_go(State& state, const std::string& region, const NatGateway& gateway) {
  const auto addresses = aws::items(gateway.nat_gateway_addresses);
  for (const auto& address : addresses) {
    if (address.allocation_id) {
      disassociate_address(state, region, *address.allocation_id, *address.association_id);
    }
    if (address.network_interface_id) remove_interface(state, region, *address.network_interface_id);
  }
}

void start_or_fail(State& state, const std::string& key) {
  const PlannedEnd* failure = state.nat_gateway_failures.find(key);
  if (!failure) {
    state.nat_gateways.edit(key, [](NatGateway& record) { record.state = "available"; });
    return;
  }
  let_go(state, region_of(key), *state.nat_gateways.find(key));
  state.nat_gateways.edit(key, [&](NatGateway& record) {
    record.state = "failed";
    record.failure_code = failure->code;
    record.failure_message = failure->message;
    record.delete_time = timestamp(state.world.now());
  });
  state.nat_gateway_failures.erase(key);
  state.world.set_timer(k_nat_gateway_timer, key, k_time_to_forget);
}

}  // namespace

bool is_alive(const NatGateway& gateway) {
  return gateway.state == "pending" || gateway.state == "available" || gateway.state == "deleting";
}

void advance_nat_gateway(State& state, const std::string& key) {
  const NatGateway* gateway = state.nat_gateways.find(key);
  if (!gateway) return;
  if (gateway->state == "pending") {
    start_or_fail(state, key);
  } else if (gateway->state == "deleting") {
    let_go(state, region_of(key), *gateway);
    state.nat_gateways.edit(key, [](NatGateway& record) { record.state = "deleted"; });
    state.world.set_timer(k_nat_gateway_timer, key, k_time_to_forget);
  } else if (!is_alive(*gateway)) {
    forget_tags(state, region_of(key), std::string(*gateway->nat_gateway_id));
    state.nat_gateways.erase(key);
  }
}

Reply<aws::ec2::CreateNatGatewayResult> create_nat_gateway(State& state, const Call& call,
                                                           const aws::ec2::CreateNatGatewayRequest& in) {
  return once_per_token<aws::ec2::CreateNatGateway>(
      state, call, in, [&]() -> Reply<aws::ec2::CreateNatGatewayResult> {
        auto gateway = make_requested(state, call, in);
        if (!gateway) return std::unexpected(std::move(gateway.error()));
        return aws::ec2::CreateNatGatewayResult{.nat_gateway = std::move(*gateway)};
      });
}

Reply<aws::ec2::DescribeNatGatewaysResult> describe_nat_gateways(
    State& state, const Call& call, const aws::ec2::DescribeNatGatewaysRequest& in) {
  auto filters = FilterSet::make(in.filter, k_filters);
  if (!filters) return std::unexpected(std::move(filters.error()));
  auto page = list_records(state.nat_gateways, ResourceKind::nat_gateway, call, in.nat_gateway_ids, *filters,
                           page_request(in),
                           [&](const NatGateway& gateway) { return shown(state, call.region, gateway); });
  if (!page) return std::unexpected(std::move(page.error()));
  return aws::ec2::DescribeNatGatewaysResult{.nat_gateways = std::move(page->items),
                                             .next_token = page->next_token};
}

Reply<aws::ec2::DeleteNatGatewayResult> delete_nat_gateway(State& state, const Call& call,
                                                           const aws::ec2::DeleteNatGatewayRequest& in) {
  const std::string key = regional_id(call.region, *in.nat_gateway_id);
  const NatGateway* gateway = state.nat_gateways.find(key);
  if (!gateway) return not_found(ResourceKind::nat_gateway, *in.nat_gateway_id);
  const bool failed = gateway->state == "failed";
  if (failed || gateway->state == "pending" || gateway->state == "available") {
    state.nat_gateway_failures.erase(key);
    state.nat_gateways.edit(key, [&state](NatGateway& record) {
      record.state = "deleting";
      record.delete_time = timestamp(state.world.now());
    });
    state.world.set_timer(k_nat_gateway_timer, key, k_time_to_delete);
  }
  return aws::ec2::DeleteNatGatewayResult{.nat_gateway_id = in.nat_gateway_id};
}

}  // namespace instantstart::sandbox::ec2
