#include "sandbox/kubernetes/training/job_status.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sandbox/kubernetes/api/metadata.h"
#include "sandbox/kubernetes/cluster/workload.h"
#include "sandbox/kubernetes/training/hyperpodrun.h"

namespace instantstart::sandbox::kubernetes {
namespace {

/// Names of pods are used as host names.
constexpr std::int64_t k_most_pods = 10'000;

json::object reference(std::string_view version, std::string_view kind, std::string_view space,
                       std::string_view name) {
  return {{"apiVersion", version}, {"kind", kind}, {"namespace", space}, {"name", name}};
}

void add_node_count(json::object& spec, std::int64_t nodes) {
  auto* containers = spec.if_contains("containers");
  if (!containers || !containers->is_array()) return;
  for (auto& value : containers->get_array()) {
    if (!value.is_object()) continue;
    json::value& env = value.get_object()["env"];
    if (!env.is_array()) env.emplace_array();
    const bool given = std::ranges::any_of(env.get_array(), [](const json::value& one) {
      return one.is_object() && member_text(one.get_object(), "name") == "NNODES";
    });
    if (given) continue;
    // First, so that others may refer to it.
    env.get_array().emplace(env.get_array().begin(),
                            json::object{{"name", "NNODES"}, {"value", std::to_string(nodes)}});
  }
}

}  // namespace

void set_job_condition(json::object& status, const JobCondition& condition, std::string_view now) {
  json::value& list = status["conditions"];
  if (!list.is_array()) list.emplace_array();
  json::array& conditions = list.get_array();
  json::object made{{"type", condition.type},     {"status", condition.holds ? "True" : "False"},
                    {"reason", condition.reason}, {"message", condition.message},
                    {"lastProbeTime", now},       {"lastTransitionTime", now}};
  for (auto one = conditions.begin(); one != conditions.end(); ++one) {
    json::object& earlier = one->as_object();
    if (member_text(earlier, "type") != condition.type) continue;
    const bool same = member_text(earlier, "status") == member_text(made, "status");
    if (same && member_text(earlier, "reason") == condition.reason &&
        member_text(earlier, "message") == condition.message) {
      return;
    }
    if (same) made["lastTransitionTime"] = earlier["lastTransitionTime"];
    if (same || !condition.holds) {
      earlier = std::move(made);
      return;
    }
    conditions.erase(one);
    break;
  }
  conditions.emplace_back(std::move(made));
}

void end_job_condition(json::object& status, std::string_view type, std::string reason, std::string message,
                       std::string_view now) {
  for (const auto& value : member_array(status, "conditions")) {
    const json::object& one = value.as_object();
    if (member_text(one, "type") != type || member_text(one, "status") != "True") continue;
    set_job_condition(status, {type, false, std::move(reason), std::move(message)}, now);
    return;
  }
}

bool is_finished_job(const json::object& job) {
  return is_condition_true(job, k_completed) || is_condition_true(job, k_failed);
}

std::vector<JobPod> pods_of_job(const json::object& job) {
  std::vector<JobPod> pods;
  for (const auto& value : member_array(member_object(job, "spec"), "replicaSpecs")) {
    if (!value.is_object()) continue;
    const std::string replica(member_text(value.get_object(), "name"));
    const std::int64_t count = std::min(number_at(value.get_object(), "replicas"), k_most_pods);
    for (std::int64_t i = 0; i < count; ++i) {
      pods.push_back({fmt::format("{}-{}-{}", name_of(job), replica, i), replica, i});
    }
  }
  return pods;
}

json::object make_job_pod(const json::object& job, const JobPod& pod) {
  json::object made;
  for (const auto& value : member_array(member_object(job, "spec"), "replicaSpecs")) {
    if (!value.is_object() || member_text(value.get_object(), "name") != pod.replica) continue;
    made = pod_of_template(job, member_object(value.get_object(), "template"));
  }
  metadata_of(made)["name"] = pod.name;
  set_label(made, k_job_name_label, name_of(job));
  set_label(made, "sagemaker.amazonaws.com/replica-name", pod.replica);
  set_label(made, "sagemaker.amazonaws.com/replica-index", std::to_string(pod.index));
  json::value& spec = made["spec"];
  if (!spec.is_object()) spec.emplace_object();
  json::object& inside = spec.get_object();
  // So a crash is answered in place, and pods end with the job.
  if (!inside.contains("restartPolicy")) inside["restartPolicy"] = "OnFailure";
  if (!inside.contains("hostname")) inside["hostname"] = pod.name;
  add_node_count(inside, std::ssize(pods_of_job(job)));
  return made;
}

void set_job_pods(json::object& status, const json::object& job,
                  const std::vector<const json::object*>& pods) {
  json::array references;
  for (const auto* pod : pods) {
    json::object one = reference("v1", "Pod", namespace_of(*pod), name_of(*pod));
    one["uid"] = uid_of(*pod);
    references.emplace_back(std::move(one));
  }
  json::array managers;
  for (const auto& value : member_array(member_object(job, "spec"), "replicaSpecs")) {
    if (!value.is_object()) continue;
    managers.emplace_back(
        reference("sagemaker.amazonaws.com/v1", "PodManager", namespace_of(job),
                  fmt::format("{}-{}", name_of(job), member_text(value.get_object(), "name"))));
  }
  status["jobPods"] = std::move(references);
  status["podManagerStatuses"] = std::move(managers);
}

void set_restarts(json::object& status, const RestartCounts& counts) {
  status["restartCount"] = counts.all;
  status["restartStatus"] = json::object{{"currentEvalPeriod", counts.window},
                                         {"fullJobRestartCount", counts.full},
                                         {"restartCount", counts.in_window}};
}

void set_faulty_pods(json::object& status, const FaultyPods& faulty) {
  json::object list{
      {"restartType", faulty.restart == RestartKind::whole_job ? "FullJobRestart" : "ProcessLevelRestart"}};
  const auto add = [&list](std::string_view member, const auto& values) {
    json::array all;
    for (const auto& value : values) all.emplace_back(value);
    list[member] = std::move(all);
  };
  add("faultyPodList", faulty.pods);
  add("faultyInstanceIdList", faulty.instances);
  add("faultyRankList", faulty.ranks);
  status["latestFaultyPodInstanceList"] = std::move(list);
}

}  // namespace instantstart::sandbox::kubernetes
