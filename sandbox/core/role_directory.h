// What STS has to know of IAM.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "base/json.h"
#include "sandbox/core/service.h"

namespace instantstart::sandbox {

/// A role that exists, as far as assuming it is concerned.
struct AssumableRole {
  std::string arn;        ///< "arn:aws:iam::123456789012:role/path/name"
  std::string name;       ///< "name"
  std::string unique_id;  ///< "AROA…"
  json::object trust_policy;
  std::int64_t max_session_seconds = 3600;
};

class RoleDirectory {
 public:
  virtual ~RoleDirectory() = default;
  /// nullopt when there is no such role.
  virtual std::optional<AssumableRole> find_role(std::string_view arn) const = 0;
};

/// What a web identity token says, once its signature was found to be good.
struct WebIdentity {
  std::string provider_arn;  ///< "arn:aws:iam::123456789012:oidc-provider/oidc.eks…/id/…"
  std::string issuer;        ///< Without the scheme, as conditions name it: "oidc.eks…/id/…".
  std::string subject;       ///< "system:serviceaccount:default:app"
  std::string audience;      ///< "sts.amazonaws.com"
};

class IdentityProviders {
 public:
  virtual ~IdentityProviders() = default;
  /// Faults: InvalidIdentityToken when no provider of the account vouches for the token,
  /// ExpiredTokenException.
  virtual Reply<WebIdentity> verify(std::string_view token) const = 0;
};

}  // namespace instantstart::sandbox
