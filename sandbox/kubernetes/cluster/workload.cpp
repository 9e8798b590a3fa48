#include "sandbox/kubernetes/cluster/workload.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "sandbox/kubernetes/api/metadata.h"

namespace instantstart::sandbox::kubernetes {
namespace {

std::uint32_t fnv1a(std::string_view text) {
  std::uint32_t hash = 2166136261U;
  for (const char letter : text) {
    hash ^= static_cast<unsigned char>(letter);
    hash *= 16777619U;
  }
  return hash;
}

void set_metadata_entry(json::object& object, std::string_view map, std::string_view key,
                        std::string_view value) {
  json::value& entries = metadata_of(object)[map];
  if (!entries.is_object()) entries.emplace_object();
  entries.get_object()[key] = value;
}

}  // namespace

std::optional<ControllerOwner> controller_of(const json::object& object) {
  for (const auto& value : member_array(metadata_of(object), "ownerReferences")) {
    const auto* owner = value.if_object();
    if (!owner || !is_true_at(*owner, "controller")) continue;
    return ControllerOwner{std::string(member_text(*owner, "kind")), std::string(member_text(*owner, "name")),
                           std::string(member_text(*owner, "uid"))};
  }
  return std::nullopt;
}

json::object owner_reference(const json::object& owner) {
  return {{"apiVersion", member_text(owner, "apiVersion")},
          {"kind", member_text(owner, "kind")},
          {"name", name_of(owner)},
          {"uid", uid_of(owner)},
          {"controller", true},
          {"blockOwnerDeletion", true}};
}

std::vector<const json::object*> owned_objects(ObjectStore& store, const ObjectKey& owner,
                                               std::string_view owner_uid, std::string_view group,
                                               std::string_view resource) {
  std::vector<const json::object*> found;
  for (const auto& key : store.dependents(owner.cluster, owner_uid)) {
    if (key.group != group || key.resource != resource) continue;
    if (const json::object* object = store.find(key)) found.push_back(object);
  }
  return found;
}

std::int64_t number_at(const json::object& object, std::string_view member, std::int64_t fallback) {
  const auto* value = object.if_contains(member);
  if (!value) return fallback;
  if (value->is_int64()) return value->get_int64();
  if (value->is_uint64()) return static_cast<std::int64_t>(value->get_uint64());
  return fallback;
}

bool is_true_at(const json::object& object, std::string_view member) {
  const auto* value = object.if_contains(member);
  return value && value->is_bool() && value->get_bool();
}

std::string_view phase_of(const json::object& object) {
  return member_text(member_object(object, "status"), "phase");
}

bool is_condition_true(const json::object& object, std::string_view type) {
  const json::object* condition = find_condition(object, type);
  return condition && member_text(*condition, "status") == "True";
}

bool has_ended(const json::object& pod) {
  const auto phase = phase_of(pod);
  return phase == "Succeeded" || phase == "Failed";
}

bool is_active_pod(const json::object& pod) { return !is_deleting(pod) && !has_ended(pod); }

bool is_ready_pod(const json::object& pod) { return is_condition_true(pod, "Ready"); }

bool set_condition(json::object& status, const Condition& condition, std::string_view now,
                   std::string_view update_member) {
  json::value& list = status["conditions"];
  if (!list.is_array()) list.emplace_array();
  json::object* found = nullptr;
  for (auto& value : list.get_array()) {
    auto* one = value.if_object();
    if (one && member_text(*one, "type") == condition.type) found = one;
  }
  if (found && member_text(*found, "status") == condition.status &&
      member_text(*found, "reason") == condition.reason &&
      member_text(*found, "message") == condition.message) {
    return false;
  }
  if (!found) {
    list.get_array().emplace_back(json::object{{"type", condition.type}});
    found = &list.get_array().back().get_object();
  }
  if (member_text(*found, "status") != condition.status) (*found)["lastTransitionTime"] = now;
  if (!update_member.empty()) {
    (*found)[update_member] = update_member == "lastProbeTime" ? json::value() : json::value(now);
  }
  (*found)["status"] = condition.status;
  for (const auto& [member, text] :
       {std::pair("reason", &condition.reason), {"message", &condition.message}}) {
    if (text->empty()) {
      found->erase(member);
    } else {
      (*found)[member] = *text;
    }
  }
  return true;
}

std::string template_hash(const json::value& pod_template) {
  constexpr std::string_view k_letters = "bcdfghjklmnpqrstvwxz2456789";  // rand.SafeEncodeString
  std::string hash;
  for (const char digit : std::to_string(fnv1a(to_canonical_text(pod_template)))) {
    hash += k_letters[static_cast<unsigned char>(digit) % k_letters.size()];
  }
  return hash;
}

json::object pod_of_template(const json::object& owner, const json::object& pod_template) {
  const json::object& given = member_object(pod_template, "metadata");
  json::object metadata{{"namespace", namespace_of(owner)}};
  for (const auto member : {"labels", "annotations", "finalizers"}) {
    if (given.contains(member)) metadata[member] = given.at(member);
  }
  metadata["ownerReferences"] = json::array{owner_reference(owner)};
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata", std::move(metadata)},
          {"spec", member_object(pod_template, "spec")}};
}

std::int64_t scaled_value(const json::object& object, std::string_view member, std::int64_t total,
                          bool round_up, std::int64_t fallback) {
  const auto* value = object.if_contains(member);
  if (!value) return fallback;
  if (!value->is_string()) return number_at(object, member, fallback);
  const std::string_view text = value->get_string();
  std::int64_t percent = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), percent);
  if (read.ec != std::errc()) return fallback;
  return round_up ? (total * percent + 99) / 100 : total * percent / 100;
}

void set_label(json::object& object, std::string_view key, std::string_view value) {
  set_metadata_entry(object, "labels", key, value);
}

void set_annotation(json::object& object, std::string_view key, std::string_view value) {
  set_metadata_entry(object, "annotations", key, value);
}

std::string_view label_of(const json::object& object, std::string_view key) {
  return member_text(member_object(metadata_of(object), "labels"), key);
}

std::string_view annotation_of(const json::object& object, std::string_view key) {
  return member_text(member_object(metadata_of(object), "annotations"), key);
}

}  // namespace instantstart::sandbox::kubernetes
