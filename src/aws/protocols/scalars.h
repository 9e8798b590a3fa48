// Single values as text: in headers, query strings, forms and XML. All of it as botocore writes it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "aws/protocols/fault.h"
#include "aws/shapes/shape.h"

namespace instantstart::aws {

/// The shortest text that reads back as the same double, always with a point or an exponent, as Python's
/// repr; "NaN", "Infinity", "-Infinity".
std::string number_text(double number);
std::optional<double> parse_number(std::string_view text);

/// A string, integer, number, boolean, timestamp or blob. `format` is the place's default for timestamps;
/// what the model says about this use wins.
std::string scalar_to_text(const ShapeInfo& shape, const WireInfo& wire, TimestampFormat format,
                           const void* value);
Walked scalar_from_text(const ShapeInfo& shape, std::string_view text, void* value);

}  // namespace instantstart::aws
