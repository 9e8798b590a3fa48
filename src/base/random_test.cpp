#include "base/random.h"

#include <array>
#include <set>

#include <gtest/gtest.h>

#include "base/digest.h"
#include "base/pattern.h"

namespace instantstart {
namespace {

class FixedClock final : public Clock {
 public:
  explicit FixedClock(std::int64_t milliseconds_since_1970) : now_(milliseconds(milliseconds_since_1970)) {}
  WallTime wall() const override { return now_; }
  SteadyTime steady() const override { return SteadyTime(now_.time_since_epoch()); }

 private:
  WallTime now_;
};

/// The same byte for ever.
class ConstantRandom final : public Random {
 public:
  explicit ConstantRandom(std::uint8_t byte) : byte_(byte) {}
  void fill(std::span<std::uint8_t> bytes) override { std::ranges::fill(bytes, byte_); }

 private:
  std::uint8_t byte_;
};

TEST(MakeUuid7, EqualsTheExampleOfRfc9562) {
  // Appendix A.6: 2022-02-22T19:22:22Z, 017F22E2-79B0-7CC3-98C4-DC0C0C07398F.
  class ExampleRandom final : public Random {
    void fill(std::span<std::uint8_t> bytes) override {
      constexpr std::array<std::uint8_t, 16> k_bits{0,    0,    0,    0,    0,    0,    0xFC, 0xC3,
                                                    0xD8, 0xC4, 0xDC, 0x0C, 0x0C, 0x07, 0x39, 0x8F};
      std::ranges::copy(k_bits, bytes.begin());
    }
  } random;
  EXPECT_EQ(make_uuid7(FixedClock(0x017F22E279B0), random), "017f22e2-79b0-7cc3-98c4-dc0c0c07398f");
}

TEST(MakeUuid7, HasVersionAndVariantWhateverIsRandom) {
  const Pattern pattern("^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$");
  for (const int byte : {0x00, 0x55, 0xAA, 0xFF}) {
    ConstantRandom random(static_cast<std::uint8_t>(byte));
    EXPECT_TRUE(pattern.matches(make_uuid7(FixedClock(1'700'000'000'000), random)));
  }
}

TEST(MakeUuid7, SortsByTime) {
  SeededRandom random(3);
  std::string last;
  for (std::int64_t now = 1'700'000'000'000; now < 1'700'000'000'500; ++now) {
    const std::string id = make_uuid7(FixedClock(now), random);
    EXPECT_LT(last, id);
    last = id;
  }
}

TEST(MakeUuid7, DiffersWithinAMillisecond) {
  SystemRandom random;
  const FixedClock clock(1'700'000'000'000);
  std::set<std::string> ids;
  for (int i = 0; i < 1000; ++i) ids.insert(make_uuid7(clock, random));
  EXPECT_EQ(ids.size(), 1000u);
}

TEST(SeededRandom, IsSplitmix64) {
  // The first outputs of the reference implementation for seed 1234567.
  SeededRandom random(1234567);
  EXPECT_EQ(random.next(), 6457827717110365317u);
  EXPECT_EQ(random.next(), 3203168211198807973u);
  EXPECT_EQ(random.next(), 9817491932198370423u);
}

TEST(SeededRandom, RepeatsWithItsSeed) {
  SeededRandom one(5), two(5), other(6);
  std::array<std::uint8_t, 13> a{}, b{}, c{};
  one.fill(a);
  two.fill(b);
  other.fill(c);
  EXPECT_EQ(a, b);
  EXPECT_NE(a, c);
}

TEST(Random, UnitStaysBelowOne) {
  ConstantRandom highest(0xFF), lowest(0);
  EXPECT_LT(highest.unit(), 1.0);
  EXPECT_EQ(lowest.unit(), 0.0);
  SeededRandom random(9);
  double sum = 0;
  for (int i = 0; i < 10000; ++i) sum += random.unit();
  EXPECT_NEAR(sum / 10000, 0.5, 0.02);
}

TEST(SystemRandom, FillsLargeBuffers) {
  SystemRandom random;
  std::vector<std::uint8_t> bytes(1'000'000);
  random.fill(bytes);
  std::array<int, 256> counts{};
  for (const auto byte : bytes) ++counts[byte];
  for (const int count : counts) EXPECT_NEAR(count, 3906, 600);
}

TEST(MakeToken, IsBase64UrlOfTheBytesAskedFor) {
  SystemRandom random;
  const std::string token = make_token(random);
  EXPECT_EQ(token.size(), 43u);
  EXPECT_EQ(from_base64url(token)->size(), 32u);
  EXPECT_NE(token, make_token(random));
  ConstantRandom zeros(0);
  EXPECT_EQ(make_token(zeros, 3), "AAAA");
}

}  // namespace
}  // namespace instantstart
