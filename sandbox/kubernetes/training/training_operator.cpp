#include "sandbox/kubernetes/training/training_operator.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "sandbox/kubernetes/api/metadata.h"
#include "sandbox/kubernetes/cluster/workload.h"
#include "sandbox/kubernetes/training/hyperpodrun.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr std::string_view k_group = "sagemaker.amazonaws.com";
constexpr std::string_view k_resource = "hyperpodpytorchjobs";
constexpr std::string_view k_kind = "HyperPodPyTorchJob";
constexpr std::string_view k_component = "hp-training-operator-controller-manager";
constexpr std::string_view k_namespace = "aws-hyperpod";
constexpr std::string_view k_agent = "agent";
constexpr std::string_view k_deadline = "deadline";
constexpr std::string_view k_phase_deadline = "phase-deadline";
constexpr std::string_view k_expiry = "ttl";

std::string id_of(const ObjectKey& key) {
  return fmt::format("{}/{}/{}", key.cluster, key.namespace_name, key.name);
}

const json::object& policy_of(const json::object& job) {
  return member_object(member_object(job, "spec"), "runPolicy");
}

}  // namespace

Type describe(JobPhase*) {
  using P = JobPhase;
  return enum_type<P>("JobPhase", "How far a job is.",
                      {{P::starting, {"starting", "Waits for its agents."}},
                       {P::running, {"running", "Its ranks run."}},
                       {P::finished, {"finished", "Is over."}}});
}

Type describe(JobRun*) {
  using R = JobRun;
  return object_type<R>(
      "JobRun", "A training job.",
      {field<&R::uid>("uid", "Of the job."), field<&R::phase>("phase", "How far it is."),
       field<&R::since>("since", "RFC 3339."), field<&R::active>("active", "RFC 3339.", {.defaulted = true}),
       field<&R::counts>("counts", "Restarts.")});
}

TrainingOperator::TrainingOperator(ControllerParts parts, AgentBoard& board, PodControl& pods)
    : Controller("training-operator", parts),
      board_(board),
      pods_(pods),
      runs_(parts.access.world(), "kubernetes.training_job") {
  board_.on_report([this](const ObjectKey& job) {
    if (!job.name.empty()) later(job, k_agent, milliseconds(0));
  });
}

void TrainingOperator::notice(const Change& change) {
  const ObjectKey& key = change.key;
  if (key.group == k_group && key.resource == k_resource) mark(key);
  if (key.group.empty() && key.resource == "pods") mark_controller(change, k_kind, k_group, k_resource);
  if (key.group == "apps" && key.resource == "deployments" && key.name == k_component) {
    for (const auto* job : store().list(key.cluster, k_group, k_resource, "")) mark(job->key());
  }
}

void TrainingOperator::due(const ObjectKey& key, std::string_view purpose) {
  if (purpose == k_expiry) return expire(key);
  mark(key);
}

/// It is a program like others: without a running pod of it nothing happens.
bool TrainingOperator::is_at_work(const std::string& cluster) const {
  const json::object* found =
      access().find({cluster, "apps", "deployments", std::string(k_namespace), std::string(k_component)});
  return found && number_at(member_object(*found, "status"), "readyReplicas") > 0;
}

TrainingOperator::Work TrainingOperator::work_on(const ObjectKey& key, const json::object& job) const {
  Work work{.key = key,
            .job = job,
            .status = member_object(job, "status"),
            .run = {},
            .now = to_rfc3339(access().world().now()),
            .wanted = pods_of_job(job),
            .pods = {}};
  const JobRun* known = runs_.find(id_of(key));
  work.run = known && known->uid == uid_of(job) ? *known
                                                : JobRun{.uid = std::string(uid_of(job)), .since = work.now};
  for (const auto& pod : work.wanted) {
    const json::object* found = access().find({key.cluster, "", "pods", key.namespace_name, pod.name});
    const auto owner = found ? controller_of(*found) : std::nullopt;
    const bool own = owner && owner->uid == work.run.uid;
    work.pods.push_back(own ? std::optional(*found) : std::nullopt);
  }
  return work;
}

