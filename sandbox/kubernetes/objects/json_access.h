// Short ways into JSON values whose shape is not known yet: null where something is absent or of another
// type.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"

namespace instantstart::sandbox::kubernetes {

inline const json::value* at(const json::object& object, std::string_view key) {
  return object.if_contains(key);
}

inline const json::object* object_at(const json::object& object, std::string_view key) {
  const auto* value = object.if_contains(key);
  return value ? value->if_object() : nullptr;
}

inline json::object* object_at(json::object& object, std::string_view key) {
  auto* value = object.if_contains(key);
  return value ? value->if_object() : nullptr;
}

inline const json::array* array_at(const json::object& object, std::string_view key) {
  const auto* value = object.if_contains(key);
  return value ? value->if_array() : nullptr;
}

inline json::array* array_at(json::object& object, std::string_view key) {
  auto* value = object.if_contains(key);
  return value ? value->if_array() : nullptr;
}

/// "" where there is no text.
inline std::string text_at(const json::object& object, std::string_view key) {
  const auto* value = object.if_contains(key);
  const auto* text = value ? value->if_string() : nullptr;
  return text ? std::string(*text) : std::string();
}

inline bool flag_at(const json::object& object, std::string_view key) {
  const auto* value = object.if_contains(key);
  const auto* flag = value ? value->if_bool() : nullptr;
  return flag && *flag;
}

inline bool is_integer(const json::value& value) { return value.is_int64() || value.is_uint64(); }

/// `fallback` where there is no whole number that fits.
inline std::int64_t integer_at(const json::object& object, std::string_view key, std::int64_t fallback = 0) {
  const auto* value = object.if_contains(key);
  if (!value) return fallback;
  if (value->is_int64()) return value->get_int64();
  if (value->is_uint64() && value->get_uint64() <= INT64_MAX)
    return static_cast<std::int64_t>(value->get_uint64());
  return fallback;
}

/// metadata.<key> of an object, "" where there is none.
inline std::string metadata_text(const json::object& object, std::string_view key) {
  const auto* metadata = object_at(object, "metadata");
  return metadata ? text_at(*metadata, key) : std::string();
}

/// The object under `key`, made when it is absent or null.
inline json::object& object_made_at(json::object& object, std::string_view key) {
  auto& value = object[key];
  if (!value.is_object()) value = json::object();
  return value.get_object();
}

/// True for null, "", 0, false, [] and {}: what Go's omitempty leaves out.
inline bool is_zero(const json::value& value) {
  switch (value.kind()) {
    case json::kind::null: return true;
    case json::kind::bool_: return !value.get_bool();
    case json::kind::int64: return value.get_int64() == 0;
    case json::kind::uint64: return value.get_uint64() == 0;
    case json::kind::double_: return value.get_double() == 0;
    case json::kind::string: return value.get_string().empty();
    case json::kind::array: return value.get_array().empty();
    case json::kind::object: return value.get_object().empty();
  }
  return false;
}

}  // namespace instantstart::sandbox::kubernetes
