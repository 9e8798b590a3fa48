// The plans of deploying and deleting a served model, from what was seen. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "capabilities/inference/deployment_objects.h"
#include "capabilities/inference/deployment_state.h"
#include "contract/plan.h"

namespace instantstart::capabilities {

struct GpuNodeSeen {
  std::string name;
  std::string type;       ///< "ml.g5.8xlarge"
  std::int64_t gpus = 0;  ///< Allocatable.
  std::int64_t used = 0;  ///< Requested by pods of others.
  bool schedulable = false;
};

struct DeployFacts {
  ServedModel model;
  bool namespace_exists = false;
  DeploymentSeen seen;
  std::vector<GpuNodeSeen> nodes;
  std::string gpu_member = "tensor_parallel";  ///< Where the caller said how many GPUs a replica has.
};

/// "cluster/<key>/namespace/<space>/deployment/<name>"
std::string deployment_subject(const ServedModel& model);

/// No step when all holds. Errors: `not_found` for the namespace; `name_taken`, with what differs, for
/// objects that are not ours; `invalid_request` when no node can hold a replica, when the model's heads can't
/// be divided, or when its folder is not in the pods.
Result<contract::Plan> plan_deploy(const DeployFacts& facts);

/// Errors: `not_found`; `blocked` when it is not ours.
Result<contract::Plan> plan_delete(const ServedModel& model, const DeploymentSeen& seen);

}  // namespace instantstart::capabilities
