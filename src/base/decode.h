// JSON to and from described types. There is one strict decoder for every face; what is wrong is reported all
// at once.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

#include "base/describe.h"
#include "base/json.h"
#include "base/result.h"

namespace instantstart {

struct DecodeOptions {
  /// Turns the strings "8", "0.5", "true" into the scalar that the field wants. Query strings and command
  /// lines carry nothing but text, and models send numbers as strings.
  bool scalars_from_text = false;
};

/// Foreign input can't make a report without end: after so many problems one more says that others were left
/// out.
inline constexpr std::size_t k_max_problems = 100;

/// Fills `target` (of the described type). Unknown members are problems, with the nearest known name; null
/// means absent (in lists it is a value). The target is unspecified, but valid, when there are problems.
///
/// Rules of problems: unknown_field, required, type, enum, minimum, maximum, min_length, max_length, pattern,
/// value (a `check` of the table), min_items, max_items, min_properties, max_properties, too_many_problems,
/// and those of checks between fields.
std::vector<FieldProblem> decode_into(const Type& type, const json::value& value, void* target,
                                      DecodeOptions options = {});

/// The error that carries decode problems, at least one: code `invalid_request`, a message that names the
/// first of them.
Error invalid_request(std::vector<FieldProblem> problems);

template <class T>
Result<T> decode(const json::value& value, DecodeOptions options = {}) {
  T target{};
  auto problems = decode_into(type_of<T>(), value, &target, options);
  if (!problems.empty()) return fail(invalid_request(std::move(problems)));
  return target;
}

/// Checks one text against a described string type: `parse_text<ClusterName>("a b")`.
template <class T>
Result<T> parse_text(std::string_view text) {
  return decode<T>(json::value(json::string(text)));
}

struct EncodeOptions {
  /// Secrets are written as "[secret]" unless this is set; only the code that hands a secret to its owner
  /// sets it.
  bool reveal_secrets = false;
};

/// Members in table order; absent optionals are left out.
json::value encode_from(const Type& type, const void* source, EncodeOptions options = {});

template <class T>
json::value encode(const T& value, EncodeOptions options = {}) {
  return encode_from(type_of<T>(), &value, options);
}

/// What stands in place of a secret.
inline constexpr std::string_view k_secret_text = "[secret]";

}  // namespace instantstart
