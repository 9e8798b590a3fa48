#include "kube/token_source.h"

#include <optional>
#include <utility>

#include "aws/account.h"

namespace instantstart::kube {
namespace {

class StaticToken final : public TokenSource {
 public:
  explicit StaticToken(Secret token) : token_(std::move(token)) {}

  Task<Secret> token(net::Deadline) override { co_return token_; }
  void refused(const Secret&) override {}

 private:
  Secret token_;
};

class RefreshedToken final : public TokenSource {
 public:
  RefreshedToken(std::function<Task<aws::EksToken>(net::Deadline)> make, net::Timekeeper& time)
      : make_(std::move(make)), time_(time) {}

  Task<Secret> token(net::Deadline deadline) override {
    if (current_ && time_.wall() + k_token_refresh < current_->expiry) co_return current_->token;
    auto made = co_await make_(deadline);
    if (made) {
      current_ = std::move(*made);
      co_return current_->token;
    }
    if (current_ && time_.wall() < current_->expiry) co_return current_->token;
    co_return fail(within("Make a token for the cluster", std::move(made.error())));
  }

  void refused(const Secret& token) override {
    if (current_ && current_->token == token) current_.reset();
  }

 private:
  std::function<Task<aws::EksToken>(net::Deadline)> make_;
  net::Timekeeper& time_;
  std::optional<aws::EksToken> current_;
};

}  // namespace

std::unique_ptr<TokenSource> static_token(Secret token) {
  return std::make_unique<StaticToken>(std::move(token));
}

std::unique_ptr<TokenSource> refreshed_token(std::function<Task<aws::EksToken>(net::Deadline)> make,
                                             net::Timekeeper& time) {
  return std::make_unique<RefreshedToken>(std::move(make), time);
}

std::unique_ptr<TokenSource> eks_token_source(aws::Account& account, std::string cluster_name,
                                              net::Timekeeper& time) {
  return refreshed_token([&account, name = std::move(cluster_name)](
                             net::Deadline deadline) { return account.eks_token(name, deadline); },
                         time);
}

}  // namespace instantstart::kube
