#include "operations/token.h"

#include <fmt/core.h>

#include "base/digest.h"

namespace instantstart::operations {
namespace {

/// RFC 4648 section 6 in lower case, without padding.
std::string base32(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view k_alphabet = "abcdefghijklmnopqrstuvwxyz234567";
  std::string text;
  std::uint32_t bits = 0;
  int held = 0;
  for (const auto byte : bytes) {
    bits = bits << 8 | byte;
    held += 8;
    for (; held >= 5; held -= 5) text += k_alphabet[bits >> (held - 5) & 31];
  }
  if (held > 0) text += k_alphabet[bits << (5 - held) & 31];
  return text;
}

}  // namespace

std::string act_token(std::string_view operation_id, const StepKey& step, std::int64_t generation) {
  constexpr std::size_t k_length = 32;
  // Lengths first: no two different sets of values make one text.
  const std::string text = fmt::format("{}:{}{}:{}{}:{}", operation_id.size(), operation_id, step.id.size(),
                                       step.id, step.phase == Phase::undo ? "undo" : "do", generation);
  return base32(sha256(text)).substr(0, k_length);
}

}  // namespace instantstart::operations
