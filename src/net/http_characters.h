// The character classes of HTTP's grammar.
#pragma once

#include <string_view>

namespace instantstart::net {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

constexpr bool is_alphanumeric(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// The value of a hexadecimal digit, -1 for anything else.
constexpr int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/// tchar of RFC 9110 5.6.2: methods and field names.
constexpr bool is_token_char(char c) {
  return is_alphanumeric(c) || std::string_view("!#$%&'*+-.^_`|~").contains(c);
}

/// What no field value may hold (RFC 9110 5.5): CR, LF, NUL and their like; a tab may stand there.
constexpr bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t') || byte == 0x7F;
}

}  // namespace instantstart::net
