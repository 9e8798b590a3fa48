// StatefulSets: pods with names and volumes of their own, made and replaced in order.
#pragma once

#include "sandbox/kubernetes/cluster/controller.h"

namespace instantstart::sandbox::kubernetes {

class StatefulSets final : public Controller {
 public:
  explicit StatefulSets(ControllerParts parts) : Controller("statefulset", parts) {}
  void notice(const Change& change) override;

 private:
  void sync(const ObjectKey& key) override;
  bool make_claims(const ObjectKey& key, const json::object& set, std::int64_t ordinal);
  bool make_pod(const ObjectKey& key, const json::object& set, std::int64_t ordinal,
                const std::string& revision);
  void remove_pod(const ObjectKey& key, const json::object& set, const std::string& name);
  void keep_pods(const ObjectKey& key, const json::object& set, const std::string& revision);
  void update_pods(const ObjectKey& key, const json::object& set, const std::string& revision);
  void write_status(const ObjectKey& key, const std::string& revision);
};

}  // namespace instantstart::sandbox::kubernetes
