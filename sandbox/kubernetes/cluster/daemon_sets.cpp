#include "sandbox/kubernetes/cluster/daemon_sets.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "sandbox/kubernetes/api/metadata.h"
#include "sandbox/kubernetes/cluster/workload.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr std::string_view k_component = "daemonset-controller";
constexpr std::string_view k_hash = "controller-revision-hash";
constexpr seconds k_retry{5};
/// Each of them marks the set again, so it goes on soon.
constexpr std::size_t k_at_once = 50;

/// AddOrUpdateDaemonPodTolerations.
void tolerate_bad_nodes(json::object& spec) {
  struct Row {
    std::string_view key;
    std::string_view effect;
  };
  constexpr std::array<Row, 6> k_rows{{{"node.kubernetes.io/not-ready", "NoExecute"},
                                       {"node.kubernetes.io/unreachable", "NoExecute"},
                                       {"node.kubernetes.io/disk-pressure", "NoSchedule"},
                                       {"node.kubernetes.io/memory-pressure", "NoSchedule"},
                                       {"node.kubernetes.io/pid-pressure", "NoSchedule"},
                                       {"node.kubernetes.io/unschedulable", "NoSchedule"}}};
  json::value& list = spec["tolerations"];
  if (!list.is_array()) list.emplace_array();
  const auto add = [&list](std::string_view key, std::string_view effect) {
    list.get_array().emplace_back(json::object{{"key", key}, {"operator", "Exists"}, {"effect", effect}});
  };
  for (const auto& row : k_rows) add(row.key, row.effect);
  if (is_true_at(spec, "hostNetwork")) add("node.kubernetes.io/network-unavailable", "NoSchedule");
}

/// The pod runs on that node or nowhere (ReplaceDaemonSetPodNodeNameNodeAffinity).
void pin(json::object& spec, std::string_view node) {
  const json::object field{{"key", "metadata.name"}, {"operator", "In"}, {"values", json::array{node}}};
  json::value& affinity = spec["affinity"];
  if (!affinity.is_object()) affinity.emplace_object();
  json::value& nodes = affinity.get_object()["nodeAffinity"];
  if (!nodes.is_object()) nodes.emplace_object();
  nodes.get_object()["requiredDuringSchedulingIgnoredDuringExecution"] =
      json::object{{"nodeSelectorTerms", json::array{json::object{{"matchFields", json::array{field}}}}}};
}

std::string pinned_node(const json::object& pod) {
  const auto bound = member_text(member_object(pod, "spec"), "nodeName");
  return bound.empty() ? PodDemands::of(pod).only_node : std::string(bound);
}

json::object pod_for(const json::object& set, std::string_view node, const std::string& hash) {
  json::object pod = pod_of_template(set, member_object(member_object(set, "spec"), "template"));
  metadata_of(pod)["generateName"] = fmt::format("{}-", name_of(set));
  set_label(pod, k_hash, hash);
  set_label(pod, "pod-template-generation", std::to_string(number_at(metadata_of(set), "generation")));
  json::object& spec = pod["spec"].get_object();
  tolerate_bad_nodes(spec);
  pin(spec, node);
  return pod;
}

}  // namespace

void DaemonSets::notice(const Change& change) {
  if (change.key.group == "apps" && change.key.resource == "daemonsets") mark(change.key);
  if (!change.key.group.empty()) return;
  if (change.key.resource == "pods") mark_controller(change, "DaemonSet", "apps", "daemonsets");
  if (change.key.resource != "nodes") return;
  const bool matters = !change.before || change.kind == ChangeKind::deleted ||
                       member_object(*change.before, "spec") != member_object(*change.object, "spec") ||
                       member_object(metadata_of(*change.before), "labels") !=
                           member_object(metadata_of(*change.object), "labels");
  if (!matters) return;
  for (const auto* set : store().list(change.key.cluster, "apps", "daemonsets", "")) mark(set->key());
}

std::map<std::string, DaemonSets::Node> DaemonSets::nodes_of(const ObjectKey& key, const json::object& set) {
  json::object sample = pod_for(set, "", "");
  json::object& spec = sample["spec"].get_object();
  if (const auto* given = member_object(member_object(member_object(set, "spec"), "template"), "spec")
                              .if_contains("affinity")) {
    spec["affinity"] = *given;
  } else {
    spec.erase("affinity");
  }
  const PodDemands demands = PodDemands::of(sample);
  std::map<std::string, Node> nodes;
  for (const auto* stored : store().list(key.cluster, "", "nodes", "")) {
    Node node{.view = {.name = stored->name,
                       .labels = member_object(metadata_of(stored->body), "labels"),
                       .taints = taints_of(stored->body)}};
    const bool selected = selects(demands, node.view);
    const Taint* taint = untolerated(demands, node.view);
    const bool evicts = std::ranges::any_of(node.view.taints, [&demands](const Taint& one) {
      return one.effect == "NoExecute" && !is_tolerated(one, demands.tolerations);
    });
    node.wanted = selected && !taint;
    node.kept = selected && !evicts;
    nodes.emplace(stored->name, std::move(node));
  }
  for (const auto* pod : owned_objects(store(), key, uid_of(set), "", "pods")) {
    const auto found = nodes.find(pinned_node(*pod));
    if (found != nodes.end()) found->second.pods.push_back(pod);
  }
  return nodes;
}

