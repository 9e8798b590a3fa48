#include "sandbox/kubernetes/api/bootstrap_roles.h"

#include <algorithm>
#include <string>

namespace instantstart::sandbox::kubernetes {
namespace {

using Texts = std::vector<std::string>;

const Texts k_read{"get", "list", "watch"};
const Texts k_write{"create", "delete", "deletecollection", "patch", "update"};

Texts both(Texts first, const Texts& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

PolicyRule urls(Texts paths) {
  return {.groups = {}, .resources = {}, .verbs = {"get"}, .urls = std::move(paths)};
}

/// What `view` may read; Secrets and RBAC are not among it.
std::vector<PolicyRule> view_rules() {
  return {
      {{""},
       {"configmaps",
        "endpoints",
        "persistentvolumeclaims",
        "persistentvolumeclaims/status",
        "pods",
        "replicationcontrollers",
        "replicationcontrollers/scale",
        "serviceaccounts",
        "services",
        "services/status",
        "bindings",
        "events",
        "limitranges",
        "namespaces/status",
        "pods/log",
        "pods/status",
        "replicationcontrollers/status",
        "resourcequotas",
        "resourcequotas/status",
        "namespaces"},
       k_read},
      {{"discovery.k8s.io"}, {"endpointslices"}, k_read},
      {{"apps"},
       {"controllerrevisions", "daemonsets", "daemonsets/status", "deployments", "deployments/scale",
        "deployments/status", "replicasets", "replicasets/scale", "replicasets/status", "statefulsets",
        "statefulsets/scale", "statefulsets/status"},
       k_read},
      {{"autoscaling"}, {"horizontalpodautoscalers", "horizontalpodautoscalers/status"}, k_read},
      {{"batch"}, {"cronjobs", "cronjobs/status", "jobs", "jobs/status"}, k_read},
      {{"policy"}, {"poddisruptionbudgets", "poddisruptionbudgets/status"}, k_read},
      {{"networking.k8s.io"}, {"ingresses", "ingresses/status", "networkpolicies"}, k_read},
  };
}

std::vector<PolicyRule> edit_rules() {
  std::vector<PolicyRule> rules{
      {{""},
       {"pods/attach", "pods/exec", "pods/portforward", "pods/proxy", "secrets", "services/proxy"},
       k_read},
      {{""}, {"serviceaccounts"}, {"impersonate"}},
      {{""}, {"pods", "pods/attach", "pods/exec", "pods/portforward", "pods/proxy"}, k_write},
      {{""}, {"pods/eviction"}, {"create"}},
      {{""},
       {"configmaps", "events", "persistentvolumeclaims", "replicationcontrollers",
        "replicationcontrollers/scale", "secrets", "serviceaccounts", "services", "services/proxy"},
       k_write},
      {{""}, {"serviceaccounts/token"}, {"create"}},
      {{"apps"},
       {"daemonsets", "deployments", "deployments/rollback", "deployments/scale", "replicasets",
        "replicasets/scale", "statefulsets", "statefulsets/scale"},
       k_write},
      {{"autoscaling"}, {"horizontalpodautoscalers"}, k_write},
      {{"batch"}, {"cronjobs", "jobs"}, k_write},
      {{"policy"}, {"poddisruptionbudgets"}, k_write},
      {{"networking.k8s.io"}, {"ingresses", "networkpolicies"}, k_write},
      {{"coordination.k8s.io"}, {"leases"}, both(k_read, k_write)},
  };
  for (auto& rule : view_rules()) rules.push_back(std::move(rule));
  return rules;
}

std::vector<PolicyRule> admin_rules() {
  std::vector<PolicyRule> rules{
      {{"authorization.k8s.io"}, {"localsubjectaccessreviews"}, {"create"}},
      {{"rbac.authorization.k8s.io"}, {"rolebindings", "roles"}, both(k_read, k_write)},
  };
  for (auto& rule : edit_rules()) rules.push_back(std::move(rule));
  return rules;
}

std::vector<PolicyRule> everything() {
  return {{{"*"}, {"*"}, {"*"}}, {.groups = {}, .resources = {}, .verbs = {"*"}, .urls = {"*"}}};
}

struct AccessPolicy {
  std::string_view name;
  std::vector<PolicyRule> rules;
};

}  // namespace

const std::vector<BootstrapRole>& bootstrap_roles() {
  static const std::vector<BootstrapRole> roles{
      {"cluster-admin", everything()},
      {"admin", admin_rules()},
      {"edit", edit_rules()},
      {"view", view_rules()},
      {"system:discovery",
       {urls({"/api", "/api/*", "/apis", "/apis/*", "/healthz", "/livez", "/openapi", "/openapi/*", "/readyz",
              "/version", "/version/"})}},
      {"system:basic-user",
       {{{"authorization.k8s.io"}, {"selfsubjectaccessreviews", "selfsubjectrulesreviews"}, {"create"}},
        {{"authentication.k8s.io"}, {"selfsubjectreviews"}, {"create"}}}},
      {"system:public-info-viewer", {urls({"/healthz", "/livez", "/readyz", "/version", "/version/"})}},
  };
  return roles;
}

const std::vector<BootstrapBinding>& bootstrap_bindings() {
  static const std::vector<BootstrapBinding> bindings{
      {"cluster-admin", {"system:masters"}},
      {"system:discovery", {"system:authenticated"}},
      {"system:basic-user", {"system:authenticated"}},
      {"system:public-info-viewer", {"system:authenticated", "system:unauthenticated"}},
  };
  return bindings;
}

const std::vector<PolicyRule>& rules_of_access_policy(std::string_view policy) {
  static const std::vector<AccessPolicy> policies{
      {"AmazonEKSClusterAdminPolicy", everything()},
      {"AmazonEKSAdminPolicy", admin_rules()},
      {"AmazonEKSEditPolicy", edit_rules()},
      {"AmazonEKSViewPolicy", view_rules()},
      {"AmazonEKSAdminViewPolicy", {{{"*"}, {"*"}, k_read}}},
  };
  static const std::vector<PolicyRule> none;
  const auto found = std::ranges::find(policies, policy, &AccessPolicy::name);
  return found == policies.end() ? none : found->rules;
}

}  // namespace instantstart::sandbox::kubernetes
