// What a kubelet knows of a pod, durable: its containers and how far their programs are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/describe.h"
#include "base/json.h"
#include "base/time.h"

namespace instantstart::sandbox::kubernetes {

enum class ContainerState {
  waiting,  ///< For the volumes, the containers before it, or its image.
  pulling,
  pull_failed,  ///< Waits to pull again.
  misconfigured,
  running,
  exited,
  backing_off,  ///< Exited, and waits to be started again.
};
Type describe(ContainerState*);

struct ContainerEnd {
  std::int64_t exit_code = 0;
  std::string reason;    ///< "Completed", "Error"
  std::string started;   ///< RFC 3339
  std::string finished;  ///< RFC 3339
  std::string id;
};
Type describe(ContainerEnd*);

struct ContainerRun {
  std::string name;
  bool init = false;
  bool sidecar = false;  ///< An init container that goes on (restartPolicy Always).
  ContainerState state = ContainerState::waiting;
  std::int64_t attempt = 0;
  std::int64_t step = 0;  ///< Of its program.
  std::int64_t pull_failures = 0;
  bool ready = false;
  bool silent = false;              ///< Its program hangs, by a planned fault.
  bool starting_up = false;         ///< Its startup probe has not passed yet.
  std::int64_t probe_failures = 0;  ///< In a row, of the probe that ends it: startup, then liveness.
  std::string reason;               ///< Why it waits: "ImagePullBackOff".
  std::string message;
  std::string started;               ///< RFC 3339
  std::string id;                    ///< "containerd://…" of this run.
  std::optional<ContainerEnd> end;   ///< Of this run.
  std::optional<ContainerEnd> last;  ///< Of the run before.
};
Type describe(ContainerRun*);

enum class PodStage { starting, running, ending, ended };
Type describe(PodStage*);

struct PodRun {
  std::string cluster;
  std::string namespace_name;
  std::string name;
  std::string uid;
  std::string node;
  std::string ip;
  std::string start_time;
  PodStage stage = PodStage::starting;
  bool failed = false;  ///< Of an ended one.
  std::string reason;   ///< status.reason: "DeadlineExceeded"
  std::string message;
  std::vector<ContainerRun> containers;  ///< Init containers first.

  std::string id() const { return cluster + "/" + uid; }
  ContainerRun* find(std::string_view container);
  const ContainerRun* find(std::string_view container) const;
  bool initialized() const;
};
Type describe(PodRun*);

/// A machine that a kubelet runs on.
struct NodeRecord {
  bool reachable = true;
  std::string internal_ip;
  std::vector<std::string> images;  ///< Pulled, the last ones.
  std::string health_label;         ///< As it was last told.
};
Type describe(NodeRecord*);

/// The status that the kubelet writes. `before` is the status so far: conditions keep their times.
json::object pod_status(const PodRun& run, const json::object& pod, const NodeRecord& node,
                        std::string_view now);

}  // namespace instantstart::sandbox::kubernetes
