#include "access/confirmation_store.h"

#include <array>

#include <fmt/core.h>

#include "access/stored_form.h"
#include "base/error_codes.h"
#include "base/json.h"

namespace instantstart::access {
namespace {

constexpr std::array<store::Migration, 1> k_confirmation_migrations{{{"access_confirmation", 1, R"sql(
CREATE TABLE access_confirmation (
  digest TEXT PRIMARY KEY, principal TEXT NOT NULL, action TEXT NOT NULL, arguments_digest TEXT NOT NULL,
  plan_digest TEXT NOT NULL, expires_at INTEGER NOT NULL) STRICT;
)sql"}}};

constexpr std::array<store::Migration, 1> k_answer_migrations{{{"access_answer", 1, R"sql(
CREATE TABLE access_answer (
  principal TEXT NOT NULL, client_token TEXT NOT NULL, request_digest TEXT NOT NULL, answer TEXT NOT NULL,
  created_at INTEGER NOT NULL, PRIMARY KEY (principal, client_token)) STRICT;
)sql"}}};

std::unexpected<Error> invalid(std::string_view why) {
  return fail(codes::confirm_token_invalid,
              fmt::format("{} Ask again without confirm_token to see the plan as it is now.", why));
}

}  // namespace

std::span<const store::Migration> ConfirmationStore::migrations() { return k_confirmation_migrations; }

Task<std::string> ConfirmationStore::issue(ConfirmationScope scope) {
  std::string token = make_token(random_);
  const std::int64_t now = to_milliseconds(clock_.wall());
  const std::int64_t expires = now + milliseconds(k_confirmation_lifetime).count();
  auto stored = co_await database_.write<void>([&](store::Transaction& transaction) -> Result<> {
    auto gone = transaction.execute("DELETE FROM access_confirmation WHERE expires_at <= $1", {now});
    if (!gone) return std::unexpected(gone.error());
    auto made = transaction.execute(
        "INSERT INTO access_confirmation (digest, principal, action, arguments_digest, plan_digest, "
        "expires_at) "
        "VALUES ($1, $2, $3, $4, $5, $6)",
        {digest_of(token), scope.principal, scope.action, scope.arguments_digest, scope.plan_digest,
         expires});
    if (!made) return std::unexpected(made.error());
    return {};
  });
  if (!stored) co_return std::unexpected(stored.error());
  co_return token;
}

Task<> ConfirmationStore::check(std::string token, ConfirmationScope scope) {
  const std::int64_t now = to_milliseconds(clock_.wall());
  co_return co_await database_.read<void>([&](store::Transaction& transaction) -> Result<> {
    auto rows = transaction.query(
        "SELECT principal, action, arguments_digest, plan_digest, expires_at FROM access_confirmation "
        "WHERE digest = $1",
        {digest_of(token)});
    if (!rows) return std::unexpected(rows.error());
    // A token of somebody else must look like one that never was.
    if (rows->empty() || rows->front().text(0) != scope.principal)
      return invalid("The confirmation is not known.");
    const store::Row& row = rows->front();
    if (row.integer(4) <= now) return invalid("The confirmation is older than 300 seconds.");
    if (row.text(1) != scope.action) return invalid("The confirmation is for another action.");
    if (row.text(2) != scope.arguments_digest) return invalid("The confirmation is for other arguments.");
    if (row.text(3) != scope.plan_digest) return invalid("The plan is not the one that was confirmed.");
    return {};
  });
}

std::string ConfirmationStore::operation_key(std::string_view token) { return "confirm:" + digest_of(token); }

std::span<const store::Migration> AnswerStore::migrations() { return k_answer_migrations; }

Task<std::optional<json::value>> AnswerStore::find(std::string principal, std::string client_token,
                                                   std::string request_digest) {
  using Found = std::optional<json::value>;
  co_return co_await database_.read<Found>([&](store::Transaction& transaction) -> Result<Found> {
    auto rows = transaction.query(
        "SELECT request_digest, answer FROM access_answer WHERE principal = $1 AND client_token = $2",
        {principal, client_token});
    if (!rows) return std::unexpected(rows.error());
    if (rows->empty()) return Found();
    if (rows->front().text(0) != request_digest) {
      return fail(codes::token_reused, "This client_token came with another request before.");
    }
    auto answer = parse_json(rows->front().text(1));
    if (!answer) return std::unexpected(answer.error());
    return Found(std::move(*answer));
  });
}

Task<> AnswerStore::keep(std::string principal, std::string client_token, std::string request_digest,
                         json::value answer) {
  const std::int64_t now = to_milliseconds(clock_.wall());
  co_return co_await database_.write<void>([&](store::Transaction& transaction) -> Result<> {
    auto made = transaction.execute(
        "INSERT INTO access_answer (principal, client_token, request_digest, answer, created_at) "
        "VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING",
        {principal, client_token, request_digest, to_text(answer), now});
    if (!made) return std::unexpected(made.error());
    return {};
  });
}

}  // namespace instantstart::access
