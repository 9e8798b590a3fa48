#include "capabilities/dependencies/dependencies.h"

#include <fmt/core.h>

#include "capabilities/dependencies/component.h"

namespace instantstart::capabilities {
namespace {

std::optional<std::string> unknown_component(std::string_view name) {
  if (find_component(name)) return std::nullopt;
  std::string known;
  for (const auto& component : components()) {
    known += fmt::format("{}{}", known.empty() ? "" : ", ", component.name);
  }
  return "must be one of " + known;
}

}  // namespace

Type describe(ComponentName*) {
  return text_type<ComponentName>("ComponentName", "A component, as dependency_list names it.",
                                  {.min = 1, .max = 64, .check = unknown_component},
                                  {"health_agent", "nvidia_device_plugin"});
}

Type describe(DependencyState*) {
  return enum_type<DependencyState>(
      "DependencyState", "How a component is.",
      {{DependencyState::absent, {"absent", "It is not there."}},
       {DependencyState::ready, {"ready", "It is in place and does what it should."}},
       {DependencyState::progressing, {"progressing", "It is on its way."}},
       {DependencyState::waiting_for_nodes,
        {"waiting_for_nodes", "In place; it completes by itself when nodes join."}},
       {DependencyState::degraded, {"degraded", "It is there and does not do what it should."}},
       {DependencyState::foreign,
        {"foreign", "Somebody else installed it in another way; it is left alone."}}});
}

Type describe(DependencyList*) {
  return object_type<DependencyList>("DependencyList", "Which cluster's dependencies.",
                                     {field<&DependencyList::cluster>("cluster", "The cluster.")});
}

Type describe(DependencyView*) {
  return object_type<DependencyView>(
      "DependencyView", "A component, wanted and seen.",
      {field<&DependencyView::name>("name", "Its name."),
       field<&DependencyView::title>("title", "What it is."),
       field<&DependencyView::how>("how", "How it is kept: objects, eks_addon or oidc_provider."),
       field<&DependencyView::state>("state", "How it is."),
       field<&DependencyView::desired_version>("desired_version", "The version that we would install."),
       field<&DependencyView::observed_version>("observed_version", "The version that is there."),
       field<&DependencyView::owner>("owner", "instantstart, helm:<release>, eks_addon or other."),
       field<&DependencyView::reasons>("reasons", "Why it is not ready, in words."),
       field<&DependencyView::differences>("differences", "Where it differs from what we would apply."),
       field<&DependencyView::needs>("needs", "Components that come before it."),
       field<&DependencyView::needs_nodes>("needs_nodes", "It is complete only with nodes.")});
}

Type describe(DependencyListAnswer*) {
  return object_type<DependencyListAnswer>(
      "DependencyListAnswer", "The dependencies of a cluster.",
      {field<&DependencyListAnswer::cluster>("cluster", "The cluster, by key."),
       field<&DependencyListAnswer::helm_release>(
           "helm_release", "The Helm release of the HyperPod chart, which keeps what it has switched on."),
       field<&DependencyListAnswer::dependencies>("dependencies", "Each component.")});
}

Type describe(DependencyReconcile*) {
  return object_type<DependencyReconcile>(
      "DependencyReconcile", "Which dependencies to bring in place.",
      {field<&DependencyReconcile::cluster>("cluster", "The cluster."),
       field<&DependencyReconcile::components>("components", "Only these, and what they need; absent: all.",
                                               {.rule = {.min = 1, .max = 64}}),
       field<&DependencyReconcile::adopt>(
           "adopt", "Take over Kubernetes objects of the same names that somebody else made.",
           {.defaulted = true})});
}

Type describe(DependencyRemoval*) {
  return object_type<DependencyRemoval>("DependencyRemoval", "Whose dependencies go.",
                                        {field<&DependencyRemoval::cluster>("cluster", "The cluster.")});
}

Type describe(ClusterKubeconfig*) {
  return object_type<ClusterKubeconfig>("ClusterKubeconfig", "Which cluster's kubeconfig.",
                                        {field<&ClusterKubeconfig::cluster>("cluster", "The cluster.")});
}

Type describe(ClusterKubeconfigAnswer*) {
  return object_type<ClusterKubeconfigAnswer>(
      "ClusterKubeconfigAnswer", "A kubeconfig without a token.",
      {field<&ClusterKubeconfigAnswer::cluster>("cluster", "The cluster, by key."),
       field<&ClusterKubeconfigAnswer::context>("context", "The name of its context: the cluster's ARN."),
       field<&ClusterKubeconfigAnswer::kubeconfig>(
           "kubeconfig", "The file's content. JSON is YAML: written as it is, kubectl reads it.")});
}

}  // namespace instantstart::capabilities