void DaemonSets::sync(const ObjectKey& key) {
  const json::object* found = access().find(key);
  if (!found) return;
  const json::object set = *found;
  if (is_deleting(set)) return;
  const json::object& spec = member_object(set, "spec");
  const std::string hash = template_hash(spec.at("template"));
  const json::object& rolling = member_object(member_object(spec, "updateStrategy"), "rollingUpdate");
  const bool rolls = member_text(member_object(spec, "updateStrategy"), "type") != "OnDelete";
  std::vector<std::string> to_make;
  std::vector<std::string> to_remove;
  std::vector<std::string> outdated;
  std::int64_t wanted = 0;
  std::int64_t unavailable = 0;
  for (auto& [name, node] : nodes_of(key, set)) {
    std::erase_if(node.pods, [&](const json::object* pod) {
      if (has_ended(*pod) && !is_deleting(*pod)) to_remove.emplace_back(name_of(*pod));
      return has_ended(*pod) && !is_deleting(*pod);
    });
    wanted += node.wanted;
    if (!node.kept) {
      for (const auto* pod : node.pods) {
        if (!is_deleting(*pod)) to_remove.emplace_back(name_of(*pod));
      }
      continue;
    }
    if (node.pods.empty()) {
      if (node.wanted) to_make.push_back(name);
      unavailable += node.wanted;
      continue;
    }
    for (std::size_t i = 1; i < node.pods.size(); ++i) {
      if (!is_deleting(*node.pods[i]) && !is_deleting(*node.pods[0])) {
        to_remove.emplace_back(name_of(*node.pods[i]));
      }
    }
    const json::object& pod = *node.pods[0];
    const bool ready = is_ready_pod(pod) && !is_deleting(pod);
    unavailable += !ready;
    if (is_deleting(pod) || label_of(pod, k_hash) == hash) continue;
    // What isn't ready anyway is replaced at once.
    if (ready) {
      outdated.emplace_back(name_of(pod));
    } else if (rolls) {
      to_remove.emplace_back(name_of(pod));
    }
  }
  const std::int64_t may = scaled_value(rolling, "maxUnavailable", wanted, true, 1);
  for (const auto& name : outdated) {
    if (!rolls || unavailable >= may) break;
    ++unavailable;
    to_remove.push_back(name);
  }
  for (const auto& name : to_remove) delete_pod(key, set, name, k_component);
  if (to_make.size() > k_at_once) to_make.resize(k_at_once);
  for (const auto& node : to_make) {
    const auto made = objects(key).create(pod_for(set, node, hash));
    events().record(key.cluster, set,
                    {.type = made ? "Normal" : "Warning",
                     .reason = made ? "SuccessfulCreate" : "FailedCreate",
                     .message = made ? fmt::format("Created pod: {}", name_of(*made))
                                     : fmt::format("Error creating: {}", made.error().message),
                     .component = k_component});
    if (made) continue;
    later(key, "retry", k_retry);
    break;
  }
  write_status(key);
}

void DaemonSets::write_status(const ObjectKey& key) {
  const json::object* set = access().find(key);
  if (!set) return;
  const std::string hash = template_hash(member_object(*set, "spec").at("template"));
  std::int64_t desired = 0;
  std::int64_t current = 0;
  std::int64_t misplaced = 0;
  std::int64_t ready = 0;
  std::int64_t updated = 0;
  for (const auto& [name, node] : nodes_of(key, *set)) {
    const auto pod =
        std::ranges::find_if(node.pods, [](const json::object* one) { return is_active_pod(*one); });
    const bool has = pod != node.pods.end();
    const bool counts = node.wanted || (has && node.kept);
    desired += counts;
    if (!has) continue;
    current += counts;
    misplaced += !counts;
    if (!counts) continue;
    ready += is_ready_pod(**pod);
    updated += label_of(**pod, k_hash) == hash;
  }
  json::object next = *set;
  next["status"] = json::object{{"currentNumberScheduled", current},
                                {"numberMisscheduled", misplaced},
                                {"desiredNumberScheduled", desired},
                                {"numberReady", ready},
                                {"observedGeneration", number_at(metadata_of(*set), "generation")},
                                {"updatedNumberScheduled", updated},
                                {"numberAvailable", ready},
                                {"numberUnavailable", desired - ready}};
  json::object& status = next["status"].get_object();
  for (const auto member : {"updatedNumberScheduled", "numberAvailable", "numberUnavailable"}) {
    if (status[member] == json::value(0)) status.erase(member);
  }
  if (next != *set) std::ignore = objects(key).update_status(std::move(next));
}

}  // namespace instantstart::sandbox::kubernetes
