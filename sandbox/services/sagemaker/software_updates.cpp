#include "sandbox/services/sagemaker/software_updates.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include <fmt/format.h>

#include "sandbox/services/sagemaker/cluster_events.h"
#include "sandbox/services/sagemaker/cluster_run.h"
#include "sandbox/services/sagemaker/errors.h"
#include "sandbox/services/sagemaker/images.h"
#include "sandbox/services/sagemaker/limits.h"
#include "sandbox/services/sagemaker/node_life.h"

namespace instantstart::sandbox::sagemaker {
namespace {

constexpr std::int64_t k_all_percent = 100;

bool is_updating(const State& state, const std::string& key) {
  return std::ranges::any_of(state.node_internals.starting_with(key + "/"),
                             [](const auto& entry) { return entry.second.phase == NodePhase::updating; });
}

/// Nodes of a group that run with another image than the wanted.
std::vector<std::string> outdated(const State& state, const std::string& key, const std::string& group,
                                  const std::string& version) {
  std::vector<std::string> keys;
  for (const auto& node : node_keys(state, key, group)) {
    const bool runs = state.node_internals.find(node)->phase == NodePhase::running;
    if (runs && state.nodes.find(node)->current_image_release_version != version) keys.push_back(node);
  }
  return keys;
}

std::size_t batch_of(const SoftwareUpdate& update, std::size_t nodes) {
  const std::int64_t count = update.batch_count > 0
                                 ? update.batch_count
                                 : std::max<std::int64_t>(1, static_cast<std::int64_t>(nodes) *
                                                                 update.batch_percent / k_all_percent);
  return std::min(nodes, static_cast<std::size_t>(count));
}

void begin_image(State& state, const std::string& node, const std::string& version) {
  state.node_internals.edit(node, [&version](NodeInternals& record) { record.next_version = version; });
  set_phase(state, node, NodePhase::updating, "SystemUpdating");
  tell_node(state, node, "Info", fmt::format("Instance gets the image release {}", version));
  state.others.nodes.set_reachable(eks_cluster_of(state, node), kubernetes_name(state, node), false,
                                   "SystemUpdating");
  go_on_after(state, node, k_time_to_update);
}

void finish_update(State& state, const std::string& key, const SoftwareUpdate& update) {
  for (const auto& [name, version] : update.versions) {
    edit_group(state, key, name, [&version](api::ClusterInstanceGroupDetails& group) {
      group.current_image_release_version = version;
      group.current_image_id = group.desired_image_id;
    });
  }
  state.software_updates.erase(key);
  set_status(state, key, "InService");
  tell(state, key, {.description = "Software update of the cluster is complete"});
}

void put_batch_size(const api::DeploymentConfiguration& config, SoftwareUpdate& update) {
  update.wait_seconds = config.wait_interval_in_seconds.value_or(0);
  if (!config.rolling_update_policy) return;
  const auto& size = *config.rolling_update_policy->maximum_batch_size;
  if (size.type == "INSTANCE_COUNT") {
    update.batch_count = *size.value;
  } else {
    update.batch_percent = std::min(*size.value, k_all_percent);
  }
}

Reply<SoftwareUpdate> requested(const api::DescribeClusterResponse& cluster,
                                const api::UpdateClusterSoftwareRequest& in) {
  SoftwareUpdate update{.versions = {}, .image_id = in.image_id.value_or("")};
  for (const auto& named : aws::items(in.instance_groups)) {
    if (!find_group(cluster, *named.instance_group_name)) {
      return validation(fmt::format("Instance group {} does not exist.", *named.instance_group_name));
    }
    const std::string version = named.image_release_version.value_or(std::string(latest_release()));
    if (!is_release(version)) {
      return validation(fmt::format("Image release version {} is not available.", version));
    }
    update.versions[*named.instance_group_name] = version;
  }
  if (update.versions.empty()) {
    for (const auto& group : aws::items(cluster.instance_groups)) {
      update.versions[*group.instance_group_name] = latest_release();
    }
  }
  for (const auto& [name, version] : update.versions) {
    const auto& image = find_group(cluster, name)->current_image_id;
    if (image && image != "default" && !in.image_id) {
      return validation(fmt::format(
          "Instance group {} uses a custom AMI: ImageId must be specified, an AMI or default.", name));
    }
  }
  if (in.deployment_config) put_batch_size(*in.deployment_config, update);
  return update;
}

}  // namespace

void advance_software(State& state, const std::string& cluster_key) {
  const SoftwareUpdate* found = state.software_updates.find(cluster_key);
  if (!found || is_updating(state, cluster_key)) return;
  const SoftwareUpdate update = *found;
  bool begun = false;
  for (const auto& [name, version] : update.versions) {
    const auto nodes = outdated(state, cluster_key, name, version);
    const std::size_t batch = batch_of(update, nodes.size());
    for (std::size_t i = 0; i < batch; ++i) begin_image(state, nodes[i], version);
    begun = begun || batch > 0;
  }
  if (!begun) finish_update(state, cluster_key, update);
}

void finish_image(State& state, const std::string& node_key) {
  const NodeInternals node = *state.node_internals.find(node_key);
  state.nodes.edit(node_key, [&](api::ClusterNodeDetails& details) {
    details.current_image_release_version = details.desired_image_release_version = node.next_version;
    details.current_image_id = details.desired_image_id;
    details.last_software_update_time = now(state);
  });
  set_phase(state, node_key, NodePhase::running, "Running");
  state.others.nodes.set_reachable(eks_cluster_of(state, node_key), kubernetes_name(state, node_key), true,
                                   "KubeletReady");
  tell_node(state, node_key, "Info", "Instance has its new image");
  const SoftwareUpdate* update = state.software_updates.find(node.cluster_key);
  if (!update || is_updating(state, node.cluster_key)) return;
  state.world.set_timer(k_software_timer, node.cluster_key, std::chrono::seconds(update->wait_seconds));
}

Reply<api::UpdateClusterSoftwareResponse> update_cluster_software(
    State& state, const Call& call, const api::UpdateClusterSoftwareRequest& in) {
  const auto key = find_cluster(state, call, *in.cluster_name);
  if (!key) return std::unexpected(key.error());
  const auto& cluster = *state.clusters.find(*key);
  if (cluster.cluster_status != "InService") {
    return conflict(fmt::format("Cluster {} is {}; its software can be updated when it is InService.",
                                *cluster.cluster_name, *cluster.cluster_status));
  }
  for (const auto& [group_key, group] : state.groups.starting_with(*key + "/")) {
    if (!group.ready) return conflict("An instance group of the cluster is still being created.");
  }
  const auto update = requested(cluster, in);
  if (!update) return std::unexpected(update.error());
  const std::string arn = *cluster.cluster_arn;
  for (const auto& [name, version] : update->versions) {
    edit_group(state, *key, name, [&](api::ClusterInstanceGroupDetails& group) {
      group.desired_image_release_version = version;
      if (in.image_id) group.desired_image_id = in.image_id;
    });
    for (const auto& node : node_keys(state, *key, name)) {
      state.nodes.edit(node, [&](api::ClusterNodeDetails& details) {
        details.desired_image_release_version = version;
        if (in.image_id) details.desired_image_id = in.image_id;
      });
    }
  }
  state.software_updates.put(*key, *update);
  set_status(state, *key, "SystemUpdating");
  tell(state, *key, {.description = "Software update of the cluster began"});
  state.world.set_timer(k_software_timer, *key, k_time_to_launch);
  return api::UpdateClusterSoftwareResponse{.cluster_arn = arn};
}

}  // namespace instantstart::sandbox::sagemaker
