#include "kube/json_access.h"

#include <utility>

namespace instantstart::kube {
namespace {

const json::object k_no_object;
const json::array k_no_array;

}  // namespace

const json::value* value_at(const json::object& object, JsonPath path) {
  const json::object* at = &object;
  const json::value* found = nullptr;
  for (const auto name : path) {
    if (!at) return nullptr;
    found = at->if_contains(name);
    if (!found) return nullptr;
    at = found->if_object();
  }
  return found;
}

std::string_view text_at(const json::object& object, JsonPath path) {
  const json::value* found = value_at(object, path);
  return found ? as_text(*found) : "";
}

const json::object& object_at(const json::object& object, JsonPath path) {
  const json::value* found = value_at(object, path);
  return found ? as_object(*found) : k_no_object;
}

const json::array& array_at(const json::object& object, JsonPath path) {
  const json::value* found = value_at(object, path);
  return found && found->is_array() ? found->get_array() : k_no_array;
}

bool flag_at(const json::object& object, JsonPath path) {
  const json::value* found = value_at(object, path);
  return found && found->is_bool() && found->get_bool();
}

std::optional<std::int64_t> integer_at(const json::object& object, JsonPath path) {
  const json::value* found = value_at(object, path);
  if (!found) return std::nullopt;
  if (found->is_int64()) return found->get_int64();
  if (found->is_uint64() && std::in_range<std::int64_t>(found->get_uint64())) {
    return static_cast<std::int64_t>(found->get_uint64());
  }
  return std::nullopt;
}

const json::object& as_object(const json::value& value) {
  const json::object* object = value.if_object();
  return object ? *object : k_no_object;
}

std::string_view as_text(const json::value& value) {
  const json::string* text = value.if_string();
  return text ? std::string_view(*text) : std::string_view();
}

}  // namespace instantstart::kube
