// Simulated AWS IAM: roles and their policies, OpenID Connect providers, service-linked roles, and what
// policies allow. What a role may do is not enforced on calls; SimulatePrincipalPolicy tells.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sandbox/core/role_directory.h"
#include "sandbox/core/service.h"
#include "sandbox/services/iam/state.h"

namespace instantstart::sandbox::iam {

class Iam final : public Service, public RoleDirectory {
 public:
  /// The world must outlive it.
  explicit Iam(World& world, Limits limits = {});

  std::optional<AssumableRole> find_role(std::string_view arn) const override;
  /// Names are unique in the account, whatever the path: what the ARN of a session leads to.
  std::optional<AssumableRole> find_role_by_name(std::string_view name) const;

  /// What SimulatePrincipalPolicy says of one action of a role, by ARN; false for a role that isn't there,
  /// and nullopt when one of its policies is none that the sandbox knows.
  std::optional<bool> allows(const std::string& role_arn,
                             const aws::iam::SimulatePrincipalPolicyRequest& what);

  /// By ARN; nullptr when there is none. Valid until the next change of it.
  const aws::iam::GetOpenIDConnectProviderResponse* find_oidc_provider(std::string_view arn) const;
  /// Makes the role of a service unless it is there, as services do at their first use: "eks.amazonaws.com".
  /// False when the service is not known to have one.
  bool ensure_service_linked_role(std::string_view region, std::string_view service);

 private:
  /// `handler` is one of the functions over State.
  template <class Op>
  void serve(Reply<typename Op::Output> (*handler)(State&, const Call&, const typename Op::Input&));

  State state_;
};

}  // namespace instantstart::sandbox::iam
