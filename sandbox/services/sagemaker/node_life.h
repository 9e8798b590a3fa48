// A node's way: asked for, launched, set up by its lifecycle script, checked, running, gone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/services/sagemaker/limits.h"
#include "sandbox/services/sagemaker/state.h"

namespace instantstart::sandbox::sagemaker {

/// Keys are those of nodes on their way.
inline constexpr std::string_view k_node_timer = "sagemaker.node";
/// What the timer runs: the node takes its next step, and the cluster what follows from it.
void advance_node(State& state, const std::string& node_key);

struct NodeRequest {
  std::string group;
  std::int64_t count = 1;
  std::vector<std::string> zones = {};  ///< As NodeInternals has them.
  std::vector<std::string> types = {};
  std::int64_t queued = 0;  ///< How many launches come before these.
};
/// The logical ids.
std::vector<std::string> request_nodes(State& state, const std::string& cluster_key,
                                       const NodeRequest& request);
/// The instance is terminated, and its node leaves; a node without an instance is gone at once.
void stop_node(State& state, const std::string& node_key);
/// The instance is terminated, and another one asked for, under the same logical id.
void replace_instance(State& state, const std::string& node_key);

void set_phase(State& state, const std::string& node_key, NodePhase phase, std::string_view status,
               std::string message = "");
/// Schedules the node's next step.
void go_on_after(State& state, const std::string& node_key, milliseconds time);
/// The node's name in Kubernetes.
std::string kubernetes_name(const State& state, const std::string& node_key);
const std::string& eks_cluster_of(const State& state, const std::string& node_key);
void update_node(State& state, const std::string& node_key, const NodeUpdate& change);

}  // namespace instantstart::sandbox::sagemaker
