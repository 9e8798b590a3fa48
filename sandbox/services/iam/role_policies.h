// The policies of a role: inline ones, and AWS's managed ones that are attached to it.
#pragma once

#include <string>
#include <string_view>

#include "sandbox/services/iam/state.h"

namespace instantstart::sandbox::iam {

Reply<aws::Empty> put_role_policy(State& state, const Call& call, const aws::iam::PutRolePolicyRequest& in);
Reply<aws::iam::GetRolePolicyResponse> get_role_policy(State& state, const Call& call,
                                                       const aws::iam::GetRolePolicyRequest& in);
Reply<aws::Empty> delete_role_policy(State& state, const Call& call,
                                     const aws::iam::DeleteRolePolicyRequest& in);
Reply<aws::iam::ListRolePoliciesResponse> list_role_policies(State& state, const Call& call,
                                                             const aws::iam::ListRolePoliciesRequest& in);

Reply<aws::Empty> attach_role_policy(State& state, const Call& call,
                                     const aws::iam::AttachRolePolicyRequest& in);
Reply<aws::Empty> detach_role_policy(State& state, const Call& call,
                                     const aws::iam::DetachRolePolicyRequest& in);
Reply<aws::iam::ListAttachedRolePoliciesResponse> list_attached_role_policies(
    State& state, const Call& call, const aws::iam::ListAttachedRolePoliciesRequest& in);

Reply<aws::iam::GetPolicyResponse> get_policy(State& state, const Call& call,
                                              const aws::iam::GetPolicyRequest& in);

}  // namespace instantstart::sandbox::iam
