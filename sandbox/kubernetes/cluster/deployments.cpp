#include "sandbox/kubernetes/cluster/deployments.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "sandbox/kubernetes/api/metadata.h"
#include "sandbox/kubernetes/cluster/workload.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr std::string_view k_component = "deployment-controller";
constexpr std::string_view k_hash = "pod-template-hash";
constexpr std::string_view k_revision = "deployment.kubernetes.io/revision";
constexpr std::string_view k_deadline = "progress";

const json::object& spec_of(const json::object& object) { return member_object(object, "spec"); }

std::int64_t wanted(const json::object& object) { return number_at(spec_of(object), "replicas", 1); }

std::int64_t status_number(const json::object& object, std::string_view member) {
  return number_at(member_object(object, "status"), member);
}

std::int64_t revision_of(const json::object& object) {
  const auto text = annotation_of(object, k_revision);
  std::int64_t revision = 0;
  std::from_chars(text.data(), text.data() + text.size(), revision);
  return revision;
}

json::value without_hash(json::value pod_template) {
  auto* metadata = pod_template.is_object() ? pod_template.get_object().if_contains("metadata") : nullptr;
  auto* labels = metadata && metadata->is_object() ? metadata->get_object().if_contains("labels") : nullptr;
  if (labels && labels->is_object()) labels->get_object().erase(k_hash);
  return pod_template;
}

bool same_template(const json::object& set, const json::object& deployment) {
  const auto* mine = spec_of(set).if_contains("template");
  const auto* theirs = spec_of(deployment).if_contains("template");
  return mine && theirs && to_canonical_text(without_hash(*mine)) == to_canonical_text(*theirs);
}

struct Limits {
  std::int64_t surge = 0;
  std::int64_t unavailable = 0;
};

Limits limits_of(const json::object& deployment) {
  const json::object& strategy = spec_of(deployment);
  const json::object& rolling = member_object(member_object(strategy, "strategy"), "rollingUpdate");
  const std::int64_t replicas = wanted(deployment);
  Limits limits{scaled_value(rolling, "maxSurge", replicas, true, 1),
                scaled_value(rolling, "maxUnavailable", replicas, false, 0)};
  if (limits.surge == 0 && limits.unavailable == 0) limits.unavailable = 1;  // ResolveFenceposts
  limits.unavailable = std::min(limits.unavailable, replicas);
  return limits;
}

bool is_recreated(const json::object& deployment) {
  return member_text(member_object(spec_of(deployment), "strategy"), "type") == "Recreate";
}

}  // namespace

void Deployments::notice(const Change& change) {
  if (change.key.group != "apps") return;
  if (change.key.resource == "deployments") mark(change.key);
  if (change.key.resource == "replicasets") mark_controller(change, "Deployment", "apps", "deployments");
}

void Deployments::due(const ObjectKey& key, std::string_view purpose) {
  if (purpose == k_deadline) {
    write_status(key, true);
  } else {
    mark(key);
  }
}

Deployments::Sets Deployments::sets_of(const ObjectKey& key, const json::object& deployment) {
  Sets sets;
  auto all = owned_objects(store(), key, uid_of(deployment), "apps", "replicasets");
  std::erase_if(all, [](const json::object* set) { return is_deleting(*set); });
  std::ranges::sort(all, {},
                    [](const json::object* set) { return std::pair(revision_of(*set), name_of(*set)); });
  for (const auto* set : all) {
    if (!sets.current && same_template(*set, deployment)) {
      sets.current = set;
    } else {
      sets.old.push_back(set);
    }
  }
  return sets;
}

void Deployments::sync(const ObjectKey& key) {
  const json::object* found = access().find(key);
  if (!found) return;
  if (!is_deleting(*found)) {
    const json::object deployment = *found;
    roll_out(key, deployment);
  }
  write_status(key, false);
}

