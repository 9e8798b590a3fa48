#include "capabilities/dependencies/owned_object.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/core.h>

#include "base/text.h"
#include "kube/json_access.h"

namespace instantstart::capabilities {
namespace {

struct KnownKind {
  std::string_view kind;
  std::string_view plural;
  std::string_view api_version;
  bool namespaced;
};

constexpr std::string_view k_rbac = "rbac.authorization.k8s.io/v1";

constexpr std::array k_kinds{
    KnownKind{"Namespace", "namespaces", "v1", false},
    KnownKind{"ServiceAccount", "serviceaccounts", "v1", true},
    KnownKind{"ClusterRole", "clusterroles", k_rbac, false},
    KnownKind{"ClusterRoleBinding", "clusterrolebindings", k_rbac, false},
    KnownKind{"DaemonSet", "daemonsets", "apps/v1", true},
    KnownKind{"PersistentVolume", "persistentvolumes", "v1", false},
    KnownKind{"PersistentVolumeClaim", "persistentvolumeclaims", "v1", true},
    KnownKind{"Deployment", "deployments", "apps/v1", true},
    KnownKind{"Service", "services", "v1", true},
};

json::object& member(json::object& object, std::string_view name) {
  auto& value = object[name];
  if (!value.is_object()) value = json::object();
  return value.get_object();
}

bool is_empty(const json::value& value) {
  switch (value.kind()) {
    case json::kind::null: return true;
    case json::kind::bool_: return !value.get_bool();
    case json::kind::string: return value.get_string().empty();
    case json::kind::array: return value.get_array().empty();
    case json::kind::object: return value.get_object().empty();
    case json::kind::int64: return value.get_int64() == 0;
    case json::kind::uint64: return value.get_uint64() == 0;
    default: return false;
  }
}

/// Numbers are equal by value; everything else by kind and value.
void compare(const json::value& desired, const json::value& live, const std::string& at,
             std::vector<std::string>& found);

void compare_objects(const json::object& desired, const json::object& live, const std::string& at,
                     std::vector<std::string>& found) {
  for (const auto& [name, value] : desired) {
    const std::string below = join_pointer(at, name);
    if (const auto* there = live.if_contains(name)) {
      compare(value, *there, below, found);
    } else if (!is_empty(value)) {
      found.push_back(below);
    }
  }
}

void compare(const json::value& desired, const json::value& live, const std::string& at,
             std::vector<std::string>& found) {
  if (desired.is_object() && live.is_object()) {
    compare_objects(desired.get_object(), live.get_object(), at, found);
  } else if (desired.is_array() && live.is_array() && desired.get_array().size() == live.get_array().size()) {
    for (std::size_t i = 0; i < desired.get_array().size(); ++i) {
      compare(desired.get_array()[i], live.get_array()[i], join_pointer(at, i), found);
    }
  } else if (desired != live && !(is_empty(desired) && is_empty(live))) {
    found.push_back(at);
  }
}

}  // namespace

ObjectRef ref_of(const json::object& object) {
  return {std::string(kube::text_at(object, {"apiVersion"})), std::string(kube::text_at(object, {"kind"})),
          std::string(kube::text_at(object, {"metadata", "namespace"})),
          std::string(kube::text_at(object, {"metadata", "name"}))};
}

std::string to_text(const ObjectRef& ref) {
  const auto* known = std::ranges::find(k_kinds, ref.kind, &KnownKind::kind);
  const std::string plural = known == k_kinds.end() ? to_lower(ref.kind) : std::string(known->plural);
  if (ref.namespace_.empty()) return fmt::format("{}/{}", plural, ref.name);
  return fmt::format("{}/{}/{}", plural, ref.namespace_, ref.name);
}

std::optional<ObjectRef> parse_object_ref(std::string_view text) {
  const auto parts = split(text, '/');
  const auto* known = std::ranges::find(k_kinds, parts.front(), &KnownKind::plural);
  if (known == k_kinds.end() || parts.size() != (known->namespaced ? 3 : 2)) return std::nullopt;
  return ObjectRef{std::string(known->api_version), std::string(known->kind),
                   known->namespaced ? std::string(parts[1]) : "", std::string(parts.back())};
}

json::object owned(json::object object, const Ownership& ownership) {
  auto& metadata = member(object, "metadata");
  auto& labels = member(metadata, "labels");
  labels["app.kubernetes.io/managed-by"] = "Helm";
  labels[k_component_label] = ownership.component;
  auto& annotations = member(metadata, "annotations");
  annotations["meta.helm.sh/release-name"] = ownership.release;
  annotations["meta.helm.sh/release-namespace"] = k_release_namespace;
  annotations[k_version_annotation] = ownership.version;
  annotations[k_operation_annotation] = ownership.operation_id;
  return object;
}

std::optional<std::string> maker_of(const json::object& object) {
  const auto maker = kube::text_at(object, {"metadata", "annotations", k_operation_annotation});
  if (maker.empty() || kube::text_at(object, {"metadata", "labels", k_component_label}).empty()) {
    return std::nullopt;
  }
  return std::string(maker);
}

std::vector<std::string> differences(const json::object& desired, const json::object& live) {
  json::object ours = desired;
  if (auto* metadata = ours.if_contains("metadata"); metadata && metadata->is_object()) {
    if (auto* annotations = metadata->get_object().if_contains("annotations");
        annotations && annotations->is_object()) {
      annotations->get_object().erase(k_operation_annotation);
    }
  }
  std::vector<std::string> found;
  compare_objects(ours, live, "", found);
  return found;
}

}  // namespace instantstart::capabilities
