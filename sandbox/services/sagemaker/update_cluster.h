// UpdateCluster: settings of the cluster, and groups that are added, changed and deleted.
#pragma once

#include <cstdint>
#include <string>

#include "sandbox/services/sagemaker/state.h"

namespace instantstart::sandbox::sagemaker {

Reply<api::UpdateClusterResponse> update_cluster(State& state, const Call& call,
                                                 const api::UpdateClusterRequest& in);

}  // namespace instantstart::sandbox::sagemaker
