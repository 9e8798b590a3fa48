// Simulated Amazon SageMaker HyperPod with the EKS orchestrator: clusters, instance groups, nodes, their
// health, events and images; training plans. Slurm, restricted instance groups and Karpenter's work are not
// simulated. Lifecycle scripts are looked for, not run.
#pragma once

#include <string_view>

#include "base/result.h"
#include "sandbox/core/service.h"
#include "sandbox/services/sagemaker/node_recovery.h"
#include "sandbox/services/sagemaker/state.h"

namespace instantstart::sandbox::sagemaker {

class SageMaker final : public Service, public NodeWatcher {
 public:
  /// World and neighbours must outlive it; none but the world is used before the first call.
  SageMaker(World& world, Neighbours neighbours);

  /// What `PUT /_sandbox/node-fault` does. Errors as inject_fault has them; the caller commits.
  Result<> break_node(const NodeFault& fault) { return inject_fault(state_, fault); }

  void health_status_labelled(std::string_view cluster_id, std::string_view node,
                              std::string_view value) override;

 private:
  /// `handler` is one of the functions over State.
  template <class Op>
  void serve(Reply<typename Op::Output> (*handler)(State&, const Call&, const typename Op::Input&));
  void serve_all();

  State state_;
};

}  // namespace instantstart::sandbox::sagemaker
