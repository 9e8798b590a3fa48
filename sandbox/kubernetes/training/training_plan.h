// What a simulated training run does and when: its steps, what it logs, when it saves. Everything follows
// from the job's name and the script's arguments. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace instantstart::sandbox::kubernetes {

struct TrainingPlan {
  std::string job;
  std::int64_t steps = 120;
  std::int64_t epochs = 1;
  std::int64_t log_every = 5;
  std::int64_t save_every = 30;
  std::int64_t batch = 8;        ///< Samples a rank and step.
  std::int64_t sequence = 2048;  ///< Tokens a sample.
  milliseconds step_time{5'000};
  double learning_rate = 2e-5;
  std::string output;   ///< Folder of checkpoints and results.
  bool resume = false;  ///< Asked for, also by a job that was never restarted.
};

/// `options` as script_options gives them.
TrainingPlan training_plan(std::string_view job,
                           const std::map<std::string, std::string, std::less<>>& options);

/// A place to stop at: something is logged or saved there.
struct TrainingEvent {
  std::int64_t from = 0;  ///< The step before.
  std::int64_t step = 0;
  bool saves = false;
};
/// In order, the last one at the last step; empty when nothing is left.
std::vector<TrainingEvent> training_events(const TrainingPlan& plan, std::int64_t resumed_from);

/// The same for equal job and step, and falling.
double loss_at(const TrainingPlan& plan, std::int64_t step);
double gradient_norm_at(const TrainingPlan& plan, std::int64_t step);
double learning_rate_at(const TrainingPlan& plan, std::int64_t step);
double epoch_at(const TrainingPlan& plan, std::int64_t step);

}  // namespace instantstart::sandbox::kubernetes
