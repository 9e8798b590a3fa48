#include "sandbox/kubernetes/training/training_lines.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr std::int64_t k_bar = 10;

/// "2026-11-30 10:00:01,123"
std::string python_time(WallTime now) {
  std::string text = to_rfc3339(now);
  text.pop_back();
  std::ranges::replace(text, 'T', ' ');
  std::ranges::replace(text, '.', ',');
  return text;
}

/// tqdm's "02:10", or "1:02:10".
std::string clock_text(milliseconds duration) {
  const auto total = std::chrono::duration_cast<seconds>(duration).count();
  if (total < 3600) return fmt::format("{:02}:{:02}", total / 60, total % 60);
  return fmt::format("{}:{:02}:{:02}", total / 3600, total / 60 % 60, total % 60);
}

std::string bar(const TrainingPlan& plan, std::int64_t step, std::int64_t resumed_from) {
  const std::int64_t full = step * k_bar / plan.steps;
  std::string blocks;
  for (std::int64_t i = 0; i < k_bar; ++i) blocks += i < full ? "█" : " ";
  const double rate = static_cast<double>(plan.step_time.count()) / 1000.0;
  return fmt::format("{:3}%|{}| {}/{} [{}<{}, {:5.2f}s/it]", step * 100 / plan.steps, blocks, step,
                     plan.steps, clock_text(plan.step_time * (step - resumed_from)),
                     clock_text(plan.step_time * (plan.steps - step)), rate);
}

double tokens_a_second(const TrainingPlan& plan, const WorkerPlace& place) {
  return static_cast<double>(plan.batch * plan.sequence * place.world()) * 1000.0 /
         static_cast<double>(plan.step_time.count());
}

}  // namespace

std::string agent_line(WallTime now, std::int64_t node_rank, std::int64_t run, std::string_view text,
                       std::string_view level) {
  return fmt::format(
      "[HyperPodElasticAgent] {} [{}] [rank{}-restart{}] "
      "/opt/conda/lib/python3.11/site-packages/hyperpod_elastic_agent/hyperpod_elastic_agent.py:217: {}",
      python_time(now), level, node_rank, run, text);
}

std::string transition_line(WallTime now, std::int64_t node_rank, std::int64_t run, std::string_view from,
                            std::string_view to) {
  return agent_line(now, node_rank, run, fmt::format("Transitioned from {} to {}", from, to));
}

std::vector<std::string> nccl_lines(const WorkerPlace& place) {
  std::vector<std::string> lines;
  for (std::int64_t local = 0; local < place.local_ranks; ++local) {
    const std::int64_t rank = place.first_rank() + local;
    const auto say = [&](std::string_view text) {
      lines.push_back(
          fmt::format("{}:{}:{} [{}] NCCL INFO {}", place.pod, 100 + local, 300 + local, local, text));
    };
    say(fmt::format("Bootstrap : Using eth0:{}<0>", place.address));
    if (place.has_fabric) {
      say("NET/OFI Initializing aws-ofi-nccl 1.16.3");
      say("NET/OFI Selected provider is efa, fabric is efa (found 1 nics)");
      say("Using network AWS Libfabric");
    } else {
      say(fmt::format("NET/Socket : Using [0]eth0:{}<0>", place.address));
      say("Using network Socket");
    }
    say(
        fmt::format("ncclCommInitRankConfig comm 0x55d0c0ffe0 rank {} nranks {} cudaDev {} nvmlDev {} - "
                    "Init COMPLETE",
                    rank, place.world(), local, local));
  }
  return lines;
}

std::string log_line(const TrainingPlan& plan, const WorkerPlace& place, std::int64_t step) {
  return fmt::format(
      "{{'loss': '{:.4g}', 'grad_norm': '{:.4g}', 'learning_rate': '{:.4g}', 'num_input_tokens_seen': '{}', "
      "'train_tokens_per_second': '{:.1f}', 'epoch': '{:.4g}'}}",
      loss_at(plan, step), gradient_norm_at(plan, step), learning_rate_at(plan, step),
      step * plan.batch * plan.sequence * place.world(), tokens_a_second(plan, place), epoch_at(plan, step));
}

std::string summary_line(const TrainingPlan& plan, const WorkerPlace& place, std::int64_t resumed_from) {
  const double runtime =
      static_cast<double>((plan.step_time * std::max<std::int64_t>(1, plan.steps - resumed_from)).count()) /
      1000.0;
  const double each = static_cast<double>(plan.step_time.count()) / 1000.0;
  return fmt::format(
      "{{'train_runtime': '{:.1f}', 'train_samples_per_second': '{:.3f}', 'train_steps_per_second': "
      "'{:.3f}', "
      "'train_loss': '{:.4g}', 'epoch': '{}'}}",
      runtime, static_cast<double>(plan.batch * place.world()) / each, 1.0 / each, loss_at(plan, plan.steps),
      plan.epochs);
}

std::string progress_line(const TrainingPlan& plan, const TrainingEvent& event, std::int64_t resumed_from) {
  const std::int64_t middle = (event.from + event.step) / 2;
  std::string line = bar(plan, event.from, resumed_from);
  for (const std::int64_t step : {middle, event.step}) {
    if (step <= event.from) continue;
    line += '\r';
    line += bar(plan, step, resumed_from);
  }
  return line;
}

}  // namespace instantstart::sandbox::kubernetes
