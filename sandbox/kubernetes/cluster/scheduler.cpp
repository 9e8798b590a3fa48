#include "sandbox/kubernetes/cluster/scheduler.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "sandbox/kubernetes/api/metadata.h"
#include "sandbox/kubernetes/cluster/workload.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr std::string_view k_component = "default-scheduler";
/// A pod that waits says so anew this often at most.
constexpr seconds k_say_pause{5};
constexpr int k_at_once = 50;             ///< Pods bound in one go; the others follow.
constexpr std::size_t k_few_nodes = 100;  // minFeasibleNodesToFind

ObjectKey all_of(const std::string& cluster) { return {cluster, "", "pods", "", ""}; }

/// numFeasibleNodesToFind of kube-scheduler.
std::size_t enough_of(std::size_t nodes) {
  if (nodes < k_few_nodes) return nodes;
  const std::size_t percent = std::max<std::size_t>(5, 50 - std::min<std::size_t>(45, nodes / 125));
  return std::max(k_few_nodes, nodes * percent / 100);
}

bool waits_for_node(const json::object& pod) {
  const json::object& spec = member_object(pod, "spec");
  if (!member_text(spec, "nodeName").empty() || is_deleting(pod) || has_ended(pod)) return false;
  if (!member_array(spec, "schedulingGates").empty()) return false;
  const auto scheduler = member_text(spec, "schedulerName");
  return scheduler.empty() || scheduler == "default-scheduler";
}

std::vector<std::string> claims_of(const json::object& pod) {
  std::vector<std::string> claims;
  for (const auto& value : member_array(member_object(pod, "spec"), "volumes")) {
    if (!value.is_object()) continue;
    const auto name = member_text(member_object(value.get_object(), "persistentVolumeClaim"), "claimName");
    if (!name.empty()) claims.emplace_back(name);
  }
  return claims;
}

}  // namespace

std::string unschedulable_message(std::int64_t nodes, const std::map<std::string, std::int64_t>& reasons) {
  if (nodes == 0) return "no nodes available to schedule pods";
  std::vector<std::string> parts;
  std::int64_t hopeless = 0;
  std::int64_t full = 0;
  for (const auto& [reason, count] : reasons) {
    parts.push_back(fmt::format("{} {}", count, reason));
    const bool by_room = reason.starts_with("Insufficient") || reason == "Too many pods";
    (by_room ? full : hopeless) += count;
  }
  std::ranges::sort(parts);
  full = std::min(full, nodes - std::min(nodes, hopeless));
  std::vector<std::string> preemption;
  if (full > 0) preemption.push_back(fmt::format("{} No preemption victims found for incoming pod", full));
  if (hopeless > 0) {
    preemption.push_back(
        fmt::format("{} Preemption is not helpful for scheduling", std::min(hopeless, nodes)));
  }
  return fmt::format("0/{0} nodes are available: {1}. preemption: 0/{0} nodes are available: {2}.", nodes,
                     join(parts, ", "), join(preemption, ", "));
}

void Scheduler::forget() {
  Controller::forget();
  clusters_.clear();
}

void Scheduler::look_again(const std::string& cluster) {
  clusters_[cluster].hopeless.clear();
  mark(all_of(cluster));
}

void Scheduler::notice(const Change& change) {
  if (!change.key.group.empty()) return;
  if (change.key.resource == "nodes") notice_node(change);
  if (change.key.resource == "pods") notice_pod(change);
  if (change.key.resource == "persistentvolumeclaims") mark(all_of(change.key.cluster));
}

void Scheduler::notice_node(const Change& change) {
  Cluster& cluster = clusters_[change.key.cluster];
  if (change.kind == ChangeKind::deleted) {
    cluster.nodes.erase(change.key.name);
    look_again(change.key.cluster);
    return;
  }
  const json::object& node = *change.object;
  const auto found = cluster.nodes.find(change.key.name);
  if (found != cluster.nodes.end() && change.before) {
    const json::object& before = *change.before;
    const bool same =
        member_object(before, "spec") == member_object(node, "spec") &&
        member_object(metadata_of(before), "labels") == member_object(metadata_of(node), "labels") &&
        member_object(member_object(before, "status"), "allocatable") ==
            member_object(member_object(node, "status"), "allocatable");
    if (same) return;
  }
  NodeView view{.name = change.key.name,
                .allocatable = amounts_of(member_object(member_object(node, "status"), "allocatable")),
                .used = {},
                .labels = member_object(metadata_of(node), "labels"),
                .taints = taints_of(node),
                .unschedulable = is_true_at(member_object(node, "spec"), "unschedulable")};
  if (found != cluster.nodes.end()) {
    view.used = std::move(found->second.used);
    view.pods = found->second.pods;
    found->second = std::move(view);
  } else {
    for (const auto& [key, placed] : cluster.placed) {
      if (placed.node != view.name) continue;
      ++view.pods;
      for (const auto& [name, amount] : placed.requests) view.used[name] += amount;
    }
    cluster.nodes.emplace(change.key.name, std::move(view));
  }
  look_again(change.key.cluster);
}