void TrainingOperator::sync(const ObjectKey& key) {
  const json::object* found = access().find(key);
  if (!found) {
    runs_.erase(id_of(key));
    board_.forget_job(key);
    return;
  }
  if (!is_at_work(key.cluster) || is_deleting(*found)) return;
  if (is_finished_job(*found)) return settle(key);
  Work work = work_on(key, json::object(*found));
  if (!find_condition(work.job, k_created)) begin(work);
  if (is_true_at(policy_of(work.job), "suspend")) {
    suspend(work);
  } else {
    look_at_phase(work);
  }
  save(work);
}

void TrainingOperator::save(Work& work) {
  std::vector<const json::object*> pods;
  for (const auto& pod : work.wanted) {
    if (const auto* found =
            access().find({work.key.cluster, "", "pods", work.key.namespace_name, pod.name})) {
      pods.push_back(found);
    }
  }
  set_job_pods(work.status, work.job, pods);
  set_restarts(work.status, work.run.counts);
  runs_.put(id_of(work.key), work.run);
  json::object next = work.job;
  next["status"] = work.status;
  if (next != work.job) std::ignore = objects(work.key).update_status(std::move(next));
}

void TrainingOperator::begin(Work& work) {
  board_.sweep(store());
  work.status["startTime"] = access().now_text();
  set_job_condition(work.status,
                    {k_created, true, "HyperPodPyTorchJobCreated",
                     fmt::format("HyperPodPyTorchJob {} is created.", work.key.name)},
                    access().now_text());
  record(work, "Normal", "HyperPodPyTorchJobCreated", "The job is created.");
}

void TrainingOperator::suspend(Work& work) {
  remove_pods(work, false);
  const auto now = access().now_text();
  end_job_condition(work.status, k_running, "JobSuspended", "The job is suspended.", now);
  end_job_condition(work.status, k_pods_running, "JobSuspended", "The job is suspended.", now);
  end_job_condition(work.status, k_restarting, "JobSuspended", "The job is suspended.", now);
  set_job_condition(work.status, {k_suspended, true, "JobSuspended", "The job is suspended."}, now);
  work.run.phase = JobPhase::starting;
  work.run.active.clear();
}

void TrainingOperator::look_at_phase(Work& work) {
  if (work.run.active.empty()) {
    work.run.active = work.now;
    work.run.since = work.now;
    end_job_condition(work.status, k_suspended, "JobResumed", "The job is resumed.", access().now_text());
    if (const auto limit = number_at(policy_of(work.job), "activeDeadlineSeconds"); limit > 0) {
      later(work.key, k_deadline, seconds(limit));
    }
  }
  check_deadlines(work);
  if (work.run.phase == JobPhase::finished) return;
  if (const auto fault = find_fault(work)) return answer(work, *fault);
  if (work.run.phase == JobPhase::running) {
    if (is_complete(work)) return finish(work, true);
    if (const auto silence = find_silence(work)) answer(work, *silence);
    return;
  }
  make_missing_pods(work);
  const bool all_run = !work.pods.empty() && std::ranges::all_of(work.pods, [](const auto& pod) {
    return pod && phase_of(*pod) == "Running" && !is_deleting(*pod);
  });
  if (!all_run) {
    end_job_condition(work.status, k_pods_running, "PodsPending", "Not all pods are running.",
                      access().now_text());
    return;
  }
  set_job_condition(work.status, {k_pods_running, true, "AllPodsRunning", "All pods are running."},
                    access().now_text());
  for (std::size_t i = 0; i < work.wanted.size(); ++i) {
    if (!is_ready(work, i)) return;
  }
  start(work);
}

