// What the keeper must know of a pod, and which runs of its containers can be read. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "kube/field_selection.h"
#include "workload_logs/log_subject.h"

namespace instantstart::workload_logs {

/// One run of a container that the node still has.
struct RunPlace {
  std::int64_t attempt = 0;
  bool over = false;      ///< Nothing is added to it.
  bool previous = false;  ///< It is reached by previous=true.

  bool operator==(const RunPlace&) const = default;
};

struct ContainerRuns {
  std::string name;
  std::int64_t restarts = 0;
  std::vector<RunPlace> runs;  ///< Oldest first, at most two.

  const RunPlace* find(std::int64_t attempt) const;
};

struct PodRuns {
  std::string uid;
  bool over = false;     ///< None of its containers runs again.
  bool several = false;  ///< It has more than one container.
  bool chosen = true;    ///< It belongs to the workload.
  std::optional<std::int64_t> rank;
  std::vector<ContainerRuns> containers;  ///< Those that ran.

  const ContainerRuns* find(const std::string& container) const;
};

/// What of a pod `pod_runs` looks at.
kube::FieldSelection pod_fields();

PodRuns pod_runs(const json::object& pod, const LogSubject& subject);

/// Whether the object says that the workload has ended: conditions of jobs, of training operators and of
/// KubeRay. An object of a kind that never says so has not.
bool has_ended(const json::object& owner);

}  // namespace instantstart::workload_logs
