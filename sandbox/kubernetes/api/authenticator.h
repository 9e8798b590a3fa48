// Who sends a request: bearer tokens of EKS and of service accounts, and whom the sender impersonates.
#pragma once

#include <string_view>

#include "net/http.h"
#include "sandbox/kubernetes/api/authorizer.h"
#include "sandbox/kubernetes/api/identity.h"
#include "sandbox/kubernetes/api/object_store.h"
#include "sandbox/kubernetes/api/refusals.h"

namespace instantstart::sandbox::kubernetes {

struct AuthenticatorParts {
  const ObjectStore& store;
  const Authorizer& authorizer;
  const AccessDirectory& directory;
  const ServiceAccountTokens& service_account_tokens;
  VerifyEksToken verify_eks_token;
};

/// Loop thread only.
class Authenticator {
 public:
  explicit Authenticator(AuthenticatorParts parts) : parts_(std::move(parts)) {}

  /// Without a token: system:anonymous. A token that is no good: 401. Impersonation without the right to it:
  /// 403.
  Outcome<Identity> identify(std::string_view cluster, const net::Headers& headers) const;
  /// Whose token this is; for TokenReviews too.
  Outcome<Identity> identify_token(std::string_view cluster, std::string_view token) const;

 private:
  Outcome<Identity> of_eks_token(std::string_view cluster, std::string_view token) const;
  Outcome<Identity> of_service_account(std::string_view cluster, std::string_view token) const;
  Outcome<Identity> impersonated(std::string_view cluster, const Identity& sender,
                                 const net::Headers& headers) const;

  AuthenticatorParts parts_;
};

}  // namespace instantstart::sandbox::kubernetes
