// How a pod's state is put into a few words (printPod of Kubernetes' printers).
#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "sandbox/kubernetes/objects/cell_parts.h"

namespace instantstart::sandbox::kubernetes {
namespace {

std::string ended_reason(const json::object& state) {
  const auto& terminated = child(state, "terminated");
  if (!text_at(terminated, "reason").empty()) return text_at(terminated, "reason");
  const auto signal = integer_at(terminated, "signal");
  return signal != 0 ? fmt::format("Signal:{}", signal)
                     : fmt::format("ExitCode:{}", integer_at(terminated, "exitCode"));
}

struct PodSummary {
  std::string reason;
  std::int64_t restarts = 0;
  std::int64_t ready = 0;
  std::string last_restart;
};

/// The first init container that is not done decides; true when there is one.
bool summarize_init(const json::object& object, PodSummary& summary) {
  const auto& wanted = items(spec_of(object), "initContainers");
  const auto& statuses = items(status_of(object), "initContainerStatuses");
  for (std::size_t i = 0; i < statuses.size(); ++i) {
    if (!statuses[i].is_object()) continue;
    const auto& status = statuses[i].get_object();
    const auto& state = child(status, "state");
    summary.restarts += integer_at(status, "restartCount");
    const bool sidecar = i < wanted.size() && wanted[i].is_object() &&
                         text_at(wanted[i].get_object(), "restartPolicy") == "Always";
    if (sidecar && flag_at(status, "started")) {
      if (flag_at(status, "ready")) ++summary.ready;
      continue;
    }
    if (state.contains("terminated") && integer_at(child(state, "terminated"), "exitCode") == 0) continue;
    if (state.contains("terminated")) {
      summary.reason = "Init:" + ended_reason(state);
    } else if (const auto why = text_at(child(state, "waiting"), "reason");
               !why.empty() && why != "PodInitializing") {
      summary.reason = "Init:" + why;
    } else {
      summary.reason = fmt::format("Init:{}/{}", i, wanted.size());
    }
    return true;
  }
  return false;
}

void summarize_containers(const json::object& object, PodSummary& summary) {
  const auto& statuses = items(status_of(object), "containerStatuses");
  bool running = false;
  summary.restarts = 0;
  for (auto item = statuses.rbegin(); item != statuses.rend(); ++item) {
    if (!item->is_object()) continue;
    const auto& status = item->get_object();
    const auto& state = child(status, "state");
    summary.restarts += integer_at(status, "restartCount");
    const auto finished = text_at(child(child(status, "lastState"), "terminated"), "finishedAt");
    summary.last_restart = std::max(summary.last_restart, finished);
    if (const auto why = text_at(child(state, "waiting"), "reason"); !why.empty()) {
      summary.reason = why;
    } else if (state.contains("terminated")) {
      summary.reason = ended_reason(state);
    } else if (flag_at(status, "ready") && state.contains("running")) {
      running = true;
      ++summary.ready;
    }
  }
  if (summary.reason != "Completed" || !running) return;
  summary.reason = condition(object, "Ready") == "True" ? "Running" : "NotReady";
}

PodSummary summarize_pod(const json::object& object) {
  PodSummary summary;
  summary.reason = text_at(status_of(object), "phase");
  if (const auto why = text_at(status_of(object), "reason"); !why.empty()) summary.reason = why;
  for (const auto& item : items(status_of(object), "conditions")) {
    if (item.is_object() && text_at(item.get_object(), "type") == "PodScheduled" &&
        text_at(item.get_object(), "reason") == "SchedulingGated") {
      summary.reason = "SchedulingGated";
    }
  }
  const bool initializing = summarize_init(object, summary);
  if (!initializing || condition(object, "Initialized") == "True") summarize_containers(object, summary);
  if (!metadata_text(object, "deletionTimestamp").empty()) {
    const bool lost = text_at(status_of(object), "reason") == "NodeLost";
    const auto phase = text_at(status_of(object), "phase");
    if (lost) {
      summary.reason = "Unknown";
    } else if (phase != "Failed" && phase != "Succeeded") {
      summary.reason = "Terminating";
    }
  }
  return summary;
}

}  // namespace

json::array pod_cells(const CellSource& source) {
  const auto summary = summarize_pod(source.object);
  auto restarts = std::to_string(summary.restarts);
  if (summary.restarts != 0 && !summary.last_restart.empty())
    restarts += fmt::format(" ({} ago)", age_of(summary.last_restart, source.now));
  const auto& status = status_of(source.object);
  const auto gates = items(spec_of(source.object), "readinessGates").size();
  std::size_t passed = 0;
  for (const auto& gate : items(spec_of(source.object), "readinessGates")) {
    if (gate.is_object() && condition(source.object, text_at(gate.get_object(), "conditionType")) == "True")
      ++passed;
  }
  std::size_t total = items(spec_of(source.object), "containers").size();
  for (const auto& item : items(spec_of(source.object), "initContainers")) {
    if (item.is_object() && text_at(item.get_object(), "restartPolicy") == "Always") ++total;
  }
  return {name_cell(source),
          json::value(fmt::format("{}/{}", summary.ready, total)),
          json::value(summary.reason),
          json::value(restarts),
          age_cell(source),
          json::value(or_none(text_at(status, "podIP"))),
          json::value(or_none(text_at(spec_of(source.object), "nodeName"))),
          json::value(or_none(text_at(status, "nominatedNodeName"))),
          json::value(gates == 0 ? std::string("<none>") : fmt::format("{}/{}", passed, gates))};
}

}  // namespace instantstart::sandbox::kubernetes
