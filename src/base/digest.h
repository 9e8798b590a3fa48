// Hashes and text encodings of bytes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace instantstart {

using Sha256 = std::array<std::uint8_t, 32>;

Sha256 sha256(std::string_view bytes);
Sha256 hmac_sha256(std::string_view key, std::string_view bytes);

std::string to_hex(std::span<const std::uint8_t> bytes);  ///< lower case
std::string to_base64(std::string_view bytes);
std::string to_base64url(std::string_view bytes);  ///< without padding
/// RFC 4648, padding required for base64 and refused for base64url; nullopt for anything else.
std::optional<std::string> from_base64(std::string_view text);
std::optional<std::string> from_base64url(std::string_view text);

/// RFC 3986: everything but unreserved characters and those in `keep` becomes %XX.
std::string percent_encode(std::string_view text, std::string_view keep = "");
/// nullopt on a bad escape.
std::optional<std::string> percent_decode(std::string_view text);

inline std::string_view as_text(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Takes the same time wherever the texts differ, so that a secret can't be guessed byte by byte.
bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace instantstart
