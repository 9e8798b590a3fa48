// DaemonSets: one pod on every node that it selects and whose taints it tolerates.
#pragma once

#include "sandbox/kubernetes/cluster/controller.h"
#include "sandbox/kubernetes/cluster/node_filters.h"

namespace instantstart::sandbox::kubernetes {

class DaemonSets final : public Controller {
 public:
  explicit DaemonSets(ControllerParts parts) : Controller("daemonset", parts) {}
  void notice(const Change& change) override;

 private:
  struct Node {
    NodeView view;
    std::vector<const json::object*> pods;
    bool wanted = false;  ///< A pod shall be made here.
    bool kept = false;    ///< One that is here may stay.
  };

  void sync(const ObjectKey& key) override;
  std::map<std::string, Node> nodes_of(const ObjectKey& key, const json::object& set);
  void write_status(const ObjectKey& key);
};

}  // namespace instantstart::sandbox::kubernetes
