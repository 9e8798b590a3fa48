// Claims meet volumes: static ones by name, class, size and access; dynamic ones where the CSI driver is
// there.
#pragma once

#include "sandbox/kubernetes/cluster/controller.h"

namespace instantstart::sandbox::kubernetes {

class Volumes final : public Controller {
 public:
  explicit Volumes(ControllerParts parts) : Controller("persistentvolume-binder", parts) {}
  void notice(const Change& change) override;

 private:
  void sync(const ObjectKey& key) override;
  void sync_claim(const ObjectKey& key);
  void sync_volume(const ObjectKey& key);
  const json::object* find_volume(const ObjectKey& claim_key, const json::object& claim) const;
  void provision(const ObjectKey& claim_key, const json::object& claim);
  void bind(const ObjectKey& claim_key, const json::object& claim, const json::object& volume);
  void set_phase(const ObjectKey& key, std::string_view phase);
};

}  // namespace instantstart::sandbox::kubernetes
