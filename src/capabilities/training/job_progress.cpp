#include "capabilities/training/job_progress.h"

#include <charconv>
#include <cmath>
#include <vector>

#include "base/capturing_pattern.h"
#include "base/error_codes.h"

namespace instantstart::capabilities {
namespace {

using Groups = std::vector<std::string_view>;

/// Larger than any line of progress by far.
constexpr std::size_t k_longest_line = 4'096;
/// How much of the end of a log is looked at.
constexpr std::int64_t k_tail = 32 * 1024;

std::string without(std::string_view text, char character) {
  std::string kept;
  for (const char c : text) {
    if (c != character) kept += c;
  }
  return kept;
}

std::optional<double> number(std::string_view text) {
  const std::string digits = without(text, ',');
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

std::optional<std::int64_t> count(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// "1:02:03" or "02:03"; with days "1 day, 2:03:04" does not occur in tqdm.
std::optional<std::int64_t> clock_seconds(std::string_view text) {
  std::int64_t total = 0;
  while (true) {
    const auto colon = text.find(':');
    const auto part = count(text.substr(0, colon));
    if (!part || *part > 100'000'000) return std::nullopt;
    total = total * 60 + *part;
    if (colon == std::string_view::npos) return total;
    text.remove_prefix(colon + 1);
    if (total > 10'000'000'000) return std::nullopt;
  }
}

/// "1d 2h 20m 3s"
std::optional<std::int64_t> worded_seconds(std::string_view text) {
  static const CapturingPattern k_parts(
      R"(^(?:(\d{1,6})d)?\s*(?:(\d{1,6})h)?\s*(?:(\d{1,6})m)?\s*(?:(\d{1,6})s)?$)");
  const auto parts = k_parts.find(text);
  if (!parts || text.empty()) return std::nullopt;
  return count((*parts)[0]).value_or(0) * 86'400 + count((*parts)[1]).value_or(0) * 3'600 +
         count((*parts)[2]).value_or(0) * 60 + count((*parts)[3]).value_or(0);
}

void set_loss(JobProgress& progress, std::string_view text) {
  const auto value = number(text);
  progress.loss_is_finite = value && std::isfinite(*value);
  // JSON has no infinity.
  progress.loss = progress.loss_is_finite ? value : std::nullopt;
}

void set_rate(JobProgress& progress, std::string_view text, std::string unit) {
  const auto value = number(text);
  if (!value || !std::isfinite(*value)) return;
  progress.throughput = value;
  progress.throughput_unit = std::move(unit);
}

void set_eta_from(JobProgress& progress, double seconds_a_step) {
  if (!progress.step || !progress.total_steps || *progress.total_steps < *progress.step) return;
  const double left = static_cast<double>(*progress.total_steps - *progress.step) * seconds_a_step;
  if (left >= 0 && left < 1e12) progress.eta_seconds = static_cast<std::int64_t>(std::llround(left));
}

bool take_megatron(std::string_view line, JobProgress& progress) {
  static const CapturingPattern k_line(
      R"(iteration\s+(\d+)/\s*(\d+)\s*\|.*?elapsed time per iteration \(ms\):\s*([\d.]+))");
  static const CapturingPattern k_rate(R"(throughput per GPU \(TFLOP/s/GPU\):\s*([\d.]+))");
  static const CapturingPattern k_loss(R"(lm loss:\s*([-+\d.Ee]+|nan|-?inf))");
  const auto found = k_line.find(line);
  if (!found) return false;
  progress.step = count((*found)[0]);
  progress.total_steps = count((*found)[1]);
  if (const auto loss = k_loss.find(line)) set_loss(progress, loss->front());
  if (const auto rate = k_rate.find(line)) {
    set_rate(progress, rate->front(), "tflops/gpu");
  }
  if (const auto pace = number((*found)[2])) set_eta_from(progress, *pace / 1'000);
  progress.format = "megatron";
  return true;
}

bool take_torchtitan(std::string_view line, JobProgress& progress) {
  static const CapturingPattern k_line(
      R"(step:\s*(\d+)\s+loss:\s*(-?[\d.]+|nan|-?inf)\s+grad_norm:.*?tps:\s*([\d,.]+))");
  const auto found = k_line.find(line);
  if (!found) return false;
  progress.step = count((*found)[0]);
  set_loss(progress, (*found)[1]);
  set_rate(progress, (*found)[2], "tokens/s/gpu");
  progress.format = "torchtitan";
  return true;
}

bool take_ms_swift(std::string_view line, JobProgress& progress) {
  static const CapturingPattern k_step(R"('(?:global_step/max_steps|iteration)':\s*'(\d+)/(\d+)')");
  static const CapturingPattern k_loss(R"('loss':\s*'?(-?[\d.]+(?:e[-+]?\d+)?|nan|-?inf)'?)");
  static const CapturingPattern k_speed(R"('train_speed\(s/it\)':\s*'?([\d.]+))");
  static const CapturingPattern k_left(R"('remaining_time':\s*'([^']{1,40})')");
  const auto found = k_step.find(line);
  if (!found) return false;
  progress.step = count((*found)[0]);
  progress.total_steps = count((*found)[1]);
  if (const auto loss = k_loss.find(line)) set_loss(progress, loss->front());
  if (const auto speed = k_speed.find(line)) {
    set_rate(progress, speed->front(), "s/it");
    if (const auto pace = number(speed->front())) set_eta_from(progress, *pace);
  }
  if (const auto left = k_left.find(line)) {
    if (const auto seconds_left = worded_seconds(left->front())) progress.eta_seconds = seconds_left;
  }
  progress.format = "ms_swift";
  return true;
}

bool take_hugging_face(std::string_view line, JobProgress& progress) {
  static const CapturingPattern k_loss(
      R"([{,]\s*'(?:train_)?loss':\s*'?(-?[\d.]+(?:e[-+]?\d+)?|nan|-?inf)'?)");
  static const CapturingPattern k_rate(R"('train_steps_per_second':\s*'?([\d.]+))");
  const auto loss = k_loss.find(line);
  if (!loss) return false;
  set_loss(progress, loss->front());
  if (const auto rate = k_rate.find(line)) {
    set_rate(progress, rate->front(), "it/s");
    progress.eta_seconds = 0;
  }
  progress.format = "huggingface";
  return true;
}

bool take_tqdm(std::string_view line, JobProgress& progress) {
  static const CapturingPattern k_bar(
      R"(\d{1,3}%\|[^|]*\|\s*(\d+)/(\d+)\s\[[\d:]+<([\d:?]+),\s*([\d.?]+)(s/it|it/s))");
  const auto found = k_bar.find(line);
  if (!found) return false;
  progress.step = count((*found)[0]);
  progress.total_steps = count((*found)[1]);
  if (const auto left = clock_seconds((*found)[2])) progress.eta_seconds = left;
  set_rate(progress, (*found)[3], std::string((*found)[4]));
  progress.format = "tqdm";
  return true;
}

/// Without escape sequences and without what stands before the program's own words.
std::string bare(std::string_view line) {
  std::string text;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '\x1b') {
      text += line[i];
      continue;
    }
    if (i + 1 < line.size() && line[i + 1] == '[') ++i;
    while (i + 1 < line.size() && (line[i + 1] < '@' || line[i + 1] > '~')) ++i;
    ++i;
  }
  return text;
}

void take(std::string_view line, JobProgress& progress) {
  if (line.empty() || line.size() > k_longest_line) return;
  const std::string text = bare(line);
  // From the most particular on: a line of ms-swift looks like one of Hugging Face too.
  if (take_megatron(text, progress) || take_torchtitan(text, progress) || take_ms_swift(text, progress))
    return;
  // A bar may have been drawn over: the dictionary follows on the same line.
  const bool bar = take_tqdm(text, progress);
  if (!take_hugging_face(text, progress) && bar) progress.format = "tqdm";
}

}  // namespace

Type describe(JobProgress*) {
  return object_type<JobProgress>(
      "JobProgress", "How far a training job has come, as its log tells it.",
      {field<&JobProgress::step>("step", "Steps done."),
       field<&JobProgress::total_steps>("total_steps", "Steps wanted."),
       field<&JobProgress::loss>("loss", "The loss that was told last."),
       field<&JobProgress::loss_is_finite>("loss_is_finite", "False: the last loss was NaN or infinite."),
       field<&JobProgress::throughput>("throughput", "In throughput_unit."),
       field<&JobProgress::throughput_unit>("throughput_unit", "it/s, s/it, tokens/s/gpu or tflops/gpu."),
       field<&JobProgress::eta_seconds>("eta_seconds", "Until the last step, at this speed."),
       field<&JobProgress::format>(
           "format", "Whose way of telling it is: tqdm, huggingface, torchtitan, megatron or ms_swift.")});
}

std::optional<JobProgress> progress_in(std::string_view tail) {
  JobProgress progress;
  while (!tail.empty()) {
    const auto end = tail.find_first_of("\r\n");
    take(tail.substr(0, end), progress);
    if (end == std::string_view::npos) break;
    tail.remove_prefix(end + 1);
  }
  if (progress.format.empty()) return std::nullopt;
  return progress;
}

namespace {

/// Of the streams that go on the lowest rank first, then the highest: Megatron's last rank tells the loss.
std::vector<workload_logs::LogChoice> tellers(const workload_logs::LogView& view) {
  std::optional<std::int64_t> lowest;
  std::optional<std::int64_t> highest;
  for (const auto& stream : view.streams) {
    if (!stream.rank || stream.bytes == 0) continue;
    if (!lowest || *stream.rank < *lowest) lowest = stream.rank;
    if (!highest || *stream.rank > *highest) highest = stream.rank;
  }
  std::vector<workload_logs::LogChoice> choices;
  if (lowest) choices.push_back({.rank = lowest});
  if (highest != lowest) choices.push_back({.rank = highest});
  if (choices.empty()) choices.emplace_back();
  return choices;
}

}  // namespace

Task<std::optional<JobProgress>> look_at_progress(workload_logs::LogKeeper& keeper,
                                                  workload_logs::LogName name) {
  auto view = co_await keeper.look(name);
  if (!view) co_return fail(view.error());
  if (!*view) co_return std::nullopt;
  std::optional<JobProgress> best;
  for (auto& choice : tellers(**view)) {
    auto reader = co_await keeper.open(name, std::move(choice), -k_tail);
    if (!reader) continue;
    std::string tail;
    while ((*reader)->offset() < (*reader)->end() && std::ssize(tail) < k_tail) {
      auto piece = co_await (*reader)->next(static_cast<std::size_t>(k_tail));
      if (!piece) co_return fail(piece.error());
      if (!*piece) break;
      tail += **piece;
    }
    auto progress = progress_in(tail);
    if (progress && (!best || (!best->loss && progress->loss))) best = std::move(progress);
  }
  co_return best;
}

}  // namespace instantstart::capabilities
