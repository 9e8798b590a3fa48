#include "base/untrusted_pattern.h"

#include <gtest/gtest.h>

namespace instantstart {
namespace {

TEST(UntrustedPattern, MatchesSomewhere) {
  auto pattern = UntrustedPattern::compile("b+");
  ASSERT_TRUE(pattern);
  EXPECT_TRUE(pattern->matches("abbc"));
  EXPECT_FALSE(pattern->matches("ac"));
}

TEST(UntrustedPattern, MatchesAllOfIt) {
  const auto pattern = UntrustedPattern::compile("[a-z]+|[0-9]+");
  ASSERT_TRUE(pattern);
  EXPECT_TRUE(pattern->matches_wholly("abc"));
  EXPECT_FALSE(pattern->matches_wholly("abc1"));
}

TEST(UntrustedPattern, MatchesAtTheBeginningAndGivesItsGroup) {
  const auto pattern = UntrustedPattern::compile("loss: ([0-9.]+)");
  const auto plain = UntrustedPattern::compile("a|b");
  ASSERT_TRUE(pattern && plain);
  EXPECT_EQ(pattern->match_at_start("loss: 1.5 at step 3"), "1.5");
  EXPECT_EQ(pattern->match_at_start("the loss: 1.5"), std::nullopt);
  EXPECT_EQ(plain->match_at_start("bc"), "");
}

TEST(UntrustedPattern, WhatCannotBeRunIsAnError) {
  EXPECT_FALSE(UntrustedPattern::compile("(a"));
  EXPECT_FALSE(UntrustedPattern::compile("(?=a)b"));
  EXPECT_FALSE(UntrustedPattern::compile("((a{1000}){1000}){1000}"));
}

TEST(UntrustedPattern, CountsItsCapturingGroups) {
  EXPECT_EQ(UntrustedPattern::compile("a(?:b)[(]\\(").value().groups(), 0);
  EXPECT_EQ(UntrustedPattern::compile("(a)(?P<n>b)").value().groups(), 2);
}

}  // namespace
}  // namespace instantstart
