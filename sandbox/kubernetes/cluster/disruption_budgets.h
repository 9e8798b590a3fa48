// PodDisruptionBudgets: how many pods may be evicted now.
#pragma once

#include "sandbox/kubernetes/cluster/controller.h"

namespace instantstart::sandbox::kubernetes {

class DisruptionBudgets final : public Controller {
 public:
  explicit DisruptionBudgets(ControllerParts parts) : Controller("disruption", parts) {}
  void notice(const Change& change) override;

 private:
  void sync(const ObjectKey& key) override;
};

}  // namespace instantstart::sandbox::kubernetes
