#include "sandbox/kubernetes/objects/resources.h"

#include <algorithm>

#include "base/text.h"
#include "sandbox/kubernetes/objects/json_access.h"

namespace instantstart::sandbox::kubernetes {
namespace {

struct Row {
  std::string_view group, version, plural, singular, kind;
  bool namespaced;
  std::string_view short_names, categories;
  std::string_view verbs;         ///< "*" for all of a stored resource.
  std::string_view subresources;  ///< "status=Deployment:gpu": name, kind, verbs ("gpu": get, patch, update).
};

constexpr std::string_view k_all_verbs = "create,delete,deletecollection,get,list,patch,update,watch";

// clang-format off
constexpr Row k_rows[] = {
    {"", "v1", "bindings", "binding", "Binding", true, "", "", "create", ""},
    {"", "v1", "configmaps", "configmap", "ConfigMap", true, "cm", "", "*", ""},
    {"", "v1", "endpoints", "endpoints", "Endpoints", true, "ep", "", "*", ""},
    {"", "v1", "events", "event", "Event", true, "ev", "", "*", ""},
    {"", "v1", "limitranges", "limitrange", "LimitRange", true, "limits", "", "*", ""},
    {"", "v1", "namespaces", "namespace", "Namespace", false, "ns", "", "create,delete,get,list,patch,update,watch", "finalize=Namespace:update status=Namespace:gpu"},
    {"", "v1", "nodes", "node", "Node", false, "no", "", "*", "proxy=NodeProxyOptions:create,delete,get,patch,update status=Node:gpu"},
    {"", "v1", "persistentvolumeclaims", "persistentvolumeclaim", "PersistentVolumeClaim", true, "pvc", "", "*", "status=PersistentVolumeClaim:gpu"},
    {"", "v1", "persistentvolumes", "persistentvolume", "PersistentVolume", false, "pv", "", "*", "status=PersistentVolume:gpu"},
    {"", "v1", "pods", "pod", "Pod", true, "po", "all", "*", "attach=PodAttachOptions:create,get binding=Binding:create ephemeralcontainers=Pod:gpu eviction=policy/v1/Eviction:create exec=PodExecOptions:create,get log=Pod:get portforward=PodPortForwardOptions:create,get proxy=PodProxyOptions:create,delete,get,patch,update resize=Pod:gpu status=Pod:gpu"},
    {"", "v1", "podtemplates", "podtemplate", "PodTemplate", true, "", "", "*", ""},
    {"", "v1", "replicationcontrollers", "replicationcontroller", "ReplicationController", true, "rc", "all", "*", "scale=autoscaling/v1/Scale:gpu status=ReplicationController:gpu"},
    {"", "v1", "resourcequotas", "resourcequota", "ResourceQuota", true, "quota", "", "*", "status=ResourceQuota:gpu"},
    {"", "v1", "secrets", "secret", "Secret", true, "", "", "*", ""},
    {"", "v1", "serviceaccounts", "serviceaccount", "ServiceAccount", true, "sa", "", "*", "token=authentication.k8s.io/v1/TokenRequest:create"},
    {"", "v1", "services", "service", "Service", true, "svc", "all", "*", "proxy=ServiceProxyOptions:create,delete,get,patch,update status=Service:gpu"},
    {"apiregistration.k8s.io", "v1", "apiservices", "apiservice", "APIService", false, "", "api-extensions", "*", "status=APIService:gpu"},
    {"apps", "v1", "controllerrevisions", "controllerrevision", "ControllerRevision", true, "", "", "*", ""},
    {"apps", "v1", "daemonsets", "daemonset", "DaemonSet", true, "ds", "all", "*", "status=DaemonSet:gpu"},
    {"apps", "v1", "deployments", "deployment", "Deployment", true, "deploy", "all", "*", "scale=autoscaling/v1/Scale:gpu status=Deployment:gpu"},
    {"apps", "v1", "replicasets", "replicaset", "ReplicaSet", true, "rs", "all", "*", "scale=autoscaling/v1/Scale:gpu status=ReplicaSet:gpu"},
    {"apps", "v1", "statefulsets", "statefulset", "StatefulSet", true, "sts", "all", "*", "scale=autoscaling/v1/Scale:gpu status=StatefulSet:gpu"},
    {"events.k8s.io", "v1", "events", "event", "Event", true, "ev", "", "*", ""},
    {"authentication.k8s.io", "v1", "selfsubjectreviews", "selfsubjectreview", "SelfSubjectReview", false, "", "", "create", ""},
    {"authentication.k8s.io", "v1", "tokenreviews", "tokenreview", "TokenReview", false, "", "", "create", ""},
    {"authorization.k8s.io", "v1", "localsubjectaccessreviews", "localsubjectaccessreview", "LocalSubjectAccessReview", true, "", "", "create", ""},
    {"authorization.k8s.io", "v1", "selfsubjectaccessreviews", "selfsubjectaccessreview", "SelfSubjectAccessReview", false, "", "", "create", ""},
    {"authorization.k8s.io", "v1", "selfsubjectrulesreviews", "selfsubjectrulesreview", "SelfSubjectRulesReview", false, "", "", "create", ""},
    {"authorization.k8s.io", "v1", "subjectaccessreviews", "subjectaccessreview", "SubjectAccessReview", false, "", "", "create", ""},
    {"autoscaling", "v2", "horizontalpodautoscalers", "horizontalpodautoscaler", "HorizontalPodAutoscaler", true, "hpa", "all", "*", "status=HorizontalPodAutoscaler:gpu"},
    {"autoscaling", "v1", "horizontalpodautoscalers", "horizontalpodautoscaler", "HorizontalPodAutoscaler", true, "hpa", "all", "*", "status=HorizontalPodAutoscaler:gpu"},
    {"batch", "v1", "cronjobs", "cronjob", "CronJob", true, "cj", "all", "*", "status=CronJob:gpu"},
    {"batch", "v1", "jobs", "job", "Job", true, "", "all", "*", "status=Job:gpu"},
    {"networking.k8s.io", "v1", "ingressclasses", "ingressclass", "IngressClass", false, "", "", "*", ""},
    {"networking.k8s.io", "v1", "ingresses", "ingress", "Ingress", true, "ing", "", "*", "status=Ingress:gpu"},
    {"networking.k8s.io", "v1", "ipaddresses", "ipaddress", "IPAddress", false, "ip", "", "*", ""},
    {"networking.k8s.io", "v1", "networkpolicies", "networkpolicy", "NetworkPolicy", true, "netpol", "", "*", ""},
    {"networking.k8s.io", "v1", "servicecidrs", "servicecidr", "ServiceCIDR", false, "", "", "*", "status=ServiceCIDR:gpu"},
    {"policy", "v1", "poddisruptionbudgets", "poddisruptionbudget", "PodDisruptionBudget", true, "pdb", "", "*", "status=PodDisruptionBudget:gpu"},
    {"rbac.authorization.k8s.io", "v1", "clusterrolebindings", "clusterrolebinding", "ClusterRoleBinding", false, "", "", "*", ""},
    {"rbac.authorization.k8s.io", "v1", "clusterroles", "clusterrole", "ClusterRole", false, "", "", "*", ""},
    {"rbac.authorization.k8s.io", "v1", "rolebindings", "rolebinding", "RoleBinding", true, "", "", "*", ""},
    {"rbac.authorization.k8s.io", "v1", "roles", "role", "Role", true, "", "", "*", ""},
    {"storage.k8s.io", "v1", "csidrivers", "csidriver", "CSIDriver", false, "", "", "*", ""},
    {"storage.k8s.io", "v1", "csinodes", "csinode", "CSINode", false, "", "", "*", ""},
    {"storage.k8s.io", "v1", "csistoragecapacities", "csistoragecapacity", "CSIStorageCapacity", true, "", "", "*", ""},
    {"storage.k8s.io", "v1", "storageclasses", "storageclass", "StorageClass", false, "sc", "", "*", ""},
    {"storage.k8s.io", "v1", "volumeattachments", "volumeattachment", "VolumeAttachment", false, "", "", "*", "status=VolumeAttachment:gpu"},
    {"storage.k8s.io", "v1", "volumeattributesclasses", "volumeattributesclass", "VolumeAttributesClass", false, "vac", "", "*", ""},
    {"admissionregistration.k8s.io", "v1", "mutatingadmissionpolicies", "mutatingadmissionpolicy", "MutatingAdmissionPolicy", false, "", "api-extensions", "*", ""},
    {"admissionregistration.k8s.io", "v1", "mutatingadmissionpolicybindings", "mutatingadmissionpolicybinding", "MutatingAdmissionPolicyBinding", false, "", "api-extensions", "*", ""},
    {"admissionregistration.k8s.io", "v1", "mutatingwebhookconfigurations", "mutatingwebhookconfiguration", "MutatingWebhookConfiguration", false, "", "api-extensions", "*", ""},
    {"admissionregistration.k8s.io", "v1", "validatingadmissionpolicies", "validatingadmissionpolicy", "ValidatingAdmissionPolicy", false, "", "api-extensions", "*", "status=ValidatingAdmissionPolicy:gpu"},
    {"admissionregistration.k8s.io", "v1", "validatingadmissionpolicybindings", "validatingadmissionpolicybinding", "ValidatingAdmissionPolicyBinding", false, "", "api-extensions", "*", ""},
    {"admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations", "validatingwebhookconfiguration", "ValidatingWebhookConfiguration", false, "", "api-extensions", "*", ""},
    {"apiextensions.k8s.io", "v1", "customresourcedefinitions", "customresourcedefinition", "CustomResourceDefinition", false, "crd,crds", "api-extensions", "*", "status=CustomResourceDefinition:gpu"},
    {"scheduling.k8s.io", "v1", "priorityclasses", "priorityclass", "PriorityClass", false, "pc", "", "*", ""},
    {"coordination.k8s.io", "v1", "leases", "lease", "Lease", true, "", "", "*", ""},
    {"node.k8s.io", "v1", "runtimeclasses", "runtimeclass", "RuntimeClass", false, "", "", "*", ""},
    {"discovery.k8s.io", "v1", "endpointslices", "endpointslice", "EndpointSlice", true, "", "", "*", ""},
};
// clang-format on

std::vector<std::string> words(std::string_view text, char separator) {
  std::vector<std::string> out;
  for (auto word : split(text, separator)) {
    if (!word.empty()) out.emplace_back(word);
  }
  return out;
}

SubresourceInfo subresource_of(std::string_view text) {
  SubresourceInfo info;
  const auto equals = text.find('=');
  const auto colon = text.rfind(':');
  info.name = text.substr(0, equals);
  const auto kind = words(text.substr(equals + 1, colon - equals - 1), '/');
  info.kind = kind.back();
  if (kind.size() == 3) {
    info.group = kind[0];
    info.version = kind[1];
  }
  const auto verbs = text.substr(colon + 1);
  info.verbs = words(verbs == "gpu" ? "get,patch,update" : verbs, ',');
  return info;
}

ResourceInfo resource_of(const Row& row) {
  ResourceInfo info;
  info.group = row.group;
  info.version = row.version;
  info.plural = row.plural;
  info.singular = row.singular;
  info.kind = row.kind;
  info.list_kind = std::string(row.kind) + "List";
  info.namespaced = row.namespaced;
  info.short_names = words(row.short_names, ',');
  info.categories = words(row.categories, ',');
  info.verbs = words(row.verbs == "*" ? k_all_verbs : row.verbs, ',');
  for (const auto& text : words(row.subresources, ' ')) info.subresources.push_back(subresource_of(text));
  return info;
}

std::vector<std::string> texts_at(const json::object& object, std::string_view key) {
  std::vector<std::string> out;
  const auto* value = object.if_contains(key);
  if (const auto* list = value ? value->if_array() : nullptr) {
    for (const auto& item : *list) {
      if (const auto* text = item.if_string()) out.emplace_back(*text);
    }
  }
  return out;
}

}  // namespace

bool ResourceInfo::has_verb(std::string_view verb) const {
  return std::ranges::find(verbs, verb) != verbs.end();
}

const SubresourceInfo* ResourceInfo::subresource(std::string_view name) const {
  const auto found = std::ranges::find(subresources, name, &SubresourceInfo::name);
  return found == subresources.end() ? nullptr : &*found;
}

std::string ResourceInfo::api_version() const { return group.empty() ? version : group + "/" + version; }

const std::vector<ResourceInfo>& built_in_resources() {
  static const std::vector<ResourceInfo> resources = [] {
    std::vector<ResourceInfo> out;
    for (const auto& row : k_rows) out.push_back(resource_of(row));
    return out;
  }();
  return resources;
}

std::vector<ResourceInfo> custom_resources(const json::object& definition) {
  std::vector<ResourceInfo> out;
  const auto* spec = object_at(definition, "spec");
  const auto* names = spec ? object_at(*spec, "names") : nullptr;
  const auto* versions = spec ? spec->if_contains("versions") : nullptr;
  if (!names || !versions || !versions->is_array()) return out;
  ResourceInfo info;
  info.group = text_at(*spec, "group");
  info.plural = text_at(*names, "plural");
  info.kind = text_at(*names, "kind");
  info.singular = text_at(*names, "singular");
  if (info.singular.empty()) info.singular = to_lower(info.kind);
  info.list_kind = text_at(*names, "listKind");
  if (info.list_kind.empty()) info.list_kind = info.kind + "List";
  info.namespaced = text_at(*spec, "scope") == "Namespaced";
  info.short_names = texts_at(*names, "shortNames");
  info.categories = texts_at(*names, "categories");
  info.verbs = {"delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"};
  for (const auto& item : versions->get_array()) {
    const auto* version = item.if_object();
    const auto* served = version ? version->if_contains("served") : nullptr;
    if (!served || served->kind() != json::kind::bool_ || !served->get_bool()) continue;
    info.version = text_at(*version, "name");
    info.subresources.clear();
    if (const auto* subresources = object_at(*version, "subresources")) {
      if (subresources->contains("status")) {
        info.subresources.push_back({"status", "", "", info.kind, {"get", "patch", "update"}});
      }
      if (subresources->contains("scale")) {
        info.subresources.push_back({"scale", "autoscaling", "v1", "Scale", {"get", "patch", "update"}});
      }
    }
    out.push_back(info);
  }
  return out;
}

}  // namespace instantstart::sandbox::kubernetes
