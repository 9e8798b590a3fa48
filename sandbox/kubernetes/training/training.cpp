#include "sandbox/kubernetes/training/training.h"

#include "sandbox/kubernetes/training/hyperpodrun.h"
#include "sandbox/kubernetes/training/training_operator.h"

namespace instantstart::sandbox::kubernetes {

Training::Training(World& world, ClusterRuntime& runtime) : board_(world) {
  runtime.programs().add(
      [this](const ContainerView& container) { return recognise_hyperpodrun(container, board_); });
  runtime.add_controller([this, &runtime](ControllerParts parts) {
    return std::make_unique<TrainingOperator>(parts, board_, runtime.pods());
  });
}

}  // namespace instantstart::sandbox::kubernetes
