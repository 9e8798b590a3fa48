#include "capabilities/dependencies/hyperpod_objects.h"

#include <utility>

#include "capabilities/dependencies/hyperpod_tables.h"
#include "capabilities/dependencies/object_parts.h"
#include "capabilities/dependencies/owned_object.h"

namespace instantstart::capabilities {
namespace {

/// The Kubernetes user of the access entry that HyperPod makes for itself.
constexpr std::string_view k_service_user = "hyperpod-service-linked-role";

constexpr std::string_view k_health_agent = "health-monitoring-agent";
constexpr std::string_view k_health_agent_non_nvidia = "health-monitoring-agent-non-nvidia";

json::object health_agent_container(std::string_view name, const std::string& image) {
  const json::object resources{{"cpu", "500m"}, {"memory", "512Mi"}};
  return {{"name", name},
          {"image", image},
          {"imagePullPolicy", "IfNotPresent"},
          {"resources", {{"requests", resources}, {"limits", resources}}},
          {"securityContext", {{"runAsUser", 1000}, {"runAsGroup", 2000}}},
          {"env", {env_from_field("NODE_NAME", "spec.nodeName"), env_from_field("NODE_IP", "status.hostIP")}},
          {"volumeMounts",
           {mount("log", "/var/log"), mount_read_only("kmsg", "/dev/kmsg"),
            mount_read_only("localtime", "/etc/localtime")}}};
}

json::object health_agent_set(std::string_view name, json::object container,
                              const std::vector<std::string>& types) {
  json::array containers;
  containers.push_back(std::move(container));
  json::object pod{{"serviceAccountName", k_health_agent},
                   {"affinity", on_instance_types(types)},
                   {"tolerations", {tolerates_any("NoSchedule"), tolerates_any("NoExecute")}},
                   {"containers", std::move(containers)},
                   {"volumes",
                    {host_path("log", "/var/log/"), host_path("kmsg", "/dev/kmsg"),
                     host_path("localtime", "/etc/localtime")}}};
  return daemon_set({.space = std::string(k_hyperpod_namespace),
                     .name = std::string(name),
                     .labels = {{"app", name}},
                     .selector = {{"app", name}},
                     .pod = std::move(pod)});
}

json::object non_nvidia_container(const std::string& image) {
  auto container = health_agent_container(k_health_agent_non_nvidia, image);
  container["args"] = to_array(
      {"--enable-k8s-exporter=false", "--config.system-log-monitor=/config/system-message-monitor.json"});
  auto& variables = container.at("env").as_array();
  variables.push_back(env("NVIDIA_VISIBLE_DEVICES", "void"));
  variables.push_back(env("NVIDIA_DRIVER_CAPABILITIES", ""));
  return container;
}

}  // namespace

Objects namespace_objects(const ObjectScope&) {
  return {{{"apiVersion", "v1"},
           {"kind", "Namespace"},
           {"metadata", {{"name", k_hyperpod_namespace}, {"labels", {{"name", k_hyperpod_namespace}}}}}}};
}

Objects health_agent_objects(const ObjectScope& scope) {
  const std::string image = health_agent_image(scope.region);
  return {
      service_account(k_hyperpod_namespace, k_health_agent),
      cluster_role(k_health_agent, {{{""}, {"nodes"}, {"get"}},
                                    {{""}, {"nodes", "nodes/status"}, {"patch"}},
                                    {{"", "events.k8s.io"}, {"events"}, {"create", "patch", "update"}}}),
      bound_to_account(k_health_agent, k_health_agent, k_hyperpod_namespace, k_health_agent),
      health_agent_set(k_health_agent, health_agent_container(k_health_agent, image),
                       health_agent_nvidia_types()),
      health_agent_set(k_health_agent_non_nvidia, non_nvidia_container(image), health_agent_neuron_types())};
}

Objects deep_health_check_objects(const ObjectScope&) {
  constexpr std::string_view account = "deep-health-check-service-account";
  constexpr std::string_view role = "deep-health-check-service-account-role";
  return {
      service_account(k_hyperpod_namespace, account),
      cluster_role(role, {{{""}, {"nodes"}, {"get", "list"}}, {{""}, {"pods"}, {"get", "list", "patch"}}}),
      bound_to_account("deep-health-check-service-account-role-binding", role, k_hyperpod_namespace,
                       account)};
}

Objects job_auto_restart_objects(const ObjectScope&) {
  constexpr std::string_view name = "job-auto-restart";
  // "describe" is no verb of Kubernetes; it stands in the chart, and an equal role is one that Helm may
  // adopt.
  return {
      service_account(k_hyperpod_namespace, name),
      cluster_role(name, {{{""}, {"nodes", "nodes/status", "pods", "pods/status"}, {"get", "list", "watch"}},
                          {{""}, {"pods"}, {"delete", "deletecollection"}},
                          {{""}, {"nodes", "nodes/status"}, {"patch"}},
                          {{"", "events.k8s.io"}, {"events"}, {"create"}},
                          {{"kubeflow.org"},
                           {"pytorchjobs", "pytorchjobs/status"},
                           {"get", "list", "watch", "delete", "patch", "update", "describe"}},
                          {{"coordination.k8s.io"}, {"leases"}, {"get", "create", "update", "delete"}}}),
      bound_to_user(name, name, k_service_user)};
}

Objects hyperpod_patching_objects(const ObjectScope&) {
  constexpr std::string_view name = "hyperpod-patching";
  return {cluster_role(name, {{{""}, {"pods"}, {"list"}}, {{""}, {"pods/eviction"}, {"create"}}}),
          bound_to_user(name, name, k_service_user)};
}

}  // namespace instantstart::capabilities