void Deployments::roll_out(const ObjectKey& key, const json::object& deployment) {
  const bool paused = is_true_at(spec_of(deployment), "paused");
  const Sets sets = sets_of(key, deployment);
  if (paused) {
    if (sets.current && sets.old.empty()) scale(key, deployment, *sets.current, wanted(deployment));
    return;
  }
  if (is_recreated(deployment)) {
    recreate(key, deployment);
  } else {
    if (!sets.current) make_set(key, deployment, sets);
    roll(key, deployment);
  }
  if (const Sets now = sets_of(key, deployment); now.current) keep_revision(key, deployment, now);
  remove_history(key, deployment);
}

void Deployments::make_set(const ObjectKey& key, const json::object& deployment, const Sets& sets) {
  const json::value& pod_template = spec_of(deployment).at("template");
  const std::string hash = template_hash(pod_template);
  std::int64_t revision = 1;
  for (const auto* set : sets.old) revision = std::max(revision, revision_of(*set) + 1);
  json::object set{
      {"apiVersion", "apps/v1"},
      {"kind", "ReplicaSet"},
      {"metadata",
       json::object{{"name", fmt::format("{}-{}", key.name, hash)},
                    {"namespace", key.namespace_name},
                    {"labels", member_object(member_object(pod_template.get_object(), "metadata"), "labels")},
                    {"ownerReferences", json::array{owner_reference(deployment)}}}}};
  for (const auto& [name, value] : member_object(metadata_of(deployment), "annotations")) {
    if (name == "kubectl.kubernetes.io/last-applied-configuration" || name == k_revision) continue;
    if (value.is_string()) set_annotation(set, name, std::string_view(value.get_string()));
  }
  set_annotation(set, k_revision, std::to_string(revision));
  set_label(set, k_hash, hash);
  json::object inner = pod_template.get_object();
  json::value& metadata = inner["metadata"];
  if (!metadata.is_object()) metadata.emplace_object();
  set_label(inner, k_hash, hash);
  json::object selector = member_object(spec_of(deployment), "selector");
  json::value& match = selector["matchLabels"];
  if (!match.is_object()) match.emplace_object();
  match.get_object()[k_hash] = hash;
  json::object spec{{"replicas", 0}, {"selector", std::move(selector)}, {"template", std::move(inner)}};
  if (const auto settle = number_at(spec_of(deployment), "minReadySeconds")) spec["minReadySeconds"] = settle;
  set["spec"] = std::move(spec);
  const auto made = objects(key).create(std::move(set));
  if (!made) {
    events().record(key.cluster, deployment,
                    {.type = "Warning",
                     .reason = "ReplicaSetCreateError",
                     .message = fmt::format("Failed to create new replica set: {}", made.error().message),
                     .component = k_component});
  }
}

/// The current set has the highest revision, and the deployment says it too; so it is after a rollback.
void Deployments::keep_revision(const ObjectKey& key, const json::object& deployment, const Sets& sets) {
  std::int64_t revision = std::max<std::int64_t>(1, revision_of(*sets.current));
  for (const auto* set : sets.old) revision = std::max(revision, revision_of(*set) + 1);
  const std::string text = std::to_string(revision);
  if (revision_of(*sets.current) != revision) {
    json::object set = *sets.current;
    set_annotation(set, k_revision, text);
    std::ignore = objects(key).update(std::move(set));
  }
  const json::object* now = access().find(key);
  if (!now || annotation_of(deployment, k_revision) == text) return;
  json::object told = *now;
  set_annotation(told, k_revision, text);
  std::ignore = objects(key).update(std::move(told));
}

void Deployments::scale(const ObjectKey& key, const json::object& deployment, const json::object& set,
                        std::int64_t replicas) {
  const std::int64_t before = wanted(set);
  json::object next = set;
  next["spec"].get_object()["replicas"] = replicas;
  const std::string name(name_of(set));
  set_annotation(next, "deployment.kubernetes.io/desired-replicas", std::to_string(wanted(deployment)));
  set_annotation(next, "deployment.kubernetes.io/max-replicas",
                 std::to_string(wanted(deployment) + limits_of(deployment).surge));
  if (next == set) return;
  if (!objects(key).update(std::move(next)) || before == replicas) return;
  events().record(key.cluster, deployment,
                  {.type = "Normal",
                   .reason = "ScalingReplicaSet",
                   .message = fmt::format("Scaled {} replica set {} from {} to {}",
                                          replicas > before ? "up" : "down", name, before, replicas),
                   .component = k_component});
}

