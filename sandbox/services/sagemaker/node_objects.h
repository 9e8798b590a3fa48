// What a HyperPod instance looks like as a node of Kubernetes. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/core/node_host.h"
#include "sandbox/services/sagemaker/instance_choice.h"
#include "sandbox/services/sagemaker/state.h"

namespace instantstart::sandbox::sagemaker {

/// Labels and taint of "HyperPod resiliency" in the SageMaker developer guide.
inline constexpr std::string_view k_health_label = "sagemaker.amazonaws.com/node-health-status";
inline constexpr std::string_view k_deep_check_label = "sagemaker.amazonaws.com/deep-health-check-status";
inline constexpr std::string_view k_fault_types_label = "sagemaker.amazonaws.com/fault-types";
inline constexpr std::string_view k_fault_reasons_label = "sagemaker.amazonaws.com/fault-reasons";
inline constexpr std::string_view k_fault_details_annotation = "sagemaker.amazonaws.com/fault-details";
inline constexpr std::string_view k_schedulable = "Schedulable";
inline constexpr std::string_view k_unschedulable = "Unschedulable";
inline constexpr std::string_view k_pending_reboot = "UnschedulablePendingReboot";
inline constexpr std::string_view k_pending_replacement = "UnschedulablePendingReplacement";

/// "hyperpod-i-0123456789abcdef0"
std::string node_name(std::string_view instance_id);
/// node-health-status=Unschedulable:NoSchedule
NodeTaint health_taint();

struct NodeFacts {
  const ClusterInternals& cluster;
  const api::ClusterInstanceGroupDetails& group;
  const api::ClusterNodeDetails& node;
  const InstanceShape& shape;
  bool deep_checks = false;  ///< They are about to run: it begins unschedulable.
};
NodeSpec make_node(const NodeFacts& facts);

std::vector<NodeTaint> taints_of(const std::vector<api::ClusterKubernetesTaint>& taints);

}  // namespace instantstart::sandbox::sagemaker
