#include "sandbox/kubernetes/cluster/replica_sets.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "sandbox/kubernetes/api/metadata.h"
#include "sandbox/kubernetes/cluster/workload.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr std::string_view k_component = "replicaset-controller";
constexpr seconds k_retry{5};
/// Each of them marks the set again, so it goes on soon.
constexpr std::int64_t k_at_once = 50;

/// Those that are worth least go first (ActivePods): without a node, pending, not ready, youngest.
bool goes_before(const json::object* a, const json::object* b) {
  const auto rank = [](const json::object* pod) {
    return std::tuple(!member_text(member_object(*pod, "spec"), "nodeName").empty(),
                      phase_of(*pod) != "Pending", is_ready_pod(*pod));
  };
  const auto born = [](const json::object* pod) {
    return member_text(metadata_of(*pod), "creationTimestamp");
  };
  if (rank(a) != rank(b)) return rank(a) < rank(b);
  if (born(a) != born(b)) return born(a) > born(b);
  return name_of(*a) > name_of(*b);
}

}  // namespace

void ReplicaSets::notice(const Change& change) {
  if (change.key.group == "apps" && change.key.resource == "replicasets") mark(change.key);
  if (change.key.group.empty() && change.key.resource == "pods") {
    mark_controller(change, "ReplicaSet", "apps", "replicasets");
  }
}

void ReplicaSets::sync(const ObjectKey& key) {
  const json::object* set = access().find(key);
  if (!set) return;
  std::optional<Status> failure;
  if (!is_deleting(*set)) {
    std::int64_t active = 0;
    for (const auto* pod : owned_objects(store(), key, uid_of(*set), "", "pods"))
      active += is_active_pod(*pod);
    const std::int64_t missing = number_at(member_object(*set, "spec"), "replicas", 1) - active;
    const json::object copy = *set;
    if (missing > 0) failure = add_pods(key, copy, std::min(missing, k_at_once));
    if (missing < 0) remove_pods(key, copy, -missing);
  }
  write_status(key, failure);
}

std::optional<Status> ReplicaSets::add_pods(const ObjectKey& key, const json::object& set,
                                            std::int64_t count) {
  const json::object& pod_template = member_object(member_object(set, "spec"), "template");
  for (std::int64_t i = 0; i < count; ++i) {
    json::object pod = pod_of_template(set, pod_template);
    metadata_of(pod)["generateName"] = fmt::format("{}-", key.name);
    auto made = objects(key).create(std::move(pod));
    if (!made) {
      events().record(key.cluster, set,
                      {.type = "Warning",
                       .reason = "FailedCreate",
                       .message = fmt::format("Error creating: {}", made.error().message),
                       .component = k_component});
      later(key, "retry", k_retry);
      return std::move(made.error());
    }
    events().record(key.cluster, set,
                    {.type = "Normal",
                     .reason = "SuccessfulCreate",
                     .message = fmt::format("Created pod: {}", name_of(*made)),
                     .component = k_component});
  }
  return std::nullopt;
}

void ReplicaSets::remove_pods(const ObjectKey& key, const json::object& set, std::int64_t count) {
  auto pods = owned_objects(store(), key, uid_of(set), "", "pods");
  std::erase_if(pods, [](const json::object* pod) { return !is_active_pod(*pod); });
  std::ranges::sort(pods, goes_before);
  std::vector<std::string> names;
  for (const auto* pod : pods) {
    if (std::ssize(names) < count) names.emplace_back(name_of(*pod));
  }
  for (const auto& name : names) delete_pod(key, set, name, k_component);
}

void ReplicaSets::write_status(const ObjectKey& key, const std::optional<Status>& failure) {
  const json::object* set = access().find(key);
  if (!set) return;
  const std::int64_t settle = number_at(member_object(*set, "spec"), "minReadySeconds");
  std::int64_t all = 0;
  std::int64_t ready = 0;
  std::int64_t available = 0;
  for (const auto* pod : owned_objects(store(), key, uid_of(*set), "", "pods")) {
    if (!is_active_pod(*pod)) continue;
    ++all;
    if (!is_ready_pod(*pod)) continue;
    ++ready;
    const auto since = access().since(member_text(*find_condition(*pod, "Ready"), "lastTransitionTime"));
    if (since >= seconds(settle)) {
      ++available;
    } else {
      later(key, "available", seconds(settle) - since);
    }
  }
  json::object next = *set;
  json::value& kept = next["status"];
  if (!kept.is_object()) kept.emplace_object();
  json::object& status = kept.get_object();
  status["replicas"] = all;
  status["fullyLabeledReplicas"] = all;
  status["readyReplicas"] = ready;
  status["availableReplicas"] = available;
  status["observedGeneration"] = number_at(metadata_of(*set), "generation");
  if (failure) {
    set_condition(status, {"ReplicaFailure", "True", "FailedCreate", failure->message}, access().now_text());
  } else if (number_at(member_object(*set, "spec"), "replicas", 1) <= all) {
    status.erase("conditions");
  }
  // It may be deleted meanwhile; nothing is left to say then.
  if (next != *set) std::ignore = objects(key).update_status(std::move(next));
}

}  // namespace instantstart::sandbox::kubernetes
