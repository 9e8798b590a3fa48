#include "sandbox/kubernetes/cluster/nodes.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "sandbox/kubernetes/api/metadata.h"
#include "sandbox/kubernetes/cluster/workload.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr std::string_view k_unreachable = "node.kubernetes.io/unreachable";
constexpr std::string_view k_unschedulable = "node.kubernetes.io/unschedulable";

json::object quantities(const std::map<std::string, std::string>& amounts) {
  json::object object;
  for (const auto& [name, amount] : amounts) object[name] = amount;
  return object;
}

json::object texts(const std::map<std::string, std::string>& entries) {
  json::object object;
  for (const auto& [name, text] : entries) object[name] = text;
  return object;
}

json::object taint_object(const NodeTaint& taint) {
  json::object object{{"key", taint.key}};
  if (!taint.value.empty()) object["value"] = taint.value;
  object["effect"] = taint.effect;
  return object;
}

bool is_taint(const json::value& value, std::string_view key, std::string_view effect) {
  const auto* one = value.if_object();
  return one && member_text(*one, "key") == key && member_text(*one, "effect") == effect;
}

json::array& taints_in(json::object& node) {
  json::value& spec = node["spec"];
  if (!spec.is_object()) spec.emplace_object();
  json::value& taints = spec.get_object()["taints"];
  if (!taints.is_array()) taints.emplace_array();
  return taints.get_array();
}

void remove_taint(json::object& node, std::string_view key, std::string_view effect) {
  json::array left;
  for (const auto& value : taints_in(node)) {
    if (!is_taint(value, key, effect)) left.push_back(value);
  }
  if (left.empty()) {
    node["spec"].get_object().erase("taints");
  } else {
    node["spec"].get_object()["taints"] = std::move(left);
  }
}

void add_taint(json::object& node, const NodeTaint& taint, std::string_view now = {}) {
  remove_taint(node, taint.key, taint.effect);
  json::object object = taint_object(taint);
  if (!now.empty() && taint.effect == "NoExecute") object["timeAdded"] = now;
  taints_in(node).emplace_back(std::move(object));
}

json::object& status_in(json::object& node) {
  json::value& status = node["status"];
  if (!status.is_object()) status.emplace_object();
  return status.get_object();
}

bool is_of_daemon(const json::object& pod) {
  const auto owner = controller_of(pod);
  return owner && owner->kind == "DaemonSet";
}

void change_entries(json::object& node, std::string_view map,
                    const std::map<std::string, std::string>& changes) {
  if (changes.empty()) return;
  json::value& entries = metadata_of(node)[map];
  if (!entries.is_object()) entries.emplace_object();
  for (const auto& [key, value] : changes) {
    if (value.empty()) {
      entries.get_object().erase(key);
    } else {
      entries.get_object()[key] = value;
    }
  }
}

}  // namespace

json::object node_object(const NodeSpec& spec, std::string_view now, std::string_view seed) {
  json::object labels = texts(spec.labels);
  for (const auto& [key, value] :
       {std::pair<std::string_view, std::string_view>("kubernetes.io/hostname", spec.hostname),
        {"kubernetes.io/os", "linux"},
        {"kubernetes.io/arch", "amd64"},
        {"beta.kubernetes.io/os", "linux"},
        {"beta.kubernetes.io/arch", "amd64"}}) {
    if (!labels.contains(key)) labels[key] = value;
  }
  json::object node{{"apiVersion", "v1"},
                    {"kind", "Node"},
                    {"metadata", json::object{{"name", spec.name}, {"labels", std::move(labels)}}},
                    {"spec", json::object{{"providerID", spec.provider_id}}}};
  if (!spec.annotations.empty()) metadata_of(node)["annotations"] = texts(spec.annotations);
  for (const auto& taint : spec.taints) add_taint(node, taint);
  json::object& status = status_in(node);
  status["capacity"] = quantities(spec.capacity);
  status["allocatable"] = quantities(spec.allocatable);
  struct Row {
    std::string_view type;
    std::string_view status;
    std::string_view reason;
    std::string_view message;
  };
  constexpr std::array<Row, 4> k_rows{
      {{"MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"},
       {"DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"},
       {"PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"},
       {"Ready", "True", "KubeletReady", "kubelet is posting ready status"}}};
  for (const auto& row : k_rows) {
    set_condition(
        status,
        {std::string(row.type), std::string(row.status), std::string(row.reason), std::string(row.message)},
        now, "lastHeartbeatTime");
  }
  status["addresses"] = json::array{json::object{{"type", "InternalIP"}, {"address", spec.internal_ip}},
                                    json::object{{"type", "Hostname"}, {"address", spec.hostname}},
                                    json::object{{"type", "InternalDNS"}, {"address", spec.hostname}}};
  status["daemonEndpoints"] = json::object{{"kubeletEndpoint", json::object{{"Port", 10250}}}};
  status["nodeInfo"] = json::object{{"machineID", seed},
                                    {"systemUUID", seed},
                                    {"bootID", seed},
                                    {"kernelVersion", "6.1.155-176.282.amzn2023.x86_64"},
                                    {"osImage", spec.os_image},
                                    {"containerRuntimeVersion", "containerd://2.1.5"},
                                    {"kubeletVersion", spec.kubelet_version},
                                    {"kubeProxyVersion", ""},
                                    {"operatingSystem", "linux"},
                                    {"architecture", "amd64"}};
  return node;
}

