// The ranks of a job: their pods, their start, their faults.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sandbox/kubernetes/api/metadata.h"
#include "sandbox/kubernetes/cluster/workload.h"
#include "sandbox/kubernetes/training/training_operator.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr std::string_view k_master_port = "29500";
constexpr seconds k_retry_pause{10};

/// The container of the agent as its pod's status has it; nullptr before it is there.
const json::object* status_of_agent(const json::object& pod, const Agent& agent) {
  for (const auto& value : member_array(member_object(pod, "status"), "containerStatuses")) {
    if (value.is_object() && member_text(value.get_object(), "name") == agent.container) {
      return &value.get_object();
    }
  }
  return nullptr;
}

/// It is the run of the container that the agent is known from, and goes on.
bool is_alive(const json::object& pod, const Agent& agent) {
  const json::object* status = status_of_agent(pod, agent);
  return status && number_at(*status, "restartCount") == agent.attempt &&
         member_object(*status, "state").contains("running");
}

std::string instance_of(const json::object& pod) {
  auto node = member_text(member_object(pod, "spec"), "nodeName");
  if (node.starts_with("hyperpod-")) node.remove_prefix(9);
  return std::string(node);
}

/// "container pytorch exited with code 137", of the last end that is known.
std::string end_in_words(const json::object& pod) {
  for (const auto& value : member_array(member_object(pod, "status"), "containerStatuses")) {
    if (!value.is_object()) continue;
    for (const auto state : {"state", "lastState"}) {
      const json::object& end = member_object(member_object(value.get_object(), state), "terminated");
      if (end.empty()) continue;
      return fmt::format("container {} exited with code {}", member_text(value.get_object(), "name"),
                         number_at(end, "exitCode"));
    }
  }
  return "its container ended";
}

}  // namespace

void TrainingOperator::make_missing_pods(Work& work) {
  for (std::size_t i = 0; i < work.wanted.size(); ++i) {
    if (work.pods[i]) continue;
    const auto made = objects(work.key).create(make_job_pod(work.job, work.wanted[i]));
    if (made) {
      record(work, "Normal", "SuccessfulCreatePod", fmt::format("Created pod: {}", name_of(*made)));
      work.pods[i] = *made;
      continue;
    }
    record(work, "Warning", "FailedCreatePod", fmt::format("Error creating: {}", made.error().message));
    later(work.key, "retry", k_retry_pause);
  }
}

bool TrainingOperator::is_ready(const Work& work, std::size_t rank) const {
  const json::object& pod = *work.pods[rank];
  const Agent* agent = board_.find(work.key, uid_of(pod));
  return agent && agent->state == AgentState::ready && agent->order == AgentOrder::wait &&
         is_alive(pod, *agent);
}

void TrainingOperator::start(Work& work) {
  const std::string address(member_text(member_object(*work.pods[0], "status"), "podIP"));
  for (std::size_t i = 0; i < work.pods.size(); ++i) {
    Agent agent = *board_.find(work.key, uid_of(*work.pods[i]));
    agent.assignment = {.run = work.run.counts.all,
                        .node_rank = static_cast<std::int64_t>(i),
                        .nodes = std::ssize(work.pods),
                        .master_address = address,
                        .master_port = std::string(k_master_port)};
    board_.put(work.key, std::move(agent));
  }
  order(work, AgentOrder::run);
  work.run.phase = JobPhase::running;
  work.run.since = work.now;
  work.status["masterAddr"] = address;
  work.status["masterPort"] = k_master_port;
  const auto now = access().now_text();
  end_job_condition(work.status, k_restarting, "JobRestarted", "The job runs again.", now);
  set_job_condition(
      work.status,
      {k_running, true, "JobRunning", fmt::format("HyperPodPyTorchJob {} is running.", work.key.name)}, now);
  record(work, "Normal", "JobRunning", "All ranks are started.");
  if (!log_rules_of(work.job).empty()) later(work.key, "monitor", seconds(1));
}

