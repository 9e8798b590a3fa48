#include "sandbox/core/access_keys.h"

#include "base/pattern.h"
#include "sandbox/core/arn.h"
#include "sandbox/core/testing/world_fixture.h"
#include "sandbox/core/wildcard.h"

namespace instantstart::sandbox {
namespace {

class AccessKeysTest : public WorldFixture {
 protected:
  AccessKeysTest() { restart(); }
  void restart() {
    keys.reset();
    start();
    keys.emplace(process->world());
    EXPECT_TRUE(process->load());
  }
  void commit() { ASSERT_TRUE(process->run(process->world().commit())); }

  std::optional<AccessKeys> keys;
};

constexpr auto k_arn = "arn:aws:sts::123456789012:assumed-role/a/b";
SessionSubject somebody() {
  return {.principal_arn = k_arn, .principal_id = "AROA:b", .role_arn = "arn:aws:iam::123456789012:role/a"};
}

TEST_F(AccessKeysTest, TheAccountsKeyIsMadeOnceAndSurvivesRestartAndReset) {
  const AccessKey first = keys->root();
  EXPECT_TRUE(Pattern("^AKID[A-Z2-7]{16}$").matches(first.id));
  EXPECT_EQ(first.secret.size(), 40u);
  EXPECT_EQ(first.principal_arn, "arn:aws:iam::123456789012:user/sandbox");
  EXPECT_FALSE(first.is_session());
  restart();
  EXPECT_EQ(keys->root().secret, first.secret);
  ASSERT_TRUE(process->run(process->world().reset()));
  EXPECT_EQ(keys->root().secret, first.secret);
  restart();
  EXPECT_EQ(keys->root().secret, first.secret);
  EXPECT_NE(keys->find(first.id), nullptr);
}

TEST_F(AccessKeysTest, SessionsEndByWallTimeAlsoAfterARestart) {
  const AccessKey session = keys->make_session(somebody(), seconds(900));
  commit();
  EXPECT_TRUE(session.is_session());
  EXPECT_FALSE(session.expired(time.wall()));
  restart();
  const AccessKey* found = keys->find(session.id);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->session_token, session.session_token);
  EXPECT_EQ(found->principal_arn, k_arn);
  time.shift_wall(seconds(899));
  EXPECT_FALSE(found->expired(time.wall()));
  time.shift_wall(seconds(1));
  EXPECT_TRUE(found->expired(time.wall()));
}

TEST_F(AccessKeysTest, OldSessionsAreForgottenADayLater) {
  const std::string old = keys->make_session(somebody(), seconds(900)).id;
  time.shift_wall(std::chrono::hours(12));
  keys->make_session(somebody(), seconds(900));
  EXPECT_NE(keys->find(old), nullptr);
  time.shift_wall(std::chrono::hours(13));
  keys->make_session(somebody(), seconds(900));
  EXPECT_EQ(keys->find(old), nullptr);
}

TEST_F(AccessKeysTest, AllSessionsCanBeEndedAtOnce) {
  const std::string id = keys->make_session(somebody(), seconds(900)).id;
  keys->expire_sessions();
  EXPECT_TRUE(keys->find(id)->expired(time.wall()));
  EXPECT_FALSE(keys->root().expired(time.wall()));
}

TEST(ArnTest, ThePartitionIsTheRegions) {
  EXPECT_EQ(make_arn("eks", "us-west-2", "123456789012", "cluster/a"),
            "arn:aws:eks:us-west-2:123456789012:cluster/a");
  EXPECT_EQ(make_arn("eks", "cn-north-1", "123456789012", "cluster/a"),
            "arn:aws-cn:eks:cn-north-1:123456789012:cluster/a");
  EXPECT_EQ(make_global_arn("iam", "us-gov-west-1", "123456789012", "role/a"),
            "arn:aws-us-gov:iam::123456789012:role/a");
  EXPECT_EQ(make_global_arn("iam", "", "123456789012", "role/a"), "arn:aws:iam::123456789012:role/a");
}

TEST(WildcardTest, StarsAndQuestionMarks) {
  EXPECT_TRUE(matches_wildcard("sts:*", "sts:AssumeRole"));
  EXPECT_TRUE(matches_wildcard("*", ""));
  EXPECT_TRUE(matches_wildcard("a*b*c", "aXbYbZc"));
  EXPECT_TRUE(matches_wildcard("a?c", "abc"));
  EXPECT_FALSE(matches_wildcard("a?c", "ac"));
  EXPECT_FALSE(matches_wildcard("sts:Get*", "sts:AssumeRole"));
  EXPECT_FALSE(matches_wildcard("", "a"));
  EXPECT_FALSE(matches_wildcard("abc", "abcd"));
  EXPECT_TRUE(matches_wildcard("**a", "bca"));
}

}  // namespace
}  // namespace instantstart::sandbox
