#include "faces/mcp/progress.h"

#include <fmt/core.h>

#include "base/text.h"

namespace instantstart::faces {
namespace {

constexpr std::size_t k_message_bytes = 200;
/// So small that news within one step never reach the next one.
constexpr double k_within_a_step = 0.001;

std::string text_of(const json::object& object, std::string_view name) {
  return std::string(text_member(object, name).value_or(""));
}

}  // namespace

Progress progress_of(const json::object& view) {
  Progress progress{.message = text_of(view, "state")};
  const auto* steps = view.if_contains("steps");
  if (steps && steps->is_array()) {
    bool first = true;
    for (const auto& step : steps->get_array()) {
      if (!step.is_object()) continue;
      progress.total += 1;
      const std::string state = text_of(step.get_object(), "state");
      if (state == "done") progress.done += 1;
      if (state == "done" || state == "pending" || !first) continue;
      first = false;
      progress.message += fmt::format(": {} ({})", text_of(step.get_object(), "title"), state);
      const std::string words = text_of(step.get_object(), "progress");
      if (!words.empty()) progress.message += fmt::format(", {}", words);
    }
  }
  progress.message = shortened(without_controls(progress.message), k_message_bytes);
  return progress;
}

json::object progress_notification(const json::value& token, const Progress& progress, double& last) {
  last = progress.done > last ? progress.done : last + k_within_a_step;
  json::object params{{"progressToken", token}, {"progress", last}};
  if (progress.total > 0) params["total"] = progress.total;
  if (!progress.message.empty()) params["message"] = progress.message;
  return rpc_notification("notifications/progress", std::move(params));
}

}  // namespace instantstart::faces
