// IPv4 address blocks (RFC 4632): what overlaps, what fits where. Pure arithmetic on values.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/describe.h"
#include "base/result.h"

namespace instantstart::domain {

class Cidr {
 public:
  /// "10.64.0.0/16". Strict: four decimal octets without leading zeros, a prefix 0–32, and no bit set behind
  /// the prefix ("10.64.0.1/16" is refused: it could be meant as 10.64.0.1/32). Error `invalid_request`.
  static Result<Cidr> parse(std::string_view text);
  /// `address` is cut to the prefix; a prefix above 32 counts as 32.
  Cidr(std::uint32_t address, int prefix);

  std::uint32_t first() const { return address_; }
  std::uint32_t last() const { return address_ | ~mask(prefix_); }
  int prefix() const { return prefix_; }

  bool contains(const Cidr& other) const { return first() <= other.first() && other.last() <= last(); }
  bool overlaps(const Cidr& other) const { return first() <= other.last() && other.first() <= last(); }

  /// How many blocks of that prefix it holds; 0 when they are larger than it.
  std::uint64_t count(int prefix) const;
  /// The n-th block of that prefix inside; nullopt past the end.
  std::optional<Cidr> block(int prefix, std::uint64_t n) const;

  friend auto operator<=>(const Cidr&, const Cidr&) = default;

 private:
  static std::uint32_t mask(int prefix);

  std::uint32_t address_;
  int prefix_;
};

std::string to_text(const Cidr& block);

/// The first block of `prefix` in `inside` (in the order given, lowest addresses first) that overlaps none of
/// `avoid`.
std::optional<Cidr> first_free(std::span<const Cidr> inside, int prefix, std::span<const Cidr> avoid);

/// Why a VPC of an EKS cluster can't have this as its primary block; nullopt when it can. /16 to /28 (EC2,
/// CreateVpc) of RFC 1918 or RFC 6598 addresses; not 172.17.0.0/16, which container bridges use (EC2 user
/// guide, "VPC CIDR blocks").
std::optional<std::string> why_no_vpc_block(const Cidr& block);

/// A block as callers write it.
struct CidrText : Text<CidrText> {};
Type describe(CidrText*);

}  // namespace instantstart::domain
