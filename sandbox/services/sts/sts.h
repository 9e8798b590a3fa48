// AWS STS: who am I, and sessions of roles.
#pragma once

#include "aws/shapes/sts.h"
#include "sandbox/core/access_keys.h"
#include "sandbox/core/role_directory.h"
#include "sandbox/core/service.h"
#include "sandbox/core/world.h"

namespace instantstart::sandbox {

/// A role must exist and trust the caller. Policies of identities are not asked: whoever has a key may call.
/// Sessions end by wall time.
class StsService final : public Service {
 public:
  StsService(World& world, AccessKeys& keys, const RoleDirectory& roles, const IdentityProviders& providers);

 private:
  struct NewSession;

  Reply<aws::sts::GetCallerIdentityResponse> get_caller_identity(const Call& call) const;
  Reply<aws::sts::AssumeRoleResponse> assume_role(const Call& call, const aws::sts::AssumeRoleRequest& in);
  Reply<aws::sts::AssumeRoleWithWebIdentityResponse> assume_role_with_web_identity(
      const Call& call, const aws::sts::AssumeRoleWithWebIdentityRequest& in);
  NewSession make_session(const Call& call, const AssumableRole& role, const std::string& session_name,
                          seconds duration);

  World& world_;
  AccessKeys& keys_;
  const RoleDirectory& roles_;
  const IdentityProviders& providers_;
};

}  // namespace instantstart::sandbox
