// Instances as nodes: what HyperPod says of them becomes Node objects and kubelets.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sandbox/core/node_host.h"
#include "sandbox/kubernetes/cluster/cluster_access.h"
#include "sandbox/kubernetes/cluster/event_recorder.h"
#include "sandbox/kubernetes/cluster/kubelet.h"

namespace instantstart::sandbox::kubernetes {

/// Loop thread only.
class Nodes final : public NodeHost {
 public:
  Nodes(ClusterAccess& access, EventRecorder& events, Kubelet& kubelet)
      : access_(access), events_(events), kubelet_(kubelet) {}

  std::vector<std::string> missing_dependencies(std::string_view cluster_id) const override;
  void join(std::string_view cluster_id, const NodeSpec& node) override;
  void update(std::string_view cluster_id, std::string_view node, const NodeUpdate& change) override;
  void drain(std::string_view cluster_id, std::string_view node) override;
  bool is_drained(std::string_view cluster_id, std::string_view node) const override;
  void uncordon(std::string_view cluster_id, std::string_view node) override;
  void set_reachable(std::string_view cluster_id, std::string_view node, bool reachable,
                     std::string_view reason) override;
  void leave(std::string_view cluster_id, std::string_view node) override;

 private:
  bool is_open(std::string_view cluster_id) const;
  static ObjectKey key_of(std::string_view cluster_id, std::string_view node);
  void put(const ObjectKey& key, json::object node);
  void cordon(const ObjectKey& key, bool off);
  std::vector<const StoredObject*> pods_on(std::string_view cluster_id, std::string_view node) const;
  void remove_pods(std::string_view cluster_id, std::string_view node);

  ClusterAccess& access_;
  EventRecorder& events_;
  Kubelet& kubelet_;
};

/// The Node object that a kubelet registers. Pure.
json::object node_object(const NodeSpec& spec, std::string_view now, std::string_view seed);
/// Applies a change. Pure.
void change_node(json::object& node, const NodeUpdate& change, std::string_view now);

}  // namespace instantstart::sandbox::kubernetes
