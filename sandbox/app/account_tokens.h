// The API servers' view of the tokens that EKS signs.
#pragma once

#include "sandbox/core/service_account_tokens.h"
#include "sandbox/kubernetes/api/identity.h"

namespace instantstart::sandbox {

class AccountTokens final : public kubernetes::ServiceAccountTokens {
 public:
  AccountTokens(const sandbox::ServiceAccountTokens& tokens, const Clock& clock)
      : tokens_(tokens), clock_(clock) {}

  kubernetes::IssuedToken issue(std::string_view cluster_id,
                                const kubernetes::ServiceAccountClaims& claims) override;
  std::optional<kubernetes::ServiceAccountClaims> verify(std::string_view cluster_id,
                                                         std::string_view token) override;

 private:
  const sandbox::ServiceAccountTokens& tokens_;
  const Clock& clock_;
};

}  // namespace instantstart::sandbox
