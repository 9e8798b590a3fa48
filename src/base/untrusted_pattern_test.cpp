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

TEST(UntrustedPattern, WhatCannotBeRunIsAnError) {
  EXPECT_FALSE(UntrustedPattern::compile("(a"));
  EXPECT_FALSE(UntrustedPattern::compile("(?=a)b"));
  EXPECT_FALSE(UntrustedPattern::compile("((a{1000}){1000}){1000}"));
}

}  // namespace
}  // namespace instantstart
