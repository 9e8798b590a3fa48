#include "sandbox/kubernetes/api/admission.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "sandbox/kubernetes/api/metadata.h"
#include "sandbox/kubernetes/api/pod_admission.h"
#include "sandbox/kubernetes/api/refusals.h"
#include "sandbox/kubernetes/api/service_addresses.h"

namespace instantstart::sandbox::kubernetes {
namespace {

json::object admit_namespace(json::object object) {
  metadata_of(object)["labels"].is_object() || (metadata_of(object)["labels"].emplace_object(), true);
  metadata_of(object)["labels"].get_object()["kubernetes.io/metadata.name"] = name_of(object);
  object["spec"] = json::object{{"finalizers", json::array{"kubernetes"}}};
  object["status"] = json::object{{"phase", "Active"}};
  return object;
}

/// A Job without a selector of its own gets one by its uid (batch/v1 strategy).
json::object admit_job(json::object object) {
  json::object& spec =
      object["spec"].is_object() ? object["spec"].get_object() : object["spec"].emplace_object();
  const auto* manual = spec.if_contains("manualSelector");
  object["status"] = json::object{};
  if (manual && *manual == json::value(true)) return object;
  const std::string uid(uid_of(object));
  const std::string name(name_of(object));
  if (!spec["template"].is_object()) return object;
  json::object& metadata = metadata_of(spec["template"].get_object());
  if (!metadata["labels"].is_object()) metadata["labels"].emplace_object();
  json::object& labels = metadata["labels"].get_object();
  labels["batch.kubernetes.io/controller-uid"] = uid;
  labels["batch.kubernetes.io/job-name"] = name;
  labels["controller-uid"] = uid;
  labels["job-name"] = name;
  if (!spec["selector"].is_object()) spec["selector"].emplace_object();
  json::object& selector = spec["selector"].get_object();
  if (!selector["matchLabels"].is_object()) selector["matchLabels"].emplace_object();
  selector["matchLabels"].get_object()["batch.kubernetes.io/controller-uid"] = uid;
  return object;
}

json::object admit_claim(const ObjectStore& store, std::string_view cluster, json::object object) {
  object["status"] = json::object{{"phase", "Pending"}};
  if (!object["spec"].is_object() || object["spec"].get_object().contains("storageClassName")) return object;
  for (const auto* storage : store.list(cluster, "storage.k8s.io", "storageclasses", "")) {
    const json::object& annotations = member_object(metadata_of(storage->body), "annotations");
    if (member_text(annotations, "storageclass.kubernetes.io/is-default-class") != "true") continue;
    object["spec"].get_object()["storageClassName"] = name_of(storage->body);
    break;
  }
  return object;
}

/// Nodes and custom objects without the subresource come with their status; all others begin without one.
bool keeps_given_status(const ServedType& type) {
  if (!type.info.subresource("status")) return true;
  return type.info.group.empty() && type.info.plural == "nodes";
}

bool is(const ServedType& type, std::string_view group, std::string_view plural) {
  return !type.custom() && type.info.group == group && type.info.plural == plural;
}

}  // namespace

Outcome<json::object> admit_create(AdmissionParts parts, std::string_view cluster, const ServedType& type,
                                   json::object object) {
  if (!keeps_given_status(type)) {
    if (type.custom()) {
      object.erase("status");
    } else if (object.contains("status") || type.info.has_verb("create")) {
      object["status"] = json::object{};
    }
  }
  if (is(type, "", "namespaces")) return admit_namespace(std::move(object));
  if (is(type, "", "pods")) return admit_pod(parts.store, cluster, std::move(object));
  if (is(type, "", "services")) {
    object["status"] = json::object{{"loadBalancer", json::object{}}};
    return with_addresses(parts, cluster, nullptr, std::move(object));
  }
  if (is(type, "batch", "jobs")) return admit_job(std::move(object));
  if (is(type, "", "persistentvolumeclaims")) {
    return admit_claim(parts.store, cluster, std::move(object));
  }
  if (is(type, "", "persistentvolumes")) object["status"] = json::object{{"phase", "Pending"}};
  return object;
}

Outcome<json::object> admit_update(AdmissionParts parts, std::string_view cluster, const ServedType& type,
                                   const json::object& before, json::object object) {
  if (is(type, "", "services")) return with_addresses(parts, cluster, &before, std::move(object));
  if (is(type, "", "namespaces")) {
    object["spec"] = member_object(before, "spec");
    metadata_of(object)["labels"].is_object() || (metadata_of(object)["labels"].emplace_object(), true);
    metadata_of(object)["labels"].get_object()["kubernetes.io/metadata.name"] = name_of(object);
  }
  return object;
}

bool counts_generations(const ServedType& type) {
  if (type.custom()) return true;
  constexpr std::array<std::string_view, 7> k_groups{"apps",
                                                     "batch",
                                                     "networking.k8s.io",
                                                     "policy",
                                                     "apiextensions.k8s.io",
                                                     "admissionregistration.k8s.io",
                                                     "scheduling.k8s.io"};
  const bool by_group = std::ranges::find(k_groups, type.info.group) != k_groups.end();
  return (by_group && type.info.plural != "controllerrevisions") || is(type, "", "pods");
}

bool is_immortal_namespace(std::string_view name) {
  return name == "default" || name == "kube-system" || name == "kube-public";
}

}  // namespace instantstart::sandbox::kubernetes
