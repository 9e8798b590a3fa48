#include "sandbox/kubernetes/api/metadata.h"

#include <algorithm>

namespace instantstart::sandbox::kubernetes {

std::string_view member_text(const json::object& object, std::string_view member) {
  const auto* value = object.if_contains(member);
  const auto* text = value ? value->if_string() : nullptr;
  return text ? std::string_view(*text) : std::string_view();
}

const json::object& member_object(const json::object& object, std::string_view member) {
  static const json::object none;
  const auto* value = object.if_contains(member);
  const auto* found = value ? value->if_object() : nullptr;
  return found ? *found : none;
}

const json::array& member_array(const json::object& object, std::string_view member) {
  static const json::array none;
  const auto* value = object.if_contains(member);
  const auto* found = value ? value->if_array() : nullptr;
  return found ? *found : none;
}

json::object& metadata_of(json::object& object) {
  json::value& metadata = object["metadata"];
  return metadata.is_object() ? metadata.get_object() : metadata.emplace_object();
}

const json::object& metadata_of(const json::object& object) { return member_object(object, "metadata"); }

std::string_view name_of(const json::object& object) { return member_text(metadata_of(object), "name"); }
std::string_view namespace_of(const json::object& object) {
  return member_text(metadata_of(object), "namespace");
}
std::string_view uid_of(const json::object& object) { return member_text(metadata_of(object), "uid"); }
std::string_view version_of(const json::object& object) {
  return member_text(metadata_of(object), "resourceVersion");
}
bool is_deleting(const json::object& object) {
  return !member_text(metadata_of(object), "deletionTimestamp").empty();
}

std::vector<std::string> finalizers_of(const json::object& object) {
  std::vector<std::string> names;
  for (const auto& value : member_array(metadata_of(object), "finalizers")) {
    if (const auto* text = value.if_string()) names.emplace_back(*text);
  }
  return names;
}

void set_finalizers(json::object& object, const std::vector<std::string>& finalizers) {
  json::object& metadata = metadata_of(object);
  if (finalizers.empty()) {
    metadata.erase("finalizers");
    return;
  }
  json::array names;
  for (const auto& name : finalizers) names.emplace_back(name);
  metadata["finalizers"] = std::move(names);
}

bool has_finalizer(const json::object& object, std::string_view finalizer) {
  return std::ranges::count(finalizers_of(object), finalizer) > 0;
}

void remove_finalizer(json::object& object, std::string_view finalizer) {
  auto names = finalizers_of(object);
  std::erase(names, finalizer);
  set_finalizers(object, names);
}

std::vector<std::string> owner_uids(const json::object& object) {
  std::vector<std::string> uids;
  for (const auto& value : member_array(metadata_of(object), "ownerReferences")) {
    const auto* owner = value.if_object();
    if (owner) uids.emplace_back(member_text(*owner, "uid"));
  }
  return uids;
}

const json::object* find_condition(const json::object& object, std::string_view type) {
  for (const auto& value : member_array(member_object(object, "status"), "conditions")) {
    const auto* condition = value.if_object();
    if (condition && member_text(*condition, "type") == type) return condition;
  }
  return nullptr;
}

}  // namespace instantstart::sandbox::kubernetes
