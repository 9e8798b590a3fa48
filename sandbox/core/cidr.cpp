#include "sandbox/core/cidr.h"

#include <array>
#include <charconv>
#include <cstddef>

#include <arpa/inet.h>
#include <fmt/format.h>

namespace instantstart::sandbox {
namespace {

/// Decimal without sign or leading zeros, at most `max`.
std::optional<int> parse_number(std::string_view text, int max) {
  if (text.empty() || text.size() > 3 || (text.size() > 1 && text.front() == '0')) return std::nullopt;
  if (text.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value <= max ? std::optional(value) : std::nullopt;
}

struct Parts {
  std::string_view address;
  int prefix;
};

std::optional<Parts> split_block(std::string_view text, int longest) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto prefix = parse_number(text.substr(slash + 1), longest);
  if (!prefix) return std::nullopt;
  return Parts{text.substr(0, slash), *prefix};
}

}  // namespace

std::optional<Ipv4> parse_ipv4(std::string_view text) {
  Ipv4 address = 0;
  for (int part = 0; part < 4; ++part) {
    const auto dot = part < 3 ? text.find('.') : text.size();
    if (dot == std::string_view::npos) return std::nullopt;
    const auto value = parse_number(text.substr(0, dot), 255);
    if (!value) return std::nullopt;
    address = address << 8 | static_cast<Ipv4>(*value);
    text.remove_prefix(part < 3 ? dot + 1 : dot);
  }
  return address;
}

std::string ipv4_text(Ipv4 address) {
  return fmt::format("{}.{}.{}.{}", address >> 24, address >> 16 & 255, address >> 8 & 255, address & 255);
}

std::optional<Cidr> Cidr::parse(std::string_view text) {
  const auto parts = split_block(text, 32);
  if (!parts) return std::nullopt;
  const auto address = parse_ipv4(parts->address);
  if (!address) return std::nullopt;
  const Ipv4 mask = parts->prefix == 0 ? 0 : ~Ipv4{0} << (32 - parts->prefix);
  return Cidr{.network = *address & mask, .prefix = parts->prefix};
}

std::string Cidr::text() const { return fmt::format("{}/{}", ipv4_text(network), prefix); }

std::optional<std::string> canonical_ipv6_block(std::string_view text) {
  const auto parts = split_block(text, 128);
  if (!parts) return std::nullopt;
  in6_addr address{};
  if (inet_pton(AF_INET6, std::string(parts->address).c_str(), &address) != 1) return std::nullopt;
  for (int bit = parts->prefix; bit < 128; ++bit) {
    auto& byte = address.s6_addr[bit / 8];
    byte = static_cast<std::uint8_t>(byte & ~(0x80 >> bit % 8));
  }
  std::array<char, INET6_ADDRSTRLEN> written{};
  inet_ntop(AF_INET6, &address, written.data(), written.size());
  return fmt::format("{}/{}", written.data(), parts->prefix);
}

}  // namespace instantstart::sandbox
