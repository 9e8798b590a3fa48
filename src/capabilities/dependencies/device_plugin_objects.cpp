#include <string>
#include <utility>

#include <fmt/core.h>

#include "capabilities/dependencies/hyperpod_objects.h"
#include "capabilities/dependencies/hyperpod_tables.h"
#include "capabilities/dependencies/object_parts.h"
#include "capabilities/dependencies/owned_object.h"

namespace instantstart::capabilities {
namespace {

constexpr std::string_view k_system_namespace = "kube-system";
constexpr std::string_view k_node_critical = "system-node-critical";
constexpr std::string_view k_device_plugins = "/var/lib/kubelet/device-plugins";
constexpr std::string_view k_nvidia_taint = "nvidia.com/gpu";
constexpr std::string_view k_neuron_taint = "aws.amazon.com/neuron";
constexpr std::string_view k_efa_taint = "aws.amazon.com/efa";

json::object chart_labels(std::string_view chart, std::string_view name, const std::string& release,
                          std::string_view version) {
  return {{"helm.sh/chart", chart},
          {"app.kubernetes.io/name", name},
          {"app.kubernetes.io/instance", release},
          {"app.kubernetes.io/version", version}};
}

/// Both DaemonSets of the chart, which give their pods the same labels.
json::object nvidia_set(const ObjectScope& scope, std::string name, json::object pod) {
  pod["priorityClassName"] = k_node_critical;
  pod["securityContext"] = json::object();
  pod["affinity"] = on_instance_types(nvidia_plugin_types());
  pod["tolerations"] = {tolerates(k_nvidia_taint, "NoSchedule"), tolerates_health_checks()};
  return daemon_set({.space = std::string(k_system_namespace),
                     .name = std::move(name),
                     .labels = chart_labels(fmt::format("nvidia-device-plugin-{}", k_nvidia_plugin_version),
                                            "nvidia-device-plugin", scope.release, k_nvidia_plugin_version),
                     .selector = {{"app.kubernetes.io/name", "nvidia-device-plugin"},
                                  {"app.kubernetes.io/instance", scope.release}},
                     .pod = std::move(pod),
                     .rolling = true});
}

json::object nvidia_plugin_pod() {
  json::array containers;
  containers.push_back(json::object{
      {"name", "nvidia-device-plugin-ctr"},
      {"image", nvidia_plugin_image()},
      {"imagePullPolicy", "IfNotPresent"},
      {"command", to_array({"nvidia-device-plugin"})},
      {"env",
       {env("MPS_ROOT", "/run/nvidia/mps"), env("DEVICE_PLUGIN_MODE", ""),
        env("NVIDIA_VISIBLE_DEVICES", "all"), env("NVIDIA_DRIVER_CAPABILITIES", "compute,utility")}},
      {"securityContext", unprivileged()},
      {"volumeMounts",
       {mount("device-plugin", k_device_plugins), mount("mps-shm", "/dev/shm"), mount("mps-root", "/mps"),
        mount("cdi-root", "/var/run/cdi")}}});
  return {{"containers", std::move(containers)},
          {"volumes",
           {host_path("device-plugin", k_device_plugins),
            host_path("mps-root", "/run/nvidia/mps", "DirectoryOrCreate"),
            host_path("mps-shm", "/run/nvidia/mps/shm"),
            host_path("cdi-root", "/var/run/cdi", "DirectoryOrCreate")}}};
}

json::object mps_daemon_pod() {
  const json::object privileged{{"privileged", true}};
  auto shared_root = mount("mps-root", "/mps");
  shared_root["mountPropagation"] = "Bidirectional";
  json::array init;
  init.push_back(json::object{{"name", "mps-control-daemon-mounts"},
                              {"image", nvidia_plugin_image()},
                              {"command", to_array({"mps-control-daemon", "mount-shm"})},
                              {"securityContext", privileged},
                              {"volumeMounts", json::array({std::move(shared_root)})}});
  json::array containers;
  containers.push_back(
      json::object{{"name", "mps-control-daemon-ctr"},
                   {"image", nvidia_plugin_image()},
                   {"imagePullPolicy", "IfNotPresent"},
                   {"command", to_array({"mps-control-daemon"})},
                   {"env",
                    {env_from_field("NODE_NAME", "spec.nodeName"), env("NVIDIA_VISIBLE_DEVICES", "all"),
                     env("NVIDIA_DRIVER_CAPABILITIES", "compute,utility")}},
                   {"securityContext", privileged},
                   {"volumeMounts", {mount("mps-shm", "/dev/shm"), mount("mps-root", "/mps")}}});
  return {{"initContainers", std::move(init)},
          {"containers", std::move(containers)},
          {"volumes",
           {host_path("mps-root", "/run/nvidia/mps", "DirectoryOrCreate"),
            host_path("mps-shm", "/run/nvidia/mps/shm")}},
          {"nodeSelector", {{"nvidia.com/mps.capable", "true"}}}};
}

json::object efa_container() {
  return {
      {"name", "aws-efa-k8s-device-plugin"},
      {"image", efa_plugin_image()},
      {"imagePullPolicy", "IfNotPresent"},
      {"securityContext",
       {{"privileged", true}, {"allowPrivilegeEscalation", true}, {"runAsNonRoot", false}, {"runAsUser", 0}}},
      {"resources", {{"requests", {{"cpu", "10m"}, {"memory", "20Mi"}}}}},
      {"volumeMounts",
       {mount("device-plugin", k_device_plugins), mount("infiniband-volume", "/dev/infiniband/"),
        mount("neuron-volume", "/opt/aws/neuron/")}}};
}

json::object neuron_container() {
  return {{"name", "neuron-device-plugin"},
          {"image", neuron_plugin_image()},
          {"imagePullPolicy", "Always"},
          {"env",
           {env("KUBECONFIG", "/etc/kubernetes/kubelet.conf"), env_from_field("NODE_NAME", "spec.nodeName")}},
          {"securityContext", unprivileged()},
          {"volumeMounts", {mount("device-plugin", k_device_plugins), mount("infa-map", "/run")}}};
}

json::object neuron_set() {
  json::array containers;
  containers.push_back(neuron_container());
  json::object pod{
      {"serviceAccountName", "neuron-device-plugin"},
      {"priorityClassName", k_node_critical},
      {"affinity", on_instance_types(neuron_plugin_types())},
      {"tolerations",
       {tolerates("CriticalAddonsOnly", ""), tolerates(k_neuron_taint, "NoSchedule"),
        tolerates_health_checks()}},
      {"containers", std::move(containers)},
      {"volumes", {host_path("device-plugin", k_device_plugins), host_path("infa-map", "/run")}}};
  return daemon_set({.space = std::string(k_system_namespace),
                     .name = "neuron-device-plugin-daemonset",
                     .selector = {{"name", "neuron-device-plugin-ds"}},
                     .pod = std::move(pod),
                     .rolling = true});
}

}  // namespace

Objects nvidia_plugin_objects(const ObjectScope& scope) {
  return {nvidia_set(scope, scope.release + "-nvidia-device-plugin", nvidia_plugin_pod()),
          nvidia_set(scope, scope.release + "-nvidia-device-plugin-mps-control-daemon", mps_daemon_pod())};
}

Objects efa_plugin_objects(const ObjectScope& scope) {
  const std::string name = scope.release + "-aws-efa-k8s-device-plugin";
  json::array containers;
  containers.push_back(efa_container());
  json::object pod{
      {"hostNetwork", true},
      {"automountServiceAccountToken", false},
      {"priorityClassName", k_node_critical},
      {"affinity", on_instance_types(efa_plugin_types(), {{"key", "eks.amazonaws.com/compute-type"},
                                                          {"operator", "NotIn"},
                                                          {"values", to_array({"auto"})}})},
      // The chart doesn't tolerate accelerator taints: EFA would be missing on such nodes.
      {"tolerations",
       {tolerates("CriticalAddonsOnly", ""), tolerates(k_efa_taint, "NoSchedule"), tolerates_health_checks(),
        tolerates(k_nvidia_taint, "NoSchedule"), tolerates(k_neuron_taint, "NoSchedule")}},
      {"containers", std::move(containers)},
      {"volumes",
       {host_path("device-plugin", k_device_plugins), host_path("infiniband-volume", "/dev/infiniband/"),
        host_path("neuron-volume", "/opt/aws/neuron/", "DirectoryOrCreate")}}};
  return {daemon_set(
      {.space = std::string(k_release_namespace),
       .name = name,
       .labels = chart_labels(fmt::format("aws-efa-k8s-device-plugin-{}", k_efa_plugin_chart_version),
                              "aws-efa-k8s-device-plugin", scope.release, k_efa_plugin_version),
       .selector = {{"name", name}},
       .pod = std::move(pod),
       .rolling = true})};
}

Objects neuron_plugin_objects(const ObjectScope&) {
  constexpr std::string_view name = "neuron-device-plugin";
  return {service_account(k_system_namespace, name),
          cluster_role(name, {{{""}, {"nodes"}, {"get", "list", "watch"}},
                              {{""}, {"events"}, {"create", "patch"}},
                              {{""}, {"pods"}, {"update", "patch", "get", "list", "watch"}},
                              {{""}, {"nodes/status"}, {"patch", "update"}}}),
          bound_to_account(name, name, k_system_namespace, name), neuron_set()};
}

}  // namespace instantstart::capabilities
