#include "net/public_address.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

namespace instantstart::net {

namespace {

namespace ip = boost::asio::ip;

struct Block4 {
  std::uint32_t first;
  int prefix;
};

// https://www.iana.org/assignments/iana-ipv4-special-registry: every block that is not globally reachable,
// with multicast and the former class E.
constexpr auto k_special_4 = std::to_array<Block4>({
    {0x00000000, 8},   // 0.0.0.0/8, this network
    {0x0A000000, 8},   // 10.0.0.0/8, private
    {0x64400000, 10},  // 100.64.0.0/10, shared address space (carrier NAT)
    {0x7F000000, 8},   // 127.0.0.0/8, loopback
    {0xA9FE0000, 16},  // 169.254.0.0/16, link-local, cloud metadata
    {0xAC100000, 12},  // 172.16.0.0/12, private
    {0xC0000000, 24},  // 192.0.0.0/24, protocol assignments
    {0xC0000200, 24},  // 192.0.2.0/24, documentation
    {0xC0586300, 24},  // 192.88.99.0/24, former 6to4 relay
    {0xC0A80000, 16},  // 192.168.0.0/16, private
    {0xC6120000, 15},  // 198.18.0.0/15, benchmarking
    {0xC6336400, 24},  // 198.51.100.0/24, documentation
    {0xCB007100, 24},  // 203.0.113.0/24, documentation
    {0xE0000000, 4},   // 224.0.0.0/4, multicast
    {0xF0000000, 4},   // 240.0.0.0/4, reserved, and the broadcast address
});

bool is_public_4(std::uint32_t address) {
  return std::ranges::none_of(k_special_4, [&](const Block4& block) {
    return ((address ^ block.first) >> (32 - block.prefix)) == 0;
  });
}

using Bytes6 = ip::address_v6::bytes_type;

std::uint32_t word_at(const Bytes6& bytes, std::size_t offset) {
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < 4; ++i) word = word << 8 | bytes[offset + i];
  return word;
}

bool starts_with(const Bytes6& bytes, std::initializer_list<std::uint8_t> prefix) {
  return std::equal(prefix.begin(), prefix.end(), bytes.begin());
}

bool is_public_6(const Bytes6& bytes) {
  // ::ffff:0:0/96 and 64:ff9b::/96 end in the IPv4 address that packets really go to.
  if (starts_with(bytes, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF}) ||
      starts_with(bytes, {0x00, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0})) {
    return is_public_4(word_at(bytes, 12));
  }
  if (starts_with(bytes, {0x20, 0x02})) return is_public_4(word_at(bytes, 2));  // 2002::/16, 6to4
  if ((bytes[0] & 0xE0) != 0x20) return false;  // 2000::/3 is all the global unicast there is (RFC 4291)
  if (starts_with(bytes, {0x20, 0x01}) && bytes[2] < 2) return false;    // 2001::/23, protocol assignments
  if (starts_with(bytes, {0x20, 0x01, 0x0D, 0xB8})) return false;        // 2001:db8::/32, documentation
  return !(starts_with(bytes, {0x3F, 0xFF}) && (bytes[2] & 0xF0) == 0);  // 3fff::/20, documentation
}

}  // namespace

bool is_public_address(const ip::address& address) {
  return address.is_v4() ? is_public_4(address.to_v4().to_uint()) : is_public_6(address.to_v6().to_bytes());
}

}  // namespace instantstart::net
