// What the operator and the agents (`hyperpodrun`) in its pods know of each other. In a real cluster they
// talk over HTTP on port 8080; here both write to durable records, and each change is told to the other at
// once.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/describe.h"
#include "sandbox/core/world.h"
#include "sandbox/kubernetes/api/object_store.h"
#include "sandbox/kubernetes/training/log_rules.h"

namespace instantstart::sandbox::kubernetes {

enum class AgentState {
  init,
  ready,  ///< Waits for the operator.
  running,
  completed,
  faulted,  ///< A worker failed; the agent itself lives.
};
Type describe(AgentState*);
/// "READY"
std::string_view name_of(AgentState state);

/// What the operator wants of an agent.
enum class AgentOrder { wait, run, shut_down };
Type describe(AgentOrder*);

/// The ranks of a pod within one run of the job.
struct Assignment {
  std::int64_t run = -1;  ///< How often the job was restarted before; -1: none yet.
  std::int64_t node_rank = 0;
  std::int64_t nodes = 1;
  std::string master_address;
  std::string master_port;
};
Type describe(Assignment*);

struct Agent {
  std::string pod;
  std::string pod_uid;
  std::string container;
  std::int64_t attempt = 0;  ///< Of the container, as its restartCount.
  AgentState state = AgentState::init;
  std::string fault;           ///< "WorkerCrash", "LogSlow_loss"; of a faulted one.
  std::int64_t exit_code = 0;  ///< Of the worker that failed.
  AgentOrder order = AgentOrder::wait;
  Assignment assignment;

  // -- of the workers
  std::int64_t begun_run = -1;    ///< The run that they are in.
  std::int64_t first_step = 0;    ///< The program's step at which it began.
  std::int64_t position = -1;     ///< What of it is done.
  std::int64_t resumed_from = 0;  ///< The training step of the checkpoint.
  std::string begun_at;           ///< RFC 3339
  std::vector<RuleWatch> watches;
};
Type describe(Agent*);

/// Agents by "CLUSTER/NAMESPACE/JOB/POD-UID". Loop thread only.
class AgentBoard {
 public:
  explicit AgentBoard(World& world) : agents_(world, "kubernetes.training_agent") {}

  const Agent* find(const ObjectKey& job, std::string_view pod_uid) const;
  std::vector<Agent> of_job(const ObjectKey& job) const;
  void put(const ObjectKey& job, Agent agent);
  /// As put; the operator is told.
  void report(const ObjectKey& job, Agent agent);
  void erase(const ObjectKey& job, std::string_view pod_uid);
  void forget_job(const ObjectKey& job);
  /// Of clusters that are gone.
  void sweep(const ObjectStore& store);
  void on_report(std::function<void(const ObjectKey& job)> told) { told_ = std::move(told); }

 private:
  Collection<Agent> agents_;
  std::function<void(const ObjectKey&)> told_;
};

}  // namespace instantstart::sandbox::kubernetes
