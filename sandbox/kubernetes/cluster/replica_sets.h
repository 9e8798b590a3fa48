// ReplicaSets: as many pods as asked for.
#pragma once

#include "sandbox/kubernetes/cluster/controller.h"

namespace instantstart::sandbox::kubernetes {

class ReplicaSets final : public Controller {
 public:
  explicit ReplicaSets(ControllerParts parts) : Controller("replicaset", parts) {}
  void notice(const Change& change) override;

 private:
  void sync(const ObjectKey& key) override;
  /// False, with the condition said, when pods could not be made.
  std::optional<Status> add_pods(const ObjectKey& key, const json::object& set, std::int64_t count);
  void remove_pods(const ObjectKey& key, const json::object& set, std::int64_t count);
  void write_status(const ObjectKey& key, const std::optional<Status>& failure);
};

}  // namespace instantstart::sandbox::kubernetes
