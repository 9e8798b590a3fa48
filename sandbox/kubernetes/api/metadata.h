// The few members of an object's metadata that the API server itself looks at.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "base/json.h"

namespace instantstart::sandbox::kubernetes {

/// The member, or "" when it is absent or no string.
std::string_view member_text(const json::object& object, std::string_view member);
/// The member, or an empty object.
const json::object& member_object(const json::object& object, std::string_view member);
/// The member, or an empty array.
const json::array& member_array(const json::object& object, std::string_view member);

/// Makes it where it is missing.
json::object& metadata_of(json::object& object);
const json::object& metadata_of(const json::object& object);

std::string_view name_of(const json::object& object);
std::string_view namespace_of(const json::object& object);
std::string_view uid_of(const json::object& object);
std::string_view version_of(const json::object& object);
bool is_deleting(const json::object& object);

std::vector<std::string> finalizers_of(const json::object& object);
void set_finalizers(json::object& object, const std::vector<std::string>& finalizers);
bool has_finalizer(const json::object& object, std::string_view finalizer);
void remove_finalizer(json::object& object, std::string_view finalizer);

std::vector<std::string> owner_uids(const json::object& object);

/// The status condition of that type, or nullptr.
const json::object* find_condition(const json::object& object, std::string_view type);

}  // namespace instantstart::sandbox::kubernetes
