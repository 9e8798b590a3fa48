#include "sandbox/kubernetes/training/training_plan.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "base/digest.h"
#include "sandbox/kubernetes/training/agent_arguments.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr std::int64_t k_most_steps = 1'000'000;
/// Of one epoch, where only epochs are given.
constexpr std::int64_t k_epoch_steps = 60;
/// Each is a durable step of the program.
constexpr std::int64_t k_most_events = 2'000;
constexpr milliseconds k_usual_run{600'000};
constexpr milliseconds k_shortest_step{500};
constexpr milliseconds k_longest_step{5'000};

/// From 0 up to 1, of a text.
double fraction_of(std::string_view text) {
  const Sha256 hash = sha256(text);
  return (hash[0] * 65536.0 + hash[1] * 256.0 + hash[2]) / 16777216.0;
}

std::string text_option(const std::map<std::string, std::string, std::less<>>& options,
                        std::initializer_list<std::string_view> names) {
  for (const auto name : names) {
    if (const auto found = options.find(name); found != options.end()) return found->second;
  }
  return {};
}

}  // namespace

TrainingPlan training_plan(std::string_view job,
                           const std::map<std::string, std::string, std::less<>>& options) {
  TrainingPlan plan{.job = std::string(job)};
  plan.epochs = std::min(count_option(options, {"num_train_epochs", "num_epochs", "epochs"}).value_or(1),
                         k_most_steps / k_epoch_steps);
  const auto steps = count_option(
      options, {"max_steps", "steps", "training.steps", "num_steps", "max_train_steps", "train_iters"});
  const bool by_epochs =
      options.contains("num_train_epochs") || options.contains("epochs") || options.contains("num_epochs");
  plan.steps = std::min(steps.value_or(by_epochs ? plan.epochs * k_epoch_steps : plan.steps), k_most_steps);
  plan.log_every = count_option(options, {"logging_steps", "log_every", "log_interval"}).value_or(5);
  plan.save_every = count_option(options, {"save_steps", "checkpoint_interval", "save_every", "save_freq"})
                        .value_or(std::max<std::int64_t>(1, plan.steps / 4));
  const std::int64_t least = std::max<std::int64_t>(1, plan.steps / k_most_events);
  plan.log_every = std::max(plan.log_every, least);
  plan.save_every = std::max(plan.save_every, least);
  plan.batch =
      count_option(options, {"per_device_train_batch_size", "batch_size", "micro_batch_size"}).value_or(8);
  plan.sequence =
      count_option(options, {"max_length", "seq_len", "cutoff_len", "max_seq_length"}).value_or(2048);
  plan.step_time = std::clamp(k_usual_run / plan.steps, k_shortest_step, k_longest_step);
  const double rate = std::strtod(text_option(options, {"learning_rate", "lr"}).c_str(), nullptr);
  if (rate > 0) plan.learning_rate = rate;
  plan.output = text_option(options, {"output_dir", "output", "save_dir", "checkpoint_dir"});
  if (!plan.output.starts_with('/')) plan.output = fmt::format("/data/output/{}", job);
  while (plan.output.size() > 1 && plan.output.ends_with('/')) plan.output.pop_back();
  const std::string resume = text_option(options, {"resume_from_checkpoint", "resume"});
  plan.resume = !resume.empty() && resume != "false" && resume != "False" && resume != "null";
  return plan;
}

std::vector<TrainingEvent> training_events(const TrainingPlan& plan, std::int64_t resumed_from) {
  std::vector<TrainingEvent> events;
  std::int64_t at = std::max<std::int64_t>(0, resumed_from);
  while (at < plan.steps) {
    const std::int64_t log = (at / plan.log_every + 1) * plan.log_every;
    const std::int64_t save = (at / plan.save_every + 1) * plan.save_every;
    const std::int64_t next = std::min({log, save, plan.steps});
    events.push_back({.from = at, .step = next, .saves = next == save || next == plan.steps});
    at = next;
  }
  return events;
}

double loss_at(const TrainingPlan& plan, std::int64_t step) {
  const double start = 1.8 + 0.8 * fraction_of(plan.job);
  const double noise = fraction_of(fmt::format("{}/{}", plan.job, step)) - 0.5;
  return 0.4 + start * std::exp(-static_cast<double>(step) / 80.0) + 0.04 * noise;
}

double gradient_norm_at(const TrainingPlan& plan, std::int64_t step) {
  return 0.4 + 0.5 * loss_at(plan, step) * fraction_of(fmt::format("{}/norm/{}", plan.job, step));
}

double learning_rate_at(const TrainingPlan& plan, std::int64_t step) {
  return plan.learning_rate * (1.0 - static_cast<double>(step) / static_cast<double>(plan.steps));
}

double epoch_at(const TrainingPlan& plan, std::int64_t step) {
  return static_cast<double>(plan.epochs) * static_cast<double>(step) / static_cast<double>(plan.steps);
}

}  // namespace instantstart::sandbox::kubernetes
