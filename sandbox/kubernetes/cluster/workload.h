// What controllers have in common: owners, templates, conditions, readiness. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "sandbox/kubernetes/api/object_store.h"

namespace instantstart::sandbox::kubernetes {

struct ControllerOwner {
  std::string kind;
  std::string name;
  std::string uid;
};

/// The owner that says `controller: true`.
std::optional<ControllerOwner> controller_of(const json::object& object);
/// With controller and blockOwnerDeletion.
json::object owner_reference(const json::object& owner);

/// Pods and other objects of a kind that name this owner, by name. Pointers as of ObjectStore::find.
std::vector<const json::object*> owned_objects(ObjectStore& store, const ObjectKey& owner,
                                               std::string_view owner_uid, std::string_view group,
                                               std::string_view resource);

std::int64_t number_at(const json::object& object, std::string_view member, std::int64_t fallback = 0);
bool is_true_at(const json::object& object, std::string_view member);
std::string_view phase_of(const json::object& object);
/// status.conditions[type].status is "True".
bool is_condition_true(const json::object& object, std::string_view type);
/// Neither ended nor being deleted.
bool is_active_pod(const json::object& pod);
bool is_ready_pod(const json::object& pod);
bool has_ended(const json::object& pod);

struct Condition {
  std::string type;
  std::string status;
  std::string reason = {};
  std::string message = {};
};
/// Puts the condition; lastTransitionTime changes with the status only. `update_member` is the kind's other
/// time ("lastUpdateTime", "lastProbeTime"), or empty. True when anything but that other time is new.
bool set_condition(json::object& status, const Condition& condition, std::string_view now,
                   std::string_view update_member = "");

/// Kubernetes' short hash of a pod template: lower-case letters and digits.
std::string template_hash(const json::value& pod_template);
/// A pod of a template, in the owner's namespace; the caller gives it a name or generateName.
json::object pod_of_template(const json::object& owner, const json::object& pod_template);

/// "25%" of a number, or the number itself.
std::int64_t scaled_value(const json::object& object, std::string_view member, std::int64_t total,
                          bool round_up, std::int64_t fallback);

/// Sets metadata.labels / metadata.annotations.
void set_label(json::object& object, std::string_view key, std::string_view value);
void set_annotation(json::object& object, std::string_view key, std::string_view value);
std::string_view label_of(const json::object& object, std::string_view key);
std::string_view annotation_of(const json::object& object, std::string_view key);

}  // namespace instantstart::sandbox::kubernetes
