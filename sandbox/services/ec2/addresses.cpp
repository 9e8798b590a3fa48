#include "sandbox/services/ec2/addresses.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "sandbox/core/cidr.h"
#include "sandbox/services/ec2/errors.h"
#include "sandbox/services/ec2/listing.h"
#include "sandbox/services/ec2/queries.h"
#include "sandbox/services/ec2/tags.h"

namespace instantstart::sandbox::ec2 {
namespace {

using aws::ec2::Address;
using aws::ec2::NetworkInterface;

constexpr std::array<FilterName, 11> k_filters{{{"allocation-id", "AllocationId"},
                                                {"association-id", "AssociationId"},
                                                {"domain", "Domain"},
                                                {"instance-id", "InstanceId"},
                                                {"network-border-group", "NetworkBorderGroup"},
                                                {"network-interface-id", "NetworkInterfaceId"},
                                                {"network-interface-owner-id", "NetworkInterfaceOwnerId"},
                                                {"private-ip-address", "PrivateIpAddress"},
                                                {"public-ip", "PublicIp"},
                                                {"tag:", "Tags"},
                                                {"tag-key", "Tags.Key"}}};

/// RFC 2544 keeps it for benchmarks: no simulated address is anybody's.
constexpr Cidr k_public_block{.network = 198U << 24 | 18U << 16, .prefix = 15};

std::string choose_public_address(State& state) {
  while (true) {
    const auto offset = state.world.random().next() % k_public_block.size();
    std::string text = ipv4_text(k_public_block.network + static_cast<Ipv4>(offset));
    const bool taken = std::ranges::any_of(
        state.addresses, [&text](const auto& entry) { return entry.second.public_ip == text; });
    if (!taken) return text;
  }
}

std::string public_name(std::string_view region, std::string address) {
  std::ranges::replace(address, '.', '-');
  return region == "us-east-1" ? fmt::format("ec2-{}.compute-1.amazonaws.com", address)
                               : fmt::format("ec2-{}.{}.compute.amazonaws.com", address, region);
}

Address shown(const State& state, std::string_view region, const Address& address) {
  return with_tags(state, region, *address.allocation_id, address);
}

/// The ids of those that the request names by their public addresses as well.
Reply<std::optional<std::vector<std::string>>> requested_ids(const State& state, const Call& call,
                                                             const aws::ec2::DescribeAddressesRequest& in) {
  if (aws::items(in.public_ips).empty()) return in.allocation_ids;
  std::vector<std::string> ids = aws::items(in.allocation_ids);
  for (const auto& ip : *in.public_ips) {
    const auto found = records_in(state.addresses, call.region,
                                  [&ip](const Address& address) { return address.public_ip == ip; });
    if (found.empty()) return fault("InvalidAddress.NotFound", fmt::format("Address '{}' not found.", ip));
    ids.push_back(*found.front()->allocation_id);
  }
  return ids;
}

}  // namespace

std::string associate_address(State& state, std::string_view region, std::string_view allocation_id,
                              std::string_view interface_id) {
  std::string association = state.world.make_id("eipassoc");
  const std::string address_key = regional_id(region, allocation_id);
  const std::string public_ip = *state.addresses.find(address_key)->public_ip;
  std::string private_ip;
  state.network_interfaces.edit(regional_id(region, interface_id), [&](NetworkInterface& interface) {
    interface.association =
        aws::ec2::NetworkInterfaceAssociation{.allocation_id = std::string(allocation_id),
                                              .association_id = association,
                                              .ip_owner_id = state.world.account(),
                                              .public_dns_name = public_name(region, public_ip),
                                              .public_ip = public_ip};
    interface.private_ip_addresses->front().association = interface.association;
    private_ip = *interface.private_ip_address;
  });
  state.addresses.edit(address_key, [&](Address& address) {
    address.association_id = association;
    address.network_interface_id = std::string(interface_id);
    address.network_interface_owner_id = state.world.account();
    address.private_ip_address = private_ip;
  });
  return association;
}

void disassociate_address(State& state, std::string_view region, std::string_view allocation_id,
                          std::string_view association_id) {
  const std::string key = regional_id(region, allocation_id);
  const Address* found = state.addresses.find(key);
  if (!found || found->association_id != association_id) return;
  std::optional<std::string> interface_id;
  state.addresses.edit(key, [&interface_id](Address& address) {
    interface_id = std::exchange(address.network_interface_id, std::nullopt);
    address.association_id.reset();
    address.network_interface_owner_id.reset();
    address.private_ip_address.reset();
  });
  state.network_interfaces.edit(regional_id(region, *interface_id), [](NetworkInterface& interface) {
    interface.association.reset();
    interface.private_ip_addresses->front().association.reset();
  });
}

Reply<aws::ec2::AllocateAddressResult> allocate_address(State& state, const Call& call,
                                                        const aws::ec2::AllocateAddressRequest& in) {
  if (in.domain == "standard") return invalid_value("standard", "domain", "EC2-Classic has been retired.");
  if (in.address || in.public_ipv4_pool.value_or("amazon") != "amazon" || in.customer_owned_ipv4_pool ||
      in.ipam_pool_id) {
    return not_simulated("the choice of an address or of a pool");
  }
  if (in.network_border_group && *in.network_border_group != call.region) {
    return not_simulated("addresses of local zones");
  }
  auto tags = requested_tags(call, ResourceKind::address, in.tag_specifications);
  if (!tags) return std::unexpected(std::move(tags.error()));
  const auto all = count_in(state.addresses, call.region, [](const Address&) { return true; });
  if (all >= state.limits(call.region).addresses_per_region) {
    return fault("AddressLimitExceeded", "The maximum number of addresses has been reached.");
  }
  const std::string id = state.world.make_id("eipalloc");
  Address address{.allocation_id = id,
                  .domain = "vpc",
                  .public_ipv4_pool = "amazon",
                  .network_border_group = call.region,
                  .public_ip = choose_public_address(state)};
  aws::ec2::AllocateAddressResult result{.allocation_id = id,
                                         .public_ipv4_pool = address.public_ipv4_pool,
                                         .network_border_group = address.network_border_group,
                                         .domain = address.domain,
                                         .public_ip = address.public_ip};
  state.addresses.put(regional_id(call.region, id), std::move(address));
  put_tags(state, call.region, id, *tags);
  return result;
}

Reply<aws::ec2::DescribeAddressesResult> describe_addresses(State& state, const Call& call,
                                                            const aws::ec2::DescribeAddressesRequest& in) {
  auto filters = FilterSet::make(in.filters, k_filters);
  if (!filters) return std::unexpected(std::move(filters.error()));
  auto ids = requested_ids(state, call, in);
  if (!ids) return std::unexpected(std::move(ids.error()));
  auto page = list_records(state.addresses, ResourceKind::address, call, *ids, *filters, {},
                           [&](const Address& address) { return shown(state, call.region, address); });
  if (!page) return std::unexpected(std::move(page.error()));
  return aws::ec2::DescribeAddressesResult{.addresses = std::move(page->items)};
}

Reply<aws::Empty> release_address(State& state, const Call& call, const aws::ec2::ReleaseAddressRequest& in) {
  if (!in.allocation_id && in.public_ip) {
    return invalid_parameter("You must specify an allocation id when releasing a VPC elastic IP address");
  }
  if (!in.allocation_id) return missing_parameter("allocationId");
  const std::string key = regional_id(call.region, *in.allocation_id);
  const Address* address = state.addresses.find(key);
  if (!address) return not_found(ResourceKind::address, *in.allocation_id);
  if (address->association_id) {
    return fault("InvalidIPAddress.InUse", fmt::format("Address {} is in use.", *address->public_ip));
  }
  forget_tags(state, call.region, *in.allocation_id);
  state.addresses.erase(key);
  return {};
}

}  // namespace instantstart::sandbox::ec2
