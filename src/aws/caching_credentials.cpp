#include "aws/caching_credentials.h"

#include "base/error_codes.h"

namespace instantstart::aws {
namespace {

/// How long credentials that outlive their expiry are used on before the source is asked again.
constexpr std::chrono::minutes k_ask_again{5};

/// Wakes those who wait however the refresh ends: by a result, an error, or cancellation of the one who ran
/// it.
class Refreshing {
 public:
  Refreshing(bool& flag, net::Signal& ended) : flag_(flag), ended_(ended) { flag_ = true; }
  Refreshing(const Refreshing&) = delete;
  Refreshing& operator=(const Refreshing&) = delete;
  ~Refreshing() {
    flag_ = false;
    ended_.notify();
  }

 private:
  bool& flag_;
  net::Signal& ended_;
};

}  // namespace

CachingCredentials::Need CachingCredentials::need() const {
  if (!current_) return Need::mandatory;
  if (!current_->expiry) return Need::none;
  const auto left = *current_->expiry - time_.wall();
  if (left >= k_advisory_refresh) return Need::none;
  return left >= k_mandatory_refresh ? Need::advisory : Need::mandatory;
}

Task<Credentials> CachingCredentials::get(net::Deadline deadline) {
  for (;;) {
    const Need now = need();
    if (now == Need::none || (now == Need::advisory && refreshing_)) co_return *current_;
    if (!refreshing_) {
      auto refreshed = co_await refresh(deadline);
      if (!refreshed) refreshed = without_new(std::move(refreshed.error()), now);
      if (!refreshed) co_return fail(std::move(refreshed.error()));
      co_return *current_;
    }
    const auto seen = results_;
    const bool woken = co_await ended_.wait(deadline);
    if (results_ != seen) {  // somebody else's refresh is as good as one of our own
      if (last_failure_ && !(current_ && current_->outlive_expiry)) co_return fail(*last_failure_);
      if (current_) co_return *current_;
    }
    if (!woken)
      co_return fail(codes::deadline_exceeded, "The deadline passed while AWS credentials were renewed");
  }
}

Task<> CachingCredentials::refresh(net::Deadline deadline) {
  const Refreshing mark(refreshing_, ended_);
  auto credentials = co_await inner_->get(deadline);
  if (credentials && credentials->expiry && !credentials->outlive_expiry &&
      *credentials->expiry <= time_.wall()) {
    credentials =
        fail(codes::credentials_expired, "The AWS credentials have expired, and so have those got anew");
  }
  if (credentials) {
    current_ = std::move(*credentials);
    last_failure_.reset();
    ++results_;
    co_return Result<>{};
  }
  // A deadline is the asker's own; others still have time and try themselves.
  if (credentials.error().code != codes::deadline_exceeded) {
    last_failure_ = credentials.error();
    ++results_;
  }
  co_return fail(std::move(credentials.error()));
}

Result<> CachingCredentials::without_new(Error error, Need need) {
  if (need == Need::advisory) {
    log_.warning("AWS credentials could not be renewed yet", {{"reason", boost::json::value(error.message)}});
    return {};
  }
  if (!current_ || !current_->outlive_expiry) return fail(std::move(error));
  log_.warning("AWS credentials could not be renewed and are used on",
               {{"reason", boost::json::value(error.message)}});
  current_->expiry = time_.wall() + k_advisory_refresh + k_ask_again;
  return {};
}

void CachingCredentials::refused(const Credentials& credentials) {
  // Only those that are held: a late answer must not throw away what has been renewed meanwhile.
  if (!current_ || current_->access_key_id != credentials.access_key_id ||
      current_->session_token != credentials.session_token) {
    return;
  }
  current_.reset();
  inner_->refused(credentials);
}

}  // namespace instantstart::aws
