// Whether a pod may run on a node, as kube-scheduler's filter plugins decide. Pure; read once from the
// objects, so that a thousand nodes are looked at quickly.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace instantstart::sandbox::kubernetes {

/// Thousandths by resource name.
using Amounts = std::map<std::string, std::int64_t, std::less<>>;

/// Of a list like resources.requests or status.allocatable. What can't be read is left out.
Amounts amounts_of(const json::object& quantities);
/// The larger of the sum of containers and each init container (restartable ones add up), with overhead.
Amounts requests_of(const json::object& pod);

struct Taint {
  std::string key;
  std::string value;
  std::string effect;
};

struct Toleration {
  std::string key;
  std::string op;  ///< "Equal" or "Exists"
  std::string value;
  std::string effect;  ///< Empty: every one.
  std::optional<std::int64_t> seconds;

  bool tolerates(const Taint& taint) const;
};

std::vector<Taint> taints_of(const json::object& node);
std::vector<Toleration> tolerations_of(const json::object& pod_spec);
bool is_tolerated(const Taint& taint, const std::vector<Toleration>& tolerations);

/// One matchExpressions entry of node affinity.
struct NodeRequirement {
  std::string key;
  std::string op;  ///< "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"
  std::vector<std::string> values;
  bool field = false;  ///< metadata.name instead of a label.
};

struct NodeTerm {
  std::vector<NodeRequirement> all;
  std::int64_t weight = 0;
};

struct NodeView {
  std::string name;
  Amounts allocatable;
  Amounts used;
  std::int64_t pods = 0;
  json::object labels;
  std::vector<Taint> taints;
  bool unschedulable = false;
};

/// What a pod asks of its node.
struct PodDemands {
  Amounts requests;
  json::object node_selector;
  bool has_required = false;
  std::vector<NodeTerm> required;  ///< One must hold.
  std::vector<NodeTerm> preferred;
  std::vector<Toleration> tolerations;
  std::string only_node;  ///< By a field requirement on the name, as DaemonSets write it.

  static PodDemands of(const json::object& pod);
  /// Equal for pods that fit the same nodes.
  std::string signature() const;
};

/// nodeSelector and required affinity.
bool selects(const PodDemands& pod, const NodeView& node);
/// The first taint that keeps it off (NoSchedule, NoExecute).
const Taint* untolerated(const PodDemands& pod, const NodeView& node);
/// Empty: it fits. Else kube-scheduler's reasons: "Insufficient nvidia.com/gpu".
std::vector<std::string> why_not(const PodDemands& pod, const NodeView& node);
/// Higher is better: preferred terms, fewer PreferNoSchedule taints, more room.
std::int64_t score(const PodDemands& pod, const NodeView& node);

}  // namespace instantstart::sandbox::kubernetes
