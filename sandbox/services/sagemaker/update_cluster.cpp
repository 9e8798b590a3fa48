#include "sandbox/services/sagemaker/update_cluster.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sandbox/services/sagemaker/cluster_events.h"
#include "sandbox/services/sagemaker/cluster_run.h"
#include "sandbox/services/sagemaker/clusters.h"
#include "sandbox/services/sagemaker/errors.h"
#include "sandbox/services/sagemaker/group_rules.h"
#include "sandbox/services/sagemaker/groups.h"
#include "sandbox/services/sagemaker/limits.h"
#include "sandbox/services/sagemaker/node_life.h"
#include "sandbox/services/sagemaker/node_objects.h"
#include "sandbox/services/sagemaker/quota_use.h"

namespace instantstart::sandbox::sagemaker {
namespace {

using api::ClusterInstanceGroupDetails;
using Refusal = std::optional<AwsFault>;

Refusal invalid(std::string message) { return validation(std::move(message)).error(); }

/// Without continuous provisioning there is one change at a time; with it, groups change by themselves.
Refusal refuse_now(const State& state, const std::string& key) {
  const auto& cluster = *state.clusters.find(key);
  if (cluster.cluster_status != "InService") {
    return conflict(fmt::format("Cluster {} is {} and can not be updated now.", *cluster.cluster_name,
                                *cluster.cluster_status))
        .error();
  }
  if (count_nodes(state, key, "").checking > 0) {
    return conflict(fmt::format("Cluster {} can not be updated while deep health checks are in progress.",
                                *cluster.cluster_name))
        .error();
  }
  return std::nullopt;
}

Refusal refuse_deletions(const api::DescribeClusterResponse& cluster, const api::UpdateClusterRequest& in) {
  std::set<std::string> left;
  for (const auto& group : aws::items(cluster.instance_groups)) left.insert(*group.instance_group_name);
  for (const auto& name : aws::items(in.instance_groups_to_delete)) {
    if (!find_group(cluster, name)) return invalid(fmt::format("Instance group {} does not exist.", name));
    left.erase(name);
  }
  for (const auto& spec : aws::items(in.instance_groups)) {
    const auto& gone = aws::items(in.instance_groups_to_delete);
    if (std::ranges::find(gone, *spec.instance_group_name) != gone.end()) {
      return invalid(
          fmt::format("Instance group {} can not be in both InstanceGroups and InstanceGroupsToDelete.",
                      *spec.instance_group_name));
    }
    left.insert(*spec.instance_group_name);
  }
  return left.empty() ? invalid("A cluster must keep at least one instance group.") : std::nullopt;
}

Refusal refuse_groups(const State& state, const GroupSurroundings& around, const std::string& key,
                      const api::UpdateClusterRequest& in) {
  const auto& cluster = *state.clusters.find(key);
  const auto& specs = aws::items(in.instance_groups);
  if (auto refusal = refuse_names(specs)) return refusal;
  std::vector<Demand> demands;
  std::int64_t in_cluster = 0;
  for (const auto& group : aws::items(cluster.instance_groups)) in_cluster += *group.target_count;
  for (const auto& spec : specs) {
    const auto* present = find_group(cluster, *spec.instance_group_name);
    if (present) {
      const GroupInternals& internals = *state.groups.find(child_key(key, *spec.instance_group_name));
      if (internals.deleting) {
        return conflict(fmt::format("Instance group {} is being deleted.", *spec.instance_group_name))
            .error();
      }
      if (auto refusal = refuse_changes(*present, spec)) return refusal;
    }
    const std::int64_t has = present ? *present->target_count : 0;
    if (auto refusal = refuse_group(state, around, spec, has)) return refusal;
    const std::int64_t more = *spec.instance_count - has;
    const auto wanted = demand_of(present ? *present : group_of(spec), more);
    demands.insert(demands.end(), wanted.begin(), wanted.end());
  }
  return refuse_demand(state, around.region, demands, in_cluster);
}

/// What a request leaves out of what can't be changed stays.
ClusterInstanceGroupDetails merged(const ClusterInstanceGroupDetails& present,
                                   const api::ClusterInstanceGroupSpecification& spec) {
  ClusterInstanceGroupDetails group = group_of(spec);
  group.threads_per_core = present.threads_per_core;
  group.override_vpc_config = present.override_vpc_config;
  group.capacity_requirements = present.capacity_requirements;
  group.network_interface = present.network_interface;
  group.training_plan_arn = present.training_plan_arn;
  group.current_image_id = present.current_image_id;
  group.current_image_release_version = present.current_image_release_version;
  if (!spec.image_id) group.desired_image_id = present.desired_image_id;
  if (!spec.image_release_version) {
    group.desired_image_release_version = present.desired_image_release_version;
  }
  return group;
}

/// Which instances go is left to chance, but those that aren't there yet go first.
void shrink(State& state, const std::string& key, const std::string& group, std::int64_t by) {
  std::vector<std::string> waiting;
  std::vector<std::string> others;
  for (const auto& node : node_keys(state, key, group)) {
    const NodePhase phase = state.node_internals.find(node)->phase;
    if (phase == NodePhase::stopping) continue;
    (phase == NodePhase::requested ? waiting : others).push_back(node);
  }
  for (; by > 0 && !(waiting.empty() && others.empty()); --by) {
    auto& from = waiting.empty() ? others : waiting;
    const auto chosen = from.begin() + static_cast<std::ptrdiff_t>(state.world.random().next() % from.size());
    const std::string node = *chosen;
    from.erase(chosen);
    stop_node(state, node);
  }
}

void relabel(State& state, const std::string& node, const ClusterInstanceGroupDetails& before,
             const ClusterInstanceGroupDetails& after) {
  const auto labels = [](const ClusterInstanceGroupDetails& group) {
    return group.kubernetes_config ? aws::items(group.kubernetes_config->desired_labels)
                                   : std::map<std::string, std::string>();
  };
  const auto taints = [](const ClusterInstanceGroupDetails& group) {
    return group.kubernetes_config ? taints_of(aws::items(group.kubernetes_config->desired_taints))
                                   : std::vector<NodeTaint>();
  };
  NodeUpdate change;
  for (const auto& [name, value] : labels(before)) change.labels[name] = "";
  for (const auto& [name, value] : labels(after)) change.labels[name] = value;
  change.taints_removed = taints(before);
  change.taints_added = taints(after);
  update_node(state, node, change);
  state.nodes.edit(node, [&after](api::ClusterNodeDetails& details) {
    details.kubernetes_config.reset();
    if (!after.kubernetes_config) return;
    const auto& config = *after.kubernetes_config;
    details.kubernetes_config =
        api::ClusterKubernetesConfigNodeDetails{.current_labels = config.current_labels,
                                                .desired_labels = config.desired_labels,
                                                .current_taints = config.current_taints,
                                                .desired_taints = config.desired_taints};
  });
}

void change_count(State& state, const std::string& key, const std::string& name, std::int64_t from) {
  const std::int64_t to = *find_group(*state.clusters.find(key), name)->target_count;
  if (to == from) return;
  tell_scaling(state, key, name, from);
  if (to > from) request_nodes(state, key, {.group = name, .count = to - from});
  if (to < from) shrink(state, key, name, from - to);
}

void put_group(State& state, const Call& call, const std::string& key,
               const api::ClusterInstanceGroupSpecification& spec) {
  const std::string& name = *spec.instance_group_name;
  const auto* found = find_group(*state.clusters.find(key), name);
  const std::string group_key = child_key(key, name);
  if (!found) {
    state.clusters.edit(key, [&spec](auto& cluster) { cluster.instance_groups->push_back(group_of(spec)); });
    state.groups.put(group_key, {});
    plan_group_failure(state, call, group_key);
    if (spec.min_instance_count.value_or(0) > 0) {
      state.world.set_timer(k_minimum_timer, group_key, k_time_for_minimum);
    }
    return change_count(state, key, name, 0);
  }
  const ClusterInstanceGroupDetails before = *found;
  const ClusterInstanceGroupDetails after = merged(before, spec);
  edit_group(state, key, name, [&after](ClusterInstanceGroupDetails& group) { group = after; });
  state.groups.edit(group_key, [](GroupInternals& group) { group.failed = false; });
  plan_group_failure(state, call, group_key);
  for (const auto& node : node_keys(state, key, name)) relabel(state, node, before, after);
  change_count(state, key, name, *before.target_count);
}

void delete_group(State& state, const std::string& key, const std::string& name) {
  state.groups.edit(child_key(key, name), [](GroupInternals& group) { group.deleting = true; });
  const std::int64_t from = *find_group(*state.clusters.find(key), name)->target_count;
  edit_group(state, key, name, [](ClusterInstanceGroupDetails& group) {
    group.target_count = 0;
    group.min_count.reset();
  });
  tell_scaling(state, key, name, from);
  for (const auto& node : node_keys(state, key, name)) stop_node(state, node);
}

void put_settings(State& state, const std::string& key, const api::UpdateClusterRequest& in) {
  state.clusters.edit(key, [&in](api::DescribeClusterResponse& cluster) {
    cluster.failure_message.reset();
    if (in.node_recovery) cluster.node_recovery = in.node_recovery;
    if (in.tiered_storage_config) cluster.tiered_storage_config = in.tiered_storage_config;
    if (in.cluster_role) cluster.cluster_role = in.cluster_role;
    if (in.auto_scaling) cluster.auto_scaling = autoscaling_of(*in.auto_scaling);
  });
}

Refusal refuse_settings(const State& state, const std::string& key, const api::UpdateClusterRequest& in) {
  const auto& cluster = *state.clusters.find(key);
  if (!aws::items(in.restricted_instance_groups).empty() || in.restricted_instance_groups_config) {
    return not_simulated("restricted instance groups").error();
  }
  if (in.orchestrator && (!in.orchestrator->eks ||
                          in.orchestrator->eks->cluster_arn != cluster.orchestrator->eks->cluster_arn)) {
    return invalid("The orchestrator of a cluster can not be updated.");
  }
  if (in.node_provisioning_mode && in.node_provisioning_mode != cluster.node_provisioning_mode) {
    return invalid("NodeProvisioningMode of a cluster can not be updated.");
  }
  const bool scales = cluster.auto_scaling && cluster.auto_scaling->mode == "Enable";
  const bool goes_on = scales && !(in.auto_scaling && in.auto_scaling->mode == "Disable");
  if (goes_on && in.cluster_role && in.cluster_role != cluster.cluster_role) {
    return invalid("ClusterRole can not be updated while AutoScaling is enabled.");
  }
  if (goes_on && in.node_recovery == "None") return invalid("AutoScaling requires NodeRecovery Automatic.");
  const auto recovery = in.node_recovery ? in.node_recovery : cluster.node_recovery;
  return refuse_autoscaling(state, is_continuous(cluster), recovery != "None", in.auto_scaling,
                            in.cluster_role ? in.cluster_role : cluster.cluster_role);
}

}  // namespace

Reply<api::UpdateClusterResponse> update_cluster(State& state, const Call& call,
                                                 const api::UpdateClusterRequest& in) {
  const auto found = find_cluster(state, call, *in.cluster_name);
  if (!found) return std::unexpected(found.error());
  const std::string key = *found;
  if (auto refusal = refuse_now(state, key)) return std::unexpected(std::move(*refusal));
  const api::DescribeClusterResponse cluster = *state.clusters.find(key);
  const auto eks =
      state.others.eks.find_cluster(call.region, eks_name(*cluster.orchestrator->eks->cluster_arn));
  if (!eks) return validation("The EKS cluster of the cluster does not exist any more.");
  if (auto refusal = refuse_settings(state, key, in)) return std::unexpected(std::move(*refusal));
  if (auto refusal = refuse_deletions(cluster, in)) return std::unexpected(std::move(*refusal));
  const GroupSurroundings around{.region = call.region,
                                 .vpc_id = eks->vpc_id,
                                 .continuous = is_continuous(cluster),
                                 .network = *cluster.vpc_config};
  if (auto refusal = refuse_groups(state, around, key, in)) return std::unexpected(std::move(*refusal));
  if (auto refusal = add_access_entries(state, call, eks_name(eks->arn), aws::items(in.instance_groups))) {
    return std::unexpected(std::move(*refusal));
  }
  put_settings(state, key, in);
  tell(state, key, {.description = "Cluster update began"});
  if (!around.continuous) set_status(state, key, "Updating");
  for (const auto& spec : aws::items(in.instance_groups)) put_group(state, call, key, spec);
  for (const auto& name : aws::items(in.instance_groups_to_delete)) delete_group(state, key, name);
  if (!around.continuous) state.world.set_timer(k_cluster_timer, key, k_time_to_launch);
  if (around.continuous) settle(state, key);
  return api::UpdateClusterResponse{.cluster_arn = cluster.cluster_arn};
}

}  // namespace instantstart::sandbox::sagemaker
