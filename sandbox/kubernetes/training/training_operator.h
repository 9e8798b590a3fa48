// The HyperPod training operator: makes the pods of a HyperPodPyTorchJob, waits until every agent is READY,
// gives them ranks, and brings them back after a fault as the job's run policy allows. Elastic jobs and
// spares are not simulated: such a job runs with the replicas it has.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/kubernetes/cluster/controller.h"
#include "sandbox/kubernetes/cluster/pod_control.h"
#include "sandbox/kubernetes/training/agent_board.h"
#include "sandbox/kubernetes/training/job_status.h"

namespace instantstart::sandbox::kubernetes {

enum class JobPhase { starting, running, finished };
Type describe(JobPhase*);

/// What the operator remembers of a job beside its status.
struct JobRun {
  std::string uid;
  JobPhase phase = JobPhase::starting;
  std::string since;   ///< Of the phase; RFC 3339.
  std::string active;  ///< Since it was last resumed; empty while it is suspended.
  RestartCounts counts;
};
Type describe(JobRun*);

class TrainingOperator final : public Controller {
 public:
  /// The board and the pods must outlive it.
  TrainingOperator(ControllerParts parts, AgentBoard& board, PodControl& pods);
  void notice(const Change& change) override;
  void due(const ObjectKey& key, std::string_view purpose) override;

 private:
  /// One look at a job.
  struct Work {
    ObjectKey key;
    json::object job;
    json::object status;
    JobRun run;
    std::string now;
    std::vector<JobPod> wanted;
    std::vector<std::optional<json::object>> pods;  ///< As wanted.
  };
  struct Fault {
    std::string reason;
    std::string message;
    std::vector<std::size_t> ranks;  ///< Places in `wanted`.
  };

  void sync(const ObjectKey& key) override;
  bool is_at_work(const std::string& cluster) const;
  Work work_on(const ObjectKey& key, const json::object& job) const;
  void save(Work& work);
  void begin(Work& work);
  void suspend(Work& work);
  void look_at_phase(Work& work);

  // -- starting
  void make_missing_pods(Work& work);
  bool is_ready(const Work& work, std::size_t rank) const;
  void start(Work& work);

  // -- running
  std::optional<Fault> find_fault(const Work& work) const;
  std::optional<Fault> find_silence(Work& work);
  bool is_complete(const Work& work) const;
  void answer(Work& work, const Fault& fault);
  void fail(Work& work, std::string reason, std::string message);
  void finish(Work& work, bool success);
  void settle(const ObjectKey& key);

  void order(const Work& work, AgentOrder what);
  void remove_pods(const Work& work, bool only_ended);
  void record(const Work& work, std::string_view type, std::string_view reason, std::string message);
  void check_deadlines(Work& work);
  void expire(const ObjectKey& key);

  AgentBoard& board_;
  PodControl& pods_;
  Collection<JobRun> runs_;
};

}  // namespace instantstart::sandbox::kubernetes