void TrainingOperator::check_deadlines(Work& work) {
  const json::object& policy = policy_of(work.job);
  const auto active = number_at(policy, "activeDeadlineSeconds");
  if (active > 0 && access().since(work.run.active) >= seconds(active)) {
    return fail(work, "DeadlineExceeded", "The job was active longer than activeDeadlineSeconds.");
  }
  if (work.run.phase != JobPhase::starting) return;
  const bool first = work.run.counts.all == 0;
  const auto limit = number_at(policy, first ? "startupDeadlineSeconds" : "faultDeadlineSeconds");
  if (limit <= 0) return;
  const milliseconds left = seconds(limit) - access().since(work.run.since);
  if (left <= milliseconds(0)) {
    return fail(work, first ? "StartupDeadlineExceeded" : "FaultDeadlineExceeded",
                first ? "The job did not start within startupDeadlineSeconds."
                      : "The job did not recover within faultDeadlineSeconds.");
  }
  later(work.key, k_phase_deadline, left);
}

void TrainingOperator::record(const Work& work, std::string_view type, std::string_view reason,
                              std::string message) {
  events().record(work.key.cluster, work.job,
                  {.type = type, .reason = reason, .message = std::move(message), .component = k_component});
}

void TrainingOperator::order(const Work& work, AgentOrder what) {
  // All of them first: what one does depends on what the others are told.
  for (const auto& pod : work.pods) {
    const Agent* found = pod ? board_.find(work.key, uid_of(*pod)) : nullptr;
    if (!found) continue;
    Agent agent = *found;
    agent.order = what;
    board_.put(work.key, std::move(agent));
  }
  for (const auto& pod : work.pods) {
    if (pod && board_.find(work.key, uid_of(*pod))) pods_.rouse(work.key.cluster, uid_of(*pod));
  }
}

void TrainingOperator::remove_pods(const Work& work, bool only_ended) {
  for (const auto& pod : work.pods) {
    if (!pod || is_deleting(*pod) || (only_ended && !has_ended(*pod))) continue;
    board_.erase(work.key, uid_of(*pod));
    delete_pod(work.key, work.job, std::string(name_of(*pod)), k_component);
  }
}

void TrainingOperator::finish(Work& work, bool success) {
  work.run.phase = JobPhase::finished;
  work.run.since = work.now;
  const std::string now = access().now_text();
  work.status["completionTime"] = now;
  end_job_condition(work.status, k_restarting, "JobFinished", "The job is over.", now);
  end_job_condition(work.status, k_running, "JobFinished", "The job is over.", now);
  end_job_condition(work.status, k_pods_running, "JobFinished", "The job is over.", now);
  if (success) {
    set_job_condition(work.status,
                      {k_completed, true, "JobCompleted",
                       fmt::format("HyperPodPyTorchJob {} successfully completed.", work.key.name)},
                      now);
    record(work, "Normal", "JobCompleted", "The job completed.");
  }
  const auto clean = member_text(policy_of(work.job), "cleanPodPolicy");
  order(work, AgentOrder::shut_down);
  if (clean.empty() || clean == "All" || (clean == "Running" && !success)) remove_pods(work, false);
  if (!policy_of(work.job).contains("ttlSecondsAfterFinished")) return;
  const auto keep = number_at(policy_of(work.job), "ttlSecondsAfterFinished");
  if (keep >= 0) later(work.key, k_expiry, seconds(keep));
}

void TrainingOperator::fail(Work& work, std::string reason, std::string message) {
  finish(work, false);
  record(work, "Warning", "JobFailed", fmt::format("{}: {}", reason, message));
  set_job_condition(work.status, {k_failed, true, std::move(reason), std::move(message)},
                    access().now_text());
}

/// A container that failed with the job is started again by its kubelet: its agent is sent home.
void TrainingOperator::settle(const ObjectKey& key) {
  const json::object* found = access().find(key);
  if (!found) return;
  const Work work = work_on(key, json::object(*found));
  const bool waits = std::ranges::any_of(
      board_.of_job(key), [](const Agent& agent) { return agent.order != AgentOrder::shut_down; });
  if (waits) order(work, AgentOrder::shut_down);
}

void TrainingOperator::expire(const ObjectKey& key) {
  const json::object* job = access().find(key);
  if (!job || !is_finished_job(*job) || is_deleting(*job)) return;
  std::ignore =
      objects(key).remove(k_group, k_resource, key.namespace_name, key.name, {.propagation = "Background"});
}

}  // namespace instantstart::sandbox::kubernetes
