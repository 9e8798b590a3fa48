// Reading foreign objects without trust: what is missing or of another type reads as empty.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "base/json.h"

namespace instantstart::kube {

using JsonPath = std::initializer_list<std::string_view>;

/// nullptr when a member on the way is missing or no object.
const json::value* value_at(const json::object& object, JsonPath path);

std::string_view text_at(const json::object& object, JsonPath path);       ///< Else "".
const json::object& object_at(const json::object& object, JsonPath path);  ///< Else an empty one.
const json::array& array_at(const json::object& object, JsonPath path);    ///< Else an empty one.
bool flag_at(const json::object& object, JsonPath path);                   ///< Else false.
std::optional<std::int64_t> integer_at(const json::object& object, JsonPath path);

/// Of an array's element: an object, else an empty one.
const json::object& as_object(const json::value& value);
std::string_view as_text(const json::value& value);

}  // namespace instantstart::kube
