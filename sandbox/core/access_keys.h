// Who may sign: the account's own key pair, made with the account, and the sessions that STS hands out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/describe.h"
#include "base/time.h"
#include "sandbox/core/world.h"

namespace instantstart::sandbox {

struct AccessKey {
  std::string id;      ///< "AKID…" of a user, "ASID…" of a session: made up, as no real key begins like that.
  std::string secret;  ///< 40 characters
  std::optional<std::string> session_token;
  std::string principal_arn;
  std::string principal_id;                ///< What GetCallerIdentity calls UserId.
  std::optional<std::int64_t> expires_ms;  ///< Wall time, milliseconds since 1970; absent: never.
  std::optional<std::string> role_arn;     ///< Of a session.

  bool expired(WallTime now) const { return expires_ms && now.time_since_epoch().count() >= *expires_ms; }
  bool is_session() const { return session_token.has_value(); }
};
Type describe(AccessKey*);

/// Whom a session stands for.
struct SessionSubject {
  std::string principal_arn;  ///< "arn:aws:sts::123456789012:assumed-role/name/session"
  std::string principal_id;   ///< "AROA…:session"
  std::string role_arn;
};

class AccessKeys {
 public:
  explicit AccessKeys(World& world);

  /// nullptr when there is none. An expired session is found for a day longer, so that its user learns why.
  const AccessKey* find(std::string_view id) const;
  /// The pair that the process shows to its user. The world must be loaded; a reset keeps it.
  const AccessKey& root() const;
  /// The new session is the world's: valid until the next change of keys.
  const AccessKey& make_session(SessionSubject subject, seconds duration);
  /// Ends all sessions now.
  void expire_sessions();

 private:
  void make_root();
  void forget_old_sessions();
  std::string make_secret(std::size_t bytes);

  World& world_;
  Collection<AccessKey> users_;
  Collection<AccessKey> sessions_;
};

}  // namespace instantstart::sandbox
