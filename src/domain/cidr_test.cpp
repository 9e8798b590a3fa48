#include "domain/cidr.h"

#include <gtest/gtest.h>

#include "base/decode.h"

namespace instantstart::domain {
namespace {

Cidr block(std::string_view text) {
  auto parsed = Cidr::parse(text);
  EXPECT_TRUE(parsed) << text;
  return parsed.value_or(Cidr(0, 32));
}

std::string free_text(std::vector<Cidr> inside, int prefix, std::vector<Cidr> avoid) {
  const auto found = first_free(inside, prefix, avoid);
  return found ? to_text(*found) : "none";
}

TEST(Cidr, ParsesStrictlyAndWritesTheSame) {
  for (const char* good : {"0.0.0.0/0", "10.64.0.0/16", "255.255.255.255/32", "192.168.4.0/22"}) {
    EXPECT_EQ(to_text(block(good)), good);
  }
  for (const char* bad : {"", "10.0.0.0", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/08", "10.0.0/8",
                          "10.0.0.0.0/8", "256.0.0.0/8", "010.0.0.0/8", "10.0.0.1/16", "10.0.0.0/-1",
                          " 10.0.0.0/8", "10.0.0.0/8 ", "a.b.c.d/8", "+1.0.0.0/8", "10.0.0.0/8/8", "::/0"}) {
    EXPECT_FALSE(Cidr::parse(bad)) << bad;
  }
}

TEST(Cidr, OverlapIsArithmeticAndNotEqualText) {
  EXPECT_TRUE(block("10.90.0.0/16").overlaps(block("10.90.0.0/17")));
  EXPECT_TRUE(block("10.90.128.0/17").overlaps(block("10.90.0.0/16")));
  EXPECT_TRUE(block("0.0.0.0/0").overlaps(block("255.255.255.255/32")));
  EXPECT_FALSE(block("10.90.0.0/17").overlaps(block("10.90.128.0/17")));
  EXPECT_TRUE(block("10.90.0.0/16").contains(block("10.90.255.0/24")));
  EXPECT_FALSE(block("10.90.255.0/24").contains(block("10.90.0.0/16")));
}

TEST(Cidr, HoldsAsManyBlocksAsFit) {
  EXPECT_EQ(block("10.64.0.0/16").count(20), 16u);
  EXPECT_EQ(block("10.64.0.0/16").count(16), 1u);
  EXPECT_EQ(block("10.64.0.0/16").count(15), 0u);
  EXPECT_EQ(block("0.0.0.0/0").count(32), std::uint64_t{1} << 32);
  EXPECT_EQ(to_text(*block("10.64.0.0/16").block(20, 15)), "10.64.240.0/20");
  EXPECT_FALSE(block("10.64.0.0/16").block(20, 16));
}

TEST(FirstFree, TakesTheLowestThatOverlapsNothing) {
  EXPECT_EQ(free_text({block("10.64.0.0/16")}, 20, {}), "10.64.0.0/20");
  EXPECT_EQ(free_text({block("10.64.0.0/16")}, 20, {block("10.64.0.0/24")}), "10.64.16.0/20");
  EXPECT_EQ(free_text({block("10.64.0.0/16")}, 20, {block("10.64.17.0/24"), block("10.64.0.0/20")}),
            "10.64.32.0/20");
  EXPECT_EQ(free_text({block("10.64.0.0/16"), block("10.65.0.0/16")}, 20, {block("10.64.0.0/15")}), "none");
  EXPECT_EQ(free_text({block("10.64.0.0/16"), block("10.65.0.0/16")}, 20, {block("10.64.0.0/16")}),
            "10.65.0.0/20");
  EXPECT_EQ(free_text({block("10.64.0.0/24")}, 20, {}), "none") << "larger than what it should be in";
}

TEST(FirstFree, EndsAtTheEndOfAllAddresses) {
  EXPECT_EQ(free_text({block("255.255.255.0/24")}, 25, {block("255.255.255.0/25")}), "255.255.255.128/25");
  EXPECT_EQ(free_text({block("255.255.255.0/24")}, 25, {block("255.255.255.0/24")}), "none");
  EXPECT_EQ(free_text({block("0.0.0.0/0")}, 32, {block("0.0.0.0/1"), block("128.0.0.0/1")}), "none");
}

TEST(VpcBlocks, ArePrivateAndOfASizeThatEc2Takes) {
  for (const char* good :
       {"10.0.0.0/16", "172.16.0.0/16", "172.31.0.0/20", "192.168.0.0/16", "100.64.0.0/16"}) {
    EXPECT_EQ(why_no_vpc_block(block(good)), std::nullopt) << good;
  }
  for (const char* bad : {"10.0.0.0/15", "10.0.0.0/29", "172.17.0.0/16", "172.17.4.0/24", "172.32.0.0/16",
                          "8.8.0.0/16", "100.128.0.0/16", "192.169.0.0/16"}) {
    EXPECT_NE(why_no_vpc_block(block(bad)), std::nullopt) << bad;
  }
}

TEST(CidrText, RefusesAnAddressInsideABlock) {
  EXPECT_TRUE(parse_text<CidrText>("10.64.0.0/16"));
  EXPECT_FALSE(parse_text<CidrText>("10.64.0.1/16"));
  EXPECT_FALSE(parse_text<CidrText>("10.64.0.0"));
}

}  // namespace
}  // namespace instantstart::domain
