#include "access/credential_store.h"

#include <array>

#include "access/stored_form.h"
#include "base/error_codes.h"

namespace instantstart::access {
namespace {

constexpr std::array<store::Migration, 1> k_migrations{{{"access_credentials", 1, R"sql(
CREATE TABLE access_token (
  digest TEXT PRIMARY KEY, principal TEXT NOT NULL, kind TEXT NOT NULL, role TEXT NOT NULL, label TEXT NOT NULL,
  created_at INTEGER NOT NULL, UNIQUE (principal, label)) STRICT;
CREATE TABLE access_login_code (
  digest TEXT PRIMARY KEY, principal TEXT NOT NULL, kind TEXT NOT NULL, role TEXT NOT NULL, expires_at INTEGER NOT NULL) STRICT;
CREATE TABLE access_login_failure (failed_at INTEGER NOT NULL) STRICT;
CREATE TABLE access_session (
  digest TEXT PRIMARY KEY, principal TEXT NOT NULL, kind TEXT NOT NULL, role TEXT NOT NULL, expires_at INTEGER NOT NULL) STRICT;
)sql"}}};

std::string wire_text(const auto& value) { return std::string(encode(value).as_string()); }

/// Columns principal, kind, role from `first` on.
Result<Principal> principal_from(const store::Row& row, std::size_t first) {
  auto kind = parse_text<contract::PrincipalKind>(row.text(first + 1));
  if (!kind) return std::unexpected(kind.error());
  auto role = parse_text<contract::Role>(row.text(first + 2));
  if (!role) return std::unexpected(role.error());
  return Principal{row.text(first), *kind, *role};
}

std::unexpected<Error> not_authenticated(std::string_view what) {
  return fail(codes::unauthenticated, fmt::format("The {} is not valid here, or not any more.", what));
}

}  // namespace

std::span<const store::Migration> CredentialStore::migrations() { return k_migrations; }

Task<std::string> CredentialStore::issue_token(Principal principal, std::string label) {
  std::string token = make_token(random_);
  const std::int64_t now = to_milliseconds(clock_.wall());
  auto stored = co_await database_.write<void>([&](store::Transaction& transaction) -> Result<> {
    auto gone = transaction.execute("DELETE FROM access_token WHERE principal = $1 AND label = $2",
                                    {principal.id, label});
    if (!gone) return std::unexpected(gone.error());
    auto made = transaction.execute(
        "INSERT INTO access_token (digest, principal, kind, role, label, created_at) VALUES ($1, $2, $3, $4, "
        "$5, $6)",
        {digest_of(token), principal.id, wire_text(principal.kind), wire_text(principal.role), label, now});
    if (!made) return std::unexpected(made.error());
    return {};
  });
  if (!stored) co_return std::unexpected(stored.error());
  co_return token;
}

Task<> CredentialStore::revoke_tokens(std::string principal_id) {
  co_return co_await database_.write<void>([&](store::Transaction& transaction) -> Result<> {
    auto gone = transaction.execute("DELETE FROM access_token WHERE principal = $1", {principal_id});
    if (!gone) return std::unexpected(gone.error());
    gone = transaction.execute("DELETE FROM access_session WHERE principal = $1", {principal_id});
    if (!gone) return std::unexpected(gone.error());
    return {};
  });
}

Task<std::string> CredentialStore::issue_login_code(Principal principal) {
  std::string code = make_token(random_);
  const std::int64_t now = to_milliseconds(clock_.wall());
  const std::int64_t expires = now + milliseconds(k_login_code_lifetime).count();
  auto stored = co_await database_.write<void>([&](store::Transaction& transaction) -> Result<> {
    auto gone = transaction.execute("DELETE FROM access_login_code WHERE expires_at <= $1", {now});
    if (!gone) return std::unexpected(gone.error());
    auto made = transaction.execute(
        "INSERT INTO access_login_code (digest, principal, kind, role, expires_at) VALUES ($1, $2, $3, $4, "
        "$5)",
        {digest_of(code), principal.id, wire_text(principal.kind), wire_text(principal.role), expires});
    if (!made) return std::unexpected(made.error());
    return {};
  });
  if (!stored) co_return std::unexpected(stored.error());
  co_return code;
}

Task<CredentialStore::Session> CredentialStore::redeem_login_code(std::string code) {
  std::string secret = make_token(random_);
  const std::int64_t now = to_milliseconds(clock_.wall());
  const std::int64_t window_start = now - milliseconds(k_login_code_lifetime).count();
  const std::int64_t session_end = now + milliseconds(k_session_lifetime).count();
  // A failed try is itself a row, so the transaction commits in both cases and says by nullopt that the code
  // was wrong.
  auto redeemed = co_await database_.write<std::optional<Principal>>([&](store::Transaction& transaction)
                                                                         -> Result<std::optional<Principal>> {
    auto old = transaction.execute("DELETE FROM access_login_failure WHERE failed_at <= $1", {window_start});
    if (!old) return std::unexpected(old.error());
    auto failures = transaction.query("SELECT COUNT(*) FROM access_login_failure");
    if (!failures) return std::unexpected(failures.error());
    if (failures->front().integer(0) >= k_login_tries) {
      return fail(Error{.code = std::string(codes::rate_limited),
                        .message = "Too many wrong login codes.",
                        .retryable = true,
                        .retry_after = k_login_code_lifetime});
    }
    auto rows = transaction.query(
        "DELETE FROM access_login_code WHERE digest = $1 AND expires_at > $2 RETURNING principal, kind, role",
        {digest_of(code), now});
    if (!rows) return std::unexpected(rows.error());
    if (rows->empty()) {
      auto noted = transaction.execute("INSERT INTO access_login_failure (failed_at) VALUES ($1)", {now});
      if (!noted) return std::unexpected(noted.error());
      return std::optional<Principal>();
    }
    auto principal = principal_from(rows->front(), 0);
    if (!principal) return std::unexpected(principal.error());
    auto made = transaction.execute(
        "INSERT INTO access_session (digest, principal, kind, role, expires_at) VALUES ($1, $2, $3, $4, $5)",
        {digest_of(secret), principal->id, wire_text(principal->kind), wire_text(principal->role),
         session_end});
    if (!made) return std::unexpected(made.error());
    return std::optional(*principal);
  });
  if (!redeemed) co_return std::unexpected(redeemed.error());
  if (!*redeemed) co_return not_authenticated("login code");
  co_return Session{secret, **redeemed};
}

Task<Principal> CredentialStore::by_token(std::string token) {
  co_return co_await database_.read<Principal>([&](store::Transaction& transaction) -> Result<Principal> {
    auto rows = transaction.query("SELECT principal, kind, role FROM access_token WHERE digest = $1",
                                  {digest_of(token)});
    if (!rows) return std::unexpected(rows.error());
    if (rows->empty()) return not_authenticated("token");
    return principal_from(rows->front(), 0);
  });
}

Task<Principal> CredentialStore::by_session(std::string secret) {
  const std::int64_t now = to_milliseconds(clock_.wall());
  co_return co_await database_.read<Principal>([&](store::Transaction& transaction) -> Result<Principal> {
    auto rows = transaction.query(
        "SELECT principal, kind, role FROM access_session WHERE digest = $1 AND expires_at > $2",
        {digest_of(secret), now});
    if (!rows) return std::unexpected(rows.error());
    if (rows->empty()) return not_authenticated("session");
    return principal_from(rows->front(), 0);
  });
}

Task<> CredentialStore::end_session(std::string secret) {
  co_return co_await database_.write<void>([&](store::Transaction& transaction) -> Result<> {
    auto gone = transaction.execute("DELETE FROM access_session WHERE digest = $1", {digest_of(secret)});
    if (!gone) return std::unexpected(gone.error());
    return {};
  });
}

}  // namespace instantstart::access
