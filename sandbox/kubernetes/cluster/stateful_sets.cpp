#include "sandbox/kubernetes/cluster/stateful_sets.h"

#include <algorithm>
#include <charconv>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "sandbox/kubernetes/api/metadata.h"
#include "sandbox/kubernetes/cluster/workload.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr std::string_view k_component = "statefulset-controller";
constexpr std::string_view k_hash = "controller-revision-hash";
constexpr seconds k_retry{5};

const json::object& spec_of(const json::object& set) { return member_object(set, "spec"); }

std::int64_t wanted(const json::object& set) { return number_at(spec_of(set), "replicas", 1); }

bool in_parallel(const json::object& set) {
  return member_text(spec_of(set), "podManagementPolicy") == "Parallel";
}

std::string pod_name(const ObjectKey& set, std::int64_t ordinal) {
  return fmt::format("{}-{}", set.name, ordinal);
}

std::int64_t ordinal_of(const json::object& pod) {
  const auto name = name_of(pod);
  const auto dash = name.rfind('-');
  std::int64_t ordinal = -1;
  if (dash != std::string_view::npos)
    std::from_chars(name.data() + dash + 1, name.data() + name.size(), ordinal);
  return ordinal;
}

std::int64_t first_ordinal(const json::object& set) {
  return number_at(member_object(spec_of(set), "ordinals"), "start", 0);
}

}  // namespace

void StatefulSets::notice(const Change& change) {
  if (change.key.group == "apps" && change.key.resource == "statefulsets") mark(change.key);
  if (change.key.group.empty() && change.key.resource == "pods") {
    mark_controller(change, "StatefulSet", "apps", "statefulsets");
  }
}

void StatefulSets::sync(const ObjectKey& key) {
  const json::object* found = access().find(key);
  if (!found) return;
  const json::object set = *found;
  const std::string revision = fmt::format("{}-{}", key.name, template_hash(spec_of(set).at("template")));
  if (!is_deleting(set)) {
    keep_pods(key, set, revision);
    update_pods(key, set, revision);
  }
  write_status(key, revision);
}

bool StatefulSets::make_claims(const ObjectKey& key, const json::object& set, std::int64_t ordinal) {
  for (const auto& value : member_array(spec_of(set), "volumeClaimTemplates")) {
    const auto* given = value.if_object();
    if (!given) continue;
    const std::string name = fmt::format("{}-{}", name_of(*given), pod_name(key, ordinal));
    if (access().find({key.cluster, "", "persistentvolumeclaims", key.namespace_name, name})) continue;
    json::object claim{{"apiVersion", "v1"},
                       {"kind", "PersistentVolumeClaim"},
                       {"metadata", json::object{{"name", name}, {"namespace", key.namespace_name}}},
                       {"spec", member_object(*given, "spec")}};
    const json::object& labels = member_object(member_object(spec_of(set), "selector"), "matchLabels");
    for (const auto& [label, text] : labels) {
      if (text.is_string()) set_label(claim, label, std::string_view(text.get_string()));
    }
    if (!objects(key).create(std::move(claim))) return false;
  }
  return true;
}

bool StatefulSets::make_pod(const ObjectKey& key, const json::object& set, std::int64_t ordinal,
                            const std::string& revision) {
  const std::string name = pod_name(key, ordinal);
  json::object pod = pod_of_template(set, member_object(spec_of(set), "template"));
  metadata_of(pod)["name"] = name;
  set_label(pod, "statefulset.kubernetes.io/pod-name", name);
  set_label(pod, "apps.kubernetes.io/pod-index", std::to_string(ordinal));
  set_label(pod, k_hash, revision);
  json::object& spec = pod["spec"].get_object();
  spec["hostname"] = name;
  if (const auto service = member_text(spec_of(set), "serviceName"); !service.empty())
    spec["subdomain"] = service;
  json::array volumes;
  for (const auto& value : member_array(spec_of(set), "volumeClaimTemplates")) {
    if (!value.is_object()) continue;
    const auto volume = name_of(value.get_object());
    volumes.emplace_back(json::object{
        {"name", volume},
        {"persistentVolumeClaim", json::object{{"claimName", fmt::format("{}-{}", volume, name)}}}});
  }
  for (const auto& value : member_array(spec, "volumes")) volumes.push_back(value);
  if (!volumes.empty()) spec["volumes"] = std::move(volumes);
  const bool claimed = make_claims(key, set, ordinal);
  const auto made = objects(key).create(std::move(pod));
  events().record(key.cluster, set,
                  {.type = made ? "Normal" : "Warning",
                   .reason = made ? "SuccessfulCreate" : "FailedCreate",
                   .message = made ? fmt::format("create Pod {} in StatefulSet {} successful", name, key.name)
                                   : fmt::format("create Pod {} in StatefulSet {} failed error: {}", name,
                                                 key.name, made.error().message),
                   .component = k_component});
  if (!made || !claimed) later(key, "retry", k_retry);
  return made.has_value();
}

