#include "sandbox/kubernetes/objects/defaults.h"

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "base/text.h"
#include "sandbox/kubernetes/objects/json_access.h"

namespace instantstart::sandbox::kubernetes {
namespace {

/// `spec.ports[].protocol` gets `value` (JSON) where its parents are there and it is absent. A parent with
/// "+" is made.
struct Default {
  std::string_view path;
  std::string_view value;
};

void set_default(json::value& place, std::span<const std::string_view> steps, const json::value& value) {
  auto* object = place.if_object();
  if (!object || steps.empty()) return;
  auto step = steps.front();
  const bool each = step.ends_with("[]");
  if (each) step.remove_suffix(2);
  const bool made = step.ends_with('+');
  if (made) step.remove_suffix(1);
  if (steps.size() == 1) {
    if (const auto* there = object->if_contains(step); !there || there->is_null()) (*object)[step] = value;
    return;
  }
  auto* next = object->if_contains(step);
  if (!next || next->is_null()) {
    if (!made) return;
    next = &(*object)[step];
    *next = json::object();
  }
  if (!each) {
    set_default(*next, steps.subspan(1), value);
  } else if (auto* items = next->if_array()) {
    for (auto& item : *items) set_default(item, steps.subspan(1), value);
  }
}

void set_defaults(json::value& object, std::span<const Default> rows) {
  for (const auto& row : rows) {
    const auto value = parse_json(row.value);
    const auto steps = split(row.path, '.');
    if (value) set_default(object, steps, *value);
  }
}

// Rows are in the order of pkg/apis/*/v1/defaults.go.

constexpr Default k_pod_spec[] = {
    {"restartPolicy", R"("Always")"},
    {"dnsPolicy", R"("ClusterFirst")"},
    {"schedulerName", R"("default-scheduler")"},
    {"securityContext", "{}"},
    {"terminationGracePeriodSeconds", "30"},
    {"volumes[].secret.defaultMode", "420"},
    {"volumes[].configMap.defaultMode", "420"},
    {"volumes[].downwardAPI.defaultMode", "420"},
    {"volumes[].downwardAPI.items[].fieldRef.apiVersion", R"("v1")"},
    {"volumes[].projected.defaultMode", "420"},
    {"volumes[].projected.sources[].serviceAccountToken.expirationSeconds", "3607"},
    {"volumes[].projected.sources[].downwardAPI.items[].fieldRef.apiVersion", R"("v1")"},
    {"volumes[].hostPath.type", R"("")"},
    {"volumes[].iscsi.iscsiInterface", R"("default")"},
    {"volumes[].azureDisk.cachingMode", R"("ReadWrite")"},
    {"volumes[].azureDisk.kind", R"("Shared")"},
    {"volumes[].azureDisk.fsType", R"("ext4")"},
    {"volumes[].azureDisk.readOnly", "false"},
    {"volumes[].ephemeral.volumeClaimTemplate.spec.volumeMode", R"("Filesystem")"},
    {"topologySpreadConstraints[].nodeAffinityPolicy", R"("Honor")"},
    {"topologySpreadConstraints[].nodeTaintsPolicy", R"("Ignore")"}};

constexpr Default k_container[] = {{"ports[].protocol", R"("TCP")"},
                                   {"resources", "{}"},
                                   {"terminationMessagePath", R"("/dev/termination-log")"},
                                   {"terminationMessagePolicy", R"("File")"},
                                   {"env[].valueFrom.fieldRef.apiVersion", R"("v1")"}};

constexpr Default k_probe[] = {{"timeoutSeconds", "1"},    {"periodSeconds", "10"},
                               {"successThreshold", "1"},  {"failureThreshold", "3"},
                               {"httpGet.path", R"("/")"}, {"httpGet.scheme", R"("HTTP")"},
                               {"grpc.service", R"("")"}};

constexpr Default k_handler[] = {{"httpGet.path", R"("/")"}, {"httpGet.scheme", R"("HTTP")"}};

/// `nginx` and `nginx:latest` are pulled each time; a tag or digest is not.
std::string pull_policy(std::string_view image) {
  if (image.find('@') != std::string_view::npos) return "IfNotPresent";
  const auto slash = image.rfind('/');
  const auto name = slash == std::string_view::npos ? image : image.substr(slash + 1);
  const auto colon = name.find(':');
  const bool latest = colon == std::string_view::npos || name.substr(colon + 1) == "latest";
  return latest ? "Always" : "IfNotPresent";
}

void default_resources(json::object& owner) {
  auto* resources = object_at(owner, "resources");
  const auto* limits = resources ? object_at(*resources, "limits") : nullptr;
  if (!limits) return;
  const json::object wanted = *limits;  // requests may be made in the same object.
  auto& requests = object_made_at(*resources, "requests");
  for (const auto& [name, amount] : wanted) {
    if (!requests.contains(name)) requests[name] = amount;
  }
}

void default_container(json::value& value) {
  auto* container = value.if_object();
  if (!container) return;
  set_defaults(value, k_container);
  if (!container->contains("imagePullPolicy"))
    (*container)["imagePullPolicy"] = pull_policy(text_at(*container, "image"));
  for (const auto probe : {"livenessProbe", "readinessProbe", "startupProbe"}) {
    if (auto* there = container->if_contains(probe)) set_defaults(*there, k_probe);
  }
  if (auto* lifecycle = object_at(*container, "lifecycle")) {
    for (const auto hook : {"preStop", "postStart"}) {
      if (auto* there = lifecycle->if_contains(hook)) set_defaults(*there, k_handler);
    }
  }
  if (auto* security = container->if_contains("securityContext"); security && security->is_object()) {
    constexpr Default rows[] = {{"procMount", R"("Default")"}};
    if (security->get_object().contains("procMount")) set_defaults(*security, rows);
  }
}

void default_pod_spec(json::value& value) {
  auto* spec = value.if_object();
  if (!spec) return;
  set_defaults(value, k_pod_spec);
  for (const auto list : {"initContainers", "containers", "ephemeralContainers"}) {
    if (auto* containers = array_at(*spec, list)) {
      for (auto& container : *containers) default_container(container);
    }
  }
  if (auto* volumes = array_at(*spec, "volumes")) {
    for (auto& item : *volumes) {
      // A volume that names no source is an emptyDir.
      auto* volume = item.if_object();
      if (volume && volume->size() == 1 && volume->contains("name")) (*volume)["emptyDir"] = json::object();
    }
  }
  // The deprecated name of serviceAccountName follows it.
  const auto account = text_at(*spec, "serviceAccountName");
  const auto old_account = text_at(*spec, "serviceAccount");
  if (!account.empty() && old_account.empty()) (*spec)["serviceAccount"] = account;
  if (account.empty() && !old_account.empty()) (*spec)["serviceAccountName"] = old_account;
  if (flag_at(*spec, "hostNetwork")) {
    for (const auto list : {"initContainers", "containers"}) {
      auto* containers = array_at(*spec, list);
      for (std::size_t i = 0; containers && i < containers->size(); ++i) {
        auto* container = (*containers)[i].if_object();
        auto* ports = container ? array_at(*container, "ports") : nullptr;
        for (std::size_t p = 0; ports && p < ports->size(); ++p) {
          auto* port = (*ports)[p].if_object();
          if (port && !port->contains("hostPort") && port->contains("containerPort"))
            (*port)["hostPort"] = port->at("containerPort");
        }
      }
    }
  }
}

json::value* pod_spec_at(json::object& object, std::initializer_list<std::string_view> path) {
  json::object* place = &object;
  for (const auto step : path) {
    place = object_at(*place, step);
    if (!place) return nullptr;
  }
  return place->if_contains("spec");
}

void default_pod(json::object& object) {
  if (auto* spec = object.if_contains("spec")) default_pod_spec(*spec);
  auto* spec = object_at(object, "spec");
  if (!spec) return;
  if (!spec->contains("enableServiceLinks")) (*spec)["enableServiceLinks"] = true;
  for (const auto list : {"initContainers", "containers"}) {
    auto* containers = array_at(*spec, list);
    for (std::size_t i = 0; containers && i < containers->size(); ++i) {
      if (auto* container = (*containers)[i].if_object()) default_resources(*container);
    }
  }
}

void default_template(json::object& object, std::initializer_list<std::string_view> path) {
  if (auto* spec = pod_spec_at(object, path)) default_pod_spec(*spec);
}

constexpr Default k_deployment[] = {{"spec.replicas", "1"},
                                    {"spec.strategy+.type", R"("RollingUpdate")"},
                                    {"spec.revisionHistoryLimit", "10"},
                                    {"spec.progressDeadlineSeconds", "600"}};
constexpr Default k_deployment_rolling[] = {{"spec.strategy.rollingUpdate+.maxUnavailable", R"("25%")"},
                                            {"spec.strategy.rollingUpdate+.maxSurge", R"("25%")"}};
constexpr Default k_daemon_set[] = {{"spec.updateStrategy+.type", R"("RollingUpdate")"},
                                    {"spec.revisionHistoryLimit", "10"}};
constexpr Default k_daemon_set_rolling[] = {{"spec.updateStrategy.rollingUpdate+.maxUnavailable", "1"},
                                            {"spec.updateStrategy.rollingUpdate+.maxSurge", "0"}};
constexpr Default k_stateful_set[] = {
    {"spec.podManagementPolicy", R"("OrderedReady")"},
    {"spec.updateStrategy+.type", R"("RollingUpdate")"},
    {"spec.replicas", "1"},
    {"spec.revisionHistoryLimit", "10"},
    {"spec.persistentVolumeClaimRetentionPolicy+.whenDeleted", R"("Retain")"},
    {"spec.persistentVolumeClaimRetentionPolicy+.whenScaled", R"("Retain")"},
    {"spec.volumeClaimTemplates[].spec.volumeMode", R"("Filesystem")"},
    {"spec.volumeClaimTemplates[].status+.phase", R"("Pending")"}};
constexpr Default k_stateful_set_rolling[] = {{"spec.updateStrategy.rollingUpdate+.partition", "0"}};
constexpr Default k_replica_set[] = {{"spec.replicas", "1"}};
constexpr Default k_job[] = {{"spec.completionMode", R"("NonIndexed")"},
                             {"spec.suspend", "false"},
                             {"spec.backoffLimit", "6"},
                             {"spec.podReplacementPolicy", R"("TerminatingOrFailed")"},
                             {"spec.manualSelector", "false"},
                             {"spec.podFailurePolicy.rules[].onPodConditions[].status", R"("True")"}};
constexpr Default k_cron_job[] = {{"spec.concurrencyPolicy", R"("Allow")"},
                                  {"spec.suspend", "false"},
                                  {"spec.successfulJobsHistoryLimit", "3"},
                                  {"spec.failedJobsHistoryLimit", "1"}};
constexpr Default k_service[] = {{"spec.sessionAffinity", R"("None")"},
                                 {"spec.type", R"("ClusterIP")"},
                                 {"spec.ports[].protocol", R"("TCP")"}};
constexpr Default k_service_dispatch[] = {{"spec.internalTrafficPolicy", R"("Cluster")"}};
constexpr Default k_service_family[] = {{"spec.ipFamilies", R"(["IPv4"])"},
                                        {"spec.ipFamilyPolicy", R"("SingleStack")"}};
constexpr Default k_service_outside[] = {{"spec.externalTrafficPolicy", R"("Cluster")"}};
constexpr Default k_service_balancer[] = {{"spec.allocateLoadBalancerNodePorts", "true"}};
constexpr Default k_service_affinity[] = {{"spec.sessionAffinityConfig+.clientIP+.timeoutSeconds", "10800"}};
constexpr Default k_volume[] = {{"status+.phase", R"("Pending")"},
                                {"spec.persistentVolumeReclaimPolicy", R"("Retain")"},
                                {"spec.volumeMode", R"("Filesystem")"}};
constexpr Default k_claim[] = {{"status+.phase", R"("Pending")"}, {"spec.volumeMode", R"("Filesystem")"}};
constexpr Default k_namespace[] = {{"status+.phase", R"("Active")"}};
constexpr Default k_secret[] = {{"type", R"("Opaque")"}};
constexpr Default k_storage_class[] = {{"reclaimPolicy", R"("Delete")"},
                                       {"volumeBindingMode", R"("Immediate")"}};
constexpr Default k_csi_driver[] = {{"spec.attachRequired", "true"},
                                    {"spec.fsGroupPolicy", R"("ReadWriteOnceWithFSType")"},
                                    {"spec.podInfoOnMount", "false"},
                                    {"spec.requiresRepublish", "false"},
                                    {"spec.seLinuxMount", "false"},
                                    {"spec.storageCapacity", "false"},
                                    {"spec.volumeLifecycleModes", R"(["Persistent"])"}};
constexpr Default k_priority_class[] = {{"preemptionPolicy", R"("PreemptLowerPriority")"}};
constexpr Default k_endpoint_slice[] = {{"ports[].name", R"("")"}, {"ports[].protocol", R"("TCP")"}};
constexpr Default k_autoscaler[] = {{"spec.minReplicas", "1"}};
constexpr Default k_definition[] = {{"spec.conversion+.strategy", R"("None")"}};
constexpr Default k_webhook[] = {{"webhooks[].failurePolicy", R"("Fail")"},
                                 {"webhooks[].matchPolicy", R"("Equivalent")"},
                                 {"webhooks[].namespaceSelector", "{}"},
                                 {"webhooks[].objectSelector", "{}"},
                                 {"webhooks[].timeoutSeconds", "10"},
                                 {"webhooks[].rules[].scope", R"("*")"},
                                 {"webhooks[].clientConfig.service.port", "443"}};
constexpr Default k_mutating_webhook[] = {{"webhooks[].reinvocationPolicy", R"("Never")"}};
constexpr Default k_api_service[] = {{"spec.service.port", "443"}};

/// Labels and selector of a workload come from its template when they are not given (only labels do in v1).
void copy_template_labels(json::object& object) {
  auto* spec = object_at(object, "spec");
  auto* pod = spec ? object_at(*spec, "template") : nullptr;
  auto* metadata = pod ? object_at(*pod, "metadata") : nullptr;
  auto* labels = metadata ? object_at(*metadata, "labels") : nullptr;
  if (!labels || labels->empty()) return;
  const json::object wanted = *labels;
  auto& own = object_made_at(object, "metadata");
  if (!own.contains("labels")) own["labels"] = wanted;
}

std::string text_below(const json::object& object, std::string_view parent, std::string_view key) {
  const auto* place = object_at(object, parent);
  return place ? text_at(*place, key) : std::string();
}

void default_job(json::value& value) {
  auto& object = value.get_object();
  const auto* given = object_at(object, "spec");
  if (!given) return;
  const bool counted = given->contains("completions") || given->contains("parallelism");
  auto& spec = *object_at(object, "spec");
  if (!counted) spec["completions"] = 1;
  if (!spec.contains("parallelism")) spec["parallelism"] = 1;
  const bool has_policy = spec.contains("podFailurePolicy");
  const bool per_index = spec.contains("backoffLimitPerIndex");
  if (has_policy && !spec.contains("podReplacementPolicy")) spec["podReplacementPolicy"] = "Failed";
  if (per_index && !spec.contains("backoffLimit")) spec["backoffLimit"] = INT32_MAX;
  set_defaults(value, k_job);
  copy_template_labels(object);
}

void default_service(json::value& value) {
  set_defaults(value, k_service);
  auto& object = value.get_object();
  auto* spec = object_at(object, "spec");
  if (!spec) return;
  const auto type = text_at(*spec, "type");
  if (auto* ports = array_at(*spec, "ports")) {
    for (auto& item : *ports) {
      auto* port = item.if_object();
      const auto* target = port ? at(*port, "targetPort") : nullptr;
      const bool unset = !target || is_zero(*target);
      if (port && unset && port->contains("port")) (*port)["targetPort"] = port->at("port");
    }
  }
  if (text_at(*spec, "sessionAffinity") == "ClientIP") set_defaults(value, k_service_affinity);
  if (type == "NodePort" || type == "LoadBalancer") set_defaults(value, k_service_outside);
  if (type == "LoadBalancer") set_defaults(value, k_service_balancer);
  if (type != "ExternalName") {
    set_defaults(value, k_service_dispatch);
    set_defaults(value, k_service_family);
  }
}

void default_rbac(json::object& object, std::string_view kind) {
  if (kind != "RoleBinding" && kind != "ClusterRoleBinding") return;
  constexpr std::string_view group = "rbac.authorization.k8s.io";
  if (auto* role = object_at(object, "roleRef"); role && text_at(*role, "apiGroup").empty())
    (*role)["apiGroup"] = group;
  auto* subjects = array_at(object, "subjects");
  for (std::size_t i = 0; subjects && i < subjects->size(); ++i) {
    auto* subject = (*subjects)[i].if_object();
    if (!subject || !text_at(*subject, "apiGroup").empty()) continue;
    const auto subject_kind = text_at(*subject, "kind");
    if (subject_kind == "User" || subject_kind == "Group") (*subject)["apiGroup"] = group;
  }
}

void default_definition(json::value& value) {
  set_defaults(value, k_definition);
  auto& object = value.get_object();
  auto* spec = object_at(object, "spec");
  auto* names = spec ? object_at(*spec, "names") : nullptr;
  if (!names) return;
  const auto kind = text_at(*names, "kind");
  if (text_at(*names, "singular").empty()) (*names)["singular"] = to_lower(kind);
  if (text_at(*names, "listKind").empty()) (*names)["listKind"] = kind + "List";
}

void default_node(json::object& object) {
  auto* status = object_at(object, "status");
  const auto* capacity = status ? object_at(*status, "capacity") : nullptr;
  if (capacity && !status->contains("allocatable")) (*status)["allocatable"] = json::object(*capacity);
}

void default_secret(json::value& value) { set_defaults(value, k_secret); }

void default_core(json::value& value, std::string_view kind) {
  auto& object = value.get_object();
  if (kind == "Pod") default_pod(object);
  if (kind == "PodTemplate") default_template(object, {"template"});
  if (kind == "ReplicationController") {
    set_defaults(value, k_replica_set);
    default_template(object, {"spec", "template"});
  }
  if (kind == "Service") default_service(value);
  if (kind == "PersistentVolume") set_defaults(value, k_volume);
  if (kind == "PersistentVolumeClaim") set_defaults(value, k_claim);
  if (kind == "Secret") default_secret(value);
  if (kind == "Node") default_node(object);
  if (kind == "Namespace") {
    set_defaults(value, k_namespace);
    // NamespaceDefaultLabelName.
    auto& metadata = object_made_at(object, "metadata");
    if (!text_at(metadata, "name").empty()) {
      object_made_at(metadata, "labels")["kubernetes.io/metadata.name"] = text_at(metadata, "name");
    }
  }
}

void default_apps(json::value& value, std::string_view kind) {
  auto& object = value.get_object();
  default_template(object, {"spec", "template"});
  if (!object_at(object, "spec")) return;
  const auto strategy = [&](std::string_view field) {
    const auto* spec = object_at(object, "spec");
    return text_below(*spec, field, "type");
  };
  if (kind == "Deployment") {
    set_defaults(value, k_deployment);
    if (strategy("strategy") == "RollingUpdate") set_defaults(value, k_deployment_rolling);
  } else if (kind == "DaemonSet") {
    set_defaults(value, k_daemon_set);
    if (strategy("updateStrategy") == "RollingUpdate") set_defaults(value, k_daemon_set_rolling);
  } else if (kind == "StatefulSet") {
    set_defaults(value, k_stateful_set);
    if (strategy("updateStrategy") == "RollingUpdate") set_defaults(value, k_stateful_set_rolling);
  } else if (kind == "ReplicaSet") {
    set_defaults(value, k_replica_set);
  }
}

void default_other(json::value& value, std::string_view group, std::string_view kind) {
  auto& object = value.get_object();
  if (group == "batch" && kind == "Job") {
    default_template(object, {"spec", "template"});
    default_job(value);
  }
  if (group == "batch" && kind == "CronJob") {
    set_defaults(value, k_cron_job);
    default_template(object, {"spec", "jobTemplate", "spec", "template"});
  }
  if (group == "rbac.authorization.k8s.io") default_rbac(object, kind);
  if (group == "storage.k8s.io" && kind == "StorageClass") set_defaults(value, k_storage_class);
  if (group == "storage.k8s.io" && kind == "CSIDriver") set_defaults(value, k_csi_driver);
  if (group == "scheduling.k8s.io" && kind == "PriorityClass") set_defaults(value, k_priority_class);
  if (group == "discovery.k8s.io" && kind == "EndpointSlice") set_defaults(value, k_endpoint_slice);
  if (group == "autoscaling") set_defaults(value, k_autoscaler);
  if (group == "apiextensions.k8s.io" && kind == "CustomResourceDefinition") default_definition(value);
  if (kind == "ValidatingWebhookConfiguration" || kind == "MutatingWebhookConfiguration")
    set_defaults(value, k_webhook);
  if (kind == "MutatingWebhookConfiguration") set_defaults(value, k_mutating_webhook);
  if (kind == "APIService") set_defaults(value, k_api_service);
}

/// `default` of a custom schema, top down; a null where null is not allowed counts as absent.
void default_custom(const Schema& schema, json::value& value) {
  if (auto* object = value.if_object()) {
    for (const auto& property : schema.properties) {
      auto* there = object->if_contains(property.name);
      const bool absent = !there || (there->is_null() && !property.schema->nullable);
      if (absent && property.schema->default_value)
        (*object)[property.name] = *property.schema->default_value;
      if (auto* now = object->if_contains(property.name)) default_custom(*property.schema, *now);
    }
    if (schema.kind == FieldKind::map && schema.element) {
      for (auto& [key, item] : *object) default_custom(*schema.element, item);
    }
  }
  if (auto* array = value.if_array(); array && schema.element) {
    for (auto& item : *array) default_custom(*schema.element, item);
  }
}

}  // namespace

json::object with_defaults(json::object object, const ObjectSchema& schema) {
  json::value value(std::move(object));
  if (schema.custom) {
    default_custom(*schema.root, value);
  } else if (schema.group.empty()) {
    default_core(value, schema.kind);
  } else if (schema.group == "apps") {
    default_apps(value, schema.kind);
  } else {
    default_other(value, schema.group, schema.kind);
  }
  return std::move(value.get_object());
}

}  // namespace instantstart::sandbox::kubernetes
