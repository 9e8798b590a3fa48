// Training in the simulated clusters: HyperPod's training operator and the programs that it runs. It is AWS's
// side, and knows nothing of who submits jobs.
#pragma once

#include "sandbox/kubernetes/cluster/cluster_runtime.h"
#include "sandbox/kubernetes/training/agent_board.h"

namespace instantstart::sandbox::kubernetes {

/// Loop thread only. Made before the runtime is attached; both must live as long as each other.
class Training {
 public:
  Training(World& world, ClusterRuntime& runtime);
  Training(const Training&) = delete;
  Training& operator=(const Training&) = delete;

 private:
  AgentBoard board_;
};

}  // namespace instantstart::sandbox::kubernetes
