#include "sandbox/kubernetes/training/hyperpodrun.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "sandbox/kubernetes/api/metadata.h"
#include "sandbox/kubernetes/cluster/workload.h"
#include "sandbox/kubernetes/training/training_script.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr std::string_view k_program = "hyperpodrun";
constexpr seconds k_boot_time{3};
constexpr seconds k_stop_time{1};
/// How often a rank that waits for another in a collective looks again.
constexpr seconds k_wait{5};

using Arguments = std::expected<AgentArguments, std::string>;

/// "N" or "N:N"; nothing else may be asked for.
bool is_elastic(std::string_view nodes) {
  const auto colon = nodes.find(':');
  return colon != nodes.npos && nodes.substr(0, colon) != nodes.substr(colon + 1);
}

ProgramStep ends(std::vector<std::string> lines, int code) {
  return {.after = k_boot_time, .lines = std::move(lines), .exit_code = code};
}

class HyperPodRun final : public Program {
 public:
  HyperPodRun(Arguments arguments, AgentBoard& board) : arguments_(std::move(arguments)), board_(board) {}

  ProgramStep step(const ProgramSite& site, std::int64_t number) override;
  ProgramEnd terminate(const ProgramSite& site) override;

 private:
  /// What makes it end before it begins.
  std::optional<ProgramStep> refusal(const ContainerView& container) const;
  Agent agent_of(const ProgramSite& site, const ObjectKey& job) const;
  ProgramStep boot(const ProgramSite& site, const Agent& agent) const;
  ProgramStep wait(const ProgramSite& site, const ObjectKey& job, Agent agent) const;
  ProgramStep run(const ProgramSite& site, const json::object& pod, const ObjectKey& job, Agent agent,
                  std::int64_t number) const;
  ProgramStep shut_down(const ProgramSite& site, const Agent& agent) const;
  bool is_ahead(const ObjectKey& job, const Agent& agent, std::int64_t position) const;
  ProgramStep carried_out(const ProgramSite& site, const ObjectKey& job, Agent agent,
                          const WorkerPlace& place, WorkerStep step, std::int64_t position) const;
  /// Looks at what local rank 0 printed, as the rules of the job want it.
  void watch(const ProgramSite& site, const ObjectKey& job, Agent& agent,
             const std::vector<std::string>& output) const;
  std::vector<std::string> printed(const WorkerPlace& place, const WorkerStep& step) const;

  Arguments arguments_;
  AgentBoard& board_;
};

std::optional<ProgramStep> HyperPodRun::refusal(const ContainerView& container) const {
  if (!arguments_)
    return ends({"usage: hyperpodrun [-h] [options] training_script ...", arguments_.error()}, 2);
  if (is_elastic(arguments_->option("nnodes"))) {
    return ends({"Traceback (most recent call last):",
                 "AssertionError: Elastic cluster size is currently not supported"},
                1);
  }
  if (!container.env.contains("NNODES")) {
    return ends({"Traceback (most recent call last):",
                 "  File \"/opt/conda/lib/python3.11/site-packages/hyperpod_elastic_agent/rendezvous/"
                 "hyperpod_rendezvous_backend.py\", line 61, in create_handler",
                 "KeyError: 'NNODES'"},
                1);
  }
  return std::nullopt;
}

/// The record of this run of the container; a new one where the container was started again.
Agent HyperPodRun::agent_of(const ProgramSite& site, const ObjectKey& job) const {
  const Agent* found = board_.find(job, site.container.pod_uid);
  if (found && found->attempt == site.container.attempt) return *found;
  return {.pod = site.container.pod,
          .pod_uid = site.container.pod_uid,
          .container = site.container.name,
          .attempt = site.container.attempt};
}

ProgramStep HyperPodRun::step(const ProgramSite& site, std::int64_t number) {
  if (auto refused = refusal(site.container)) return std::move(*refused);
  const ObjectKey key{site.container.cluster, "", "pods", site.container.namespace_name, site.container.pod};
  const json::object* found = site.store.find(key);
  if (!found) return {.idle = true};
  const json::object pod = *found;
  const ObjectKey job = job_of_pod(key, pod);
  Agent agent = agent_of(site, job);
  if (number == 0) return boot(site, agent);
  if (agent.order == AgentOrder::shut_down) return shut_down(site, agent);
  if (agent.order == AgentOrder::wait) return wait(site, job, std::move(agent));
  return run(site, pod, job, std::move(agent), number);
}

ProgramStep HyperPodRun::boot(const ProgramSite& site, const Agent&) const {
  return {.after = k_boot_time,
          .lines = {agent_line(site.now, 0, 0,
                               fmt::format("Starting elastic agent: entrypoint={} nnodes={}",
                                           arguments_->script, site.container.env.find("NNODES")->second)),
                    agent_line(site.now, 0, 0, "Uvicorn running on http://0.0.0.0:8080"),
                    transition_line(site.now, 0, 0, "INIT", "READY")}};
}

ProgramStep HyperPodRun::wait(const ProgramSite& site, const ObjectKey& job, Agent agent) const {
  if (agent.state == AgentState::ready) return {.idle = true};
  if (agent.state == AgentState::init) {
    agent.state = AgentState::ready;
    board_.report(job, std::move(agent));
    return {.idle = true};
  }
  const std::int64_t rank = agent.assignment.node_rank;
  ProgramStep stop{
      .after = k_stop_time,
      .lines = {transition_line(site.now, rank, agent.begun_run, name_of(agent.state), "STOPPING"),
                transition_line(site.now, rank, agent.begun_run, "STOPPING", "READY")}};
  if (site.due) {
    agent.state = AgentState::ready;
    agent.fault.clear();
    board_.report(job, std::move(agent));
  }
  return stop;
}

