#include "sandbox/services/eks/cluster_network.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sandbox/core/cidr.h"
#include "sandbox/services/eks/errors.h"

namespace instantstart::sandbox::eks {
namespace {

using aws::ec2::Subnet;

constexpr std::size_t k_interfaces = 2;
/// "Amazon EKS networking requirements": each subnet must have at least six addresses for EKS, of which its
/// own check at the call asks two for each zone.
constexpr std::int64_t k_addresses_in_zone = 2;
/// Zones that EKS can't be in: "Subnet requirements for clusters".
constexpr std::array<std::string_view, 3> k_unsupported_zones{"use1-az3", "usw1-az2", "cac1-az3"};
constexpr std::array<std::string_view, 2> k_default_service_blocks{"10.100.0.0/16", "172.20.0.0/16"};
/// "serviceIpv4Cidr" in the API reference.
constexpr std::array<std::string_view, 3> k_private_blocks{"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"};
constexpr int k_widest_service_prefix = 12;
constexpr int k_narrowest_service_prefix = 24;

Reply<std::vector<const Subnet*>> find_subnets(const State& state, std::string_view region,
                                               const std::vector<std::string>& ids, const Subject& subject) {
  std::vector<const Subnet*> subnets;
  for (const auto& id : ids) {
    const Subnet* subnet = state.network.find_subnet(region, id);
    if (!subnet) {
      return invalid_parameter(
          fmt::format("The subnet ID '{}' does not exist (Service: AmazonEC2; Status Code: 400; Error Code: "
                      "InvalidSubnetID.NotFound)",
                      id),
          subject);
    }
    subnets.push_back(subnet);
  }
  return subnets;
}

std::optional<AwsFault> refuse_zones(const std::vector<const Subnet*>& subnets, const Subject& subject) {
  std::set<std::string> zones;
  for (const Subnet* subnet : subnets) {
    if (std::ranges::find(k_unsupported_zones, *subnet->availability_zone_id) != k_unsupported_zones.end()) {
      return fault("UnsupportedAvailabilityZoneException",
                   fmt::format(
                       "Cannot create cluster '{}' because {}, the targeted availability zone, does not "
                       "currently have sufficient capacity to support the cluster. Retry and choose "
                       "from other availability zones.",
                       subject.cluster, *subnet->availability_zone),
                   0, {{"clusterName", subject.cluster}})
          .error();
    }
    zones.insert(*subnet->availability_zone);
  }
  if (zones.size() >= 2) return std::nullopt;
  return invalid_parameter("Subnets specified must be in at least two different AZs", subject).error();
}

std::optional<AwsFault> refuse_full_zones(const std::vector<const Subnet*>& subnets, const Subject& subject) {
  std::map<std::string, std::int64_t> most_free;
  std::vector<std::string> ids;
  for (const Subnet* subnet : subnets) {
    auto& free = most_free[*subnet->availability_zone];
    free = std::max(free, subnet->available_ip_address_count.value_or(0));
    ids.push_back(*subnet->subnet_id);
  }
  for (const auto& [zone, free] : most_free) {
    if (free >= k_addresses_in_zone) continue;
    return invalid_parameter(
               fmt::format("Atleast one subnet in each AZ should have {} free IPs. Invalid AZs: {{ [{}] }}, "
                           "provided subnets: {{ {} }}",
                           k_addresses_in_zone, zone, fmt::join(ids, ", ")),
               subject)
        .error();
  }
  return std::nullopt;
}

std::optional<AwsFault> refuse_groups(const State& state, std::string_view region, const std::string& vpc_id,
                                      const std::vector<std::string>& ids, const Subject& subject) {
  constexpr std::size_t k_most = 5;
  if (ids.size() > k_most) {
    return invalid_parameter(fmt::format("At most {} security groups can be specified", k_most), subject)
        .error();
  }
  for (const auto& id : ids) {
    const auto* group = state.network.find_group(region, id);
    if (!group) {
      return invalid_parameter(
                 fmt::format("The security group '{}' does not exist (Service: AmazonEC2; Status Code: 400; "
                             "Error Code: InvalidGroup.NotFound)",
                             id),
                 subject)
          .error();
    }
    if (group->vpc_id != vpc_id) {
      return invalid_parameter(
                 fmt::format("Security group(s) [{}] are not in the same VPC as the subnets: {}", id, vpc_id),
                 subject)
          .error();
    }
  }
  return std::nullopt;
}

/// The blocks of the VPC, the secondary ones too.
std::vector<Cidr> blocks_of(const State& state, std::string_view region, const std::string& vpc_id) {
  std::vector<Cidr> blocks;
  const auto* vpc = state.network.find_vpc(region, vpc_id);
  if (!vpc) return blocks;
  if (const auto block = Cidr::parse(vpc->cidr_block.value_or(""))) blocks.push_back(*block);
  for (const auto& association : aws::items(vpc->cidr_block_association_set)) {
    if (const auto block = Cidr::parse(association.cidr_block.value_or(""))) blocks.push_back(*block);
  }
  return blocks;
}

bool overlaps_any(const Cidr& block, const std::vector<Cidr>& blocks) {
  return std::ranges::any_of(blocks, [&block](const Cidr& other) { return other.overlaps(block); });
}

bool is_private(const Cidr& block) {
  return std::ranges::any_of(k_private_blocks, [&block](std::string_view text) {
    const auto space = Cidr::parse(text);
    return space && space->contains(block);
  });
}

}  // namespace

Reply<ClusterNetwork> checked_network(const State& state, std::string_view region,
                                      const aws::eks::VpcConfigRequest& in, const std::string& cluster_name) {
  const Subject subject{.cluster = cluster_name};
  const auto& ids = aws::items(in.subnet_ids);
  if (std::set(ids.begin(), ids.end()).size() != ids.size()) {
    return invalid_parameter("Subnets specified must be different", subject);
  }
  const auto subnets = find_subnets(state, region, ids, subject);
  if (!subnets) return std::unexpected(subnets.error());
  if (auto refusal = refuse_zones(*subnets, subject)) return std::unexpected(std::move(*refusal));
  const std::string vpc_id = *subnets->front()->vpc_id;
  for (const Subnet* subnet : *subnets) {
    if (subnet->vpc_id != vpc_id)
      return invalid_parameter("Provided subnets belong to different VPCs", subject);
  }
  if (auto refusal = refuse_full_zones(*subnets, subject)) return std::unexpected(std::move(*refusal));
  const auto& groups = aws::items(in.security_group_ids);
  if (auto refusal = refuse_groups(state, region, vpc_id, groups, subject)) {
    return std::unexpected(std::move(*refusal));
  }
  return ClusterNetwork{.vpc_id = vpc_id, .subnet_ids = ids, .security_group_ids = groups};
}

Reply<std::string> checked_service_cidr(const State& state, std::string_view region,
                                        const std::string& vpc_id, const std::optional<std::string>& asked,
                                        const std::string& cluster_name) {
  const Subject subject{.cluster = cluster_name};
  const auto used = blocks_of(state, region, vpc_id);
  if (!asked) {
    for (const auto text : k_default_service_blocks) {
      if (!overlaps_any(Cidr::parse(text).value_or(Cidr{}), used)) return std::string(text);
    }
    return std::string(k_default_service_blocks.back());
  }
  const auto block = Cidr::parse(*asked);
  if (!block || block->text() != *asked || !is_private(*block)) {
    return invalid_parameter(
        fmt::format("serviceIpv4Cidr {} is invalid: it must be within one of 10.0.0.0/8, 172.16.0.0/12 and "
                    "192.168.0.0/16",
                    *asked),
        subject);
  }
  if (block->prefix < k_widest_service_prefix || block->prefix > k_narrowest_service_prefix) {
    return invalid_parameter(
        fmt::format("serviceIpv4Cidr {} is invalid: its prefix must be between /{} and /{}", *asked,
                    k_narrowest_service_prefix, k_widest_service_prefix),
        subject);
  }
  if (overlaps_any(*block, used)) {
    return invalid_parameter(
        fmt::format("serviceIpv4Cidr {} overlaps with a CIDR block of the VPC {}", *asked, vpc_id), subject);
  }
  return *asked;
}

std::string make_cluster_group(State& state, std::string_view region, const std::string& cluster_name,
                               const std::string& vpc_id) {
  constexpr std::uint64_t k_numbers = 2'000'000'000;
  const std::string name =
      fmt::format("eks-cluster-sg-{}-{}", cluster_name, state.world.random().next() % k_numbers);
  std::string id = state.network.make_cluster_group(
      region,
      {.vpc_id = vpc_id,
       .name = name,
       .description = "EKS created security group applied to ENI that is attached to EKS Control Plane "
                      "master nodes, as well as any managed workloads."});
  state.network.tag(region, id,
                    {{"Name", name},
                     {"aws:eks:cluster-name", cluster_name},
                     {fmt::format("kubernetes.io/cluster/{}", cluster_name), "owned"}});
  return id;
}

Reply<std::vector<std::string>> add_interfaces(State& state, std::string_view region,
                                               const std::string& cluster_name,
                                               const aws::eks::VpcConfigResponse& network) {
  std::vector<std::string> groups = aws::items(network.security_group_ids);
  if (network.cluster_security_group_id) groups.push_back(*network.cluster_security_group_id);
  std::vector<std::string> made;
  std::set<std::string> zones;
  for (const auto& id : aws::items(network.subnet_ids)) {
    const auto* subnet = state.network.find_subnet(region, id);
    if (!subnet || subnet->available_ip_address_count.value_or(0) < 1) continue;
    if (made.size() == k_interfaces || !zones.insert(*subnet->availability_zone).second) continue;
    auto interface =
        state.network.add_interface(region, {.subnet_id = id,
                                             .group_ids = groups,
                                             .description = fmt::format("Amazon EKS {}", cluster_name),
                                             .requester_id = state.world.account()});
    if (!interface) return std::unexpected(std::move(interface.error()));
    state.network.tag(region, *interface, {{"aws:eks:cluster-name", cluster_name}});
    made.push_back(std::move(*interface));
  }
  return made;
}

}  // namespace instantstart::sandbox::eks
