// What HyperPod and the Kubernetes of an EKS cluster know of each other: instances that become nodes.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace instantstart::sandbox {

struct NodeTaint {
  std::string key;
  std::string value;
  std::string effect;  ///< "NoSchedule", "PreferNoSchedule" or "NoExecute"

  bool operator==(const NodeTaint&) const = default;
};

/// As in a node's status. "Ready" and what the health monitoring agent reports, whose type is the fault's.
struct NodeCondition {
  std::string type;    ///< "NvidiaErrorReboot"
  std::string status;  ///< "True", "False" or "Unknown"
  std::string reason;  ///< "XidHardwareFailure"
  std::string message;

  bool operator==(const NodeCondition&) const = default;
};

/// What a kubelet registers its node with.
struct NodeSpec {
  std::string name;         ///< "hyperpod-i-0123456789abcdef0"
  std::string provider_id;  ///< "aws:///usw2-az2/sagemaker/cluster/hyperpod-abc123def456-i-0123456789abcdef0"
  std::string internal_ip;
  std::string hostname;         ///< "ip-10-0-1-5.us-west-2.compute.internal"
  std::string kubelet_version;  ///< "v1.34.2-eks-ecaa3a6"
  std::string os_image;
  std::map<std::string, std::string> labels;
  std::map<std::string, std::string> annotations;
  std::vector<NodeTaint> taints;
  std::map<std::string, std::string> capacity;     ///< "cpu", "memory", "pods", "nvidia.com/gpu" …
  std::map<std::string, std::string> allocatable;  ///< The same keys.
};

/// A change of a node. Of labels, annotations and conditions an empty value (or status) takes the key away
/// and what isn't named stays.
struct NodeUpdate {
  std::map<std::string, std::string> labels = {};
  std::map<std::string, std::string> annotations = {};
  std::vector<NodeTaint> taints_added = {};    ///< One of the same key and effect is replaced.
  std::vector<NodeTaint> taints_removed = {};  ///< By key and effect.
  std::vector<NodeCondition> conditions = {};
};

/// The Kubernetes side. Clusters are named by EKS's id (control_planes.h). Calls change the world like a
/// handler does and become durable with its commit. What isn't there is passed over: a user may have deleted
/// a node, and EKS the cluster.
class NodeHost {
 public:
  virtual ~NodeHost() = default;
  /// Of HyperPod's dependencies (health monitoring agent, permissions of deep health checks, job restart and
  /// patching), those that the cluster doesn't have, by their names in HyperPod's chart. Empty: all there.
  virtual std::vector<std::string> missing_dependencies(std::string_view cluster_id) const = 0;
  /// The node registers and is Ready. One of the same name is replaced, with what ran on it.
  virtual void join(std::string_view cluster_id, const NodeSpec& node) = 0;
  virtual void update(std::string_view cluster_id, std::string_view node, const NodeUpdate& change) = 0;
  /// Cordons the node and begins to evict its pods, but for those of DaemonSets.
  virtual void drain(std::string_view cluster_id, std::string_view node) = 0;
  /// Whether nothing but pods of DaemonSets is left on it; true when there is no such node.
  virtual bool is_drained(std::string_view cluster_id, std::string_view node) const = 0;
  /// Pods of it can be scheduled again.
  virtual void uncordon(std::string_view cluster_id, std::string_view node) = 0;
  /// The instance answers or doesn't: the node's Ready condition, and whether its containers run. A restart
  /// of the instance is false, then true: containers begin anew.
  virtual void set_reachable(std::string_view cluster_id, std::string_view node, bool reachable,
                             std::string_view reason) = 0;
  /// The node is gone, with its pods.
  virtual void leave(std::string_view cluster_id, std::string_view node) = 0;
};

/// HyperPod's side, as Kubernetes tells it.
class NodeWatcher {
 public:
  virtual ~NodeWatcher() = default;
  /// Somebody set the label sagemaker.amazonaws.com/node-health-status of a node, which is how users ask for
  /// a reboot ("UnschedulablePendingReboot") or a replacement ("UnschedulablePendingReplacement").
  virtual void health_status_labelled(std::string_view cluster_id, std::string_view node,
                                      std::string_view value) = 0;
};

}  // namespace instantstart::sandbox
