// What happens to pods when their node is tainted or gone, and to nodes whose health label a user set.
#pragma once

#include <map>
#include <set>

#include "sandbox/core/node_host.h"
#include "sandbox/kubernetes/cluster/controller.h"
#include "sandbox/kubernetes/cluster/kubelet.h"

namespace instantstart::sandbox::kubernetes {

class NodeLifecycle final : public Controller {
 public:
  NodeLifecycle(ControllerParts parts, Kubelet& kubelet)
      : Controller("node-lifecycle", parts), kubelet_(kubelet) {}

  /// Who is told of health labels; may be absent.
  void set_watcher(NodeWatcher* watcher) { watcher_ = watcher; }
  void notice(const Change& change) override;
  void due(const ObjectKey& key, std::string_view purpose) override;
  void forget() override;

 private:
  void sync(const ObjectKey& key) override;
  void evict(const ObjectKey& node_key, const json::object& node);
  void tell_health(const ObjectKey& key, const json::object& node);
  void remove(const ObjectKey& pod, bool at_once);

  Kubelet& kubelet_;
  NodeWatcher* watcher_ = nullptr;
  std::map<ObjectKey, std::set<ObjectKey>> pods_;  ///< By node.
};

}  // namespace instantstart::sandbox::kubernetes
