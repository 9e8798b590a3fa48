#include "sandbox/services/eks/cluster_updates.h"

#include <array>
#include <chrono>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json.h"
#include "sandbox/core/record.h"
#include "sandbox/services/eks/access_entries.h"
#include "sandbox/services/eks/client_tokens.h"
#include "sandbox/services/eks/cluster_network.h"
#include "sandbox/services/eks/cluster_rules.h"
#include "sandbox/services/eks/errors.h"
#include "sandbox/services/eks/versions.h"

namespace instantstart::sandbox::eks {
namespace {

using aws::eks::Cluster;
using aws::eks::UpdateClusterConfigRequest;

/// About what a change of logging or endpoints takes.
constexpr milliseconds k_time_to_update = std::chrono::minutes(3);

/// A change that was found to be good: what the cluster becomes and how the update tells of it.
struct Change {
  Cluster target;
  UpdateSpec spec;
};

std::string yes_no(bool value) { return value ? "true" : "false"; }

Reply<Change> change_of_logging(const Cluster& cluster, const UpdateClusterConfigRequest& in) {
  Change change{.target = cluster,
                .spec = {.type = "LoggingUpdate",
                         .params = {{"ClusterLogging", to_text(record_to_json(*in.logging))}}}};
  change.target.logging = whole_logging(cluster.logging, in.logging);
  if (record_to_json(*change.target.logging) == record_to_json(*cluster.logging)) {
    return invalid_parameter("No changes needed for the logging config provided", {.cluster = *in.name});
  }
  return change;
}

Reply<Change> change_of_endpoints(const Cluster& cluster, const UpdateClusterConfigRequest& in) {
  const auto& asked = *in.resources_vpc_config;
  Change change{.target = cluster, .spec = {.type = "EndpointAccessUpdate", .params = {}}};
  auto& network = *change.target.resources_vpc_config;
  if (asked.endpoint_public_access) network.endpoint_public_access = asked.endpoint_public_access;
  if (asked.endpoint_private_access) network.endpoint_private_access = asked.endpoint_private_access;
  if (asked.public_access_cidrs) network.public_access_cidrs = asked.public_access_cidrs;
  const bool is_public = *network.endpoint_public_access;
  const bool is_private = *network.endpoint_private_access;
  auto blocks = aws::items(network.public_access_cidrs);
  if (auto refusal = refuse_endpoint_access(is_public, is_private, blocks, *in.name)) {
    return std::unexpected(std::move(*refusal));
  }
  if (is_public && blocks.empty()) blocks.emplace_back("0.0.0.0/0");
  if (!is_public) blocks.clear();
  network.public_access_cidrs = blocks;
  change.spec.params = {{"EndpointPublicAccess", yes_no(is_public)},
                        {"EndpointPrivateAccess", yes_no(is_private)},
                        {"PublicAccessCidrs", fmt::format("[\"{}\"]", fmt::join(blocks, "\",\""))}};
  if (record_to_json(network) == record_to_json(*cluster.resources_vpc_config)) {
    return invalid_parameter(
        fmt::format("Cluster is already at the desired configuration with endpointPrivateAccess: {} , "
                    "endpointPublicAccess: {}, and Public Endpoint Restrictions: [{}]",
                    is_private, is_public, fmt::join(blocks, ", ")),
        {.cluster = *in.name});
  }
  return change;
}

Reply<Change> change_of_network(const State& state, const Call& call, const Cluster& cluster,
                                const UpdateClusterConfigRequest& in) {
  aws::eks::VpcConfigRequest asked = *in.resources_vpc_config;
  if (!asked.subnet_ids) asked.subnet_ids = cluster.resources_vpc_config->subnet_ids;
  if (!asked.security_group_ids) asked.security_group_ids = cluster.resources_vpc_config->security_group_ids;
  auto network = checked_network(state, call.region, asked, *in.name);
  if (!network) return std::unexpected(std::move(network.error()));
  if (network->vpc_id != cluster.resources_vpc_config->vpc_id) {
    return invalid_parameter("Provided subnets must belong to the VPC of the cluster", {.cluster = *in.name});
  }
  Change change{.target = cluster,
                .spec = {.type = "VpcConfigUpdate",
                         .params = {{"Subnets", fmt::format("{}", fmt::join(network->subnet_ids, ","))},
                                    {"SecurityGroups",
                                     fmt::format("{}", fmt::join(network->security_group_ids, ","))}}}};
  auto& target = *change.target.resources_vpc_config;
  target.subnet_ids = std::move(network->subnet_ids);
  target.security_group_ids = std::move(network->security_group_ids);
  if (record_to_json(target) == record_to_json(*cluster.resources_vpc_config)) {
    return invalid_parameter("No changes needed for the VPC config provided", {.cluster = *in.name});
  }
  return change;
}

/// From CONFIG_MAP over API_AND_CONFIG_MAP to API, one step at a time and never back.
Reply<Change> change_of_access(const Cluster& cluster, const UpdateClusterConfigRequest& in) {
  const std::string before = *cluster.access_config->authentication_mode;
  const std::string after = in.access_config->authentication_mode.value_or(before);
  const bool is_step = (before == "CONFIG_MAP" && after == "API_AND_CONFIG_MAP") ||
                       (before == "API_AND_CONFIG_MAP" && after == "API");
  if (!is_step) {
    return invalid_parameter(
        fmt::format("Unsupported authentication mode update from {} to {}", before, after),
        {.cluster = *in.name});
  }
  Change change{.target = cluster,
                .spec = {.type = "AccessConfigUpdate",
                         .params = {{"AuthenticationMode", fmt::format("\"{}\"", after)}}}};
  change.target.access_config->authentication_mode = after;
  return change;
}

Reply<Change> change_of_upgrades(const Cluster& cluster, const UpdateClusterConfigRequest& in) {
  const std::string before = *cluster.upgrade_policy->support_type;
  const std::string after = in.upgrade_policy->support_type.value_or(before);
  if (before == after) {
    return invalid_parameter("No changes needed for the upgrade policy provided", {.cluster = *in.name});
  }
  const auto* version = find_version(*cluster.version);
  if (after == "STANDARD" && (!version || version->status != "STANDARD_SUPPORT")) {
    return invalid_parameter(
        fmt::format("The support type can't be changed to STANDARD while the Kubernetes version {} is in "
                    "extended support",
                    *cluster.version),
        {.cluster = *in.name});
  }
  Change change{.target = cluster,
                .spec = {.type = "UpgradePolicyUpdate",
                         .params = {{"UpgradePolicy", to_text(json::object{{"supportType", after}})}}}};
  change.target.upgrade_policy->support_type = after;
  return change;
}

Reply<Change> change_of_protection(const Cluster& cluster, const UpdateClusterConfigRequest& in) {
  if (cluster.deletion_protection == in.deletion_protection) {
    return invalid_parameter("No changes needed for the deletion protection provided", {.cluster = *in.name});
  }
  Change change{.target = cluster,
                .spec = {.type = "DeletionProtectionUpdate",
                         .params = {{"DeletionProtection", yes_no(*in.deletion_protection)}}}};
  change.target.deletion_protection = in.deletion_protection;
  return change;
}

bool changes_subnets(const UpdateClusterConfigRequest& in) {
  return in.resources_vpc_config &&
         (in.resources_vpc_config->subnet_ids || in.resources_vpc_config->security_group_ids);
}

bool changes_endpoints(const UpdateClusterConfigRequest& in) {
  if (!in.resources_vpc_config) return false;
  const auto& network = *in.resources_vpc_config;
  return network.endpoint_public_access || network.endpoint_private_access || network.public_access_cidrs;
}

/// What the sandbox has no such thing of; nullptr when there is nothing.
const char* unknown_change(const UpdateClusterConfigRequest& in) {
  if (in.zonal_shift_config) return "zonal shift";
  if (in.compute_config || in.storage_config || in.kubernetes_network_config) return "EKS Auto Mode";
  if (in.remote_network_config) return "hybrid nodes";
  if (in.control_plane_scaling_config) return "provisioned control planes";
  if (in.kube_api_server_config || in.kube_scheduler_config || in.kube_controller_manager_config) {
    return "settings of control plane components";
  }
  return in.resources_vpc_config && in.resources_vpc_config->control_plane_egress_mode
             ? "egress modes of the control plane"
             : nullptr;
}

/// Refuses none and more than one kind of change.
Reply<Change> change_of(const State& state, const Call& call, const Cluster& cluster,
                        const UpdateClusterConfigRequest& in) {
  const Subject subject{.cluster = *in.name};
  if (const char* feature = unknown_change(in)) return not_simulated(feature, subject);
  const std::array<bool, 6> kinds{in.logging.has_value(),        changes_endpoints(in),
                                  changes_subnets(in),           in.access_config.has_value(),
                                  in.upgrade_policy.has_value(), in.deletion_protection.has_value()};
  int asked = 0;
  for (const bool kind : kinds) asked += kind ? 1 : 0;
  if (asked == 0) return invalid_parameter("The type for cluster update was not provided.", subject);
  if (asked > 1) return invalid_parameter("Only one type of update can be allowed.", subject);
  if (in.logging) return change_of_logging(cluster, in);
  if (changes_endpoints(in)) return change_of_endpoints(cluster, in);
  if (changes_subnets(in)) return change_of_network(state, call, cluster, in);
  if (in.access_config) return change_of_access(cluster, in);
  if (in.upgrade_policy) return change_of_upgrades(cluster, in);
  return change_of_protection(cluster, in);
}

/// The id of the update that the cluster is in.
std::string update_under_way(const State& state, const std::string& cluster_key) {
  for (const auto& [key, update] : state.updates.starting_with(child_key(cluster_key, "/"))) {
    if (update.status == "InProgress") return *update.id;
  }
  return {};
}

/// Whether the fault plan wants the update to fail; then it has.
bool failed(State& state, const std::string& cluster_key, const std::string& update_key) {
  const ClusterInternals* internals = state.cluster_internals.find(cluster_key);
  if (!internals || !internals->update_failure_code) return false;
  end_update(state, update_key,
             aws::eks::ErrorDetail{.error_code = internals->update_failure_code,
                                   .error_message = internals->update_failure_message,
                                   .resource_ids = std::vector<std::string>{}});
  state.cluster_internals.edit(cluster_key, [](ClusterInternals& record) {
    record.update_failure_code.reset();
    record.update_failure_message.reset();
  });
  state.clusters.edit(cluster_key, [](Cluster& record) { record.status = "ACTIVE"; });
  return true;
}

/// The child_key of a cluster that an update's key begins with.
std::string cluster_of(const std::string& update_key) { return update_key.substr(0, update_key.find("//")); }

/// New interfaces where the subnets or groups changed.
void move_interfaces(State& state, const std::string& key, const Cluster& before, const Cluster& after) {
  if (record_to_json(*before.resources_vpc_config) == record_to_json(*after.resources_vpc_config)) return;
  const ClusterInternals internals = *state.cluster_internals.find(key);
  for (const auto& id : internals.interfaces) state.network.remove_interface(internals.region, id);
  // Subnets may have gone meanwhile; then the control plane has fewer interfaces.
  auto made = add_interfaces(state, internals.region, internals.name, *after.resources_vpc_config)
                  .value_or(std::vector<std::string>{});
  state.cluster_internals.edit(key,
                               [&made](ClusterInternals& record) { record.interfaces = std::move(made); });
}

}  // namespace

std::string begin_update(State& state, const std::string& scope, UpdateSpec spec) {
  std::vector<aws::eks::UpdateParam> params;
  for (auto& [type, value] : spec.params) params.push_back({.type = type, .value = std::move(value)});
  const std::string id = state.world.make_request_id();
  std::string key = child_key(scope, id);
  state.updates.put(key, {.id = id,
                          .status = "InProgress",
                          .type = std::move(spec.type),
                          .params = std::move(params),
                          .created_at = timestamp(state.world.now()),
                          .errors = std::vector<aws::eks::ErrorDetail>{}});
  return key;
}

void end_update(State& state, const std::string& update_key, std::optional<aws::eks::ErrorDetail> failure) {
  state.updates.edit(update_key, [&failure](aws::eks::Update& update) {
    update.status = failure ? "Failed" : "Successful";
    if (failure) update.errors->push_back(std::move(*failure));
  });
}

void finish_cluster_update(State& state, const std::string& update_key) {
  const std::string key = cluster_of(update_key);
  const Cluster* target = state.cluster_targets.find(key);
  const Cluster* cluster = state.clusters.find(key);
  if (!target || !cluster) return;
  if (failed(state, key, update_key)) {
    state.cluster_targets.erase(key);
    return;
  }
  Cluster after = *target;
  after.status = "ACTIVE";
  move_interfaces(state, key, *cluster, after);
  const bool has_entries = after.access_config->authentication_mode != "CONFIG_MAP";
  const bool had_entries = cluster->access_config->authentication_mode != "CONFIG_MAP";
  state.clusters.put(key, std::move(after));
  state.cluster_targets.erase(key);
  if (has_entries && !had_entries) ensure_creator_entry(state, key);
  end_update(state, update_key, std::nullopt);
}

void forget_updates(State& state, const std::string& cluster_key) {
  std::vector<std::string> keys;
  for (const auto& [key, update] : state.updates.starting_with(cluster_key + "/")) keys.push_back(key);
  for (const auto& key : keys) state.updates.erase(key);
  keys.clear();
  for (const auto& [key, token] : state.update_tokens.starting_with(cluster_key + "/")) keys.push_back(key);
  for (const auto& key : keys) state.update_tokens.erase(key);
  state.cluster_targets.erase(cluster_key);
}

Reply<aws::eks::UpdateClusterConfigResponse> update_cluster_config(State& state, const Call& call,
                                                                   const UpdateClusterConfigRequest& in) {
  const auto cluster = find_cluster(state, call.region, *in.name);
  if (!cluster) return std::unexpected(cluster.error());
  const std::string key = cluster_key(call.region, *in.name);
  const std::string scope = child_key(key, "");
  const auto earlier = earlier_update(state, scope, in);
  if (!earlier) return std::unexpected(earlier.error());
  if (*earlier) return aws::eks::UpdateClusterConfigResponse{.update = *state.updates.find(**earlier)};

  auto change = change_of(state, call, **cluster, in);
  const Subject subject{.cluster = *in.name};
  if (change && (*cluster)->status == "UPDATING") {
    return in_use(fmt::format("Cannot {} because cluster {} currently has update {} in progress",
                              change->spec.type, *in.name, update_under_way(state, key)),
                  subject);
  }
  if (!change) return std::unexpected(std::move(change.error()));
  if ((*cluster)->status != "ACTIVE") {
    return in_use(fmt::format("Cannot {} because cluster {} is currently {}", change->spec.type, *in.name,
                              *(*cluster)->status),
                  subject);
  }
  const std::string update_key = begin_update(state, scope, std::move(change->spec));
  remember_update(state, scope, in, update_key);
  if (call.fails_later) {
    state.cluster_internals.edit(key, [&call](ClusterInternals& record) {
      record.update_failure_code = call.fails_later->code;
      record.update_failure_message = call.fails_later->message;
    });
  }
  state.cluster_targets.put(key, std::move(change->target));
  state.clusters.edit(key, [](Cluster& record) { record.status = "UPDATING"; });
  state.world.set_timer(k_update_timer, update_key, k_time_to_update);
  return aws::eks::UpdateClusterConfigResponse{.update = *state.updates.find(update_key)};
}

Reply<aws::eks::DescribeUpdateResponse> describe_update(State& state, const Call& call,
                                                        const aws::eks::DescribeUpdateRequest& in) {
  const auto cluster = find_cluster(state, call.region, *in.name);
  if (!cluster) return std::unexpected(cluster.error());
  if (in.nodegroup_name) {
    return not_found(fmt::format("No node group found for name: {}.", *in.nodegroup_name),
                     {.cluster = *in.name});
  }
  const std::string scope = child_key(cluster_key(call.region, *in.name), in.addon_name.value_or(""));
  const auto* update = state.updates.find(child_key(scope, *in.update_id));
  if (update) return aws::eks::DescribeUpdateResponse{.update = *update};
  return not_found(fmt::format("No update found for ID: {}", *in.update_id), {.cluster = *in.name});
}

}  // namespace instantstart::sandbox::eks
