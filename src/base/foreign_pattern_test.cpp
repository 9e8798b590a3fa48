#include "base/foreign_pattern.h"

#include <gtest/gtest.h>

namespace instantstart {
namespace {

TEST(ForeignPattern, MatchesTheWholeTextOnly) {
  EXPECT_TRUE(matches_wholly("[a-z]+|[0-9]+", "abc").value());
  EXPECT_FALSE(matches_wholly("[a-z]+|[0-9]+", "abc1").value());
}

TEST(ForeignPattern, ABadExpressionIsAnError) {
  EXPECT_EQ(matches_wholly("[a", "a").error().code, "invalid_request");
}

}  // namespace
}  // namespace instantstart
