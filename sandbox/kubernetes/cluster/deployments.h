// Deployments: one ReplicaSet a template, and the way from the old ones to the new.
#pragma once

#include "sandbox/kubernetes/cluster/controller.h"

namespace instantstart::sandbox::kubernetes {

class Deployments final : public Controller {
 public:
  explicit Deployments(ControllerParts parts) : Controller("deployment", parts) {}
  void notice(const Change& change) override;
  void due(const ObjectKey& key, std::string_view purpose) override;

 private:
  struct Sets {
    const json::object* current = nullptr;  ///< That of today's template.
    std::vector<const json::object*> old;   ///< By revision.
  };

  void sync(const ObjectKey& key) override;
  Sets sets_of(const ObjectKey& key, const json::object& deployment);
  /// False when one thing was done and the rest waits for its effect.
  void roll_out(const ObjectKey& key, const json::object& deployment);
  void make_set(const ObjectKey& key, const json::object& deployment, const Sets& sets);
  void keep_revision(const ObjectKey& key, const json::object& deployment, const Sets& sets);
  void roll(const ObjectKey& key, const json::object& deployment);
  void recreate(const ObjectKey& key, const json::object& deployment);
  void scale(const ObjectKey& key, const json::object& deployment, const json::object& set,
             std::int64_t replicas);
  void remove_history(const ObjectKey& key, const json::object& deployment);
  void write_status(const ObjectKey& key, bool too_late);
};

}  // namespace instantstart::sandbox::kubernetes