/// As NewRSNewReplicas and reconcileOldReplicaSets count.
void Deployments::roll(const ObjectKey& key, const json::object& deployment) {
  Sets sets = sets_of(key, deployment);
  if (!sets.current) return;
  const std::int64_t goal = wanted(deployment);
  const Limits limits = limits_of(deployment);
  const auto sum = [&sets](auto count) {
    return std::transform_reduce(sets.old.begin(), sets.old.end(), count(*sets.current), std::plus<>(),
                                 [&count](const json::object* set) { return count(*set); });
  };
  const std::int64_t total = sum(wanted);
  const std::int64_t now = wanted(*sets.current);
  const bool up = now < goal && total < goal + limits.surge;
  if (up) {
    scale(key, deployment, *sets.current, now + std::min(goal + limits.surge - total, goal - now));
    return;
  }
  if (now >= goal) scale(key, deployment, *sets.current, goal);
  sets = sets_of(key, deployment);
  const auto available = [](const json::object& set) { return status_number(set, "availableReplicas"); };
  const std::int64_t lacking = wanted(*sets.current) - available(*sets.current);
  std::int64_t may_go = sum(wanted) - (goal - limits.unavailable) - lacking;
  std::int64_t spare = sum(available) - (goal - limits.unavailable);
  const auto old = sets.old;
  std::vector<std::string> names;
  for (const auto* set : old) names.emplace_back(name_of(*set));
  for (const auto& name : names) {
    const json::object* set = access().find({key.cluster, "apps", "replicasets", key.namespace_name, name});
    if (!set || may_go <= 0) continue;
    const std::int64_t has = wanted(*set);
    const std::int64_t broken = std::clamp<std::int64_t>(has - available(*set), 0, may_go);
    const std::int64_t healthy = std::clamp<std::int64_t>(std::min(has - broken, spare), 0, may_go - broken);
    if (broken + healthy == 0) continue;
    may_go -= broken + healthy;
    spare -= healthy;
    const json::object copy = *set;
    scale(key, deployment, copy, has - broken - healthy);
  }
}

void Deployments::recreate(const ObjectKey& key, const json::object& deployment) {
  Sets sets = sets_of(key, deployment);
  bool empty = true;
  std::vector<json::object> to_end;
  for (const auto* set : sets.old) {
    if (wanted(*set) > 0) to_end.push_back(*set);
    empty = empty && wanted(*set) == 0 && status_number(*set, "replicas") == 0 &&
            owned_objects(store(), {key.cluster, "apps", "replicasets", key.namespace_name, ""}, uid_of(*set),
                          "", "pods")
                .empty();
  }
  for (const auto& set : to_end) scale(key, deployment, set, 0);
  if (!empty) {
    later(key, "retry", seconds(1));
    return;
  }
  if (!sets.current) make_set(key, deployment, sets);
  sets = sets_of(key, deployment);
  if (!sets.current) return;
  const json::object copy = *sets.current;
  scale(key, deployment, copy, wanted(deployment));
}

void Deployments::remove_history(const ObjectKey& key, const json::object& deployment) {
  const Sets sets = sets_of(key, deployment);
  const std::int64_t keep = number_at(spec_of(deployment), "revisionHistoryLimit", 10);
  std::vector<std::string> idle;
  for (const auto* set : sets.old) {
    if (wanted(*set) == 0 && status_number(*set, "replicas") == 0) idle.emplace_back(name_of(*set));
  }
  for (std::size_t i = 0; std::ssize(idle) - static_cast<std::int64_t>(i) > keep && i < idle.size(); ++i) {
    std::ignore = objects(key).remove("apps", "replicasets", key.namespace_name, idle[i]);
  }
}

