#include "sandbox/kubernetes/api/authorizer.h"

#include <algorithm>

#include <fmt/format.h>

#include "sandbox/core/wildcard.h"
#include "sandbox/kubernetes/api/bootstrap_roles.h"
#include "sandbox/kubernetes/api/metadata.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr std::string_view k_rbac = "rbac.authorization.k8s.io";

bool in_group(const Identity& who, std::string_view group) {
  return std::ranges::find(who.groups, group) != who.groups.end();
}

bool is_subject(const json::object& subject, const Identity& who, std::string_view binding_namespace) {
  const auto kind = member_text(subject, "kind");
  const auto name = member_text(subject, "name");
  if (kind == "User") return name == who.username;
  if (kind == "Group") return in_group(who, name);
  if (kind != "ServiceAccount") return false;
  auto space = member_text(subject, "namespace");
  if (space.empty()) space = binding_namespace;
  return who.username == fmt::format("system:serviceaccount:{}:{}", space, name);
}

bool binds(const json::object& binding, const Identity& who, std::string_view binding_namespace) {
  return std::ranges::any_of(member_array(binding, "subjects"), [&](const json::value& value) {
    const auto* subject = value.if_object();
    return subject && is_subject(*subject, who, binding_namespace);
  });
}

bool holds_in(const GrantedPolicy& policy, std::string_view namespace_name) {
  if (policy.namespaces.empty()) return true;
  if (namespace_name.empty()) return false;
  return std::ranges::any_of(policy.namespaces, [&](const std::string& pattern) {
    return matches_wildcard(pattern, namespace_name);
  });
}

}  // namespace

std::vector<PolicyRule> Authorizer::rules(std::string_view cluster, const Identity& who,
                                          std::string_view namespace_name) const {
  std::vector<PolicyRule> held;
  const auto take = [&](const std::vector<PolicyRule>& rules) {
    held.insert(held.end(), rules.begin(), rules.end());
  };
  if (in_group(who, k_masters)) take(bootstrap_roles().front().rules);
  for (const auto& policy : who.policies) {
    if (holds_in(policy, namespace_name)) take(rules_of_access_policy(policy.name));
  }
  const auto take_role = [&](const json::object& binding, std::string_view space) {
    const json::object& reference = member_object(binding, "roleRef");
    const bool of_cluster = member_text(reference, "kind") == "ClusterRole";
    if (!of_cluster && space.empty()) return;
    const json::object* role = store_.find(
        {std::string(cluster), std::string(k_rbac), of_cluster ? "clusterroles" : "roles",
         std::string(of_cluster ? std::string_view() : space), std::string(member_text(reference, "name"))});
    if (role) take(rules_of(*role));
  };
  for (const auto* binding : store_.list(cluster, k_rbac, "clusterrolebindings", "")) {
    if (binds(binding->body, who, "")) take_role(binding->body, "");
  }
  if (namespace_name.empty()) return held;
  for (const auto* binding : store_.list(cluster, k_rbac, "rolebindings", namespace_name)) {
    if (binds(binding->body, who, namespace_name)) take_role(binding->body, namespace_name);
  }
  return held;
}

bool Authorizer::allows(std::string_view cluster, const Identity& who, const Attributes& wanted) const {
  if (in_group(who, k_masters)) return true;
  return allow(rules(cluster, who, wanted.is_resource ? wanted.namespace_name : ""), wanted);
}

Outcome<> Authorizer::check(std::string_view cluster, const Identity& who, const Attributes& wanted) const {
  if (allows(cluster, who, wanted)) return {};
  return refuse(forbidden(wanted.group, wanted.is_resource ? wanted.resource : "", wanted.name,
                          fmt::format("User \"{}\" {}", who.username, cannot(wanted))));
}

}  // namespace instantstart::sandbox::kubernetes