void change_node(json::object& node, const NodeUpdate& change, std::string_view now) {
  change_entries(node, "labels", change.labels);
  change_entries(node, "annotations", change.annotations);
  for (const auto& taint : change.taints_removed) remove_taint(node, taint.key, taint.effect);
  for (const auto& taint : change.taints_added) add_taint(node, taint, now);
  json::object& status = status_in(node);
  for (const auto& condition : change.conditions) {
    if (!condition.status.empty()) {
      set_condition(status, {condition.type, condition.status, condition.reason, condition.message}, now,
                    "lastHeartbeatTime");
      continue;
    }
    json::array left;
    for (const auto& value : member_array(status, "conditions")) {
      if (!value.is_object() || member_text(value.get_object(), "type") != condition.type)
        left.push_back(value);
    }
    status["conditions"] = std::move(left);
  }
}

bool Nodes::is_open(std::string_view cluster_id) const {
  return access_.attached() && access_.store().find_cluster(cluster_id) != nullptr;
}

ObjectKey Nodes::key_of(std::string_view cluster_id, std::string_view node) {
  return {std::string(cluster_id), "", "nodes", "", std::string(node)};
}

/// What the cloud and the kubelet write is both metadata, spec and status; so it is put in one.
void Nodes::put(const ObjectKey& key, json::object node) {
  const json::object* before = access_.find(key);
  if (before && *before != node) access_.store().put(key, std::move(node));
}

std::vector<std::string> Nodes::missing_dependencies(std::string_view cluster_id) const {
  struct Row {
    std::string_view chart;
    std::string_view group;
    std::string_view resource;
    std::string_view namespace_name;
    std::string_view name;
  };
  constexpr std::string_view k_rbac = "rbac.authorization.k8s.io";
  constexpr std::array<Row, 4> k_rows{
      {{"health-monitoring-agent", "apps", "daemonsets", "aws-hyperpod", "health-monitoring-agent"},
       {"deep-health-check", k_rbac, "clusterroles", "", "deep-health-check-service-account-role"},
       {"job-auto-restart", k_rbac, "clusterroles", "", "job-auto-restart"},
       {"hyperpod-patching", k_rbac, "clusterroles", "", "hyperpod-patching"}}};
  std::vector<std::string> missing;
  for (const auto& row : k_rows) {
    const ObjectKey key{std::string(cluster_id), std::string(row.group), std::string(row.resource),
                        std::string(row.namespace_name), std::string(row.name)};
    if (!is_open(cluster_id) || !access_.find(key)) missing.emplace_back(row.chart);
  }
  return missing;
}

void Nodes::join(std::string_view cluster_id, const NodeSpec& node) {
  if (!is_open(cluster_id)) return;
  leave(cluster_id, node.name);
  const std::string cluster(cluster_id);
  kubelet_.add_node(cluster, node.name,
                    {.reachable = true, .internal_ip = node.internal_ip, .images = {}, .health_label = {}});
  const auto health = node.labels.find("sagemaker.amazonaws.com/node-health-status");
  if (health != node.labels.end()) {
    kubelet_.edit_node(cluster, node.name, [&](NodeRecord& record) { record.health_label = health->second; });
  }
  const auto made = access_.objects(cluster, k_kubelet)
                        .create(node_object(node, access_.now_text(), access_.world().make_request_id()));
  if (!made) return;
  events_.record(cluster, *made,
                 {.type = "Normal",
                  .reason = "Starting",
                  .message = "Starting kubelet.",
                  .component = k_kubelet,
                  .host = node.name});
  events_.record(
      cluster, *made,
      {.type = "Normal",
       .reason = "RegisteredNode",
       .message = fmt::format("Node {} event: Registered Node {} in Controller", node.name, node.name),
       .component = "node-controller"});
  events_.record(cluster, *made,
                 {.type = "Normal",
                  .reason = "NodeReady",
                  .message = fmt::format("Node {} status is now: NodeReady", node.name),
                  .component = k_kubelet,
                  .host = node.name});
}

void Nodes::update(std::string_view cluster_id, std::string_view node, const NodeUpdate& change) {
  if (!is_open(cluster_id)) return;
  const ObjectKey key = key_of(cluster_id, node);
  const json::object* found = access_.find(key);
  if (!found) return;
  json::object next = *found;
  change_node(next, change, access_.now_text());
  // HyperPod's own words are no request of a user.
  kubelet_.edit_node(cluster_id, node, [&](NodeRecord& record) {
    record.health_label = label_of(next, "sagemaker.amazonaws.com/node-health-status");
  });
  put(key, std::move(next));
}

