// Bytes as text: hexadecimal, base64 (RFC 4648), percent-encoding (RFC 3986).
#include "base/digest.h"

namespace instantstart {
namespace {

constexpr std::string_view k_base64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view k_base64url = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

using ReverseAlphabet = std::array<std::int8_t, 256>;

constexpr ReverseAlphabet reversed(std::string_view alphabet) {
  ReverseAlphabet values;
  values.fill(-1);
  for (std::size_t i = 0; i < alphabet.size(); ++i) {
    values[static_cast<std::uint8_t>(alphabet[i])] = static_cast<std::int8_t>(i);
  }
  return values;
}

std::string encoded(std::string_view bytes, std::string_view alphabet) {
  std::string text;
  text.reserve((bytes.size() * 4 + 2) / 3 + 3);
  std::uint32_t bits = 0;
  unsigned held = 0;
  for (const char c : bytes) {
    bits = bits << 8 | static_cast<std::uint8_t>(c);
    for (held += 8; held >= 6; held -= 6) text += alphabet[bits >> (held - 6) & 63];
  }
  if (held > 0) text += alphabet[bits << (6 - held) & 63];
  return text;
}

/// `text` without padding. Refuses bits that belong to no byte, so that one value has one text.
std::optional<std::string> decoded(std::string_view text, const ReverseAlphabet& values) {
  std::string bytes;
  bytes.reserve(text.size() * 3 / 4);
  std::uint32_t bits = 0;
  unsigned held = 0;
  for (const char c : text) {
    const std::int8_t value = values[static_cast<std::uint8_t>(c)];
    if (value < 0) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    held += 6;
    if (held >= 8) {
      held -= 8;
      bytes += static_cast<char>(bits >> held & 0xFF);
    }
  }
  const bool loose_bits = (bits & ((1u << held) - 1)) != 0;
  if (held == 6 || loose_bits) return std::nullopt;
  return bytes;
}

bool is_unreserved(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::string to_hex(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view k_digits = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const auto byte : bytes) {
    text += k_digits[byte >> 4];
    text += k_digits[byte & 0xF];
  }
  return text;
}

std::string to_base64(std::string_view bytes) {
  std::string text = encoded(bytes, k_base64);
  text.append((4 - text.size() % 4) % 4, '=');
  return text;
}

std::string to_base64url(std::string_view bytes) { return encoded(bytes, k_base64url); }

std::optional<std::string> from_base64(std::string_view text) {
  static constexpr ReverseAlphabet k_values = reversed(k_base64);
  if (text.size() % 4 != 0) return std::nullopt;
  for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
  return decoded(text, k_values);
}

std::optional<std::string> from_base64url(std::string_view text) {
  static constexpr ReverseAlphabet k_values = reversed(k_base64url);
  return decoded(text, k_values);
}

std::string percent_encode(std::string_view text, std::string_view keep) {
  constexpr std::string_view k_digits = "0123456789ABCDEF";
  std::string encoded_text;
  encoded_text.reserve(text.size());
  for (const char c : text) {
    if (is_unreserved(c) || keep.find(c) != std::string_view::npos) {
      encoded_text += c;
      continue;
    }
    const auto byte = static_cast<std::uint8_t>(c);
    encoded_text += '%';
    encoded_text += k_digits[byte >> 4];
    encoded_text += k_digits[byte & 0xF];
  }
  return encoded_text;
}

std::optional<std::string> percent_decode(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      plain += text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? hex_value(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? hex_value(text[i + 2]) : -1;
    if (high < 0 || low < 0) return std::nullopt;
    plain += static_cast<char>(high << 4 | low);
    i += 2;
  }
  return plain;
}

}  // namespace instantstart
