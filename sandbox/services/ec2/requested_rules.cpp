// Reading the rules out of IpPermissions.
#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "sandbox/core/cidr.h"
#include "sandbox/services/ec2/errors.h"
#include "sandbox/services/ec2/queries.h"
#include "sandbox/services/ec2/security_group_rules.h"
#include "sandbox/services/ec2/security_groups.h"

namespace instantstart::sandbox::ec2 {
namespace {

using aws::ec2::IpPermission;

/// IANA's numbers of the protocols that EC2 knows by name.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> k_names{
    {{"1", "icmp"}, {"6", "tcp"}, {"17", "udp"}, {"58", "icmpv6"}, {"all", "-1"}}};
constexpr std::int64_t k_last_port = 65535;
constexpr std::int64_t k_last_icmp = 255;

std::optional<std::string> canonical_protocol(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  for (const auto& [number, name] : k_names) {
    if (text == number || text == name) return std::string(name);
  }
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0 || number > 255) {
    return std::nullopt;
  }
  return fmt::format("{}", number);
}

/// Protocol and ports; the peer is left empty.
Reply<RuleKey> read_ports(const IpPermission& permission) {
  if (!permission.ip_protocol) return missing_parameter("ipProtocol");
  auto protocol = canonical_protocol(*permission.ip_protocol);
  if (!protocol) {
    return invalid_parameter(
        fmt::format("Invalid value '{}' for IP protocol. Unknown protocol.", *permission.ip_protocol));
  }
  RuleKey key{.protocol = std::move(*protocol)};
  const bool has_ports = key.protocol == "tcp" || key.protocol == "udp";
  const bool is_icmp = key.protocol == "icmp" || key.protocol == "icmpv6";
  if (!has_ports && !is_icmp) return key;  // Ports mean nothing then, and EC2 drops them.
  if (has_ports && (!permission.from_port || !permission.to_port)) {
    return invalid_parameter(
        "Invalid value 'Must specify both from and to ports with TCP/UDP.' for portRange.");
  }
  key.from_port = permission.from_port.value_or(-1);
  key.to_port = permission.to_port.value_or(-1);
  for (const auto port : {key.from_port, key.to_port}) {
    if (port < (has_ports ? 0 : -1) || port > (has_ports ? k_last_port : k_last_icmp)) {
      return invalid_parameter(has_ports ? fmt::format("TCP/UDP port ({}) out of range", port)
                                         : fmt::format("ICMP code or type ({}) out of range", port));
    }
  }
  if (has_ports && key.from_port > key.to_port) {
    return invalid_parameter(fmt::format("Invalid TCP/UDP port range ({}:{})", key.from_port, key.to_port));
  }
  return key;
}

std::unexpected<AwsFault> malformed_block(std::string_view text) {
  return invalid_parameter(fmt::format("CIDR block {} is malformed", text));
}

/// The group that a pair means, which must be of the same VPC.
Reply<std::string> peer_group(const State& state, std::string_view region,
                              const aws::ec2::SecurityGroup& group, const aws::ec2::UserIdGroupPair& pair) {
  if (pair.user_id && *pair.user_id != state.world.account()) {
    return not_simulated("security groups of other accounts");
  }
  const auto peer = find_group(state, region, pair.group_id, pair.group_name);
  if (!peer) return std::unexpected(peer.error());
  if ((*peer)->vpc_id != group.vpc_id) {
    return invalid_parameter("You have specified two resources that belong to different networks.");
  }
  return *(*peer)->group_id;
}

class Reader {
 public:
  Reader(const State& state, std::string_view region, const aws::ec2::SecurityGroup& group)
      : state_(state), region_(region), group_(group) {}

  std::optional<AwsFault> read(const IpPermission& permission) {
    auto ports = read_ports(permission);
    if (!ports) return std::move(ports.error());
    const std::size_t before = rules.size();
    for (const auto& range : aws::items(permission.ip_ranges)) {
      const auto block = Cidr::parse(range.cidr_ip.value_or(""));
      if (!block) return malformed_block(range.cidr_ip.value_or("")).error();
      add(*ports, range.description).cidr_ipv4 = block->text();
    }
    for (const auto& range : aws::items(permission.ipv6_ranges)) {
      const auto block = canonical_ipv6_block(range.cidr_ipv6.value_or(""));
      if (!block) return malformed_block(range.cidr_ipv6.value_or("")).error();
      add(*ports, range.description).cidr_ipv6 = *block;
    }
    for (const auto& list : aws::items(permission.prefix_list_ids)) {
      add(*ports, list.description).prefix_list_id = list.prefix_list_id.value_or("");
    }
    for (const auto& pair : aws::items(permission.user_id_group_pairs)) {
      auto peer = peer_group(state_, region_, group_, pair);
      if (!peer) return std::move(peer.error());
      add(*ports, pair.description).group_id = std::move(*peer);
    }
    if (rules.size() == before) {
      return fault("MissingParameter", "A permission must name at least one source or destination.").error();
    }
    return std::nullopt;
  }

  bool has_repeats() const {
    for (std::size_t i = 0; i < rules.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (rules[i].key == rules[j].key) return true;
      }
    }
    return false;
  }

  std::vector<RequestedRule> rules;

 private:
  RuleKey& add(const RuleKey& ports, const std::optional<std::string>& description) {
    return rules.emplace_back(RequestedRule{.key = ports, .description = description}).key;
  }

  const State& state_;
  std::string_view region_;
  const aws::ec2::SecurityGroup& group_;
};

}  // namespace

Reply<std::vector<RequestedRule>> rules_in(const State& state, std::string_view region,
                                           const aws::ec2::SecurityGroup& group,
                                           const std::vector<IpPermission>& permissions) {
  Reader reader(state, region, group);
  for (const auto& permission : permissions) {
    if (auto refusal = reader.read(permission)) return std::unexpected(std::move(*refusal));
  }
  if (reader.has_repeats()) return invalid_parameter("The same permission must not appear multiple times");
  return std::move(reader.rules);
}

}  // namespace instantstart::sandbox::ec2
