// IPv4 blocks as EC2 reasons about them. Pure arithmetic; IPv6 is only checked and written canonically, for
// the rules of security groups.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace instantstart::sandbox {

using Ipv4 = std::uint32_t;  ///< In host order: 10.0.0.1 is 0x0A000001.

/// Dotted decimal, four parts without leading zeros; nullopt for anything else.
std::optional<Ipv4> parse_ipv4(std::string_view text);
std::string ipv4_text(Ipv4 address);

struct Cidr {
  Ipv4 network = 0;  ///< Host bits are zero.
  int prefix = 0;    ///< 0 to 32

  /// "10.0.5.3/16" is 10.0.0.0/16, as EC2 takes it ("we modify the specified CIDR block to its canonical
  /// form").
  static std::optional<Cidr> parse(std::string_view text);

  std::uint64_t size() const { return std::uint64_t{1} << (32 - prefix); }
  Ipv4 last() const { return static_cast<Ipv4>(network + (size() - 1)); }
  bool contains(Ipv4 address) const { return address >= network && address <= last(); }
  bool contains(const Cidr& other) const { return other.prefix >= prefix && contains(other.network); }
  bool overlaps(const Cidr& other) const { return contains(other.network) || other.contains(network); }
  std::string text() const;

  bool operator==(const Cidr&) const = default;
};

/// "2600:1F14:0::/56" → "2600:1f14::/56", host bits cleared; nullopt for what is no IPv6 block.
std::optional<std::string> canonical_ipv6_block(std::string_view text);

}  // namespace instantstart::sandbox
