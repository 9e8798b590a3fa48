// What the machinery around a cluster does to the programs in its pods.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/describe.h"
#include "base/result.h"

namespace instantstart::sandbox::kubernetes {

enum class PodFaultKind {
  crash,    ///< The container ends now.
  silence,  ///< The program hangs: it does and prints nothing until it is started again.
};
Type describe(PodFaultKind*);

/// What `POST /_sandbox/pod-fault` asks for.
struct PodFault {
  std::string cluster;  ///< The EKS cluster's name or id.
  std::string namespace_name = "default";
  std::string pod;
  std::optional<std::string> container;  ///< Absent: the first that runs.
  PodFaultKind kind = PodFaultKind::crash;
  std::int64_t exit_code = 1;      ///< Of a crash.
  std::vector<std::string> lines;  ///< Printed before.
};
Type describe(PodFault*);

/// Loop thread only. Changes become durable with the world's next commit.
class PodControl {
 public:
  virtual ~PodControl() = default;
  /// `cluster` of the fault is the id here. Errors: `not_found`; `conflict` when nothing runs there.
  virtual Result<> break_pod(const PodFault& fault) = 0;
  /// Its programs look again at what they are shown, now. One that was silent is as one just started.
  virtual void rouse(std::string_view cluster, std::string_view pod_uid) = 0;
};

}  // namespace instantstart::sandbox::kubernetes
