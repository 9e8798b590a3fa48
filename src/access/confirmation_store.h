// Confirmations of dangerous plans, and answers of local changes that carried a client token.
#pragma once

#include <optional>
#include <span>
#include <string>

#include <boost/json/value.hpp>

#include "base/random.h"
#include "base/time.h"
#include "store/database.h"

namespace instantstart::access {

inline constexpr seconds k_confirmation_lifetime{300};

/// What a confirmation holds for, exactly.
struct ConfirmationScope {
  std::string principal;
  std::string action;
  std::string arguments_digest;  ///< Without dry_run and tokens.
  std::string plan_digest;
};

class ConfirmationStore {
 public:
  ConfirmationStore(store::Database& database, const Clock& clock, Random& random)
      : database_(database), clock_(clock), random_(random) {}

  static std::span<const store::Migration> migrations();

  Task<std::string> issue(ConfirmationScope scope);

  /// Fine for the scope it was issued for, within its lifetime. `confirm_token_invalid` says which part does
  /// not fit: an unknown token, another principal or action, other arguments, a changed plan, or its age.
  Task<> check(std::string token, ConfirmationScope scope);

  /// The key under which an operation that a confirmation started is found again: shown twice, it starts one.
  static std::string operation_key(std::string_view token);

 private:
  store::Database& database_;
  const Clock& clock_;
  Random& random_;
};

/// Remembers what a local change answered to a client token, so that a repeat changes nothing.
class AnswerStore {
 public:
  AnswerStore(store::Database& database, const Clock& clock) : database_(database), clock_(clock) {}

  static std::span<const store::Migration> migrations();

  /// The stored answer; nullopt when the token is new. `token_reused` when it came with another request.
  Task<std::optional<boost::json::value>> find(std::string principal, std::string client_token,
                                               std::string request_digest);
  Task<> keep(std::string principal, std::string client_token, std::string request_digest,
              boost::json::value answer);

 private:
  store::Database& database_;
  const Clock& clock_;
};

}  // namespace instantstart::access
