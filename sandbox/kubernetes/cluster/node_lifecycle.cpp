#include "sandbox/kubernetes/cluster/node_lifecycle.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "sandbox/kubernetes/api/metadata.h"
#include "sandbox/kubernetes/cluster/node_filters.h"
#include "sandbox/kubernetes/cluster/workload.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr std::string_view k_health_label = "sagemaker.amazonaws.com/node-health-status";
constexpr std::string_view k_taint = "taint";

ObjectKey node_of(const std::string& cluster, std::string_view node) {
  return {cluster, "", "nodes", "", std::string(node)};
}

/// How long the pod stays: nullopt for ever, zero not at all.
std::optional<seconds> stay_of(const json::object& pod, const json::object& node) {
  const auto tolerations = tolerations_of(member_object(pod, "spec"));
  std::optional<seconds> stay;
  for (const auto& taint : taints_of(node)) {
    if (taint.effect != "NoExecute") continue;
    bool tolerated = false;
    for (const auto& one : tolerations) {
      if (!one.tolerates(taint)) continue;
      tolerated = true;
      if (!one.seconds) continue;
      const seconds wait(std::max<std::int64_t>(0, *one.seconds));
      stay = stay ? std::min(*stay, wait) : wait;
    }
    if (!tolerated) return seconds(0);
  }
  return stay;
}

}  // namespace

void NodeLifecycle::forget() {
  Controller::forget();
  pods_.clear();
}

void NodeLifecycle::notice(const Change& change) {
  if (!change.key.group.empty()) return;
  if (change.key.resource == "nodes") {
    const bool same = change.before && change.kind == ChangeKind::modified &&
                      member_array(member_object(*change.before, "spec"), "taints") ==
                          member_array(member_object(*change.object, "spec"), "taints") &&
                      label_of(*change.before, k_health_label) == label_of(*change.object, k_health_label);
    if (!same) mark(change.key);
  }
  if (change.key.resource != "pods") return;
  const auto node = member_text(member_object(*change.object, "spec"), "nodeName");
  if (node.empty()) return;
  const ObjectKey key = node_of(change.key.cluster, node);
  if (change.kind == ChangeKind::deleted) {
    const auto found = pods_.find(key);
    if (found == pods_.end()) return;
    found->second.erase(change.key);
    if (found->second.empty()) pods_.erase(found);
    return;
  }
  // Bound to a node that may be gone or tainted already.
  if (pods_[key].insert(change.key).second) mark(change.key);
}

void NodeLifecycle::sync(const ObjectKey& key) {
  if (key.resource == "pods") {
    const json::object* pod = access().find(key);
    if (!pod) return;
    const ObjectKey node_key = node_of(key.cluster, member_text(member_object(*pod, "spec"), "nodeName"));
    const json::object* node = access().find(node_key);
    if (!node) return remove(key, true);
    if (const auto stay = stay_of(*pod, *node)) {
      if (*stay == seconds(0)) return remove(key, false);
      later(key, k_taint, *stay);
    }
    return;
  }
  const json::object* node = access().find(key);
  if (!node) {
    const auto found = pods_.find(key);
    if (found == pods_.end()) return;
    const auto pods = found->second;
    for (const auto& pod : pods) remove(pod, true);
    return;
  }
  const json::object copy = *node;
  evict(key, copy);
  tell_health(key, copy);
}

void NodeLifecycle::evict(const ObjectKey& node_key, const json::object& node) {
  const auto found = pods_.find(node_key);
  if (found == pods_.end()) return;
  const auto pods = found->second;
  for (const auto& key : pods) {
    const json::object* pod = access().find(key);
    if (!pod || is_deleting(*pod)) continue;
    const auto stay = stay_of(*pod, node);
    if (!stay) continue;
    if (*stay == seconds(0)) {
      remove(key, false);
    } else {
      later(key, k_taint, *stay);
    }
  }
}

void NodeLifecycle::due(const ObjectKey& key, std::string_view) {
  const json::object* pod = access().find(key);
  if (!pod || is_deleting(*pod)) return;
  const json::object* node =
      access().find(node_of(key.cluster, member_text(member_object(*pod, "spec"), "nodeName")));
  // The taint may have gone meanwhile.
  if (node && stay_of(*pod, *node)) remove(key, false);
}

void NodeLifecycle::remove(const ObjectKey& key, bool at_once) {
  const json::object* pod = access().find(key);
  if (!pod) return;
  if (!at_once) {
    const json::object about = *pod;
    events().record(key.cluster, about,
                    {.type = "Normal",
                     .reason = "TaintManagerEviction",
                     .message = fmt::format("Marking for deletion Pod {}/{}", key.namespace_name, key.name),
                     .component = "taint-eviction-controller"});
  }
  DeleteOptions options;
  if (at_once) options.grace_seconds = 0;
  std::ignore = objects(key).remove("", "pods", key.namespace_name, key.name, options);
}

/// A user asks for a reboot or a replacement by the label.
void NodeLifecycle::tell_health(const ObjectKey& key, const json::object& node) {
  const NodeRecord* record = kubelet_.find_node(key.cluster, key.name);
  const std::string label(label_of(node, k_health_label));
  if (!record || record->health_label == label) return;
  kubelet_.edit_node(key.cluster, key.name, [&label](NodeRecord& one) { one.health_label = label; });
  if (watcher_ && !label.empty()) watcher_->health_status_labelled(key.cluster, key.name, label);
}

}  // namespace instantstart::sandbox::kubernetes
