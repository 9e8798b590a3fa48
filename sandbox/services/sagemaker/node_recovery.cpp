#include "sandbox/services/sagemaker/node_recovery.h"

#include <vector>

#include <fmt/format.h>
#include <boost/json/array.hpp>

#include "base/error_codes.h"
#include "base/json.h"
#include "sandbox/services/sagemaker/cluster_events.h"
#include "sandbox/services/sagemaker/lifecycle_script.h"
#include "sandbox/services/sagemaker/limits.h"
#include "sandbox/services/sagemaker/node_life.h"
#include "sandbox/services/sagemaker/node_objects.h"

namespace instantstart::sandbox::sagemaker {
namespace {

/// After so many looks a node that can't be drained is taken out of work all the same.
constexpr std::int64_t k_most_looks = 10;

struct FaultWords {
  NodeFaultKind kind;
  std::string_view name;
  std::string_view type;    ///< "NvidiaErrorReboot": the condition, as the health monitoring agent has it.
  std::string_view reason;  ///< "XidHardwareFailure"
  std::string_view message;
  std::string_view recovery;
};
constexpr FaultWords k_faults[] = {
    {NodeFaultKind::hang, "hang", "NvidiaErrorReboot", "GpuHang", "The instance stopped responding.",
     "reboot"},
    {NodeFaultKind::xid, "xid", "NvidiaErrorTerminate", "XidHardwareFailure",
     "NVRM: Xid (PCI:0000:53:00): 79, GPU has fallen off the bus.", "replace"},
    {NodeFaultKind::spot_interruption, "spot_interruption", "SpotInterruption", "SpotInstanceInterruption",
     "EC2 is reclaiming the Spot instance.", "replace"},
    {NodeFaultKind::lost, "lost", "InstanceLost", "InstanceTerminated",
     "The underlying instance is no longer reachable.", "replace"}};

template <class Key>
const FaultWords& words_of(const Key& key, Key FaultWords::* member) {
  for (const auto& words : k_faults) {
    if (words.*member == key) return words;
  }
  return k_faults[0];
}

const FaultWords& words_of_fault(const NodeInternals& node) {
  return words_of(std::string_view(node.fault), &FaultWords::name);
}

bool recovers(const State& state, const NodeInternals& node) {
  return state.clusters.find(node.cluster_key)->node_recovery == "Automatic";
}

std::string fault_details(const State& state, const FaultWords& words) {
  return to_text(json::array{json::object{{"timestamp", to_rfc3339(state.world.now())},
                                          {"type", words.type},
                                          {"reason", words.reason},
                                          {"message", words.message}}});
}

/// What the health monitoring agent and HyperPod write onto the node.
void mark(State& state, const std::string& key, const FaultWords& words, std::string_view health) {
  update_node(state, key,
              {.labels = {{std::string(k_health_label), std::string(health)},
                          {std::string(k_fault_types_label), std::string(words.type)},
                          {std::string(k_fault_reasons_label), std::string(words.reason)}},
               .annotations = {{std::string(k_fault_details_annotation), fault_details(state, words)}},
               .taints_added = {health_taint()},
               .conditions = {{.type = std::string(words.type),
                               .status = "True",
                               .reason = std::string(words.reason),
                               .message = std::string(words.message)}}});
  log_health_agent(state, key,
                   {fmt::format("HealthMonitoringAgentDetectionEvent: type={} reason={} message={}",
                                words.type, words.reason, words.message)});
}

void begin_draining(State& state, const std::string& key, std::string_view recovery) {
  state.node_internals.edit(key, [recovery](NodeInternals& node) {
    node.recovery = std::string(recovery);
    node.looks = 0;
  });
  set_phase(state, key, NodePhase::draining, "Running");
  state.others.nodes.drain(eks_cluster_of(state, key), kubernetes_name(state, key));
  go_on_after(state, key, k_time_to_drain);
}

/// Takes away what `mark` wrote.
void unmark(State& state, const std::string& key, const FaultWords& words) {
  update_node(state, key,
              {.labels = {{std::string(k_health_label), std::string(k_schedulable)},
                          {std::string(k_fault_types_label), ""},
                          {std::string(k_fault_reasons_label), ""}},
               .annotations = {{std::string(k_fault_details_annotation), ""}},
               .taints_removed = {health_taint()},
               .conditions = {{.type = std::string(words.type), .status = "", .reason = {}, .message = {}}}});
}

Result<std::string> find_node(const State& state, const NodeFault& fault) {
  std::vector<std::string> found;
  for (const auto& [key, cluster] : state.cluster_internals) {
    if (cluster.name == fault.cluster && (!fault.region || cluster.region == *fault.region)) {
      found.push_back(key);
    }
  }
  if (found.size() != 1) {
    return fail(codes::not_found,
                found.empty() ? fmt::format("There is no cluster {}.", fault.cluster)
                              : fmt::format("Several regions have a cluster {}: name one.", fault.cluster));
  }
  for (const auto& key : node_keys(state, found.front())) {
    const auto& node = *state.nodes.find(key);
    if (node.instance_id == fault.node || node.node_logical_id == fault.node) return key;
  }
  return fail(codes::not_found, fmt::format("The cluster has no node {}.", fault.node));
}

}  // namespace

Type describe(NodeFaultKind*) {
  using enum NodeFaultKind;
  return enum_type<NodeFaultKind>(
      "NodeFaultKind", "What happens to a node.",
      {{hang, {"hang", "The instance doesn't answer; a reboot helps."}},
       {xid, {"xid", "A GPU has a hardware fault; only another instance helps."}},
       {spot_interruption, {"spot_interruption", "EC2 takes a Spot instance back."}},
       {lost, {"lost", "The instance is gone."}}});
}

Type describe(NodeFault*) {
  using F = NodeFault;
  return object_type<F>(
      "NodeFault", "What shall happen to a node.",
      {field<&F::region>("region", "Where the cluster is."),
       field<&F::cluster>("cluster", "The name of the HyperPod cluster."),
       field<&F::node>("node", "Instance id or logical id."), field<&F::kind>("kind", "What happens.")});
}

Result<> inject_fault(State& state, const NodeFault& fault) {
  const auto key = find_node(state, fault);
  if (!key) return std::unexpected(key.error());
  const NodeInternals node = *state.node_internals.find(*key);
  const bool works = node.phase == NodePhase::running || node.phase == NodePhase::deep_check;
  if (!works || !node.fault.empty()) {
    return fail(codes::conflict, fmt::format("The node {} is not running, or has a fault.", fault.node));
  }
  const bool is_spot = fault.kind == NodeFaultKind::spot_interruption;
  if (is_spot && state.nodes.find(*key)->capacity_type != "Spot") {
    return fail(codes::conflict, fmt::format("The node {} is no Spot instance.", fault.node));
  }
  const FaultWords& words = words_of(fault.kind, &FaultWords::kind);
  state.node_internals.edit(*key, [&words](NodeInternals& record) { record.fault = words.name; });
  const bool answers = fault.kind == NodeFaultKind::xid || is_spot;
  if (!answers) {
    state.others.nodes.set_reachable(eks_cluster_of(state, *key), kubernetes_name(state, *key), false,
                                     "NodeStatusUnknown");
  }
  if (is_spot) {
    mark(state, *key, words, k_pending_replacement);
    tell_node(state, *key, "Warn", "Spot instance is going to be interrupted", std::string(words.message));
    state.others.nodes.drain(eks_cluster_of(state, *key), kubernetes_name(state, *key));
    if (node.phase == NodePhase::deep_check) set_phase(state, *key, NodePhase::running, "Running");
  }
  // A fault during deep health checks is seen at their end.
  if (node.phase == NodePhase::running || is_spot) {
    go_on_after(state, *key, is_spot ? k_time_of_spot_notice : k_time_to_detect);
  }
  return {};
}

void act_on_fault(State& state, const std::string& node_key) {
  const NodeInternals node = *state.node_internals.find(node_key);
  if (node.fault.empty()) return;
  const FaultWords& words = words_of_fault(node);
  if (words.kind == NodeFaultKind::spot_interruption) {
    tell_node(state, node_key, "Warn", "Spot instance was interrupted", std::string(words.message));
    return replace_instance(state, node_key);
  }
  const bool automatic = recovers(state, node);
  const bool reboot = words.recovery == "reboot";
  mark(state, node_key, words,
       !automatic ? k_unschedulable
       : reboot   ? k_pending_reboot
                  : k_pending_replacement);
  tell_node(state, node_key, "Warn",
            fmt::format("Instance is unhealthy: {}{}", words.reason,
                        automatic ? fmt::format("; it is going to be {}", reboot ? "rebooted" : "replaced")
                                  : "; NodeRecovery is None, nothing is done about it"),
            std::string(words.message));
  if (!automatic) {
    const bool lost = words.kind == NodeFaultKind::lost;
    return set_phase(state, node_key, lost ? NodePhase::failed : NodePhase::running,
                     lost ? "Failure" : "Running", std::string(words.message));
  }
  if (words.kind == NodeFaultKind::lost) return replace_instance(state, node_key);
  begin_draining(state, node_key, words.recovery);
}

void finish_draining(State& state, const std::string& node_key) {
  const NodeInternals node = *state.node_internals.find(node_key);
  const bool drained =
      state.others.nodes.is_drained(eks_cluster_of(state, node_key), kubernetes_name(state, node_key));
  if (!drained && node.looks < k_most_looks) {
    state.node_internals.edit(node_key, [](NodeInternals& record) { ++record.looks; });
    return go_on_after(state, node_key, k_time_to_drain);
  }
  if (node.recovery == "reboot") return begin_reboot(state, node_key);
  replace_instance(state, node_key);
}

void begin_reboot(State& state, const std::string& node_key) {
  set_phase(state, node_key, NodePhase::rebooting, "Pending", "Instance is rebooting");
  tell_node(state, node_key, "Info", "Instance is rebooting");
  update_node(state, node_key,
              {.labels = {{std::string(k_health_label), std::string(k_pending_reboot)}},
               .taints_added = {health_taint()}});
  state.others.nodes.set_reachable(eks_cluster_of(state, node_key), kubernetes_name(state, node_key), false,
                                   "InstanceRebooting");
  go_on_after(state, node_key, k_time_to_reboot);
}

void finish_reboot(State& state, const std::string& node_key) {
  const NodeInternals node = *state.node_internals.find(node_key);
  const std::string& cluster = eks_cluster_of(state, node_key);
  const std::string name = kubernetes_name(state, node_key);
  state.others.nodes.set_reachable(cluster, name, true, "KubeletReady");
  state.node_internals.edit(node_key, [](NodeInternals& record) { record.recovery.clear(); });
  set_phase(state, node_key, NodePhase::running, "Running");
  tell_node(state, node_key, "Info", "Instance was rebooted");
  const FaultWords& words = words_of_fault(node);
  if (!node.fault.empty() && words.recovery != "reboot") {  // The hardware is still broken.
    return go_on_after(state, node_key, k_time_to_detect);
  }
  unmark(state, node_key, words);
  state.others.nodes.uncordon(cluster, name);
  state.node_internals.edit(node_key, [](NodeInternals& record) { record.fault.clear(); });
}

void act_on_label(State& state, std::string_view eks_cluster_id, std::string_view node,
                  std::string_view value) {
  const bool reboot = value == k_pending_reboot;
  if (!reboot && value != k_pending_replacement) return;
  for (const auto& [key, internals] : state.node_internals) {
    const bool works = internals.phase == NodePhase::running && internals.fault.empty();
    if (!internals.joined || !works || !recovers(state, internals)) continue;
    if (eks_cluster_of(state, key) != eks_cluster_id || kubernetes_name(state, key) != node) continue;
    const std::string found = key;
    tell_node(state, found, "Warn",
              fmt::format("Instance was labelled to be {}", reboot ? "rebooted" : "replaced"));
    update_node(state, found, {.taints_added = {health_taint()}});
    return begin_draining(state, found, reboot ? "reboot" : "replace");
  }
}

}  // namespace instantstart::sandbox::sagemaker