void Deployments::write_status(const ObjectKey& key, bool too_late) {
  const json::object* found = access().find(key);
  if (!found) return;
  const json::object& deployment = *found;
  const Sets sets = sets_of(key, deployment);
  const std::int64_t goal = wanted(deployment);
  std::int64_t all = 0;
  std::int64_t ready = 0;
  std::int64_t available = 0;
  auto every = sets.old;
  if (sets.current) every.push_back(sets.current);
  for (const auto* set : every) {
    all += status_number(*set, "replicas");
    ready += status_number(*set, "readyReplicas");
    available += status_number(*set, "availableReplicas");
  }
  const std::int64_t updated = sets.current ? status_number(*sets.current, "replicas") : 0;
  json::object next = deployment;
  json::value& kept = next["status"];
  if (!kept.is_object()) kept.emplace_object();
  json::object& status = kept.get_object();
  const std::string now = access().now_text();
  const bool progressed = status_number(deployment, "updatedReplicas") != updated ||
                          status_number(deployment, "replicas") != all ||
                          status_number(deployment, "readyReplicas") != ready ||
                          status_number(deployment, "availableReplicas") != available ||
                          !find_condition(deployment, "Progressing");
  status["observedGeneration"] = number_at(metadata_of(deployment), "generation");
  status["replicas"] = all;
  status["updatedReplicas"] = updated;
  status["readyReplicas"] = ready;
  status["availableReplicas"] = available;
  status["unavailableReplicas"] = std::max<std::int64_t>(0, std::max(all, goal) - available);
  for (const auto member :
       {"replicas", "updatedReplicas", "readyReplicas", "availableReplicas", "unavailableReplicas"}) {
    if (status[member] == json::value(0)) status.erase(member);
  }
  const bool enough = available >= goal - limits_of(deployment).unavailable;
  set_condition(status,
                enough ? Condition{"Available", "True", "MinimumReplicasAvailable",
                                   "Deployment has minimum availability."}
                       : Condition{"Available", "False", "MinimumReplicasUnavailable",
                                   "Deployment does not have minimum availability."},
                now, "lastUpdateTime");
  const bool paused = is_true_at(spec_of(deployment), "paused");
  const std::string set_name(sets.current ? name_of(*sets.current) : std::string_view());
  const json::object* progressing = find_condition(deployment, "Progressing");
  const bool was_late = progressing && member_text(*progressing, "reason") == "ProgressDeadlineExceeded";
  if (paused) {
    set_condition(status, {"Progressing", "Unknown", "DeploymentPaused", "Deployment is paused"}, now,
                  "lastUpdateTime");
  } else if (sets.current && updated == goal && all == goal && available >= goal) {
    set_condition(status,
                  {"Progressing", "True", "NewReplicaSetAvailable",
                   fmt::format("ReplicaSet \"{}\" has successfully progressed.", set_name)},
                  now, "lastUpdateTime");
  } else if (too_late && !was_late) {
    set_condition(status,
                  {"Progressing", "False", "ProgressDeadlineExceeded",
                   fmt::format("ReplicaSet \"{}\" has timed out progressing.", set_name)},
                  now, "lastUpdateTime");
  } else if (sets.current && progressed) {
    const bool first = !progressing;
    set_condition(status,
                  {"Progressing", "True", first ? "NewReplicaSetCreated" : "ReplicaSetUpdated",
                   first ? fmt::format("Created new replica set \"{}\"", set_name)
                         : fmt::format("ReplicaSet \"{}\" is progressing.", set_name)},
                  now, "lastUpdateTime");
    const std::int64_t deadline = number_at(spec_of(deployment), "progressDeadlineSeconds", 600);
    // The largest number means: never.
    if (deadline < INT32_MAX) later(key, k_deadline, seconds(deadline));
  }
  if (next != deployment) std::ignore = objects(key).update_status(std::move(next));
}

}  // namespace instantstart::sandbox::kubernetes
