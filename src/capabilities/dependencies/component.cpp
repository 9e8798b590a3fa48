#include "capabilities/dependencies/component.h"

#include <algorithm>
#include <set>

#include <fmt/core.h>

#include "capabilities/dependencies/hyperpod_tables.h"

namespace instantstart::capabilities {
namespace {

std::optional<std::string> health_agent_caution(std::string_view region) {
  if (has_health_agent_image(region)) return std::nullopt;
  return fmt::format("No image of it is known in {}: nodes pull it from us-east-1, if they can reach it.",
                     region);
}

std::vector<Component> table() {
  return {
      {.name = "oidc_provider", .title = "IAM OIDC provider of the cluster", .how = How::oidc_provider},
      {.name = "namespaces",
       .title = "Namespace of HyperPod",
       .version = k_hyperpod_chart_version,
       .objects = namespace_objects,
       .chart_condition = "deep-health-check.enabled"},
      {.name = "health_agent",
       .title = "Health monitoring agent",
       .needs = {"namespaces"},
       .needs_nodes = true,
       .version = k_health_agent_version,
       .objects = health_agent_objects,
       .caution = health_agent_caution,
       .chart_condition = "health-monitoring-agent.enabled"},
      {.name = "deep_health_check",
       .title = "Account of the deep health checks",
       .needs = {"namespaces"},
       .version = k_hyperpod_chart_version,
       .objects = deep_health_check_objects,
       .chart_condition = "deep-health-check.enabled"},
      {.name = "job_auto_restart",
       .title = "Rights to restart jobs",
       .needs = {"namespaces"},
       .version = k_hyperpod_chart_version,
       .objects = job_auto_restart_objects,
       .chart_condition = "job-auto-restart.enabled"},
      {.name = "hyperpod_patching",
       .title = "Rights to patch nodes",
       .version = k_hyperpod_chart_version,
       .objects = hyperpod_patching_objects,
       .chart_condition = "hyperpod-patching.enabled"},
      {.name = "nvidia_device_plugin",
       .title = "NVIDIA device plugin",
       .needs_nodes = true,
       .version = k_nvidia_plugin_version,
       .objects = nvidia_plugin_objects,
       .image_mark = "/k8s-device-plugin:",
       .chart_condition = "nvidia-device-plugin.devicePlugin.enabled"},
      {.name = "efa_device_plugin",
       .title = "EFA device plugin",
       .needs_nodes = true,
       .version = k_efa_plugin_version,
       .objects = efa_plugin_objects,
       .image_mark = "/aws-efa-k8s-device-plugin:",
       .chart_condition = "aws-efa-k8s-device-plugin.devicePlugin.enabled"},
      {.name = "neuron_device_plugin",
       .title = "Neuron device plugin",
       .needs_nodes = true,
       .version = k_neuron_plugin_version,
       .objects = neuron_plugin_objects,
       .image_mark = "/neuron-device-plugin:",
       .chart_condition = "neuron-device-plugin.devicePlugin.enabled"},
      {.name = "pod_identity",
       .title = "EKS Pod Identity agent",
       .how = How::eks_addon,
       .needs_nodes = true,
       .addon = "eks-pod-identity-agent",
       .evidence =
           Evidence{"apps", "v1", "DaemonSet", "daemonsets", "kube-system", "eks-pod-identity-agent"}},
      {.name = "cert_manager",
       .title = "cert-manager",
       .how = How::eks_addon,
       .needs_nodes = true,
       .addon = "cert-manager",
       .evidence = Evidence{"apiextensions.k8s.io", "v1", "CustomResourceDefinition",
                            "customresourcedefinitions", "", "certificates.cert-manager.io"}},
      {.name = "s3_csi",
       .title = "Mountpoint for S3 CSI driver",
       .how = How::eks_addon,
       .needs = {"pod_identity"},
       .needs_nodes = true,
       .addon = "aws-mountpoint-s3-csi-driver",
       .identity = ComponentIdentity{"kube-system", "s3-csi-driver-sa", "s3-csi"},
       .evidence = Evidence{"storage.k8s.io", "v1", "CSIDriver", "csidrivers", "", "s3.csi.aws.com"}},
      {.name = "training_operator",
       .title = "HyperPod training operator",
       .how = How::eks_addon,
       .needs = {"namespaces", "pod_identity", "cert_manager"},
       .needs_nodes = true,
       .addon = "amazon-sagemaker-hyperpod-training-operator",
       .identity = ComponentIdentity{"aws-hyperpod", "hp-training-operator-controller-manager", "training",
                                     "AmazonSageMakerHyperPodTrainingOperatorAccess"},
       .evidence = Evidence{"apiextensions.k8s.io", "v1", "CustomResourceDefinition",
                            "customresourcedefinitions", "", "hyperpodpytorchjobs.sagemaker.amazonaws.com"}},
      {.name = "metrics_server",
       .title = "Metrics server",
       .how = How::eks_addon,
       .needs_nodes = true,
       .addon = "metrics-server",
       .evidence = Evidence{"apiregistration.k8s.io", "v1", "APIService", "apiservices", "",
                            "v1beta1.metrics.k8s.io"}},
  };
}

}  // namespace

std::string_view to_text(How how) {
  switch (how) {
    case How::objects: return "objects";
    case How::eks_addon: return "eks_addon";
    case How::oidc_provider: return "oidc_provider";
  }
  return "";
}

std::span<const Component> components() {
  static const std::vector<Component> all = table();
  return all;
}

const Component* find_component(std::string_view name) {
  const auto all = components();
  const auto found = std::ranges::find(all, name, &Component::name);
  return found == all.end() ? nullptr : &*found;
}

std::vector<const Component*> with_needs(const std::vector<std::string_view>& names) {
  std::set<std::string_view> wanted(names.begin(), names.end());
  const auto all = components();
  // What a component needs stands before it: going backwards, one pass finds all.
  for (auto component = all.rbegin(); component != all.rend(); ++component) {
    if (names.empty()) wanted.insert(component->name);
    if (wanted.contains(component->name)) wanted.insert(component->needs.begin(), component->needs.end());
  }
  std::vector<const Component*> chosen;
  for (const auto& component : all) {
    if (wanted.contains(component.name)) chosen.push_back(&component);
  }
  return chosen;
}

}  // namespace instantstart::capabilities
