#include "sandbox/services/sagemaker/cluster_run.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sandbox/services/sagemaker/cluster_events.h"
#include "sandbox/services/sagemaker/groups.h"
#include "sandbox/services/sagemaker/limits.h"
#include "sandbox/services/sagemaker/node_life.h"

namespace instantstart::sandbox::sagemaker {
namespace {

using api::ClusterInstanceGroupDetails;

std::vector<std::string> group_names(const State& state, const std::string& key) {
  std::vector<std::string> names;
  for (const auto& group : aws::items(state.clusters.find(key)->instance_groups)) {
    names.push_back(*group.instance_group_name);
  }
  return names;
}

void forget_group(State& state, const std::string& key, const std::string& name) {
  state.world.cancel_timer(k_minimum_timer, child_key(key, name));
  state.groups.erase(child_key(key, name));
  state.clusters.edit(key, [&name](api::DescribeClusterResponse& cluster) {
    std::erase_if(*cluster.instance_groups, [&name](const ClusterInstanceGroupDetails& group) {
      return group.instance_group_name == name;
    });
  });
}

void forget_cluster(State& state, const std::string& key) {
  for (const auto& name : group_names(state, key)) state.groups.erase(child_key(key, name));
  std::vector<std::string> tokens;
  for (const auto& [token, use] : state.tokens.starting_with(key + "/")) tokens.push_back(token);
  for (const auto& token : tokens) state.tokens.erase(token);
  forget_events(state, key);
  state.tags.erase(*state.clusters.find(key)->cluster_arn);
  state.software_updates.erase(key);
  state.cluster_internals.erase(key);
  state.clusters.erase(key);
}

void settle_group(State& state, const std::string& key, const std::string& name) {
  const auto& cluster = *state.clusters.find(key);
  const ClusterInstanceGroupDetails group = *find_group(cluster, name);
  const GroupInternals internals = *state.groups.find(child_key(key, name));
  const NodeCounts counts = count_nodes(state, key, name);
  if (internals.deleting) {
    if (counts.all > 0) return;
    tell(state, key, {.description = fmt::format("Instance group {} was deleted", name), .group = name});
    return forget_group(state, key, name);
  }
  if (internals.ready || internals.failed || !state.cluster_internals.find(key)->set_up) return;
  const std::int64_t needed = is_continuous(cluster) ? group.min_count.value_or(0) : *group.target_count;
  if (counts.running < needed) return;
  state.groups.edit(child_key(key, name), [](GroupInternals& record) { record.ready = true; });
  state.world.cancel_timer(k_minimum_timer, child_key(key, name));
  tell(state, key, {.description = fmt::format("Instance group {} is InService", name), .group = name});
}

bool all_groups(const State& state, const std::string& key, bool (*test)(const GroupInternals&)) {
  return std::ranges::all_of(state.groups.starting_with(key + "/"),
                             [test](const auto& entry) { return test(entry.second); });
}

bool reached_targets(const State& state, const std::string& key) {
  return std::ranges::all_of(aws::items(state.clusters.find(key)->instance_groups), [&](const auto& group) {
    const NodeCounts counts = count_nodes(state, key, *group.instance_group_name);
    return counts.all == counts.running && counts.running == *group.target_count;
  });
}

void become(State& state, const std::string& key, std::string_view status) {
  set_status(state, key, status);
  tell(state, key,
       {.level = status == "Failed" ? "Error" : "Info", .description = fmt::format("Cluster is {}", status)});
}

void settle_cluster(State& state, const std::string& key) {
  const std::string status = *state.clusters.find(key)->cluster_status;
  const NodeCounts counts = count_nodes(state, key, "");
  if (status == "Creating" && state.cluster_internals.find(key)->set_up) {
    if (!all_groups(state, key, [](const GroupInternals& g) { return g.ready || g.failed; })) return;
    const bool none = all_groups(state, key, [](const GroupInternals& g) { return g.failed; });
    become(state, key,
           none && state.clusters.find(key)->instance_groups->size() > 0 ? "Failed" : "InService");
  } else if (status == "Updating") {
    if (reached_targets(state, key)) become(state, key, "InService");
  } else if (status == "RollingBack") {
    if (counts.all > counts.running) return;
    become(state, key, state.cluster_internals.find(key)->rolls_back_creation ? "Failed" : "InService");
  } else if (status == "Deleting") {
    if (counts.all == 0) forget_cluster(state, key);
  }
}

void set_up(State& state, const std::string& key) {
  const ClusterInternals internals = *state.cluster_internals.find(key);
  if (internals.failure_message) return fail_change(state, key, *internals.failure_message);
  state.cluster_internals.edit(key, [](ClusterInternals& record) { record.set_up = true; });
  std::int64_t queued = 0;
  for (const auto& name : group_names(state, key)) {
    const ClusterInstanceGroupDetails group = *find_group(*state.clusters.find(key), name);
    tell_scaling(state, key, name, 0);
    request_nodes(state, key, {.group = name, .count = *group.target_count, .queued = queued});
    queued += *group.target_count;
    if (group.min_count.value_or(0) > 0) {
      state.world.set_timer(k_minimum_timer, child_key(key, name), k_time_for_minimum);
    }
  }
}

void stop_nodes(State& state, const std::string& key, std::string_view group, bool also_running) {
  for (const auto& node : node_keys(state, key, group)) {
    const NodePhase phase = state.node_internals.find(node)->phase;
    const bool on_its_way = phase == NodePhase::requested || phase == NodePhase::starting ||
                            phase == NodePhase::lifecycle || phase == NodePhase::deep_check;
    if (also_running || on_its_way) stop_node(state, node);
  }
}

}  // namespace

void set_status(State& state, const std::string& cluster_key, std::string_view status) {
  state.clusters.edit(cluster_key, [status](api::DescribeClusterResponse& cluster) {
    cluster.cluster_status = std::string(status);
  });
}

void advance_cluster(State& state, const std::string& cluster_key) {
  const ClusterInternals* internals = state.cluster_internals.find(cluster_key);
  if (!internals) return;
  if (!internals->set_up && state.clusters.find(cluster_key)->cluster_status == "Creating") {
    set_up(state, cluster_key);
  }
  settle(state, cluster_key);
}

void end_wait_for_minimum(State& state, const std::string& group_key) {
  const GroupInternals* group = state.groups.find(group_key);
  if (!group || group->ready || group->deleting) return;
  const auto slash = group_key.rfind('/');
  const std::string key = group_key.substr(0, slash);
  const std::string name = group_key.substr(slash + 1);
  const std::string message =
      fmt::format("Instance group {} did not reach its MinInstanceCount within 3 hours.", name);
  state.groups.edit(group_key, [](GroupInternals& record) { record.failed = true; });
  tell(state, key,
       {.level = "Error",
        .description = "Instance group is rolled back",
        .group = name,
        .metadata = {.instance_group = api::InstanceGroupMetadata{.failure_message = message}}});
  stop_nodes(state, key, name, true);
  edit_group(state, key, name, [](ClusterInstanceGroupDetails& record) { record.target_count = 0; });
  state.clusters.edit(
      key, [&message](api::DescribeClusterResponse& cluster) { cluster.failure_message = message; });
  settle(state, key);
}

void settle(State& state, const std::string& cluster_key) {
  if (!state.clusters.contains(cluster_key)) return;
  for (const auto& name : group_names(state, cluster_key)) settle_group(state, cluster_key, name);
  settle_cluster(state, cluster_key);
}

void fail_change(State& state, const std::string& cluster_key, const std::string& message) {
  const std::string status = *state.clusters.find(cluster_key)->cluster_status;
  const bool creating = status == "Creating";
  if (!creating && status != "Updating") return;
  state.clusters.edit(cluster_key, [&](api::DescribeClusterResponse& cluster) {
    cluster.failure_message = message;
    cluster.cluster_status = "RollingBack";
  });
  state.cluster_internals.edit(
      cluster_key, [creating](ClusterInternals& record) { record.rolls_back_creation = creating; });
  tell(state, cluster_key,
       {.level = "Error",
        .description = "Cluster is rolled back",
        .metadata = {.cluster = api::ClusterMetadata{.failure_message = message}}});
  stop_nodes(state, cluster_key, "", creating);
  for (const auto& name : group_names(state, cluster_key)) {
    const std::int64_t running = count_nodes(state, cluster_key, name).running;
    edit_group(state, cluster_key, name,
               [running](ClusterInstanceGroupDetails& group) { group.target_count = running; });
    state.groups.edit(child_key(cluster_key, name), [creating](GroupInternals& group) {
      group.failed = creating;
      if (!creating && !group.ready) group.deleting = true;
    });
  }
  state.world.set_timer(k_cluster_timer, cluster_key, k_time_to_stop);
}

void begin_deletion(State& state, const std::string& cluster_key) {
  state.world.cancel_timer(k_cluster_timer, cluster_key);
  become(state, cluster_key, "Deleting");
  for (const auto& node : node_keys(state, cluster_key)) stop_node(state, node);
  state.world.set_timer(k_cluster_timer, cluster_key, k_time_to_stop + k_time_to_stop);
}

}  // namespace instantstart::sandbox::sagemaker
