#include "base/random.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include <sys/random.h>

#include "base/digest.h"

namespace instantstart {

std::uint64_t Random::next() {
  std::array<std::uint8_t, 8> bytes;
  fill(bytes);
  std::uint64_t number = 0;
  for (const auto byte : bytes) number = number << 8 | byte;
  return number;
}

double Random::unit() {
  return static_cast<double>(next() >> 11) * 0x1p-53;  // a double holds 53 bits
}

void SystemRandom::fill(std::span<std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = getrandom(bytes.data(), bytes.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {  // a kernel without it; there is no safe way on
      std::perror("getrandom");
      std::abort();
    }
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
}

// Vigna, "splitmix64.c" (public domain), https://prng.di.unimi.it
void SeededRandom::fill(std::span<std::uint8_t> bytes) {
  while (!bytes.empty()) {
    std::uint64_t mixed = state_ += 0x9e3779b97f4a7c15;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    mixed ^= mixed >> 31;
    const std::size_t count = std::min<std::size_t>(bytes.size(), 8);
    for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::uint8_t>(mixed >> (56 - 8 * i));
    bytes = bytes.subspan(count);
  }
}

// RFC 9562 5.7: 48 bits of milliseconds, the version, 12 random bits, the variant, 62 random bits.
std::string make_uuid7(const Clock& clock, Random& random) {
  std::array<std::uint8_t, 16> bytes;
  random.fill(bytes);
  const auto now = static_cast<std::uint64_t>(clock.wall().time_since_epoch().count());
  for (std::size_t i = 0; i < 6; ++i) bytes[i] = static_cast<std::uint8_t>(now >> (40 - 8 * i));
  bytes[6] = static_cast<std::uint8_t>(0x70 | (bytes[6] & 0x0F));
  bytes[8] = static_cast<std::uint8_t>(0x80 | (bytes[8] & 0x3F));
  std::string text = to_hex(bytes);
  for (const std::size_t dash : {8u, 13u, 18u, 23u}) text.insert(dash, 1, '-');
  return text;
}

std::string make_token(Random& random, std::size_t bytes) {
  std::vector<std::uint8_t> secret(bytes);
  random.fill(secret);
  return to_base64url(as_text(secret));
}

}  // namespace instantstart
