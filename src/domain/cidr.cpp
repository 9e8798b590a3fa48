#include "domain/cidr.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/core.h>

#include "base/error_codes.h"
#include "base/text.h"

namespace instantstart::domain {
namespace {

constexpr int k_bits = 32;
constexpr int k_largest_vpc_prefix = 16;
constexpr int k_smallest_vpc_prefix = 28;

constexpr std::uint32_t address(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  return a << 24 | b << 16 | c << 8 | d;
}

/// Decimal digits without a leading zero, at most `most`.
std::optional<std::uint32_t> number(std::string_view text, std::uint32_t most) {
  if (text.empty() || text.size() > 3 || (text.size() > 1 && text[0] == '0')) return std::nullopt;
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value > most) return std::nullopt;
  return value;
}

std::unexpected<Error> no_block(std::string_view text, std::string_view why) {
  return fail(codes::invalid_request,
              fmt::format("'{}' is no IPv4 block: {}.", shortened(without_controls(text), 40), why));
}

}  // namespace

Cidr::Cidr(std::uint32_t address, int prefix)
    : address_(address & mask(std::clamp(prefix, 0, k_bits))), prefix_(std::clamp(prefix, 0, k_bits)) {}

std::uint32_t Cidr::mask(int prefix) { return prefix == 0 ? 0 : ~std::uint32_t{0} << (k_bits - prefix); }

Result<Cidr> Cidr::parse(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return no_block(text, "it has no prefix, as in 10.64.0.0/16");
  const auto octets = split(text.substr(0, slash), '.');
  const auto prefix = number(text.substr(slash + 1), k_bits);
  if (octets.size() != 4) return no_block(text, "an address has four numbers");
  if (!prefix) return no_block(text, "the prefix is a number from 0 to 32");
  std::uint32_t value = 0;
  for (const auto octet : octets) {
    const auto part = number(octet, 255);
    if (!part) return no_block(text, "each number is from 0 to 255, without leading zeros");
    value = value << 8 | *part;
  }
  const Cidr block(value, static_cast<int>(*prefix));
  if (block.first() != value) return no_block(text, fmt::format("its first address is {}", to_text(block)));
  return block;
}

std::uint64_t Cidr::count(int prefix) const {
  if (prefix < prefix_ || prefix > k_bits) return 0;
  return std::uint64_t{1} << (prefix - prefix_);
}

std::optional<Cidr> Cidr::block(int prefix, std::uint64_t n) const {
  if (n >= count(prefix)) return std::nullopt;
  return Cidr(static_cast<std::uint32_t>(address_ + (n << (k_bits - prefix))), prefix);
}

std::string to_text(const Cidr& block) {
  const auto a = block.first();
  return fmt::format("{}.{}.{}.{}/{}", a >> 24, a >> 16 & 255, a >> 8 & 255, a & 255, block.prefix());
}

std::optional<Cidr> first_free(std::span<const Cidr> inside, int prefix, std::span<const Cidr> avoid) {
  const std::uint64_t step = std::uint64_t{1} << (k_bits - std::clamp(prefix, 0, k_bits));
  for (const auto& outer : inside) {
    if (outer.count(prefix) == 0) continue;
    // From each block that is in the way to the first one behind it: no walk over four thousand million
    // addresses.
    for (std::uint64_t at = outer.first(); at + step - 1 <= outer.last();) {
      const Cidr candidate(static_cast<std::uint32_t>(at), prefix);
      const auto in_the_way =
          std::ranges::find_if(avoid, [&](const Cidr& other) { return other.overlaps(candidate); });
      if (in_the_way == avoid.end()) return candidate;
      const std::uint64_t behind = std::uint64_t{in_the_way->last()} + 1;
      at = std::max(at + step, (behind + step - 1) / step * step);
    }
  }
  return std::nullopt;
}

std::optional<std::string> why_no_vpc_block(const Cidr& block) {
  static const std::array k_private{Cidr(address(10, 0, 0, 0), 8), Cidr(address(172, 16, 0, 0), 12),
                                    Cidr(address(192, 168, 0, 0), 16), Cidr(address(100, 64, 0, 0), 10)};
  static const Cidr k_bridges(address(172, 17, 0, 0), 16);
  if (block.prefix() < k_largest_vpc_prefix || block.prefix() > k_smallest_vpc_prefix) {
    return fmt::format("must be a block between /{} and /{}", k_largest_vpc_prefix, k_smallest_vpc_prefix);
  }
  if (std::ranges::none_of(k_private, [&](const Cidr& range) { return range.contains(block); })) {
    return "must be private: in 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16 or 100.64.0.0/10";
  }
  if (block.overlaps(k_bridges)) return "must not overlap 172.17.0.0/16, which container bridges use";
  return std::nullopt;
}

Type describe(CidrText*) {
  return text_type<CidrText>("CidrText", "An IPv4 block.",
                             {.min = 9,
                              .max = 18,
                              .pattern = Pattern("^[0-9]{1,3}(\\.[0-9]{1,3}){3}/[0-9]{1,2}$"),
                              .format = "ipv4-cidr",
                              .check = [](std::string_view text) -> std::optional<std::string> {
                                const auto block = Cidr::parse(text);
                                if (block) return std::nullopt;
                                return "must be a block whose first address is written, as 10.64.0.0/16";
                              }},
                             {"10.64.0.0/16"});
}

}  // namespace instantstart::domain
