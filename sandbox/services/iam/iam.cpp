#include "sandbox/services/iam/iam.h"

#include <algorithm>

#include <boost/json/object.hpp>

#include "base/json.h"
#include "sandbox/services/iam/oidc_providers.h"
#include "sandbox/services/iam/role_policies.h"
#include "sandbox/services/iam/roles.h"
#include "sandbox/services/iam/service_linked_roles.h"
#include "sandbox/services/iam/simulation.h"

namespace instantstart::sandbox::iam {

namespace api = aws::iam;

template <class Op>
void Iam::serve(Reply<typename Op::Output> (*handler)(State&, const Call&, const typename Op::Input&)) {
  on<Op>([this, handler](const Call& call, const typename Op::Input& in) -> Reply<typename Op::Output> {
    return handler(state_, call, in);
  });
}

Iam::Iam(World& world, Limits limits) : Service(aws::iam::service()), state_(world, limits) {
  serve<api::CreateRole>(&create_role);
  serve<api::GetRole>(&get_role);
  serve<api::DeleteRole>(&delete_role);
  serve<api::ListRoles>(&list_roles);
  serve<api::UpdateRole>(&update_role);
  serve<api::TagRole>(&tag_role);
  serve<api::UntagRole>(&untag_role);
  serve<api::ListRoleTags>(&list_role_tags);
  serve<api::UpdateAssumeRolePolicy>(&update_assume_role_policy);
  serve<api::ListInstanceProfilesForRole>(&list_instance_profiles_for_role);
  serve<api::PutRolePolicy>(&put_role_policy);
  serve<api::GetRolePolicy>(&get_role_policy);
  serve<api::DeleteRolePolicy>(&delete_role_policy);
  serve<api::ListRolePolicies>(&list_role_policies);
  serve<api::AttachRolePolicy>(&attach_role_policy);
  serve<api::DetachRolePolicy>(&detach_role_policy);
  serve<api::ListAttachedRolePolicies>(&list_attached_role_policies);
  serve<api::GetPolicy>(&get_policy);
  serve<api::CreateOpenIDConnectProvider>(&create_open_id_connect_provider);
  serve<api::GetOpenIDConnectProvider>(&get_open_id_connect_provider);
  serve<api::ListOpenIDConnectProviders>(&list_open_id_connect_providers);
  serve<api::DeleteOpenIDConnectProvider>(&delete_open_id_connect_provider);
  serve<api::CreateServiceLinkedRole>(&create_service_linked_role);
  serve<api::SimulatePrincipalPolicy>(&simulate_principal_policy);
}

std::optional<AssumableRole> Iam::find_role(std::string_view arn) const {
  const api::Role* role = find_role_by_arn(state_, arn);
  if (!role) return std::nullopt;
  const auto policy = parse_json(*role->assume_role_policy_document);
  return AssumableRole{.arn = *role->arn,
                       .name = *role->role_name,
                       .unique_id = *role->role_id,
                       .trust_policy = policy && policy->is_object() ? policy->get_object() : json::object(),
                       .max_session_seconds = role->max_session_duration.value_or(3600)};
}

std::optional<AssumableRole> Iam::find_role_by_name(std::string_view name) const {
  const auto role = iam::find_role(state_, name);
  return role ? find_role(*(*role)->arn) : std::nullopt;
}

std::optional<bool> Iam::allows(const std::string& role_arn,
                                const api::SimulatePrincipalPolicyRequest& what) {
  if (!find_role(role_arn)) return false;
  api::SimulatePrincipalPolicyRequest request = what;
  request.policy_source_arn = role_arn;
  const auto reply = simulate_principal_policy(state_, {}, request);
  if (!reply) return std::nullopt;
  return std::ranges::all_of(aws::items(reply->evaluation_results),
                             [](const api::EvaluationResult& one) { return one.eval_decision == "allowed"; });
}

const api::GetOpenIDConnectProviderResponse* Iam::find_oidc_provider(std::string_view arn) const {
  return state_.oidc_providers.find(arn);
}

bool Iam::ensure_service_linked_role(std::string_view region, std::string_view service) {
  return iam::ensure_service_linked_role(state_, region, service);
}

}  // namespace instantstart::sandbox::iam
