#include "aws/caching_credentials.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include "aws/testing/run.h"
#include "base/error_codes.h"

namespace instantstart::aws {
namespace {

/// Answers after a while, with what the test says.
class SlowProvider final : public CredentialsProvider {
 public:
  explicit SlowProvider(net::Timekeeper& time) : time_(time) {}

  milliseconds takes{100};
  milliseconds lifetime = std::chrono::hours(1);
  bool forever = false;
  bool outlive = false;
  std::optional<Error> failure;
  int asked = 0;
  int refusals = 0;

  Task<Credentials> get(net::Deadline deadline) override {
    const int number = ++asked;
    const auto due = time_.steady() + takes;
    co_await time_.sleep_until(std::min(due, deadline.at));
    if (due > deadline.at) co_return fail(codes::deadline_exceeded, "too slow");
    if (failure) co_return fail(*failure);
    Credentials credentials{.access_key_id = "KEY" + std::to_string(number), .outlive_expiry = outlive};
    if (!forever) credentials.expiry = time_.wall() + lifetime;
    co_return credentials;
  }
  void refused(const Credentials&) override { ++refusals; }

 private:
  net::Timekeeper& time_;
};

class Caching : public testing::Test {
 protected:
  Caching() {
    auto made = std::make_unique<SlowProvider>(time);
    inner = made.get();
    cache = std::make_unique<CachingCredentials>(std::move(made), time, Log());
  }

  std::string key(milliseconds patience = std::chrono::minutes(1)) {
    const auto credentials = run(time, cache->get(net::Deadline::in(time, patience)));
    return credentials ? credentials->access_key_id : credentials.error().code;
  }
  /// So many callers at once, and what each got.
  std::vector<std::string> keys(std::size_t callers) {
    std::vector<std::optional<Result<Credentials>>> outcomes(callers);
    for (auto& outcome : outcomes)
      start(time, cache->get(net::Deadline::in(time, std::chrono::minutes(1))), outcome);
    time.run_for(std::chrono::minutes(1));
    std::vector<std::string> all;
    for (auto& outcome : outcomes) {
      all.push_back(!outcome ? "(waits)" : *outcome ? (*outcome)->access_key_id : outcome->error().code);
    }
    return all;
  }

