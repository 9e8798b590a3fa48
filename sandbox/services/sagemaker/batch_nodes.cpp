#include "sandbox/services/sagemaker/batch_nodes.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sandbox/services/sagemaker/cluster_run.h"
#include "sandbox/services/sagemaker/errors.h"
#include "sandbox/services/sagemaker/groups.h"
#include "sandbox/services/sagemaker/limits.h"
#include "sandbox/services/sagemaker/node_life.h"
#include "sandbox/services/sagemaker/node_recovery.h"

namespace instantstart::sandbox::sagemaker {
namespace {

enum class NodeError { not_found, bad_status, in_use };

/// A name in a request, with the node that it stands for.
struct Named {
  std::string name;
  bool logical = false;
  std::string key;  ///< Empty when there is no such node.
};

template <class Request>
std::vector<Named> named_nodes(const State& state, const std::string& cluster, const Request& in) {
  std::vector<Named> all;
  for (const auto& id : aws::items(in.node_ids)) all.push_back({.name = id, .logical = false, .key = {}});
  for (const auto& id : aws::items(in.node_logical_ids)) {
    all.push_back({.name = id, .logical = true, .key = {}});
  }
  for (const auto& [key, node] : state.nodes.starting_with(cluster + "/")) {
    for (auto& one : all) {
      if ((one.logical ? node.node_logical_id : node.instance_id) == one.name) one.key = key;
    }
  }
  return all;
}

/// Whether the call may be made at all; the cluster's key.
template <class Request>
Reply<std::string> admit(const State& state, const Call& call, const Request& in, std::string_view what) {
  auto key = find_cluster(state, call, *in.cluster_name);
  if (!key) return key;
  const auto& cluster = *state.clusters.find(*key);
  if (aws::items(in.node_ids).empty() && aws::items(in.node_logical_ids).empty()) {
    return validation("At least one of NodeIds and NodeLogicalIds must be specified.");
  }
  if (!aws::items(in.node_logical_ids).empty() && !is_continuous(cluster)) {
    return validation("NodeLogicalIds require NodeProvisioningMode Continuous.");
  }
  if (cluster.cluster_status != "InService") {
    return validation(fmt::format("Cluster {} is {}: nodes can't be {} now.", *cluster.cluster_name,
                                  *cluster.cluster_status, what));
  }
  return key;
}

std::optional<NodeError> error_of(const State& state, const Named& named, bool deletes) {
  if (named.key.empty()) return NodeError::not_found;
  const NodeInternals& node = *state.node_internals.find(named.key);
  // While a group waits for its least count, nodes can't be taken out of it.
  const GroupInternals* group = state.groups.find(child_key(node.cluster_key, node.group));
  if (!group || !group->ready) return NodeError::bad_status;
  switch (node.phase) {
    case NodePhase::running:
    case NodePhase::failed: return std::nullopt;
    case NodePhase::draining:
    case NodePhase::rebooting: return deletes ? std::nullopt : std::optional(NodeError::in_use);
    case NodePhase::requested:
    case NodePhase::starting:
    case NodePhase::lifecycle:
    case NodePhase::deep_check: return deletes ? std::nullopt : std::optional(NodeError::bad_status);
    case NodePhase::updating: return NodeError::in_use;
    case NodePhase::stopping: break;
  }
  return NodeError::bad_status;
}

std::string words_of(NodeError error, const std::string& name) {
  switch (error) {
    case NodeError::not_found: return fmt::format("Node {} does not exist in the cluster.", name);
    case NodeError::in_use: return fmt::format("Another operation on node {} is in progress.", name);
    case NodeError::bad_status: break;
  }
  return fmt::format("Node {} is in a status that does not allow this.", name);
}

std::string deletion_code(NodeError error) {
  switch (error) {
    case NodeError::not_found: return "NodeIdNotFound";
    case NodeError::in_use: return "NodeIdInUse";
    case NodeError::bad_status: break;
  }
  return "InvalidNodeStatus";
}

std::string instance_code(NodeError error) {
  switch (error) {
    case NodeError::not_found: return "InstanceIdNotFound";
    case NodeError::in_use: return "InstanceIdInUse";
    case NodeError::bad_status: break;
  }
  return "InvalidInstanceStatus";
}

template <class T>
std::vector<T>& list(std::optional<std::vector<T>>& member) {
  return member ? *member : member.emplace();
}

/// Reboots or replaces: the answers differ in their types only.
template <class Response, class Request, class Act>
Reply<Response> for_each(State& state, const Call& call, const Request& in, std::string_view what, Act act) {
  const auto key = admit(state, call, in, what);
  if (!key) return std::unexpected(key.error());
  Response answer;
  list(answer.successful);
  list(answer.failed);
  for (const auto& one : named_nodes(state, *key, in)) {
    const auto error = error_of(state, one, false);
    if (!error) {
      act(one.key);
      list(one.logical ? answer.successful_node_logical_ids : answer.successful).push_back(one.name);
    } else if (one.logical) {
      list(answer.failed_node_logical_ids)
          .push_back({.node_logical_id = one.name,
                      .error_code = instance_code(*error),
                      .message = words_of(*error, one.name)});
    } else {
      list(answer.failed)
          .push_back({.node_id = one.name,
                      .error_code = instance_code(*error),
                      .message = words_of(*error, one.name)});
    }
  }
  settle(state, *key);
  return answer;
}

/// The group is to have one less.
void delete_node(State& state, const std::string& cluster, const std::string& node) {
  const std::string name = state.node_internals.find(node)->group;
  const std::int64_t from = *find_group(*state.clusters.find(cluster), name)->target_count;
  edit_group(state, cluster, name, [from](api::ClusterInstanceGroupDetails& group) {
    group.target_count = std::max<std::int64_t>(0, from - 1);
  });
  tell_scaling(state, cluster, name, from);
  stop_node(state, node);
}

}  // namespace

Reply<api::BatchDeleteClusterNodesResponse> batch_delete_cluster_nodes(
    State& state, const Call& call, const api::BatchDeleteClusterNodesRequest& in) {
  const auto key = admit(state, call, in, "deleted");
  if (!key) return std::unexpected(key.error());
  if (aws::items(in.node_ids).size() > k_most_deleted ||
      aws::items(in.node_logical_ids).size() > k_most_deleted_logical) {
    return validation(fmt::format("At most {} NodeIds and {} NodeLogicalIds can be deleted at once.",
                                  k_most_deleted, k_most_deleted_logical));
  }
  const auto nodes = named_nodes(state, *key, in);
  api::BatchDeleteClusterNodesResponse answer;
  list(answer.successful);
  list(answer.failed);
  std::size_t deleted = 0;
  std::string first_failure;
  for (const auto& one : nodes) {
    auto error = error_of(state, one, true);
    if (!error) {
      delete_node(state, *key, one.key);
      list(one.logical ? answer.successful_node_logical_ids : answer.successful).push_back(one.name);
      ++deleted;
      continue;
    }
    const std::string words = words_of(*error, one.name);
    if (first_failure.empty()) first_failure = words;
    if (one.logical) {
      list(answer.failed_node_logical_ids)
          .push_back({.code = deletion_code(*error), .message = words, .node_logical_id = one.name});
    } else {
      list(answer.failed).push_back({.code = deletion_code(*error), .message = words, .node_id = one.name});
    }
  }
  if (deleted == 0) {
    return validation(fmt::format("None of the nodes could be deleted. The first: {}", first_failure));
  }
  if (!is_continuous(*state.clusters.find(*key))) set_status(state, *key, "Updating");
  settle(state, *key);
  return answer;
}

Reply<api::BatchRebootClusterNodesResponse> batch_reboot_cluster_nodes(
    State& state, const Call& call, const api::BatchRebootClusterNodesRequest& in) {
  return for_each<api::BatchRebootClusterNodesResponse>(
      state, call, in, "rebooted", [&state](const std::string& node) { begin_reboot(state, node); });
}

Reply<api::BatchReplaceClusterNodesResponse> batch_replace_cluster_nodes(
    State& state, const Call& call, const api::BatchReplaceClusterNodesRequest& in) {
  return for_each<api::BatchReplaceClusterNodesResponse>(
      state, call, in, "replaced", [&state](const std::string& node) { replace_instance(state, node); });
}

}  // namespace instantstart::sandbox::sagemaker
