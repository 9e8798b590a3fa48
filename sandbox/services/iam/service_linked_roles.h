// Roles that belong to an AWS service.
#pragma once

#include <string>
#include <string_view>

#include "sandbox/services/iam/state.h"

namespace instantstart::sandbox::iam {

/// Makes the service's role unless it is there, as services do at their first use. False when the service is
/// not known to have one. `region` says the partition.
bool ensure_service_linked_role(State& state, std::string_view region, std::string_view service);

Reply<aws::iam::CreateServiceLinkedRoleResponse> create_service_linked_role(
    State& state, const Call& call, const aws::iam::CreateServiceLinkedRoleRequest& in);

}  // namespace instantstart::sandbox::iam
