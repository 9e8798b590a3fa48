// Roles.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/services/iam/policy_document.h"
#include "sandbox/services/iam/state.h"

namespace instantstart::sandbox::iam {

/// What the collections of a role begin with: its name in lower case.
std::string role_key(std::string_view name);
Reply<const aws::iam::Role*> find_role(const State& state, std::string_view name);
/// By ARN; nullptr when there is none. The path counts.
const aws::iam::Role* find_role_by_arn(const State& state, std::string_view arn);
/// A role that may be changed: one that AWS's services own may not.
Reply<const aws::iam::Role*> find_own_role(const State& state, std::string_view name);

struct RoleSpec {
  std::string path = "/";
  std::string name;
  std::string trust_policy;
  std::optional<std::string> description;
  std::int64_t max_session_seconds = 3600;
  std::optional<std::string> boundary;
  std::vector<aws::iam::Tag> tags = {};
};
/// No checks. `region` says the partition.
const aws::iam::Role& make_role(State& state, std::string_view region, const RoleSpec& spec);
/// As answers carry it: the trust policy URL-encoded (RFC 3986), as IAM's documents say.
aws::iam::Role shown(aws::iam::Role role);

Reply<aws::iam::CreateRoleResponse> create_role(State& state, const Call& call,
                                                const aws::iam::CreateRoleRequest& in);
Reply<aws::iam::GetRoleResponse> get_role(State& state, const Call& call, const aws::iam::GetRoleRequest& in);
Reply<aws::iam::ListRolesResponse> list_roles(State& state, const Call& call,
                                              const aws::iam::ListRolesRequest& in);
Reply<aws::Empty> delete_role(State& state, const Call& call, const aws::iam::DeleteRoleRequest& in);
Reply<aws::Empty> update_assume_role_policy(State& state, const Call& call,
                                            const aws::iam::UpdateAssumeRolePolicyRequest& in);
Reply<aws::Empty> tag_role(State& state, const Call& call, const aws::iam::TagRoleRequest& in);
Reply<aws::Empty> untag_role(State& state, const Call& call, const aws::iam::UntagRoleRequest& in);
/// What is absent stays as it is.
Reply<aws::iam::UpdateRoleResponse> update_role(State& state, const Call& call,
                                                const aws::iam::UpdateRoleRequest& in);
Reply<aws::iam::ListRoleTagsResponse> list_role_tags(State& state, const Call& call,
                                                     const aws::iam::ListRoleTagsRequest& in);
/// Instance profiles can't be made here, so no role has one.
Reply<aws::iam::ListInstanceProfilesForRoleResponse> list_instance_profiles_for_role(
    State& state, const Call& call, const aws::iam::ListInstanceProfilesForRoleRequest& in);

}  // namespace instantstart::sandbox::iam