void StatefulSets::remove_pod(const ObjectKey& key, const json::object& set, const std::string& name) {
  if (!objects(key).remove("", "pods", key.namespace_name, name)) return;
  events().record(key.cluster, set,
                  {.type = "Normal",
                   .reason = "SuccessfulDelete",
                   .message = fmt::format("delete Pod {} in StatefulSet {} successful", name, key.name),
                   .component = k_component});
}

/// One at a time, upwards, each when all before it are ready; downwards from the last.
void StatefulSets::keep_pods(const ObjectKey& key, const json::object& set, const std::string& revision) {
  const std::int64_t first = first_ordinal(set);
  const std::int64_t end = first + wanted(set);
  const bool parallel = in_parallel(set);
  for (std::int64_t ordinal = first; ordinal < end; ++ordinal) {
    const std::string name = pod_name(key, ordinal);
    const json::object* pod = access().find({key.cluster, "", "pods", key.namespace_name, name});
    if (pod && has_ended(*pod) && !is_deleting(*pod)) {
      remove_pod(key, set, name);
      pod = access().find({key.cluster, "", "pods", key.namespace_name, name});
    }
    if (!pod) {
      if (!make_pod(key, set, ordinal, revision) || !parallel) return;
      continue;
    }
    if (!parallel && (is_deleting(*pod) || !is_ready_pod(*pod))) return;
  }
  std::vector<std::pair<std::int64_t, std::string>> surplus;
  for (const auto* pod : owned_objects(store(), key, uid_of(set), "", "pods")) {
    const std::int64_t ordinal = ordinal_of(*pod);
    if (ordinal < first || ordinal >= end) surplus.emplace_back(-ordinal, name_of(*pod));
  }
  std::ranges::sort(surplus);
  for (const auto& [order, name] : surplus) {
    const json::object* pod = access().find({key.cluster, "", "pods", key.namespace_name, name});
    if (pod && !is_deleting(*pod)) remove_pod(key, set, name);
    if (!parallel) return;
  }
}

/// From the last to the partition, each when the one after it is ready again.
void StatefulSets::update_pods(const ObjectKey& key, const json::object& set, const std::string& revision) {
  const json::object& strategy = member_object(spec_of(set), "updateStrategy");
  if (member_text(strategy, "type") == "OnDelete") return;
  const std::int64_t first = first_ordinal(set);
  const std::int64_t from = first + number_at(member_object(strategy, "rollingUpdate"), "partition", 0);
  for (std::int64_t ordinal = first + wanted(set) - 1; ordinal >= from; --ordinal) {
    const std::string name = pod_name(key, ordinal);
    const json::object* pod = access().find({key.cluster, "", "pods", key.namespace_name, name});
    if (!pod || is_deleting(*pod)) return;
    if (label_of(*pod, k_hash) != revision) {
      remove_pod(key, set, name);
      return;
    }
    if (!is_ready_pod(*pod)) return;
  }
}

void StatefulSets::write_status(const ObjectKey& key, const std::string& revision) {
  const json::object* set = access().find(key);
  if (!set) return;
  std::int64_t all = 0;
  std::int64_t ready = 0;
  std::int64_t updated = 0;
  std::int64_t current = 0;
  const json::object& before = member_object(*set, "status");
  std::string current_revision(member_text(before, "currentRevision"));
  if (current_revision.empty()) current_revision = revision;
  for (const auto* pod : owned_objects(store(), key, uid_of(*set), "", "pods")) {
    if (has_ended(*pod)) continue;
    ++all;
    ready += is_ready_pod(*pod);
    updated += label_of(*pod, k_hash) == revision;
    current += label_of(*pod, k_hash) == current_revision;
  }
  if (updated == wanted(*set) && all == updated && ready == all) {
    current_revision = revision;
    current = updated;
  }
  json::object next = *set;
  next["status"] = json::object{{"observedGeneration", number_at(metadata_of(*set), "generation")},
                                {"replicas", all},
                                {"readyReplicas", ready},
                                {"currentReplicas", current},
                                {"updatedReplicas", updated},
                                {"currentRevision", current_revision},
                                {"updateRevision", revision},
                                {"collisionCount", 0},
                                {"availableReplicas", ready}};
  if (next != *set) std::ignore = objects(key).update_status(std::move(next));
}

}  // namespace instantstart::sandbox::kubernetes