std::optional<TrainingOperator::Fault> TrainingOperator::find_fault(const Work& work) const {
  const bool runs = work.run.phase == JobPhase::running;
  Fault fault;
  const auto add = [&](std::size_t rank, std::string reason, std::string message) {
    fault.ranks.push_back(rank);
    if (!fault.reason.empty()) return;
    fault.reason = std::move(reason);
    fault.message = std::move(message);
  };
  for (std::size_t i = 0; i < work.wanted.size(); ++i) {
    const std::string& name = work.wanted[i].name;
    const auto& pod = work.pods[i];
    if (!pod || is_deleting(*pod)) {
      if (runs) add(i, "PodDeleted", fmt::format("Pod {} is gone.", name));
      continue;
    }
    if (has_ended(*pod)) {
      add(i, "WorkerCrash", fmt::format("Pod {} ended: {}.", name, end_in_words(*pod)));
      continue;
    }
    const Agent* agent = board_.find(work.key, uid_of(*pod));
    if (!runs) continue;
    if (!agent || !is_alive(*pod, *agent)) {
      add(i, "WorkerCrash", fmt::format("The agent of pod {} ended: {}.", name, end_in_words(*pod)));
    } else if (agent->state == AgentState::faulted && agent->fault != "WorkerCrash") {
      add(i, agent->fault, fmt::format("{} in pod {}.", agent->fault, name));
    } else if (agent->state == AgentState::faulted) {
      add(i, agent->fault, fmt::format("A worker in pod {} exited with code {}.", name, agent->exit_code));
    } else if (agent->order != AgentOrder::run || agent->assignment.run != work.run.counts.all) {
      // Its record is of another run of the container.
      add(i, "WorkerCrash", fmt::format("The agent of pod {} was started again.", name));
    }
  }
  if (fault.ranks.empty()) return std::nullopt;
  return fault;
}

std::optional<TrainingOperator::Fault> TrainingOperator::find_silence(Work& work) {
  const auto rules = log_rules_of(work.job);
  if (rules.empty()) return std::nullopt;
  std::optional<milliseconds> next;
  Fault fault;
  for (std::size_t i = 0; i < work.pods.size(); ++i) {
    const Agent* agent = board_.find(work.key, uid_of(*work.pods[i]));
    if (!agent || agent->state != AgentState::running) continue;
    const auto begun = parse_rfc3339(agent->begun_at);
    if (!begun) continue;
    const Silence found =
        silence_of(rules, agent->watches, *begun, access().world().now(), access().world().scale());
    if (found.until && (!next || *found.until < *next)) next = found.until;
    if (!found.rule) continue;
    fault.ranks.push_back(i);
    fault.reason = fmt::format("LogHang_{}", *found.rule);
    fault.message =
        fmt::format("Pod {} printed nothing that rule {} expects in time.", work.wanted[i].name, *found.rule);
  }
  if (!fault.ranks.empty()) return fault;
  if (next) later(work.key, "monitor", *next + seconds(1));
  return std::nullopt;
}

bool TrainingOperator::is_complete(const Work& work) const {
  return !work.pods.empty() && std::ranges::all_of(work.pods, [&](const auto& pod) {
    const Agent* agent = board_.find(work.key, uid_of(*pod));
    return agent && agent->state == AgentState::completed;
  });
}

void TrainingOperator::answer(Work& work, const Fault& fault) {
  const auto age =
      work.run.counts.window_began.empty() ? milliseconds(0) : access().since(work.run.counts.window_began);
  const json::object& policy = member_object(member_object(work.job, "spec"), "runPolicy");
  const RestartDecision decision = decide_restart(policy, work.run.counts, age, work.now);
  FaultyPods faulty{.restart = decision.kind};
  for (const auto rank : fault.ranks) {
    faulty.pods.push_back(work.wanted[rank].name);
    faulty.ranks.push_back(static_cast<std::int64_t>(rank));
    if (work.pods[rank]) faulty.instances.push_back(instance_of(*work.pods[rank]));
  }
  set_faulty_pods(work.status, faulty);
  if (decision.kind == RestartKind::none) {
    if (decision.limit.empty()) return fail(work, fault.reason, fault.message);
    return fail(
        work,
        decision.limit == "jobMaxRetryCount" ? "JobMaxRetryCountExceeded" : "MaxFullJobRestartsExceeded",
        fmt::format("{} is used up. The last fault was {}: {}", decision.limit, fault.reason, fault.message));
  }
  work.run.counts = decision.counts;
  work.run.phase = JobPhase::starting;
  work.run.since = work.now;
  const auto now = access().now_text();
  const bool whole = decision.kind == RestartKind::whole_job;
  end_job_condition(work.status, k_running, fault.reason, fault.message, now);
  set_job_condition(work.status, {k_restarting, true, fault.reason, fault.message}, now);
  record(work, "Warning", "JobRestarting",
         fmt::format("{} ({}): {}", whole ? "Full job restart" : "Process restart", fault.reason,
                     fault.message));
  if (!whole) order(work, AgentOrder::wait);
  remove_pods(work, !whole);
  if (const auto limit = number_at(policy, "faultDeadlineSeconds"); limit > 0) {
    later(work.key, "phase-deadline", seconds(limit));
  }
}

}  // namespace instantstart::sandbox::kubernetes
