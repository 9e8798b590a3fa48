// The account contexts that one process uses: one for each profile and region that was asked for, opened on
// first use.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "aws/account.h"

namespace instantstart::aws {

/// Loop thread only. What it is made from outlives it.
class Accounts {
 public:
  Accounts(const Environment& environment, net::HttpClient& http, net::Timekeeper& time, Random& random,
           Log log, std::string user_agent);

  /// The context, kept from then on: its credentials, token buckets and clock correction are shared by all
  /// that ask for it. Without a profile or region: as the environment says. Errors as of Account::open.
  Result<Account*> get(const std::optional<std::string>& profile, const std::optional<std::string>& region);

 private:
  using Key = std::pair<std::optional<std::string>, std::optional<std::string>>;

  const Environment& environment_;
  net::HttpClient& http_;
  net::Timekeeper& time_;
  Random& random_;
  Log log_;
  std::string user_agent_;
  std::map<Key, std::unique_ptr<Account>> accounts_;
};

}  // namespace instantstart::aws
