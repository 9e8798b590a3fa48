// Randomness and identifiers are injected, so that a simulation repeats exactly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/time.h"

namespace instantstart {

class Random {
 public:
  virtual ~Random() = default;
  virtual void fill(std::span<std::uint8_t> bytes) = 0;

  std::uint64_t next();
  double unit();  ///< Uniform in [0, 1).
};

/// The kernel's generator: for tokens and login codes too.
class SystemRandom final : public Random {
 public:
  void fill(std::span<std::uint8_t> bytes) override;
};

/// The same sequence for the same seed (splitmix64). Tests and simulations only; not secret.
class SeededRandom final : public Random {
 public:
  explicit SeededRandom(std::uint64_t seed) : state_(seed) {}
  void fill(std::span<std::uint8_t> bytes) override;

 private:
  std::uint64_t state_;
};

/// UUID version 7 (RFC 9562): sorts by creation time.
std::string make_uuid7(const Clock& clock, Random& random);

/// `bytes` random bytes as unpadded base64url: what access tokens and login codes are made of.
std::string make_token(Random& random, std::size_t bytes = 32);

}  // namespace instantstart