  net::VirtualTime time;
  SlowProvider* inner = nullptr;
  std::unique_ptr<CachingCredentials> cache;
};

TEST_F(Caching, CredentialsWithoutExpiryAreAskedForOnce) {
  inner->forever = true;
  EXPECT_EQ(key(), "KEY1");
  time.run_for(std::chrono::hours(100));
  EXPECT_EQ(key(), "KEY1");
}

TEST_F(Caching, AStampedeIsOneRefresh) {
  EXPECT_EQ(keys(1000), std::vector<std::string>(1000, "KEY1"));
  EXPECT_EQ(inner->asked, 1);
}

TEST_F(Caching, AStampedeOnShortLivedCredentialsIsOneRefreshToo) {
  inner->lifetime = std::chrono::minutes(5);
  EXPECT_EQ(keys(100), std::vector<std::string>(100, "KEY1"));
}

TEST_F(Caching, AFailureIsSharedToo) {
  inner->failure = Error{.code = "access_denied", .message = "no"};
  EXPECT_EQ(keys(100), std::vector<std::string>(100, "access_denied"));
  EXPECT_EQ(inner->asked, 1);
}

TEST_F(Caching, RenewsFifteenMinutesBeforeTheEnd) {
  EXPECT_EQ(key(), "KEY1");
  time.run_for(std::chrono::minutes(44));
  EXPECT_EQ(key(), "KEY1");
  time.run_for(std::chrono::minutes(2));
  EXPECT_EQ(key(), "KEY2");
}

TEST_F(Caching, WhileOneRenewsInTimeTheOthersGoOnWithTheOldOnes) {
  key();
  time.run_for(std::chrono::minutes(47));
  auto all = keys(3);
  std::ranges::sort(all);
  EXPECT_EQ(all, (std::vector<std::string>{"KEY1", "KEY1", "KEY2"}));
  EXPECT_EQ(inner->asked, 2);
}

TEST_F(Caching, NearTheEndEverybodyWaitsForNewOnes) {
  key();
  time.run_for(std::chrono::minutes(52));
  EXPECT_EQ(keys(3), std::vector<std::string>(3, "KEY2"));
}

TEST_F(Caching, AFailureInTimeDoesNotMatterButNearTheEndItDoes) {
  key();
  inner->failure = Error{.code = "unavailable", .message = "down"};
  time.run_for(std::chrono::minutes(47));
  EXPECT_EQ(key(), "KEY1");
  time.run_for(std::chrono::minutes(5));
  EXPECT_EQ(key(), "unavailable");
}

TEST_F(Caching, CredentialsThatOutliveTheirExpiryAreUsedOnAndAskedForEveryFiveMinutes) {
  inner->outlive = true;
  key();
  inner->failure = Error{.code = "unavailable", .message = "down"};
  time.run_for(std::chrono::hours(2));
  EXPECT_EQ(keys(5), std::vector<std::string>(5, "KEY1"));
  EXPECT_EQ(inner->asked, 2);
  time.run_for(std::chrono::minutes(5));
  EXPECT_EQ(key(), "KEY1");
  EXPECT_EQ(inner->asked, 3);
  inner->failure.reset();
  time.run_for(std::chrono::minutes(5));
  EXPECT_EQ(key(), "KEY4");
}

TEST_F(Caching, NewOnesThatHaveExpiredAreAnError) {
  inner->lifetime = std::chrono::minutes(-1);
  EXPECT_EQ(key(), "credentials_expired");
}

TEST_F(Caching, WhoHasMoreTimeTakesOverWhenTheRefresherGivesUp) {
  inner->takes = std::chrono::seconds(10);
  std::optional<Result<Credentials>> hasty;
  std::optional<Result<Credentials>> patient;
  start(time, cache->get(net::Deadline::in(time, std::chrono::seconds(3))), hasty);
  start(time, cache->get(net::Deadline::in(time, std::chrono::seconds(30))), patient);
  time.run_for(std::chrono::seconds(30));
  EXPECT_EQ(hasty->error().code, "deadline_exceeded");
  ASSERT_TRUE(patient && *patient);
  EXPECT_EQ((*patient)->access_key_id, "KEY2");
}

TEST_F(Caching, AWaiterTakesOverWhenTheRefresherIsCancelled) {
  inner->takes = std::chrono::seconds(10);
  asio::cancellation_signal cancel;
  bool cancelled = false;
  asio::co_spawn(time.context(), cache->get(net::Deadline::never()),
                 asio::bind_cancellation_slot(
                     cancel.slot(), [&](const std::exception_ptr& error, const Result<Credentials>&) {
                       cancelled = error != nullptr;
                     }));
  std::optional<Result<Credentials>> waiter;
  start(time, cache->get(net::Deadline::never()), waiter);
  time.run_for(std::chrono::seconds(1));
  cancel.emit(asio::cancellation_type::terminal);
  time.run_for(std::chrono::seconds(30));
  EXPECT_TRUE(cancelled);
  ASSERT_TRUE(waiter && *waiter);
  EXPECT_EQ((*waiter)->access_key_id, "KEY2");
}

TEST_F(Caching, AWaiterHasADeadlineOfItsOwn) {
  inner->takes = std::chrono::seconds(10);
  std::optional<Result<Credentials>> patient;
  start(time, cache->get(net::Deadline::never()), patient);
  EXPECT_EQ(key(std::chrono::seconds(2)), "deadline_exceeded");
  time.run_for(std::chrono::seconds(30));
  EXPECT_TRUE(patient && *patient);
}

TEST_F(Caching, RefusedOnesAreAskedForAnewUnlessTheyWereRenewedMeanwhile) {
  key();
  cache->refused({.access_key_id = "KEY1"});
  EXPECT_EQ(inner->refusals, 1);
  EXPECT_EQ(key(), "KEY2");
  cache->refused({.access_key_id = "KEY1"});
  EXPECT_EQ(inner->refusals, 1);
  EXPECT_EQ(key(), "KEY2");
}

}  // namespace
}  // namespace instantstart::aws