void Scheduler::notice_pod(const Change& change) {
  Cluster& cluster = clusters_[change.key.cluster];
  const json::object& pod = *change.object;
  const bool gone = change.kind == ChangeKind::deleted;
  if (!gone && waits_for_node(pod)) {
    unplace(cluster, change.key);
    const bool known = cluster.waiting.contains(change.key) && change.before &&
                       member_object(*change.before, "spec") == member_object(pod, "spec");
    if (known) return;
    Waiting waiting{.demands = PodDemands::of(pod),
                    .signature = {},
                    .claims = claims_of(pod),
                    .priority = number_at(member_object(pod, "spec"), "priority"),
                    .created = std::string(member_text(metadata_of(pod), "creationTimestamp"))};
    waiting.signature = waiting.demands.signature();
    cluster.waiting.insert_or_assign(change.key, std::move(waiting));
    mark(all_of(change.key.cluster));
    return;
  }
  cluster.waiting.erase(change.key);
  const std::string node(member_text(member_object(pod, "spec"), "nodeName"));
  if (gone || node.empty() || has_ended(pod)) {
    unplace(cluster, change.key);
  } else {
    place(cluster, change.key, pod, node);
  }
}

void Scheduler::place(Cluster& cluster, const ObjectKey& key, const json::object& pod,
                      const std::string& node) {
  if (cluster.placed.contains(key)) return;
  Placed placed{node, requests_of(pod)};
  if (const auto found = cluster.nodes.find(node); found != cluster.nodes.end()) {
    ++found->second.pods;
    for (const auto& [name, amount] : placed.requests) found->second.used[name] += amount;
  }
  cluster.placed.emplace(key, std::move(placed));
}

void Scheduler::unplace(Cluster& cluster, const ObjectKey& key) {
  const auto found = cluster.placed.find(key);
  if (found == cluster.placed.end()) return;
  if (const auto node = cluster.nodes.find(found->second.node); node != cluster.nodes.end()) {
    --node->second.pods;
    for (const auto& [name, amount] : found->second.requests) node->second.used[name] -= amount;
  }
  cluster.placed.erase(found);
  look_again(key.cluster);  // Also for pods that come later: what they would hear is not true any more.
}

void Scheduler::due(const ObjectKey& key, std::string_view) {
  Cluster& cluster = clusters_[key.cluster];
  cluster.says_later = false;
  cluster.says_now = true;
  mark(all_of(key.cluster));
}

void Scheduler::sync(const ObjectKey& key) { try_all(key.cluster); }

void Scheduler::try_all(const std::string& cluster_id) {
  Cluster& cluster = clusters_[cluster_id];
  std::vector<ObjectKey> order;
  order.reserve(cluster.waiting.size());
  for (const auto& [key, waiting] : cluster.waiting) order.push_back(key);
  std::ranges::sort(order, [&cluster](const ObjectKey& a, const ObjectKey& b) {
    const Waiting& one = cluster.waiting.at(a);
    const Waiting& two = cluster.waiting.at(b);
    return std::tie(two.priority, one.created, a) < std::tie(one.priority, two.created, b);
  });
  int changes = 0;
  for (const auto& key : order) {
    const auto found = cluster.waiting.find(key);
    if (found == cluster.waiting.end()) continue;
    // Binding changes the map.
    const Waiting waiting = found->second;
    const auto problem = schedule(cluster, key, waiting);
    const bool changed = problem ? say(cluster, key, *problem) : true;
    if (changed && ++changes == k_at_once) return mark(all_of(cluster_id));
  }
  cluster.says_now = false;
}

std::optional<std::string> Scheduler::claim_problem(const ObjectKey& key, const Waiting& waiting) const {
  for (const auto& name : waiting.claims) {
    const json::object* claim =
        access().find({key.cluster, "", "persistentvolumeclaims", key.namespace_name, name});
    if (!claim) return fmt::format("persistentvolumeclaim \"{}\" not found", name);
    if (is_deleting(*claim)) return fmt::format("persistentvolumeclaim \"{}\" is being deleted", name);
    if (phase_of(*claim) == "Bound") continue;
    const json::object* storage =
        access().find({key.cluster, "storage.k8s.io", "storageclasses", "",
                       std::string(member_text(member_object(*claim, "spec"), "storageClassName"))});
    const bool by_pod = storage && member_text(*storage, "volumeBindingMode") == "WaitForFirstConsumer";
    if (!by_pod) return "pod has unbound immediate PersistentVolumeClaims";
  }
  return std::nullopt;
}

