// What a request proves its caller by: a bearer token, or the cookie of a browser's session. A face that
// stays connected keeps it, so as to ask again whether it still holds.
#pragma once

#include <string>

#include "access/credential_store.h"
#include "net/http.h"

namespace instantstart::faces {

struct Credential {
  enum class Kind { token, session };

  Kind kind = Kind::token;
  std::string secret;
};

/// A token wins over a cookie, which counts only where it is allowed. A cookie rides along by itself, so
/// whatever changes something or stays connected must also prove that our own page sent it. Errors:
/// `unauthenticated`, `bad_origin`.
Result<Credential> credential_of(const net::Request& request, bool cookie_allowed);

/// Who that is; `unauthenticated` when it holds no more.
Task<access::Principal> principal_of(access::CredentialStore& credentials, Credential credential);

}  // namespace instantstart::faces
