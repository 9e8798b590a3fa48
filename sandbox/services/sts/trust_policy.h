// Whether a role's trust policy lets somebody assume it. Pure. What is not understood never allows: an
// operator, key or principal that isn't known makes an Allow not apply, and a Deny apply.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "base/json.h"
#include "sandbox/core/policy_condition.h"

namespace instantstart::sandbox {

struct TrustQuestion {
  std::string action;                       ///< "sts:AssumeRole"
  std::string account;                      ///< The caller's: its root stands for everybody in it.
  std::string principal_arn;                ///< Of a user or session; empty for a web identity.
  std::optional<std::string> role_arn;      ///< The role that a session came from.
  std::optional<std::string> provider_arn;  ///< Of a web identity.
  ConditionContext context;                 ///< "sts:externalid", "oidc.eks…/id/abc:sub"
};

bool is_trusted(const json::object& policy, const TrustQuestion& question);

}  // namespace instantstart::sandbox