std::optional<std::string> Scheduler::schedule(Cluster& cluster, const ObjectKey& key,
                                               const Waiting& waiting) {
  const auto count = std::ssize(cluster.nodes);
  if (count == 0) return unschedulable_message(0, {});
  if (const auto problem = claim_problem(key, waiting)) {
    return fmt::format(
        "0/{0} nodes are available: {1}. preemption: 0/{0} nodes are available: {0} Preemption is not "
        "helpful "
        "for scheduling.",
        count, *problem);
  }
  if (const auto known = cluster.hopeless.find(waiting.signature); known != cluster.hopeless.end()) {
    return known->second;
  }
  std::map<std::string, std::int64_t> reasons;
  if (const NodeView* node = choose(cluster, waiting.demands, reasons)) {
    const std::string name = node->name;
    bind(cluster, key, waiting, name);
    return std::nullopt;
  }
  auto message = unschedulable_message(count, reasons);
  cluster.hopeless.emplace(waiting.signature, message);
  return message;
}

NodeView* Scheduler::choose(Cluster& cluster, const PodDemands& demands,
                            std::map<std::string, std::int64_t>& reasons) {
  if (!demands.only_node.empty()) {
    const auto only = cluster.nodes.find(demands.only_node);
    const std::int64_t others = std::ssize(cluster.nodes) - (only == cluster.nodes.end() ? 0 : 1);
    if (others > 0) reasons["node(s) didn't match Pod's node affinity/selector"] = others;
    if (only == cluster.nodes.end()) return nullptr;
    const auto why = why_not(demands, only->second);
    if (why.empty()) return &only->second;
    for (const auto& reason : why) ++reasons[reason];
    return nullptr;
  }
  const std::size_t enough = enough_of(cluster.nodes.size());
  NodeView* best = nullptr;
  std::int64_t best_score = 0;
  std::size_t found = 0;
  auto next = cluster.nodes.lower_bound(cluster.next_node);
  for (std::size_t i = 0; i < cluster.nodes.size() && found < enough; ++i, ++next) {
    if (next == cluster.nodes.end()) next = cluster.nodes.begin();
    const auto why = why_not(demands, next->second);
    for (const auto& reason : why) ++reasons[reason];
    if (!why.empty()) continue;
    ++found;
    const std::int64_t points = score(demands, next->second);
    if (best && points <= best_score) continue;
    best = &next->second;
    best_score = points;
  }
  if (cluster.nodes.size() > k_few_nodes) cluster.next_node = next == cluster.nodes.end() ? "" : next->first;
  return best;
}

void Scheduler::bind(Cluster& cluster, const ObjectKey& key, const Waiting& waiting,
                     const std::string& node) {
  const json::object* found = access().find(key);
  if (!found) {
    cluster.waiting.erase(key);
    return;
  }
  for (const auto& name : waiting.claims) {
    const ObjectKey claim_key{key.cluster, "", "persistentvolumeclaims", key.namespace_name, name};
    const json::object* claim = access().find(claim_key);
    if (!claim || phase_of(*claim) == "Bound") continue;
    json::object chosen = *claim;
    set_annotation(chosen, "volume.kubernetes.io/selected-node", node);
    store().put(claim_key, std::move(chosen));
  }
  json::object pod = *found;
  pod["spec"].get_object()["nodeName"] = node;
  json::value& status = pod["status"];
  if (!status.is_object()) status.emplace_object();
  set_condition(status.get_object(), {"PodScheduled", "True"}, access().now_text(), "lastProbeTime");
  // As the binding subresource does: the node of a pod can't be updated in another way.
  store().put(key, pod);
  events().record(
      key.cluster, pod,
      {.type = "Normal",
       .reason = "Scheduled",
       .message = fmt::format("Successfully assigned {}/{} to {}", key.namespace_name, key.name, node),
       .component = k_component});
}

bool Scheduler::say(Cluster& cluster, const ObjectKey& key, const std::string& message) {
  const json::object* pod = access().find(key);
  if (!pod) return false;
  const json::object* said = find_condition(*pod, "PodScheduled");
  if (said && member_text(*said, "message") == message) return false;
  if (said && !cluster.says_now) {
    if (!std::exchange(cluster.says_later, true)) later(all_of(key.cluster), "say", k_say_pause);
    return false;
  }
  json::object next = *pod;
  json::value& status = next["status"];
  if (!status.is_object()) status.emplace_object();
  set_condition(status.get_object(), {"PodScheduled", "False", "Unschedulable", message}, access().now_text(),
                "lastProbeTime");
  const json::object about = *pod;
  std::ignore = access().objects(key.cluster, k_scheduler).update_status(std::move(next));
  events().record(
      key.cluster, about,
      {.type = "Warning", .reason = "FailedScheduling", .message = message, .component = k_component});
  return true;
}

}  // namespace instantstart::sandbox::kubernetes
