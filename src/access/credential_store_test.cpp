#include "access/credential_store.h"

#include "access/testing/house.h"
#include "base/error_codes.h"

namespace instantstart::access {
namespace {

using testing::House;

const Principal k_ann{.id = "ann", .kind = contract::PrincipalKind::person, .role = contract::Role::admin};

TEST(Tokens, AnIssuedTokenNamesItsPrincipal) {
  House house;
  auto token = house.wait(house.credentials.issue_token(k_ann, "laptop"));
  ASSERT_TRUE(token);
  EXPECT_GE(token->size(), 43u);  // 256 bits
  auto principal = house.wait(house.credentials.by_token(*token));
  ASSERT_TRUE(principal);
  EXPECT_EQ(principal->id, "ann");
  EXPECT_EQ(principal->role, contract::Role::admin);
}

TEST(Tokens, ANewTokenOfTheSameLabelReplacesTheOld) {
  House house;
  auto first = house.wait(house.credentials.issue_token(k_ann, "laptop"));
  auto other = house.wait(house.credentials.issue_token(k_ann, "desk"));
  auto second = house.wait(house.credentials.issue_token(k_ann, "laptop"));
  ASSERT_TRUE(first && other && second);
  EXPECT_FALSE(house.wait(house.credentials.by_token(*first)));
  EXPECT_TRUE(house.wait(house.credentials.by_token(*other)));
  EXPECT_TRUE(house.wait(house.credentials.by_token(*second)));
}

TEST(Tokens, RevokingEndsTokensAndSessionsOfThatPrincipalAlone) {
  House house;
  auto token = house.wait(house.credentials.issue_token(k_ann, "laptop"));
  auto code = house.wait(house.credentials.issue_login_code(k_ann));
  auto session = house.wait(house.credentials.redeem_login_code(*code));
  auto bob = house.wait(house.credentials.issue_token({.id = "bob"}, "laptop"));
  ASSERT_TRUE(token && session && bob);
  ASSERT_TRUE(house.wait(house.credentials.revoke_tokens("ann")));
  EXPECT_FALSE(house.wait(house.credentials.by_token(*token)));
  EXPECT_FALSE(house.wait(house.credentials.by_session(session->secret)));
  EXPECT_TRUE(house.wait(house.credentials.by_token(*bob)));
}

TEST(Tokens, ADigestIsNotAToken) {
  House house;
  auto token = house.wait(house.credentials.issue_token(k_ann, "laptop"));
  const auto stored = house.wait(house.database.read<std::string>([](store::Transaction& transaction) {
    auto rows = transaction.query("SELECT digest FROM access_token");
    return Result<std::string>(rows->front().text(0));
  }));
  ASSERT_TRUE(token && stored);
  EXPECT_EQ(stored->find(*token), std::string::npos);
  EXPECT_FALSE(house.wait(house.credentials.by_token(*stored)));
}

TEST(LoginCode, IsGoodOnce) {
  House house;
  auto code = house.wait(house.credentials.issue_login_code(k_ann));
  ASSERT_TRUE(code);
  auto session = house.wait(house.credentials.redeem_login_code(*code));
  ASSERT_TRUE(session);
  EXPECT_EQ(session->principal.id, "ann");
  EXPECT_TRUE(house.wait(house.credentials.by_session(session->secret)));
  auto again = house.wait(house.credentials.redeem_login_code(*code));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, codes::unauthenticated);
}

TEST(LoginCode, ExpiresAfterFiveMinutes) {
  House house;
  auto code = house.wait(house.credentials.issue_login_code(k_ann));
  house.time.run_for(seconds(300));
  EXPECT_FALSE(house.wait(house.credentials.redeem_login_code(*code)));
}

TEST(LoginCode, IsNotASessionNorAToken) {
  House house;
  auto code = house.wait(house.credentials.issue_login_code(k_ann));
  EXPECT_FALSE(house.wait(house.credentials.by_session(*code)));
  EXPECT_FALSE(house.wait(house.credentials.by_token(*code)));
}

TEST(LoginCode, TooManyWrongOnesCloseTheDoorForAWhileEvenAfterARestart) {
  House house;
  for (int i = 0; i < k_login_tries; ++i) {
    auto wrong = house.wait(house.credentials.redeem_login_code("wrong"));
    EXPECT_EQ(wrong.error().code, codes::unauthenticated);
  }
  auto code = house.wait(house.credentials.issue_login_code(k_ann));
  CredentialStore restarted(house.database, house.time, house.random);
  auto refused = house.wait(restarted.redeem_login_code(*code));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, codes::rate_limited);

  house.time.run_for(seconds(301));
  code = house.wait(restarted.issue_login_code(k_ann));
  EXPECT_TRUE(house.wait(restarted.redeem_login_code(*code)));
}

TEST(Session, EndsWhenTold) {
  House house;
  auto code = house.wait(house.credentials.issue_login_code(k_ann));
  auto session = house.wait(house.credentials.redeem_login_code(*code));
  ASSERT_TRUE(house.wait(house.credentials.end_session(session->secret)));
  EXPECT_FALSE(house.wait(house.credentials.by_session(session->secret)));
}

TEST(Session, EndsByItselfAfterTwelveHours) {
  House house;
  auto code = house.wait(house.credentials.issue_login_code(k_ann));
  auto session = house.wait(house.credentials.redeem_login_code(*code));
  house.time.run_for(std::chrono::hours(12));
  EXPECT_FALSE(house.wait(house.credentials.by_session(session->secret)));
}

}  // namespace
}  // namespace instantstart::access
