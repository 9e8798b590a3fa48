// How far a training job has come, as its log tells it. Pure but for the last function; all of it is foreign
// text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/describe.h"
#include "net/task.h"
#include "workload_logs/log_keeper.h"

namespace instantstart::capabilities {

struct JobProgress {
  std::optional<std::int64_t> step;
  std::optional<std::int64_t> total_steps;
  std::optional<double> loss;
  bool loss_is_finite = true;  ///< False: the last loss was NaN or infinite.
  std::optional<double> throughput;
  std::optional<std::string> throughput_unit;  ///< "it/s", "s/it", "tokens/s/gpu", "tflops/gpu"
  std::optional<std::int64_t> eta_seconds;
  std::string format;  ///< "tqdm", "huggingface", "torchtitan", "megatron" or "ms_swift": of the latest line.

  bool operator==(const JobProgress&) const = default;
};
Type describe(JobProgress*);

/// From the tail of a log: the latest value of each, where one is. Lines end at "\n" and "\r"; escape
/// sequences and the prefixes "[pod] " and "[rank0]:" are looked through. nullopt when it holds none.
std::optional<JobProgress> progress_in(std::string_view tail);

/// From the end of the log of the rank that tells most. nullopt for a job whose log is not kept.
Task<std::optional<JobProgress>> look_at_progress(workload_logs::LogKeeper& keeper,
                                                  workload_logs::LogName name);

}  // namespace instantstart::capabilities
