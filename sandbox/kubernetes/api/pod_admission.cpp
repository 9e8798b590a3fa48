#include "sandbox/kubernetes/api/pod_admission.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "sandbox/kubernetes/api/metadata.h"
#include "sandbox/kubernetes/api/refusals.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr std::string_view k_token_path = "/var/run/secrets/kubernetes.io/serviceaccount";

bool is_true(const json::object& object, std::string_view member) {
  const auto* value = object.if_contains(member);
  return value && *value == json::value(true);
}
bool is_false(const json::object& object, std::string_view member) {
  const auto* value = object.if_contains(member);
  return value && *value == json::value(false);
}

/// The name ends in letters that follow from the pod's uid, so that a repeated world is equal.
std::string token_volume_name(const json::object& pod) {
  const auto uid = uid_of(pod);
  return fmt::format("kube-api-access-{}", uid.substr(0, std::min<std::size_t>(5, uid.size())));
}

json::object token_volume(const std::string& name) {
  json::array sources{
      json::object{{"serviceAccountToken", json::object{{"expirationSeconds", 3607}, {"path", "token"}}}},
      json::object{{"configMap", json::object{{"name", "kube-root-ca.crt"},
                                              {"items", json::array{json::object{{"key", "ca.crt"},
                                                                                 {"path", "ca.crt"}}}}}}},
      json::object{
          {"downwardAPI",
           json::object{{"items", json::array{json::object{
                                      {"path", "namespace"},
                                      {"fieldRef", json::object{{"apiVersion", "v1"},
                                                                {"fieldPath", "metadata.namespace"}}}}}}}}}};
  return {{"name", name}, {"projected", json::object{{"sources", std::move(sources)}, {"defaultMode", 420}}}};
}

void mount_token(json::object& spec, std::string_view list, const std::string& volume) {
  auto* containers = spec.if_contains(list) ? spec[list].if_array() : nullptr;
  if (!containers) return;
  for (auto& value : *containers) {
    auto* container = value.if_object();
    if (!container) continue;
    if (!(*container)["volumeMounts"].is_array()) (*container)["volumeMounts"].emplace_array();
    json::array& mounts = (*container)["volumeMounts"].get_array();
    const bool mounted = std::ranges::any_of(mounts, [](const json::value& mount) {
      return mount.is_object() && member_text(mount.get_object(), "mountPath") == k_token_path;
    });
    if (mounted) continue;
    mounts.emplace_back(json::object{{"name", volume}, {"readOnly", true}, {"mountPath", k_token_path}});
  }
}

Outcome<> use_service_account(const ObjectStore& store, std::string_view cluster, json::object& pod) {
  json::object& spec = pod["spec"].get_object();
  std::string name(member_text(spec, "serviceAccountName"));
  if (name.empty()) name = "default";
  spec["serviceAccountName"] = name;
  spec["serviceAccount"] = name;
  const json::object* account =
      store.find({std::string(cluster), "", "serviceaccounts", std::string(namespace_of(pod)), name});
  if (!account) {
    return refuse(forbidden("", "pods", name_of(pod),
                            fmt::format("error looking up service account {}/{}: serviceaccount \"{}\" not "
                                        "found",
                                        namespace_of(pod), name, name)));
  }
  if (!spec.contains("imagePullSecrets") && account->contains("imagePullSecrets")) {
    spec["imagePullSecrets"] = account->at("imagePullSecrets");
  }
  const bool wanted = spec.contains("automountServiceAccountToken")
                          ? is_true(spec, "automountServiceAccountToken")
                          : !is_false(*account, "automountServiceAccountToken");
  if (!wanted) return {};
  const std::string volume = token_volume_name(pod);
  if (!spec["volumes"].is_array()) spec["volumes"].emplace_array();
  spec["volumes"].get_array().emplace_back(token_volume(volume));
  mount_token(spec, "initContainers", volume);
  mount_token(spec, "containers", volume);
  return {};
}

Outcome<> set_priority(const ObjectStore& store, std::string_view cluster, json::object& pod) {
  json::object& spec = pod["spec"].get_object();
  const json::object* chosen = nullptr;
  const std::string name(member_text(spec, "priorityClassName"));
  if (!name.empty()) {
    chosen = store.find({std::string(cluster), "scheduling.k8s.io", "priorityclasses", "", name});
    if (!chosen) {
      return refuse(
          forbidden("", "pods", name_of(pod), fmt::format("no PriorityClass with name {} was found", name)));
    }
  } else {
    for (const auto* one : store.list(cluster, "scheduling.k8s.io", "priorityclasses", "")) {
      if (is_true(one->body, "globalDefault")) chosen = &one->body;
    }
    if (chosen) spec["priorityClassName"] = name_of(*chosen);
  }
  spec["priority"] = chosen && chosen->contains("value") ? chosen->at("value") : json::value(0);
  if (!spec.contains("preemptionPolicy")) {
    const auto policy = chosen ? member_text(*chosen, "preemptionPolicy") : std::string_view();
    spec["preemptionPolicy"] = policy.empty() ? std::string_view("PreemptLowerPriority") : policy;
  }
  return {};
}

/// 300 seconds on a node that is away, unless the pod says otherwise.
void tolerate_absent_nodes(json::object& spec) {
  if (!spec["tolerations"].is_array()) spec["tolerations"].emplace_array();
  json::array& tolerations = spec["tolerations"].get_array();
  constexpr std::array<std::string_view, 2> k_keys{"node.kubernetes.io/not-ready",
                                                   "node.kubernetes.io/unreachable"};
  for (const auto key : k_keys) {
    const bool said = std::ranges::any_of(tolerations, [&](const json::value& value) {
      const auto* one = value.if_object();
      if (!one) return false;
      const bool any_key = member_text(*one, "key").empty() && member_text(*one, "operator") == "Exists";
      const auto effect = member_text(*one, "effect");
      return (any_key || member_text(*one, "key") == key) && (effect.empty() || effect == "NoExecute");
    });
    if (said) continue;
    tolerations.emplace_back(json::object{
        {"key", key}, {"operator", "Exists"}, {"effect", "NoExecute"}, {"tolerationSeconds", 300}});
  }
}

}  // namespace

std::string_view quality_of_service(const json::object& pod) {
  bool any = false;
  bool all_equal = true;
  for (const auto list : {"initContainers", "containers"}) {
    for (const auto& value : member_array(member_object(pod, "spec"), list)) {
      const auto* container = value.if_object();
      if (!container) continue;
      const json::object& resources = member_object(*container, "resources");
      const json::object& limits = member_object(resources, "limits");
      const json::object& requests = member_object(resources, "requests");
      for (const auto name : {"cpu", "memory"}) {
        if (limits.contains(name) || requests.contains(name)) any = true;
        if (!limits.contains(name)) all_equal = false;
        if (limits.contains(name) && requests.contains(name) && limits.at(name) != requests.at(name))
          all_equal = false;
      }
    }
  }
  if (!any) return "BestEffort";
  return all_equal ? "Guaranteed" : "Burstable";
}

Outcome<json::object> admit_pod(const ObjectStore& store, std::string_view cluster, json::object pod) {
  if (!pod["spec"].is_object()) pod["spec"].emplace_object();
  if (auto done = use_service_account(store, cluster, pod); !done) return std::unexpected(done.error());
  if (auto done = set_priority(store, cluster, pod); !done) return std::unexpected(done.error());
  tolerate_absent_nodes(pod["spec"].get_object());
  pod["status"] = json::object{{"phase", "Pending"}, {"qosClass", quality_of_service(pod)}};
  return pod;
}

}  // namespace instantstart::sandbox::kubernetes
