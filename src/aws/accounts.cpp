#include "aws/accounts.h"

namespace instantstart::aws {

Accounts::Accounts(const Environment& environment, net::HttpClient& http, net::Timekeeper& time,
                   Random& random, Log log, std::string user_agent)
    : environment_(environment),
      http_(http),
      time_(time),
      random_(random),
      log_(std::move(log)),
      user_agent_(std::move(user_agent)) {}

Result<Account*> Accounts::get(const std::optional<std::string>& profile,
                               const std::optional<std::string>& region) {
  auto& slot = accounts_[{profile, region}];
  if (!slot) {
    auto opened = Account::open({.profile = profile, .region = region, .user_agent = user_agent_},
                                environment_, http_, time_, random_, log_);
    if (!opened) {
      accounts_.erase({profile, region});
      return fail(opened.error());
    }
    slot = std::move(*opened);
  }
  return slot.get();
}

}  // namespace instantstart::aws