void Nodes::cordon(const ObjectKey& key, bool off) {
  const json::object* found = access_.find(key);
  if (!found) return;
  json::object node = *found;
  if (off) {
    add_taint(node, {std::string(k_unschedulable), "", "NoSchedule"});
    node["spec"].get_object()["unschedulable"] = true;
  } else {
    remove_taint(node, k_unschedulable, "NoSchedule");
    node["spec"].get_object().erase("unschedulable");
  }
  put(key, std::move(node));
}

std::vector<const StoredObject*> Nodes::pods_on(std::string_view cluster_id, std::string_view node) const {
  auto pods = access_.store().list(cluster_id, "", "pods", "");
  std::erase_if(pods, [node](const StoredObject* pod) {
    return member_text(member_object(pod->body, "spec"), "nodeName") != node;
  });
  return pods;
}

void Nodes::drain(std::string_view cluster_id, std::string_view node) {
  if (!is_open(cluster_id)) return;
  cordon(key_of(cluster_id, node), true);
  std::vector<ObjectKey> pods;
  for (const auto* pod : pods_on(cluster_id, node)) {
    if (!is_of_daemon(pod->body) && !is_deleting(pod->body) && !has_ended(pod->body))
      pods.push_back(pod->key());
  }
  for (const auto& key : pods) {
    std::ignore =
        access_.objects(key.cluster, k_controller_manager).remove("", "pods", key.namespace_name, key.name);
  }
}

bool Nodes::is_drained(std::string_view cluster_id, std::string_view node) const {
  if (!is_open(cluster_id)) return true;
  return std::ranges::all_of(pods_on(cluster_id, node), [](const StoredObject* pod) {
    return is_of_daemon(pod->body) || has_ended(pod->body);
  });
}

void Nodes::uncordon(std::string_view cluster_id, std::string_view node) {
  if (is_open(cluster_id)) cordon(key_of(cluster_id, node), false);
}

void Nodes::set_reachable(std::string_view cluster_id, std::string_view node, bool reachable,
                          std::string_view reason) {
  if (!is_open(cluster_id)) return;
  const ObjectKey key = key_of(cluster_id, node);
  const json::object* found = access_.find(key);
  const NodeRecord* record = kubelet_.find_node(cluster_id, node);
  if (!found || !record || record->reachable == reachable) return;
  const std::string now = access_.now_text();
  kubelet_.edit_node(cluster_id, node, [reachable](NodeRecord& one) { one.reachable = reachable; });
  json::object next = *found;
  if (reachable) {
    set_condition(status_in(next), {"Ready", "True", "KubeletReady", "kubelet is posting ready status"}, now,
                  "lastHeartbeatTime");
    remove_taint(next, k_unreachable, "NoSchedule");
    remove_taint(next, k_unreachable, "NoExecute");
  } else {
    set_condition(status_in(next),
                  {"Ready", "Unknown", reason.empty() ? "NodeStatusUnknown" : std::string(reason),
                   "Kubelet stopped posting node status."},
                  now, "lastHeartbeatTime");
    add_taint(next, {std::string(k_unreachable), "", "NoSchedule"});
    add_taint(next, {std::string(k_unreachable), "", "NoExecute"}, now);
  }
  put(key, std::move(next));
  if (reachable) {
    kubelet_.restart_node(key.cluster, key.name);
    return;
  }
  events_.record(key.cluster, *access_.find(key),
                 {.type = "Normal",
                  .reason = "NodeNotReady",
                  .message = fmt::format("Node {} status is now: NodeNotReady", node),
                  .component = "node-controller"});
  std::vector<ObjectKey> pods;
  for (const auto* pod : pods_on(cluster_id, node)) pods.push_back(pod->key());
  for (const auto& pod_key : pods) {
    json::object pod = *access_.find(pod_key);
    if (!is_ready_pod(pod)) continue;
    set_condition(status_in(pod), {"Ready", "False", "NodeNotReady", "Node is not ready"}, now,
                  "lastProbeTime");
    std::ignore = access_.objects(pod_key.cluster, k_controller_manager).update_status(std::move(pod));
  }
}

void Nodes::remove_pods(std::string_view cluster_id, std::string_view node) {
  std::vector<ObjectKey> pods;
  for (const auto* pod : pods_on(cluster_id, node)) pods.push_back(pod->key());
  for (const auto& key : pods) {
    std::ignore = access_.objects(key.cluster, k_controller_manager)
                      .remove("", "pods", key.namespace_name, key.name, {.grace_seconds = 0});
  }
}

void Nodes::leave(std::string_view cluster_id, std::string_view node) {
  kubelet_.remove_node(std::string(cluster_id), std::string(node));
  if (!is_open(cluster_id)) return;
  const ObjectKey key = key_of(cluster_id, node);
  remove_pods(cluster_id, node);
  std::ignore = access_.objects(key.cluster, k_controller_manager).remove("", "nodes", "", key.name);
}

}  // namespace instantstart::sandbox::kubernetes
