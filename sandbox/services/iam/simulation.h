// SimulatePrincipalPolicy: what a role's identity policies, those of the request and a boundary say about
// actions.
#pragma once

#include "sandbox/services/iam/state.h"

namespace instantstart::sandbox::iam {

/// One result for each pair of action and resource. The account's own user, whose key the sandbox shows at
/// its start, is an administrator. Resource policies are refused, as nothing here has one.
Reply<aws::iam::SimulatePolicyResponse> simulate_principal_policy(
    State& state, const Call& call, const aws::iam::SimulatePrincipalPolicyRequest& in);

}  // namespace instantstart::sandbox::iam
