// Web identities while nothing in the sandbox issues tokens.
#pragma once

#include "sandbox/core/role_directory.h"

namespace instantstart::sandbox {

/// Vouches for nobody, as an account whose providers issued no token.
class UnvouchedIdentities final : public IdentityProviders {
 public:
  Reply<WebIdentity> verify(std::string_view) const override {
    return fault("InvalidIdentityToken",
                 "No OpenIDConnect provider found in your account for the token's issuer");
  }
};

}  // namespace instantstart::sandbox
