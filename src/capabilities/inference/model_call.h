// Calls a served model through the API server's proxy, which carries the request to one of its pods: no way
// into the cluster's network is needed.
#pragma once

#include "capabilities/dependencies/cluster_target.h"
#include "capabilities/inference/deployment_reader.h"
#include "capabilities/inference/inference.h"

namespace instantstart::capabilities {

/// Of our Services alone, and sent once: a lost reply is `unknown_outcome`. Errors besides: `not_found` with
/// the nearest name; `unavailable` while no replica answers; those of chat.h.
Task<ModelCallAnswer> call_model(DeploymentReader reader, ClusterTarget cluster, ModelCall call,
                                 net::Deadline deadline);

/// "There is no deployment a/b. Did you mean c?", from what there is.
Error no_such_deployment(const std::vector<DeploymentView>& there, const std::string& space,
                         const std::string& name);

}  // namespace instantstart::capabilities
