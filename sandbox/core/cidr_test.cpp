#include "sandbox/core/cidr.h"

#include <gtest/gtest.h>

namespace instantstart::sandbox {
namespace {

struct ParseCase {
  std::string_view text;
  std::string_view canonical;  ///< Empty: refused.
};

TEST(Cidr, IsReadStrictlyAndWrittenWithoutHostBits) {
  constexpr ParseCase k_cases[] = {
      {"10.0.0.0/16", "10.0.0.0/16"},
      {"10.0.5.3/16", "10.0.0.0/16"},
      {"255.255.255.255/32", "255.255.255.255/32"},
      {"1.2.3.4/0", "0.0.0.0/0"},
      {"172.31.255.255/20", "172.31.240.0/20"},
      {"10.0.0.0", ""},
      {"10.0.0.0/33", ""},
      {"10.0.0/16", ""},
      {"10.0.0.0.0/16", ""},
      {"256.0.0.0/8", ""},
      {"010.0.0.0/8", ""},
      {"10.0.0.0/", ""},
      {"/16", ""},
      {"10.0.0.0/-1", ""},
      {"10.0.0.0/+8", ""},
      {" 10.0.0.0/8", ""},
      {"10.0.0.0/8 ", ""},
      {"10..0.0/8", ""},
      {"", ""},
      {"10.0.0.0/08", ""},
      {"fe80::/10", ""},
  };
  for (const auto& [text, canonical] : k_cases) {
    const auto block = Cidr::parse(text);
    EXPECT_EQ(block ? block->text() : "", canonical) << text;
  }
}

struct PairCase {
  std::string_view one, other;
  bool overlap;
  bool contained;  ///< `one` contains `other`.
};

TEST(Cidr, KnowsWhatOverlapsAndWhatIsInside) {
  constexpr PairCase k_cases[] = {
      {"10.0.0.0/16", "10.0.0.0/16", true, true},       {"10.0.0.0/16", "10.0.255.0/24", true, true},
      {"10.0.255.0/24", "10.0.0.0/16", true, false},    {"10.0.0.0/24", "10.0.1.0/24", false, false},
      {"10.0.0.0/23", "10.0.1.0/24", true, true},       {"0.0.0.0/0", "255.255.255.255/32", true, true},
      {"255.255.255.255/32", "0.0.0.0/0", true, false}, {"10.0.0.128/25", "10.0.0.0/25", false, false},
  };
  for (const auto& [one, other, overlap, contained] : k_cases) {
    const Cidr a = Cidr::parse(one).value();
    const Cidr b = Cidr::parse(other).value();
    EXPECT_EQ(a.overlaps(b), overlap) << one << " " << other;
    EXPECT_EQ(b.overlaps(a), overlap) << one << " " << other;
    EXPECT_EQ(a.contains(b), contained) << one << " " << other;
  }
}

TEST(Cidr, CountsItsAddresses) {
  EXPECT_EQ(Cidr::parse("0.0.0.0/0").value().size(), std::uint64_t{1} << 32);
  EXPECT_EQ(Cidr::parse("0.0.0.0/0").value().last(), 0xFFFFFFFFU);
  EXPECT_EQ(Cidr::parse("10.0.0.0/28").value().size(), 16U);
  EXPECT_EQ(ipv4_text(Cidr::parse("10.0.0.0/28").value().last()), "10.0.0.15");
}

TEST(Ipv6Block, IsWrittenCanonically) {
  constexpr ParseCase k_cases[] = {
      {"::/0", "::/0"},
      {"2600:1F14:0::/56", "2600:1f14::/56"},
      {"2001:db8::ff/64", "2001:db8::/64"},
      {"2001:db8::1/128", "2001:db8::1/128"},
      {"::/129", ""},
      {"10.0.0.0/8", ""},
      {"::", ""},
      {"2001::db8::/64", ""},
  };
  for (const auto& [text, canonical] : k_cases) {
    EXPECT_EQ(canonical_ipv6_block(text).value_or(""), canonical) << text;
  }
}

}  // namespace
}  // namespace instantstart::sandbox