ProgramStep HyperPodRun::run(const ProgramSite& site, const json::object& pod, const ObjectKey& job,
                             Agent agent, std::int64_t number) const {
  if (agent.begun_run != agent.assignment.run) {
    agent.begun_run = agent.assignment.run;
    agent.first_step = number;
    agent.position = -1;
    agent.resumed_from = 0;
    agent.exit_code = 0;
    agent.state = AgentState::running;
    agent.begun_at = to_rfc3339(site.now);
    const json::object* found = site.store.find(job);
    agent.watches = found ? fresh_watches(log_rules_of(*found)) : std::vector<RuleWatch>();
    board_.report(job, agent);
  }
  if (agent.state != AgentState::running) return {.idle = true};
  const std::int64_t position = number - agent.first_step;
  if (is_ahead(job, agent, position)) return {.after = k_wait, .stay = true};
  const TrainingScript script(site, pod, *arguments_, agent, job.name);
  WorkerStep step = script.step(position, agent);
  return carried_out(site, job, std::move(agent), script.place(), std::move(step), position);
}

/// Ranks meet in every step: where one hangs, the others wait.
bool HyperPodRun::is_ahead(const ObjectKey& job, const Agent& agent, std::int64_t position) const {
  if (agent.assignment.nodes < 2 || position < 1) return false;
  return std::ranges::any_of(board_.of_job(job), [&](const Agent& other) {
    return other.begun_run == agent.begun_run && other.state == AgentState::running &&
           other.position < position - 1;
  });
}

ProgramStep HyperPodRun::carried_out(const ProgramSite& site, const ObjectKey& job, Agent agent,
                                     const WorkerPlace& place, WorkerStep step, std::int64_t position) const {
  const std::int64_t rank = place.node_rank;
  const std::int64_t run = agent.begun_run;
  ProgramStep made{.after = step.after, .lines = printed(place, step)};
  if (step.exit_code && *step.exit_code != 0) {
    made.lines.push_back(agent_line(
        site.now, rank, run,
        fmt::format("failed (exitcode: {}) local_rank: 0 (pid: 100) of binary: /opt/conda/bin/python",
                    *step.exit_code),
        "ERROR"));
  }
  if (step.exit_code) {
    made.lines.push_back(
        transition_line(site.now, rank, run, "RUNNING", *step.exit_code == 0 ? "COMPLETED" : "FAULTED"));
  }
  if (!site.due) return made;
  agent.position = position;
  watch(site, job, agent, step.output);
  if (step.exit_code) {
    agent.state = *step.exit_code == 0 ? AgentState::completed : AgentState::faulted;
    agent.exit_code = *step.exit_code;
    if (*step.exit_code != 0) agent.fault = "WorkerCrash";
  }
  if (agent.state == AgentState::running) {
    board_.put(job, std::move(agent));
  } else {
    board_.report(job, std::move(agent));
  }
  return made;
}

void HyperPodRun::watch(const ProgramSite& site, const ObjectKey& job, Agent& agent,
                        const std::vector<std::string>& output) const {
  if (agent.watches.empty() || !arguments_->keeps_output()) return;
  const json::object* found = site.store.find(job);
  if (!found) return;
  const auto rules = log_rules_of(*found);
  for (const auto& line : output) {
    const auto slow = watch_line(rules, agent.watches, line, site.now);
    if (!slow) continue;
    agent.state = AgentState::faulted;
    agent.fault = fmt::format("LogSlow_{}", *slow);
    return;
  }
}

std::vector<std::string> HyperPodRun::printed(const WorkerPlace& place, const WorkerStep& step) const {
  std::vector<std::string> lines = step.agent;
  const std::string prefix =
      arguments_->tees_output() ? fmt::format("[default{}]:", place.first_rank()) : std::string();
  for (const auto& line : step.errors) lines.push_back(prefix + line);
  for (const auto& line : step.output) lines.push_back(prefix + line);
  return lines;
}

ProgramStep HyperPodRun::shut_down(const ProgramSite& site, const Agent& agent) const {
  const std::int64_t rank = agent.assignment.node_rank;
  const bool failed = agent.state == AgentState::faulted;
  return {.after = k_stop_time,
          .lines = {transition_line(site.now, rank, std::max<std::int64_t>(0, agent.begun_run),
                                    name_of(agent.state), "SHUTDOWN")},
          .exit_code = failed ? static_cast<int>(agent.exit_code == 0 ? 1 : agent.exit_code) : 0};
}

ProgramEnd HyperPodRun::terminate(const ProgramSite& site) {
  return {.after = seconds(2),
          .lines = {agent_line(site.now, 0, 0, "Received Signals.SIGTERM death signal, shutting down workers",
                               "WARNING")},
          .exit_code = 143};
}

}  // namespace

ObjectKey job_of_pod(const ObjectKey& pod_key, const json::object& pod) {
  const auto owner = controller_of(pod);
  const bool known = owner && owner->kind == "HyperPodPyTorchJob";
  return {pod_key.cluster, "sagemaker.amazonaws.com", "hyperpodpytorchjobs", pod_key.namespace_name,
          known ? owner->name : std::string()};
}

std::unique_ptr<Program> recognise_hyperpodrun(const ContainerView& container, AgentBoard& board) {
  if (container.argv.empty()) return nullptr;
  const std::string& program = container.argv.front();
  if (program.substr(program.rfind('/') + 1) != k_program) return nullptr;
  return std::make_unique<HyperPodRun>(
      parse_agent_arguments({container.argv.begin() + 1, container.argv.end()}), board);
}

}  // namespace instantstart::sandbox::kubernetes
