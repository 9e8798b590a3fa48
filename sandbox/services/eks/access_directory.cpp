#include "sandbox/services/eks/access_directory.h"

#include <string>

#include "sandbox/services/eks/access_entries.h"
#include "sandbox/services/eks/access_policies.h"
#include "sandbox/services/eks/principals.h"

namespace instantstart::sandbox::eks {
namespace {

/// Whether the entry is for the caller. The ARN of a session hasn't the path of its role, but the names of
/// roles are unique in an account.
bool is_for(const aws::eks::AccessEntry& entry, std::string_view caller_arn, const Principal& caller) {
  if (caller.kind != PrincipalKind::session) return entry.principal_arn == caller_arn;
  const auto principal = parse_principal(*entry.principal_arn);
  return principal && principal->kind == PrincipalKind::role && principal->account == caller.account &&
         principal->name == caller.name;
}

ClusterUser user_of(const State& state, const std::string& key, const aws::eks::AccessEntry& entry,
                    const Principal& caller) {
  ClusterUser user{.username = expand_username(*entry.username, caller),
                   .groups = aws::items(entry.kubernetes_groups),
                   .policies = {},
                   .principal_arn = *entry.principal_arn};
  for (const auto& [policy_key, policy] : state.access_policies.starting_with(policies_of(key))) {
    user.policies.push_back({.name = std::string(access_policy_name(*policy.policy_arn)),
                             .namespaces = aws::items(policy.access_scope->namespaces)});
  }
  return user;
}

}  // namespace

std::optional<ClusterUser> find_user(const State& state, std::string_view cluster_id,
                                     std::string_view caller_arn) {
  const ClusterInternals* internals = find_cluster_by_id(state, cluster_id);
  const auto caller = parse_principal(caller_arn);
  if (!internals || !caller) return std::nullopt;
  const std::string cluster = cluster_key(internals->region, internals->name);
  if (state.clusters.find(cluster)->access_config->authentication_mode == "CONFIG_MAP") {
    if (permanent_principal(state, caller_arn) != internals->creator_arn) return std::nullopt;
    return ClusterUser{.username = "kubernetes-admin",
                       .groups = {"system:masters"},
                       .policies = {},
                       .principal_arn = internals->creator_arn};
  }
  for (const auto& [key, entry] : state.access_entries.starting_with(cluster + "/")) {
    if (is_for(entry, caller_arn, *caller)) return user_of(state, key, entry, *caller);
  }
  return std::nullopt;
}

}  // namespace instantstart::sandbox::eks
