#include "capabilities/dependencies/object_parts.h"

#include <utility>

namespace instantstart::capabilities {
namespace {

constexpr std::string_view k_rbac_group = "rbac.authorization.k8s.io";
constexpr std::string_view k_rbac_version = "rbac.authorization.k8s.io/v1";

json::object binding(std::string_view name, std::string_view role, json::object subject) {
  return {{"apiVersion", k_rbac_version},
          {"kind", "ClusterRoleBinding"},
          {"metadata", {{"name", name}}},
          {"roleRef", {{"apiGroup", k_rbac_group}, {"kind", "ClusterRole"}, {"name", role}}},
          {"subjects", json::array{std::move(subject)}}};
}

}  // namespace

json::array to_array(Words words) {
  json::array array;
  for (const auto word : words) array.emplace_back(word);
  return array;
}

json::array to_array(const std::vector<std::string>& texts) {
  json::array array;
  for (const auto& text : texts) array.emplace_back(text);
  return array;
}

json::object service_account(std::string_view space, std::string_view name) {
  return {
      {"apiVersion", "v1"}, {"kind", "ServiceAccount"}, {"metadata", {{"namespace", space}, {"name", name}}}};
}

json::object cluster_role(std::string_view name, std::initializer_list<PolicyRule> rules) {
  json::array list;
  for (const auto& rule : rules) {
    list.push_back(json::object{{"apiGroups", to_array(rule.groups)},
                                {"resources", to_array(rule.resources)},
                                {"verbs", to_array(rule.verbs)}});
  }
  return {{"apiVersion", k_rbac_version},
          {"kind", "ClusterRole"},
          {"metadata", {{"name", name}}},
          {"rules", std::move(list)}};
}

json::object bound_to_account(std::string_view name, std::string_view role, std::string_view space,
                              std::string_view account) {
  return binding(name, role, {{"kind", "ServiceAccount"}, {"name", account}, {"namespace", space}});
}

json::object bound_to_user(std::string_view name, std::string_view role, std::string_view user) {
  return binding(name, role, {{"apiGroup", k_rbac_group}, {"kind", "User"}, {"name", user}});
}

json::object tolerates(std::string_view key, std::string_view effect) {
  json::object toleration{{"key", key}, {"operator", "Exists"}};
  if (!effect.empty()) toleration["effect"] = effect;
  return toleration;
}

json::object tolerates_any(std::string_view effect) { return {{"operator", "Exists"}, {"effect", effect}}; }

json::object tolerates_health_checks() {
  return {{"key", "sagemaker.amazonaws.com/node-health-status"},
          {"operator", "Equal"},
          {"value", "Unschedulable"},
          {"effect", "NoSchedule"}};
}

json::object on_instance_types(const std::vector<std::string>& types, json::object more) {
  json::array expressions;
  expressions.push_back(json::object{
      {"key", "node.kubernetes.io/instance-type"}, {"operator", "In"}, {"values", to_array(types)}});
  if (!more.empty()) expressions.push_back(std::move(more));
  json::array terms;
  terms.push_back(json::object{{"matchExpressions", std::move(expressions)}});
  return {{"nodeAffinity",
           {{"requiredDuringSchedulingIgnoredDuringExecution", {{"nodeSelectorTerms", std::move(terms)}}}}}};
}

json::object env(std::string_view name, std::string_view value) { return {{"name", name}, {"value", value}}; }

json::object env_from_field(std::string_view name, std::string_view path) {
  return {{"name", name}, {"valueFrom", {{"fieldRef", {{"apiVersion", "v1"}, {"fieldPath", path}}}}}};
}

json::object mount(std::string_view volume, std::string_view path) {
  return {{"name", volume}, {"mountPath", path}};
}

json::object mount_read_only(std::string_view volume, std::string_view path) {
  return {{"name", volume}, {"mountPath", path}, {"readOnly", true}};
}

json::object host_path(std::string_view volume, std::string_view path, std::string_view type) {
  json::object source{{"path", path}};
  if (!type.empty()) source["type"] = type;
  return {{"name", volume}, {"hostPath", std::move(source)}};
}

json::object unprivileged() {
  return {{"allowPrivilegeEscalation", false}, {"capabilities", {{"drop", json::array{"ALL"}}}}};
}

json::object daemon_set(DaemonSetParts parts) {
  json::object metadata{{"namespace", parts.space}, {"name", parts.name}};
  if (!parts.labels.empty()) metadata["labels"] = std::move(parts.labels);
  json::object spec{{"selector", {{"matchLabels", parts.selector}}}};
  if (parts.rolling) spec["updateStrategy"] = {{"type", "RollingUpdate"}};
  spec["template"] = {{"metadata", {{"labels", parts.selector}}}, {"spec", std::move(parts.pod)}};
  return {{"apiVersion", "apps/v1"},
          {"kind", "DaemonSet"},
          {"metadata", std::move(metadata)},
          {"spec", std::move(spec)}};
}

}  // namespace instantstart::capabilities
