// Unhealthy nodes: how they are noticed, marked, rebooted and replaced.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/describe.h"
#include "base/result.h"
#include "sandbox/services/sagemaker/state.h"

namespace instantstart::sandbox::sagemaker {

enum class NodeFaultKind {
  hang,               ///< The instance doesn't answer; a reboot helps.
  xid,                ///< A GPU has a hardware fault; only another instance helps.
  spot_interruption,  ///< EC2 takes a Spot instance back, after its notice.
  lost,               ///< The instance is gone.
};
Type describe(NodeFaultKind*);

/// What a test lets happen to a node.
struct NodeFault {
  std::optional<std::string> region;  ///< May be left out when one region alone has the cluster.
  std::string cluster;                ///< By name.
  std::string node;                   ///< Instance id or logical id.
  NodeFaultKind kind = NodeFaultKind::hang;
};
Type describe(NodeFault*);

/// Errors: `not_found`; `conflict` for a node that isn't running or has a fault already, and for a Spot
/// interruption of a node that is no Spot instance.
Result<> inject_fault(State& state, const NodeFault& fault);

/// The node's step while it is running: its fault is seen.
void act_on_fault(State& state, const std::string& node_key);
void finish_draining(State& state, const std::string& node_key);
void begin_reboot(State& state, const std::string& node_key);
void finish_reboot(State& state, const std::string& node_key);

/// A user's label asks for a reboot or a replacement; only with NodeRecovery Automatic is it heard.
void act_on_label(State& state, std::string_view eks_cluster_id, std::string_view node,
                  std::string_view value);

}  // namespace instantstart::sandbox::sagemaker
