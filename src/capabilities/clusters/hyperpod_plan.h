// The plans of HyperPod clusters, of what was seen. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "capabilities/clusters/compute_subnet.h"
#include "capabilities/clusters/hyperpod_steps.h"
#include "contract/plan.h"

namespace instantstart::capabilities {

/// "cluster/<key>/part/hyperpod": beside the dependencies, which complete when nodes come.
std::string hyperpod_subject(const ClusterTarget& cluster);

struct HyperpodSituation {
  ExecutionRoleInput role_input;
  ExecutionRoleSeen role;
  LifecycleInput bucket_input;
  LifecycleSeen bucket;
  std::optional<ComputeSubnetInput> subnet_input;  ///< Absent: the nodes' subnet is not ours.
  ComputeSubnetSeen subnet;
  HyperpodInput hyperpod_input;
  HyperpodSeen hyperpod;
  std::vector<std::string> warnings;
};

/// A step only for what differs. Errors: `name_taken`.
Result<contract::Plan> to_plan(HyperpodSituation situation);

/// What of an existing cluster's group the request would change though it can't be changed by this action.
std::vector<FieldProblem> fixed_problems(const InstanceGroup& wanted, const GroupView& found);

struct HyperpodRemains {
  ClusterTarget cluster;
  std::vector<HyperpodDeletionInput> hyperpod;
  std::vector<std::string> hyperpod_groups;  ///< "workers (4 nodes)", for people.
  ExecutionRoleInput role_input;
  ExecutionRoleSeen role;
  LifecycleInput bucket_input;
  LifecycleSeen bucket;
  std::vector<ComputeSubnetInput> subnets;
};
contract::Plan to_deletion_plan(const HyperpodRemains& remains);

}  // namespace instantstart::capabilities
