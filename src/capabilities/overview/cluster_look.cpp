#include "capabilities/overview/cluster_look.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/core.h>

#include "capabilities/training/job_state.h"
#include "kube/json_access.h"
#include "kube/object.h"

namespace instantstart::capabilities {
namespace {

constexpr auto k_accelerators =
    std::to_array<std::string_view>({"nvidia.com/gpu", "aws.amazon.com/neurondevice"});

/// Devices are whole numbers, written as text.
std::int64_t devices(const json::object& resources) {
  std::int64_t sum = 0;
  for (const auto name : k_accelerators) {
    const auto text = kube::text_at(resources, {name});
    std::int64_t count = 0;
    std::from_chars(text.data(), text.data() + text.size(), count);
    sum += std::max<std::int64_t>(count, 0);
  }
  return sum;
}

}  // namespace

void ClusterCounter::node(const json::object& node) {
  const auto condition = kube::ObjectView(node).condition("Ready");
  const bool ready = condition && condition->is_true();
  ++look_.nodes;
  if (ready) ++look_.nodes_ready;
  nodes_[std::string(kube::text_at(node, {"metadata", "name"}))] = {
      .accelerators = devices(kube::object_at(node, {"status", "allocatable"})),
      .usable = ready && !kube::flag_at(node, {"spec", "unschedulable"})};
}

void ClusterCounter::pod(const json::object& pod) {
  const auto phase = kube::text_at(pod, {"status", "phase"});
  if (phase == "Succeeded" || phase == "Failed") return;
  const auto found = nodes_.find(kube::text_at(pod, {"spec", "nodeName"}));
  if (found == nodes_.end()) return;
  for (const auto& container : kube::array_at(pod, {"spec", "containers"}))
    found->second.in_use += devices(kube::object_at(kube::as_object(container), {"resources", "requests"}));
}

void ClusterCounter::job(const json::object& job) {
  switch (job_summary(job).state) {
    case JobState::failed: ++look_.jobs.failed; break;
    case JobState::succeeded: ++look_.jobs.ended; break;
    case JobState::running: ++look_.jobs.ready; break;
    default: ++look_.jobs.starting;
  }
}

void ClusterCounter::deployment(const json::object& deployment) {
  const auto wanted = kube::integer_at(deployment, {"spec", "replicas"}).value_or(1);
  const auto ready = kube::integer_at(deployment, {"status", "readyReplicas"}).value_or(0);
  ++(ready >= wanted ? look_.deployments.ready : look_.deployments.starting);
}

ClusterLook ClusterCounter::look(std::string cluster) const {
  ClusterLook look = look_;
  look.cluster = std::move(cluster);
  for (const auto& [name, node] : nodes_) {
    const std::int64_t used = std::min(node.in_use, node.accelerators);
    look.gpus.in_use += used;
    (node.usable ? look.gpus.idle : look.gpus.unavailable) += node.accelerators - used;
  }
  return look;
}

std::vector<std::string> alarms_of(const OverviewAnswer& answer) {
  std::vector<std::string> alarms;
  if (answer.identity.problem) alarms.push_back("AWS can't be called: " + *answer.identity.problem);
  for (const auto& cluster : answer.clusters) {
    if (cluster.problem) {
      alarms.push_back(fmt::format("{} could not be looked at: {}", cluster.cluster, *cluster.problem));
      continue;
    }
    if (cluster.nodes_ready < cluster.nodes) {
      alarms.push_back(fmt::format("{}: {} of {} nodes are not ready.", cluster.cluster,
                                   cluster.nodes - cluster.nodes_ready, cluster.nodes));
    }
    if (cluster.jobs.failed > 0)
      alarms.push_back(fmt::format("{}: {} jobs have failed.", cluster.cluster, cluster.jobs.failed));
  }
  for (const auto& operation : answer.operations) {
    if (operation.state == operations::OperationState::needs_input)
      alarms.push_back(fmt::format("{} on {} needs somebody.", operation.kind, operation.subject));
  }
  return alarms;
}

std::vector<NextAction> next_of(const OverviewAnswer& answer) {
  for (const auto& operation : answer.operations) {
    if (operation.state != operations::OperationState::needs_input) continue;
    return {{"operation_get", {{"operation_id", operation.id}}, "It needs somebody: see what it asks."}};
  }
  if (!answer.operations.empty()) {
    return {{"operation_get",
             {{"operation_id", answer.operations.front().id}, {"wait_seconds", 45}},
             "Follow what runs."}};
  }
  if (answer.clusters.empty()) return {{"cluster_discover", {}, "See which clusters the account has."}};
  return {{"cluster_get", {{"cluster", answer.clusters.front().cluster}}, "See how the cluster is."}};
}

}  // namespace instantstart::capabilities
