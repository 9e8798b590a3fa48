#include "sandbox/services/ec2/network_interfaces.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "sandbox/core/cidr.h"
#include "sandbox/services/ec2/listing.h"
#include "sandbox/services/ec2/subnets.h"
#include "sandbox/services/ec2/tags.h"

namespace instantstart::sandbox::ec2 {
namespace {

using aws::ec2::NetworkInterface;
using aws::ec2::Subnet;

constexpr std::array<FilterName, 38> k_filters{
    {{"addresses.association.owner-id", "PrivateIpAddresses.Association.IpOwnerId"},
     {"addresses.association.public-ip", "PrivateIpAddresses.Association.PublicIp"},
     {"addresses.primary", "PrivateIpAddresses.Primary"},
     {"addresses.private-ip-address", "PrivateIpAddresses.PrivateIpAddress"},
     {"association.allocation-id", "Association.AllocationId"},
     {"association.association-id", "Association.AssociationId"},
     {"association.ip-owner-id", "Association.IpOwnerId"},
     {"association.public-dns-name", "Association.PublicDnsName"},
     {"association.public-ip", "Association.PublicIp"},
     {"attachment.attach-time", "Attachment.AttachTime"},
     {"attachment.attachment-id", "Attachment.AttachmentId"},
     {"attachment.delete-on-termination", "Attachment.DeleteOnTermination"},
     {"attachment.device-index", "Attachment.DeviceIndex"},
     {"attachment.instance-id", "Attachment.InstanceId"},
     {"attachment.instance-owner-id", "Attachment.InstanceOwnerId"},
     {"attachment.status", "Attachment.Status"},
     {"availability-zone", "AvailabilityZone"},
     {"availability-zone-id", "AvailabilityZoneId"},
     {"description", "Description"},
     {"group-id", "Groups.GroupId"},
     {"group-name", "Groups.GroupName"},
     {"interface-type", "InterfaceType"},
     {"ipv6-addresses.ipv6-address", "Ipv6Addresses.Ipv6Address"},
     {"mac-address", "MacAddress"},
     {"network-interface-id", "NetworkInterfaceId"},
     {"operator.managed", "Operator.Managed"},
     {"operator.principal", "Operator.Principal"},
     {"owner-id", "OwnerId"},
     {"private-dns-name", "PrivateDnsName"},
     {"private-ip-address", "PrivateIpAddresses.PrivateIpAddress"},
     {"requester-id", "RequesterId"},
     {"requester-managed", "RequesterManaged"},
     {"source-dest-check", "SourceDestCheck"},
     {"status", "Status"},
     {"subnet-id", "SubnetId"},
     {"tag:", "TagSet"},
     {"tag-key", "TagSet.Key"},
     {"vpc-id", "VpcId"}}};

std::string address_key(std::string_view region, std::string_view subnet_id, std::string_view address) {
  return regional_id(region, fmt::format("{}/{}", subnet_id, address));
}

/// From anywhere in the subnet on, as EC2 does; the caller has seen that there are enough.
std::vector<Ipv4> choose_addresses(State& state, std::string_view region, const Subnet& subnet,
                                   std::int64_t count) {
  const Cidr block = Cidr::parse(*subnet.cidr_block).value_or(Cidr{});
  const auto usable = block.size() - static_cast<std::uint64_t>(k_reserved_addresses);
  const Ipv4 first = block.network + 4;
  const std::uint64_t start = state.world.random().next() % usable;
  std::vector<Ipv4> chosen;
  for (std::uint64_t i = 0; i < usable && std::ssize(chosen) < count; ++i) {
    const Ipv4 address = first + static_cast<Ipv4>((start + i) % usable);
    const std::string key = address_key(region, *subnet.subnet_id, ipv4_text(address));
    if (!state.private_addresses.contains(key)) chosen.push_back(address);
  }
  return chosen;
}

/// "ip-10-0-0-5.ec2.internal" in us-east-1, "ip-10-0-0-5.us-west-2.compute.internal" elsewhere.
std::string private_name(std::string_view region, Ipv4 address) {
  std::string host = ipv4_text(address);
  std::ranges::replace(host, '.', '-');
  return region == "us-east-1" ? fmt::format("ip-{}.ec2.internal", host)
                               : fmt::format("ip-{}.{}.compute.internal", host, region);
}

std::string make_mac(Random& random) {
  std::array<std::uint8_t, 5> bytes{};
  random.fill(bytes);
  return fmt::format("02:{:02x}", fmt::join(bytes, ":"));
}

Reply<std::vector<aws::ec2::GroupIdentifier>> find_groups(const State& state, std::string_view region,
                                                          const std::vector<std::string>& ids) {
  std::vector<aws::ec2::GroupIdentifier> groups;
  for (const auto& id : ids) {
    const auto* group = state.security_groups.find(regional_id(region, id));
    if (!group) return not_found(ResourceKind::security_group, id);
    groups.push_back({.group_id = id, .group_name = group->group_name});
  }
  return groups;
}

aws::ec2::NetworkInterfaceAttachment make_attachment(World& world, const InterfaceSpec& spec) {
  aws::ec2::NetworkInterfaceAttachment attachment{.attach_time = timestamp(world.now()),
                                                  .attachment_id = world.make_id("eni-attach"),
                                                  .delete_on_termination = !spec.instance_id.empty(),
                                                  .device_index = spec.instance_id.empty() ? 1 : 0,
                                                  .network_card_index = 0,
                                                  .instance_owner_id = "amazon-aws",
                                                  .status = "attached"};
  if (!spec.instance_id.empty()) attachment.instance_id = spec.instance_id;
  return attachment;
}

NetworkInterface make_interface(World& world, std::string_view region, const Subnet& subnet,
                                const InterfaceSpec& spec, const std::vector<Ipv4>& addresses) {
  NetworkInterface interface{
      .attachment = make_attachment(world, spec),
      .availability_zone = subnet.availability_zone,
      .description = spec.description,
      .groups = std::vector<aws::ec2::GroupIdentifier>{},
      .interface_type = spec.type,
      .ipv6_addresses = std::vector<aws::ec2::NetworkInterfaceIpv6Address>{},
      .mac_address = make_mac(world.random()),
      .network_interface_id = world.make_id("eni"),
      .owner_id = world.account(),
      .private_dns_name = private_name(region, addresses.front()),
      .private_ip_address = ipv4_text(addresses.front()),
      .private_ip_addresses = std::vector<aws::ec2::NetworkInterfacePrivateIpAddress>{},
      .requester_id = spec.requester_id,
      .requester_managed = true,
      .source_dest_check = spec.type != "nat_gateway",
      .status = "in-use",
      .subnet_id = subnet.subnet_id,
      .vpc_id = subnet.vpc_id,
      .availability_zone_id = subnet.availability_zone_id};
  for (const Ipv4 address : addresses) {
    interface.private_ip_addresses->push_back({.primary = address == addresses.front(),
                                               .private_dns_name = private_name(region, address),
                                               .private_ip_address = ipv4_text(address)});
  }
  return interface;
}

}  // namespace

Reply<std::string> add_interface(State& state, std::string_view region, const InterfaceSpec& spec) {
  const std::string subnet_key = regional_id(region, spec.subnet_id);
  const Subnet* subnet = state.subnets.find(subnet_key);
  if (!subnet) return not_found(ResourceKind::subnet, spec.subnet_id);
  auto groups = find_groups(state, region, spec.group_ids);
  if (!groups) return std::unexpected(std::move(groups.error()));
  if (subnet->available_ip_address_count.value_or(0) < spec.addresses) {
    return fault(
        "InsufficientFreeAddressesInSubnet",
        fmt::format("The specified subnet does not have enough free addresses to satisfy the request: "
                    "{} has {}, {} are needed.",
                    spec.subnet_id, subnet->available_ip_address_count.value_or(0), spec.addresses));
  }
  const auto addresses = choose_addresses(state, region, *subnet, spec.addresses);
  NetworkInterface interface = make_interface(state.world, region, *subnet, spec, addresses);
  interface.groups = std::move(*groups);
  std::string id = *interface.network_interface_id;
  state.network_interfaces.put(regional_id(region, id), std::move(interface));
  for (const Ipv4 address : addresses) {
    state.private_addresses.put(address_key(region, spec.subnet_id, ipv4_text(address)),
                                {.interface_id = id});
  }
  state.subnets.edit(subnet_key, [&spec](Subnet& record) {
    record.available_ip_address_count = *record.available_ip_address_count - spec.addresses;
  });
  return id;
}

void remove_interface(State& state, std::string_view region, std::string_view id) {
  const std::string key = regional_id(region, id);
  const NetworkInterface* interface = state.network_interfaces.find(key);
  if (!interface) return;
  const auto& addresses = aws::items(interface->private_ip_addresses);
  const auto freed = std::ssize(addresses);
  for (const auto& address : addresses) {
    state.private_addresses.erase(address_key(region, *interface->subnet_id, *address.private_ip_address));
  }
  state.subnets.edit(regional_id(region, *interface->subnet_id), [freed](Subnet& record) {
    record.available_ip_address_count = *record.available_ip_address_count + freed;
  });
  forget_tags(state, region, id);
  state.network_interfaces.erase(key);
}

Reply<aws::ec2::DescribeNetworkInterfacesResult> describe_network_interfaces(
    State& state, const Call& call, const aws::ec2::DescribeNetworkInterfacesRequest& in) {
  if (in.max_results && !aws::items(in.network_interface_ids).empty()) {
    return fault("InvalidParameterCombination",
                 "The parameter MaxResults cannot be used with the parameter NetworkInterfaceIds.");
  }
  auto filters = FilterSet::make(in.filters, k_filters);
  if (!filters) return std::unexpected(std::move(filters.error()));
  auto page =
      list_records(state.network_interfaces, ResourceKind::network_interface, call, in.network_interface_ids,
                   *filters, page_request(in), [&](const NetworkInterface& interface) {
                     NetworkInterface shown = interface;
                     shown.tag_set = tags_of(state, call.region, *interface.network_interface_id);
                     return shown;
                   });
  if (!page) return std::unexpected(std::move(page.error()));
  return aws::ec2::DescribeNetworkInterfacesResult{.network_interfaces = std::move(page->items),
                                                   .next_token = page->next_token};
}

}  // namespace instantstart::sandbox::ec2
