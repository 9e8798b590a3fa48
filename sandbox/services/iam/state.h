// What IAM remembers. It is global: no regions. Records are AWS's own output shapes, documents as they were
// sent.
#pragma once

#include <string>
#include <string_view>

#include "aws/shapes/iam.h"
#include "sandbox/core/service.h"
#include "sandbox/core/world.h"

namespace instantstart::sandbox::iam {

/// "IAM object quotas" and "IAM and STS character limits" in the IAM user guide, at their defaults.
struct Limits {
  std::size_t roles = 1000;
  std::size_t managed_policies_per_role = 10;
  std::size_t tags_per_role = 50;
  std::size_t trust_policy_characters = 2048;      ///< Without white space.
  std::size_t inline_policies_characters = 10240;  ///< Of all of a role, without white space.
  std::size_t oidc_providers = 100;
};

struct State {
  explicit State(World& the_world, Limits the_limits = {});
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  World& world;
  Limits limits;
  /// By name in lower case: names that differ only in case are taken.
  Collection<aws::iam::Role> roles;
  Collection<aws::iam::GetRolePolicyResponse> inline_policies;            ///< By role_key/policy name.
  Collection<aws::iam::AttachedPolicy> attached_policies;                 ///< By role_key/policy ARN.
  Collection<aws::iam::GetOpenIDConnectProviderResponse> oidc_providers;  ///< By ARN.
};

/// The characters that quotas count.
std::size_t characters_without_space(std::string_view document);

aws::Timestamp timestamp(WallTime time);

}  // namespace instantstart::sandbox::iam
