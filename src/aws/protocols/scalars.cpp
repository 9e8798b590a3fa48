#include "aws/protocols/scalars.h"

#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "aws/protocols/timestamps.h"
#include "base/digest.h"
#include "base/text.h"

namespace instantstart::aws {
namespace {

std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<bool> parse_boolean(std::string_view text) {
  const std::string word = to_lower(text);
  if (word != "true" && word != "false") return std::nullopt;
  return word == "true";
}

std::optional<Blob> parse_blob(std::string_view text) {
  auto bytes = from_base64(text);
  return bytes ? std::optional<Blob>(Blob{std::move(*bytes)}) : std::nullopt;
}

template <class T>
Walked set(void* value, std::optional<T> parsed, std::string_view complaint) {
  if (!parsed) return faulty(std::string(complaint));
  *static_cast<T*>(value) = std::move(*parsed);
  return {};
}

}  // namespace

std::string number_text(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "Infinity" : "-Infinity";
  std::string text = fmt::format("{}", number);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::optional<double> parse_number(std::string_view text) {
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  double number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || end != text.data() + text.size() || !std::isfinite(number))
    return std::nullopt;
  return number;
}

std::string scalar_to_text(const ShapeInfo& shape, const WireInfo& wire, TimestampFormat format,
                           const void* value) {
  switch (shape.kind) {
    case ShapeKind::integer: return fmt::format("{}", *static_cast<const std::int64_t*>(value));
    case ShapeKind::number: return number_text(*static_cast<const double*>(value));
    case ShapeKind::boolean: return *static_cast<const bool*>(value) ? "true" : "false";
    case ShapeKind::timestamp:
      return timestamp_text(*static_cast<const Timestamp*>(value), resolved(wire.timestamp, format));
    case ShapeKind::blob: return to_base64(static_cast<const Blob*>(value)->bytes);
    default: return *static_cast<const std::string*>(value);
  }
}

Walked scalar_from_text(const ShapeInfo& shape, std::string_view text, void* value) {
  switch (shape.kind) {
    case ShapeKind::string: return set<std::string>(value, std::string(text), "");
    case ShapeKind::integer: return set(value, parse_integer(text), "is not a whole number");
    case ShapeKind::number: return set(value, parse_number(text), "is not a number");
    case ShapeKind::boolean: return set(value, parse_boolean(text), "is neither true nor false");
    case ShapeKind::timestamp: return set(value, parse_timestamp(text), "is not a time");
    case ShapeKind::blob: return set(value, parse_blob(text), "is not base64");
    default: return faulty("is not a single value");
  }
}

}  // namespace instantstart::aws
