// The workers of one agent: a training script, step by step. What they are up to is in the agent's record.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sandbox/kubernetes/cluster/programs.h"
#include "sandbox/kubernetes/training/agent_arguments.h"
#include "sandbox/kubernetes/training/agent_board.h"
#include "sandbox/kubernetes/training/training_lines.h"
#include "sandbox/kubernetes/training/training_plan.h"

namespace instantstart::sandbox::kubernetes {

/// What a worker step prints, by stream of local rank 0.
struct WorkerStep {
  milliseconds after{0};
  std::vector<std::string> agent;   ///< By the agent itself.
  std::vector<std::string> errors;  ///< Standard error.
  std::vector<std::string> output;  ///< Standard output.
  std::optional<int> exit_code;     ///< The workers end.
};

class TrainingScript {
 public:
  TrainingScript(const ProgramSite& site, const json::object& pod, const AgentArguments& arguments,
                 const Agent& agent, std::string_view job);

  const WorkerPlace& place() const { return place_; }
  /// Of the workers' run, counted from 0. Changes the record of the agent only when the step is due.
  WorkerStep step(std::int64_t position, Agent& agent) const;

 private:
  WorkerStep begin(Agent& agent) const;
  WorkerStep set_up(const Agent& agent) const;
  WorkerStep train(const Agent& agent, const TrainingEvent& event) const;
  WorkerStep end(const Agent& agent) const;
  /// The script that isn't there, in Python's words.
  std::optional<std::string> missing_script() const;
  std::int64_t last_checkpoint() const;
  void save_checkpoint(std::int64_t step) const;
  std::vector<std::string> data_lines() const;

  const ProgramSite& site_;
  const json::object& pod_;
  const AgentArguments& arguments_;
  WorkerPlace place_;
  TrainingPlan plan_;
};

}  // namespace instantstart::sandbox::kubernetes
