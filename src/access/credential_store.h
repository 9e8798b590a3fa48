// Tokens, one-time login codes and browser sessions. Only SHA-256 digests are stored: whoever reads the
// database learns no secret. All secrets carry 256 random bits, so a plain digest is enough.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "access/principal.h"
#include "base/random.h"
#include "base/time.h"
#include "store/database.h"

namespace instantstart::access {

inline constexpr seconds k_login_code_lifetime{300};
inline constexpr seconds k_session_lifetime{12 * 3600};
/// Wrong login codes that are taken within one code lifetime, over all callers; they are counted in the
/// store, so a restart gives no new tries.
inline constexpr std::int64_t k_login_tries = 20;

class CredentialStore {
 public:
  CredentialStore(store::Database& database, const Clock& clock, Random& random)
      : database_(database), clock_(clock), random_(random) {}

  static std::span<const store::Migration> migrations();

  /// A new API token for a principal; the answer is the only time it is seen. An older token of the same
  /// principal and label is replaced.
  Task<std::string> issue_token(Principal principal, std::string label);
  Task<> revoke_tokens(std::string principal_id);

  /// A code for the login link, valid once within k_login_code_lifetime.
  Task<std::string> issue_login_code(Principal principal);

  struct Session {
    std::string secret;  ///< For the cookie.
    Principal principal;
  };
  /// Exchanges a code for a session. `unauthenticated` for a wrong, used or old code; `rate_limited` after
  /// too many tries.
  Task<Session> redeem_login_code(std::string code);

  /// The principal behind a token or session; `unauthenticated` when there is none (any more).
  Task<Principal> by_token(std::string token);
  Task<Principal> by_session(std::string secret);
  Task<> end_session(std::string secret);

 private:
  store::Database& database_;
  const Clock& clock_;
  Random& random_;
};

}  // namespace instantstart::access
