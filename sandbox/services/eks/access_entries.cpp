#include "sandbox/services/eks/access_entries.h"

#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "sandbox/core/arn.h"
#include "sandbox/services/eks/access_policies.h"
#include "sandbox/services/eks/client_tokens.h"
#include "sandbox/services/eks/errors.h"
#include "sandbox/services/eks/paging.h"
#include "sandbox/services/eks/principals.h"
#include "sandbox/services/eks/tags.h"

namespace instantstart::sandbox::eks {
namespace {

using aws::eks::AccessEntry;

constexpr std::string_view k_standard = "STANDARD";
constexpr std::string_view k_session_name = "{{SessionName";
constexpr std::string_view k_service_path = "/aws-service-role/";

/// The types of nodes and the groups that EKS puts them into.
struct NodeType {
  std::string_view name;
  std::array<std::string_view, 2> groups;  ///< Empty ones don't count.
};
constexpr std::array<NodeType, 6> k_node_types{{{"EC2", {"system:nodes"}},
                                                {"EC2_LINUX", {"system:nodes"}},
                                                {"EC2_WINDOWS", {"eks:kube-proxy-windows", "system:nodes"}},
                                                {"FARGATE_LINUX", {"system:node-proxier", "system:nodes"}},
                                                {"HYBRID_LINUX", {"system:nodes"}},
                                                {"HYPERPOD_LINUX", {"system:nodes"}}}};

/// "Create access entries" in the EKS user guide.
constexpr std::array<std::string_view, 5> k_reserved_prefixes{"system:", "eks:", "aws:", "amazon:", "iam:"};

const NodeType* find_node_type(std::string_view name) {
  for (const auto& type : k_node_types) {
    if (type.name == name) return &type;
  }
  return nullptr;
}

std::optional<AwsFault> refuse_groups(const std::vector<std::string>& groups, const Subject& subject) {
  constexpr std::string_view k_reserved = "system:";
  for (const auto& group : groups) {
    if (group.empty())
      return invalid_parameter("The kubernetes group name must not be empty", subject).error();
    if (!group.starts_with(k_reserved)) continue;
    return invalid_parameter(fmt::format("The kubernetes group name {} is invalid, it cannot start with {}",
                                         shortened(group, 100), k_reserved),
                             subject)
        .error();
  }
  return std::nullopt;
}

std::optional<AwsFault> refuse_username(const std::optional<std::string>& username, const Subject& subject) {
  if (!username) return std::nullopt;
  for (const auto prefix : k_reserved_prefixes) {
    if (!username->starts_with(prefix)) continue;
    return invalid_parameter(fmt::format("The username must not begin with {}", prefix), subject).error();
  }
  const auto session = username->find(k_session_name);
  if (session == std::string::npos || username->substr(0, session).contains(':')) return std::nullopt;
  return invalid_parameter("The username must contain a colon before {{SessionName}}", subject).error();
}

std::unexpected<AwsFault> invalid_principal(const Subject& subject) {
  return invalid_parameter("The specified principalArn is invalid: invalid principal.", subject);
}

/// Users can't be made in the sandbox, so those of the account are believed to exist, as are principals of
/// other accounts.
std::optional<AwsFault> refuse_principal(const State& state, const Call& call, const std::string& arn,
                                         std::string_view type, const Subject& subject) {
  const auto principal = parse_principal(arn);
  if (!principal || principal->partition != partition_of(call.region) ||
      principal->kind == PrincipalKind::session) {
    return invalid_principal(subject).error();
  }
  const bool is_role = principal->kind == PrincipalKind::role;
  const bool is_own = principal->account == state.world.account();
  if (type != k_standard && (!is_role || !is_own)) return invalid_principal(subject).error();
  if (is_role && principal->path.starts_with(k_service_path) && call.invoked_by.empty()) {
    return invalid_request(
               "The caller is not allowed to modify access entries with a principalArn value of a Service "
               "Linked Role.",
               subject)
        .error();
  }
  if (is_role && is_own && !state.iam.find_role(arn)) return invalid_principal(subject).error();
  return std::nullopt;
}

std::optional<AwsFault> refuse_entry(const State& state, const Call& call,
                                     const aws::eks::CreateAccessEntryRequest& in, std::string_view type) {
  const Subject subject{.cluster = *in.cluster_name};
  if (type != k_standard) {
    if (!find_node_type(type)) return invalid_parameter("The type provided is invalid.", subject).error();
    if (!aws::items(in.kubernetes_groups).empty() || in.username) {
      return invalid_parameter(
                 fmt::format("The username and kubernetesGroups can't be specified for the type {}.", type),
                 subject)
          .error();
    }
  }
  if (auto refusal = refuse_principal(state, call, *in.principal_arn, type, subject)) return refusal;
  if (auto refusal = refuse_groups(aws::items(in.kubernetes_groups), subject)) return refusal;
  if (auto refusal = refuse_username(in.username, subject)) return refusal;
  return refuse_tags(call, in.tags);
}

/// "access-entry/demo/role/123456789012/dev/…"
std::string entry_arn(State& state, std::string_view region, std::string_view cluster,
                      const Principal& principal) {
  const std::string_view kind = principal.kind == PrincipalKind::role   ? "role"
                                : principal.kind == PrincipalKind::root ? "root"
                                                                        : "user";
  return make_arn("eks", region, state.world.account(),
                  fmt::format("access-entry/{}/{}/{}/{}/{}", cluster, kind, principal.account, principal.name,
                              state.world.make_request_id()));
}

std::vector<std::string> groups_of_type(std::string_view type) {
  std::vector<std::string> groups;
  const NodeType* node = find_node_type(type);
  if (!node) return groups;
  for (const auto group : node->groups) {
    if (!group.empty()) groups.emplace_back(group);
  }
  return groups;
}

AccessEntry shown(const State& state, AccessEntry entry) {
  entry.tags = tags_of(state, entry.access_entry_arn);
  return entry;
}

void forget_entry(State& state, const std::string& key, const std::string& arn) {
  std::vector<std::string> policies;
  for (const auto& [policy, association] : state.access_policies.starting_with(policies_of(key))) {
    policies.push_back(policy);
  }
  for (const auto& policy : policies) state.access_policies.erase(policy);
  state.tags.erase(arn);
  state.creation_tokens.erase(arn);
  state.access_entries.erase(key);
}

/// That the cluster is there and knows access entries.
Reply<const aws::eks::Cluster*> find_entering_cluster(const State& state, const Call& call,
                                                      const std::string& name) {
  auto cluster = find_cluster(state, call.region, name);
  if (!cluster || (*cluster)->access_config->authentication_mode != "CONFIG_MAP") return cluster;
  return invalid_request(
      "The cluster's authentication mode must be set to one of [API, API_AND_CONFIG_MAP] to perform this "
      "operation.",
      {.cluster = name});
}

}  // namespace

std::string entry_key(std::string_view cluster_key, std::string_view principal_arn) {
  return child_key(cluster_key, principal_arn);
}

Reply<const AccessEntry*> find_entry(const State& state, const Call& call, const std::string& cluster_name,
                                     const std::string& principal_arn) {
  const auto cluster = find_entering_cluster(state, call, cluster_name);
  if (!cluster) return std::unexpected(cluster.error());
  const auto* entry =
      state.access_entries.find(entry_key(cluster_key(call.region, cluster_name), principal_arn));
  if (entry) return entry;
  return not_found(
      "The specified principalArn could not be found. You can view your available access entries with "
      "'list-access-entries'.",
      {.cluster = cluster_name});
}

void ensure_creator_entry(State& state, const std::string& cluster_key) {
  const ClusterInternals* internals = state.cluster_internals.find(cluster_key);
  if (!internals || !internals->bootstraps_creator) return;
  const std::string arn = internals->creator_arn;
  const auto principal = parse_principal(arn);
  const std::string key = entry_key(cluster_key, arn);
  if (!principal || state.access_entries.contains(key)) return;
  const auto now = timestamp(state.world.now());
  const std::string made = entry_arn(state, internals->region, internals->name, *principal);
  state.access_entries.put(key, {.cluster_name = internals->name,
                                 .principal_arn = arn,
                                 .kubernetes_groups = std::vector<std::string>{},
                                 .access_entry_arn = made,
                                 .created_at = now,
                                 .modified_at = now,
                                 .username = default_username(*principal, arn, k_standard),
                                 .type = std::string(k_standard)});
  state.tags.put(made, {});
  grant_in_cluster(state, key, access_policy_arn(internals->region, k_cluster_admin_policy));
}

void forget_entries(State& state, const std::string& cluster_key) {
  std::vector<std::pair<std::string, std::string>> entries;
  for (const auto& [key, entry] : state.access_entries.starting_with(cluster_key + "/")) {
    entries.emplace_back(key, *entry.access_entry_arn);
  }
  for (const auto& [key, arn] : entries) forget_entry(state, key, arn);
}

std::string permanent_principal(const State& state, std::string_view caller_arn) {
  const auto caller = parse_principal(caller_arn);
  if (!caller || caller->kind != PrincipalKind::session) return std::string(caller_arn);
  if (caller->account == state.world.account()) {
    if (const auto role = state.iam.find_role_by_name(caller->name)) return role->arn;
  }
  return fmt::format("arn:{}:iam::{}:role/{}", caller->partition, caller->account, caller->name);
}

Reply<aws::eks::CreateAccessEntryResponse> create_access_entry(State& state, const Call& call,
                                                               const aws::eks::CreateAccessEntryRequest& in) {
  const auto cluster = find_entering_cluster(state, call, *in.cluster_name);
  if (!cluster) return std::unexpected(cluster.error());
  const std::string key = entry_key(cluster_key(call.region, *in.cluster_name), *in.principal_arn);
  if (const auto* present = state.access_entries.find(key)) {
    if (is_repeat(state, *present->access_entry_arn, in)) {
      return aws::eks::CreateAccessEntryResponse{.access_entry = shown(state, *present)};
    }
    return in_use("The specified access entry resource is already in use on this cluster.",
                  {.cluster = *in.cluster_name});
  }
  const std::string type = in.type.value_or(std::string(k_standard));
  if (auto refusal = refuse_entry(state, call, in, type)) return std::unexpected(std::move(*refusal));
  const Principal principal = parse_principal(*in.principal_arn).value_or(Principal{});
  const auto now = timestamp(state.world.now());
  AccessEntry entry{
      .cluster_name = in.cluster_name,
      .principal_arn = in.principal_arn,
      .kubernetes_groups = type == k_standard ? aws::items(in.kubernetes_groups) : groups_of_type(type),
      .access_entry_arn = entry_arn(state, call.region, *in.cluster_name, principal),
      .created_at = now,
      .modified_at = now,
      .username = in.username.value_or(default_username(principal, *in.principal_arn, type)),
      .type = type};
  state.tags.put(*entry.access_entry_arn, {.tags = aws::items(in.tags)});
  remember_creation(state, *entry.access_entry_arn, in);
  state.access_entries.put(key, entry);
  return aws::eks::CreateAccessEntryResponse{.access_entry = shown(state, std::move(entry))};
}

Reply<aws::eks::DescribeAccessEntryResponse> describe_access_entry(
    State& state, const Call& call, const aws::eks::DescribeAccessEntryRequest& in) {
  const auto entry = find_entry(state, call, *in.cluster_name, *in.principal_arn);
  if (!entry) return std::unexpected(entry.error());
  return aws::eks::DescribeAccessEntryResponse{.access_entry = shown(state, **entry)};
}

Reply<aws::eks::ListAccessEntriesResponse> list_access_entries(State& state, const Call& call,
                                                               const aws::eks::ListAccessEntriesRequest& in) {
  const auto cluster = find_entering_cluster(state, call, *in.cluster_name);
  if (!cluster) return std::unexpected(cluster.error());
  std::vector<std::pair<std::string, std::string>> sorted;
  const std::string prefix = cluster_key(call.region, *in.cluster_name) + "/";
  for (const auto& [key, entry] : state.access_entries.starting_with(prefix)) {
    if (in.associated_policy_arn &&
        !state.access_policies.contains(policies_of(key) + *in.associated_policy_arn)) {
      continue;
    }
    sorted.emplace_back(key, *entry.principal_arn);
  }
  auto page = page_of(std::move(sorted), in);
  if (!page) return std::unexpected(std::move(page.error()));
  return aws::eks::ListAccessEntriesResponse{.access_entries = std::move(page->items),
                                             .next_token = std::move(page->next_token)};
}

Reply<aws::eks::UpdateAccessEntryResponse> update_access_entry(State& state, const Call& call,
                                                               const aws::eks::UpdateAccessEntryRequest& in) {
  const Subject subject{.cluster = *in.cluster_name};
  const auto entry = find_entry(state, call, *in.cluster_name, *in.principal_arn);
  if (!entry) return std::unexpected(entry.error());
  if ((*entry)->type != k_standard && (in.kubernetes_groups || in.username)) {
    return invalid_parameter(
        fmt::format("The username and kubernetesGroups can't be changed for the type {}.", *(*entry)->type),
        subject);
  }
  if (auto refusal = refuse_groups(aws::items(in.kubernetes_groups), subject)) {
    return std::unexpected(std::move(*refusal));
  }
  if (auto refusal = refuse_username(in.username, subject)) return std::unexpected(std::move(*refusal));
  const std::string key = entry_key(cluster_key(call.region, *in.cluster_name), *in.principal_arn);
  const auto now = timestamp(state.world.now());
  state.access_entries.edit(key, [&in, now](AccessEntry& record) {
    if (in.kubernetes_groups) record.kubernetes_groups = in.kubernetes_groups;
    if (in.username) record.username = in.username;
    record.modified_at = now;
  });
  return aws::eks::UpdateAccessEntryResponse{.access_entry = shown(state, *state.access_entries.find(key))};
}

Reply<aws::eks::DeleteAccessEntryResponse> delete_access_entry(State& state, const Call& call,
                                                               const aws::eks::DeleteAccessEntryRequest& in) {
  const auto entry = find_entry(state, call, *in.cluster_name, *in.principal_arn);
  if (!entry) return std::unexpected(entry.error());
  const std::string arn = *(*entry)->access_entry_arn;
  forget_entry(state, entry_key(cluster_key(call.region, *in.cluster_name), *in.principal_arn), arn);
  return {};
}

}  // namespace instantstart::sandbox::eks
