// JSON text in and out, bounded before it is parsed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <boost/json/value.hpp>

#include "base/result.h"

namespace instantstart {

namespace json = boost::json;

struct JsonLimits {
  std::size_t max_bytes = 1024 * 1024;
  std::size_t max_depth = 64;
};

/// Strict RFC 8259: no comments, trailing commas, NaN, invalid UTF-8, numbers past a double, or a key twice
/// in one object (two readers would disagree about which counts). Errors: `body_too_large`, `invalid_json`
/// with the offset.
Result<json::value> parse_json(std::string_view text, JsonLimits limits = {});

/// Compact, keys in insertion order.
std::string to_text(const json::value& value);

/// With the keys of every object sorted: equal values give equal text, so it can be hashed and compared.
std::string to_canonical_text(const json::value& value);

/// A pointer one level down, escaped as RFC 6901 says: ("/a", "b/c") → "/a/b~1c".
std::string join_pointer(std::string_view pointer, std::string_view key);
std::string join_pointer(std::string_view pointer, std::size_t index);

}  // namespace instantstart
