#include "sandbox/services/sagemaker/groups.h"

#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sandbox/services/sagemaker/cluster_events.h"
#include "sandbox/services/sagemaker/images.h"
#include "sandbox/services/sagemaker/training_plans.h"

namespace instantstart::sandbox::sagemaker {
namespace {

using api::ClusterInstanceGroupDetails;

std::string status_of(const State& state, const std::string& key, const api::DescribeClusterResponse& cluster,
                      const ClusterInstanceGroupDetails& group, std::int64_t instances) {
  const GroupInternals& internals = *state.groups.find(child_key(key, *group.instance_group_name));
  const std::string& status = *cluster.cluster_status;
  if (internals.deleting || status == "Deleting") return "Deleting";
  if (internals.failed || status == "Failed") return "Failed";
  if (!internals.ready) return status == "Creating" || is_continuous(cluster) ? "Creating" : "Updating";
  const SoftwareUpdate* update = state.software_updates.find(key);
  if (update && update->versions.contains(*group.instance_group_name)) return "SystemUpdating";
  if (!is_continuous(cluster)) return status == "Updating" ? "Updating" : "InService";
  return internals.degraded && instances < *group.target_count ? "Degraded" : "InService";
}

std::vector<api::ClusterInstanceTypeDetail> type_details(const State& state, const std::string& key,
                                                         const ClusterInstanceGroupDetails& group) {
  std::map<std::string, std::int64_t> counts;
  for (const auto& node : node_keys(state, key, *group.instance_group_name)) {
    const auto& details = *state.nodes.find(node);
    if (details.instance_id) ++counts[details.instance_type.value_or("")];
  }
  std::vector<api::ClusterInstanceTypeDetail> all;
  for (const auto& [type, count] : counts) {
    all.push_back(
        {.instance_type = type, .current_count = count, .threads_per_core = group.threads_per_core});
  }
  return all;
}

void complete(const State& state, const std::string& key, const api::DescribeClusterResponse& cluster,
              ClusterInstanceGroupDetails& group) {
  const NodeCounts counts = count_nodes(state, key, *group.instance_group_name);
  group.current_count = counts.running + counts.checking;
  group.status = status_of(state, key, cluster, group, counts.instances);
  group.target_state_count = counts.running;
  group.image_version_status = image_status(group.current_image_release_version.value_or(""));
  group.software_update_status = group.status == "SystemUpdating" ? "InProgress" : "Succeeded";
  if (group.instance_requirements) group.instance_type_details = type_details(state, key, group);
  if (is_continuous(cluster) && counts.all != counts.running) group.active_operations = {{"Scaling", 1}};
  if (group.training_plan_arn) {
    group.training_plan_status = plan_status(state, *group.training_plan_arn);
  }
}

}  // namespace

NodeCounts count_nodes(const State& state, const std::string& cluster_key, std::string_view group) {
  NodeCounts counts;
  for (const auto& [key, node] : state.node_internals.starting_with(cluster_key + "/")) {
    if (!group.empty() && node.group != group) continue;
    ++counts.all;
    if (node.phase == NodePhase::stopping) continue;
    if (node.phase != NodePhase::requested) ++counts.instances;
    if (node.phase == NodePhase::deep_check) ++counts.checking;
    if (node.joined && node.phase != NodePhase::deep_check) ++counts.running;
  }
  return counts;
}

api::DescribeClusterResponse shown(const State& state, const std::string& cluster_key) {
  api::DescribeClusterResponse cluster = *state.clusters.find(cluster_key);
  const api::DescribeClusterResponse& record = *state.clusters.find(cluster_key);
  for (auto& group : *cluster.instance_groups) complete(state, cluster_key, record, group);
  return cluster;
}

ClusterInstanceGroupDetails group_of(const api::ClusterInstanceGroupSpecification& spec) {
  ClusterInstanceGroupDetails group;
  group.target_count = spec.instance_count;
  group.min_count = spec.min_instance_count;
  group.instance_group_name = spec.instance_group_name;
  group.instance_type = spec.instance_type;
  if (spec.instance_requirements) {
    const auto& types = spec.instance_requirements->instance_types;
    group.instance_requirements = api::ClusterInstanceRequirementDetails{.current_instance_types = types,
                                                                         .desired_instance_types = types};
  }
  group.life_cycle_config = spec.life_cycle_config;
  group.execution_role = spec.execution_role;
  group.threads_per_core = spec.threads_per_core.value_or(1);
  group.instance_storage_configs = spec.instance_storage_configs;
  group.on_start_deep_health_checks = spec.on_start_deep_health_checks;
  group.training_plan_arn = spec.training_plan_arn;
  group.override_vpc_config = spec.override_vpc_config;
  group.scheduled_update_config = spec.scheduled_update_config;
  if (spec.auto_patch_config) {
    const auto& patch = *spec.auto_patch_config;
    group.auto_patch_config =
        api::ClusterAutoPatchConfigDetails{.patching_strategy = patch.patching_strategy,
                                           .deployment_config = patch.deployment_config,
                                           .idle_wait_window_in_seconds = patch.idle_wait_window_in_seconds,
                                           .drain_policy = patch.drain_policy};
    if (patch.patch_schedule) {
      group.auto_patch_config->current_patch_schedule = group.auto_patch_config->desired_patch_schedule =
          api::ClusterPatchScheduleDetails{.next_patch_date = patch.patch_schedule->next_patch_date};
    }
  }
  group.current_image_id = group.desired_image_id = spec.image_id;
  group.current_image_release_version = group.desired_image_release_version =
      spec.image_release_version.value_or(std::string(latest_release()));
  if (spec.kubernetes_config) {
    const auto& config = *spec.kubernetes_config;
    group.kubernetes_config = api::ClusterKubernetesConfigDetails{.current_labels = config.labels,
                                                                  .desired_labels = config.labels,
                                                                  .current_taints = config.taints,
                                                                  .desired_taints = config.taints};
  }
  group.capacity_requirements = spec.capacity_requirements;
  if (spec.network_interface) {
    group.network_interface =
        api::ClusterNetworkInterfaceDetails{.interface_type = spec.network_interface->interface_type};
  }
  return group;
}

void tell_scaling(State& state, const std::string& cluster_key, const std::string& group, std::int64_t from) {
  const auto* record = find_group(*state.clusters.find(cluster_key), group);
  if (!record) return;
  const std::int64_t to = *record->target_count;
  const auto minimum = record->min_count;
  const std::string operation = state.world.make_request_id();
  state.groups.edit(child_key(cluster_key, group),
                    [&operation](GroupInternals& internals) { internals.operation_id = operation; });
  tell(state, cluster_key,
       {.description = fmt::format("Instance group {} is scaling from {} to {} instances", group, from, to),
        .group = group,
        .metadata = {.instance_group_scaling = api::InstanceGroupScalingMetadata{
                         .instance_count = from, .target_count = to, .min_count = minimum}}});
}

}  // namespace instantstart::sandbox::sagemaker
