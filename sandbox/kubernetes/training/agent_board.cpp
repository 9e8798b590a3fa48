#include "sandbox/kubernetes/training/agent_board.h"

#include <utility>

#include <fmt/format.h>

namespace instantstart::sandbox::kubernetes {
namespace {

std::string prefix_of(const ObjectKey& job) {
  return fmt::format("{}/{}/{}/", job.cluster, job.namespace_name, job.name);
}

}  // namespace

Type describe(AgentState*) {
  using S = AgentState;
  return enum_type<S>("AgentState", "How far an agent is.",
                      {{S::init, {"INIT", "Begins."}},
                       {S::ready, {"READY", "Waits for the operator."}},
                       {S::running, {"RUNNING", "Its workers run."}},
                       {S::completed, {"COMPLETED", "Its workers are done."}},
                       {S::faulted, {"FAULTED", "A worker failed."}}});
}

std::string_view name_of(AgentState state) {
  switch (state) {
    case AgentState::init: return "INIT";
    case AgentState::ready: return "READY";
    case AgentState::running: return "RUNNING";
    case AgentState::completed: return "COMPLETED";
    case AgentState::faulted: return "FAULTED";
  }
  return "INIT";
}

Type describe(AgentOrder*) {
  using O = AgentOrder;
  return enum_type<O>("AgentOrder", "What an agent is to do.",
                      {{O::wait, {"wait", "Stop the workers, be ready."}},
                       {O::run, {"run", "Run the workers."}},
                       {O::shut_down, {"shut_down", "End."}}});
}

Type describe(Assignment*) {
  using A = Assignment;
  return object_type<A>("Assignment", "The ranks of a pod.",
                        {field<&A::run>("run", "Restarts before it."),
                         field<&A::node_rank>("node_rank", "Of the pod."), field<&A::nodes>("nodes", "Pods."),
                         field<&A::master_address>("master_address", "Of rank 0.", {.defaulted = true}),
                         field<&A::master_port>("master_port", "Of rank 0.", {.defaulted = true})});
}

Type describe(Agent*) {
  using A = Agent;
  return object_type<A>(
      "Agent", "An agent of a training job.",
      {field<&A::pod>("pod", "Its pod."), field<&A::pod_uid>("pod_uid", "Its pod's."),
       field<&A::container>("container", "Where it runs."),
       field<&A::attempt>("attempt", "Of the container."), field<&A::state>("state", "How far it is."),
       field<&A::fault>("fault", "Why it is faulted.", {.defaulted = true}),
       field<&A::exit_code>("exit_code", "Of the worker.", {.defaulted = true}),
       field<&A::order>("order", "By the operator."), field<&A::assignment>("assignment", "Its ranks."),
       field<&A::begun_run>("begun_run", "Of the workers."),
       field<&A::first_step>("first_step", "Of that run.", {.defaulted = true}),
       field<&A::position>("position", "What is done of it."),
       field<&A::resumed_from>("resumed_from", "Training step.", {.defaulted = true}),
       field<&A::begun_at>("begun_at", "RFC 3339.", {.defaulted = true}),
       field<&A::watches>("watches", "Of log rules.", {.defaulted = true})});
}

const Agent* AgentBoard::find(const ObjectKey& job, std::string_view pod_uid) const {
  return agents_.find(fmt::format("{}{}", prefix_of(job), pod_uid));
}

std::vector<Agent> AgentBoard::of_job(const ObjectKey& job) const {
  std::vector<Agent> found;
  for (const auto& [id, agent] : agents_.starting_with(prefix_of(job))) found.push_back(agent);
  return found;
}

void AgentBoard::put(const ObjectKey& job, Agent agent) {
  std::string id = fmt::format("{}{}", prefix_of(job), agent.pod_uid);
  agents_.put(std::move(id), std::move(agent));
}

void AgentBoard::report(const ObjectKey& job, Agent agent) {
  put(job, std::move(agent));
  if (told_) told_(job);
}

void AgentBoard::erase(const ObjectKey& job, std::string_view pod_uid) {
  agents_.erase(fmt::format("{}{}", prefix_of(job), pod_uid));
}

void AgentBoard::forget_job(const ObjectKey& job) {
  for (const auto& agent : of_job(job)) erase(job, agent.pod_uid);
}

void AgentBoard::sweep(const ObjectStore& store) {
  std::vector<std::string> gone;
  for (const auto& [id, agent] : agents_) {
    if (!store.find_cluster(id.substr(0, id.find('/')))) gone.push_back(id);
  }
  for (const auto& id : gone) agents_.erase(id);
}

}  // namespace instantstart::sandbox::kubernetes
