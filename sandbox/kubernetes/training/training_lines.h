// What a training script, NCCL and the agent print. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "sandbox/kubernetes/training/training_plan.h"

namespace instantstart::sandbox::kubernetes {

/// Where a worker stands.
struct WorkerPlace {
  std::string pod;
  std::string address;
  std::int64_t node_rank = 0;
  std::int64_t nodes = 1;
  std::int64_t local_ranks = 1;  ///< In each pod.
  bool has_fabric = false;       ///< EFA devices.

  std::int64_t first_rank() const { return node_rank * local_ranks; }
  std::int64_t world() const { return nodes * local_ranks; }
};

/// "[HyperPodElasticAgent] 2026-11-30 10:00:01,123 [INFO] [rank0-restart1] …: text"
std::string agent_line(WallTime now, std::int64_t node_rank, std::int64_t run, std::string_view text,
                       std::string_view level = "INFO");
std::string transition_line(WallTime now, std::int64_t node_rank, std::int64_t run, std::string_view from,
                            std::string_view to);

std::vector<std::string> nccl_lines(const WorkerPlace& place);

/// Standard output of a worker that logs, as Hugging Face's Trainer prints it.
std::string log_line(const TrainingPlan& plan, const WorkerPlace& place, std::int64_t step);
std::string summary_line(const TrainingPlan& plan, const WorkerPlace& place, std::int64_t resumed_from);
/// Standard error: bars of tqdm, each drawn over the one before with \r.
std::string progress_line(const TrainingPlan& plan, const TrainingEvent& event, std::int64_t resumed_from);

}  // namespace instantstart::sandbox::kubernetes
