#include "operations/token.h"

#include <set>

#include <gtest/gtest.h>

#include "base/pattern.h"

namespace instantstart::operations {
namespace {

TEST(ActToken, IsTheSameInEveryProcess) {
  // Made with another implementation; an upgrade must not change tokens of acts that are under way.
  EXPECT_EQ(act_token("op", {Phase::forward, "step"}, 0), "k2thg2p7zzeyllvkdrfj5thvmzrurxlh");
}

TEST(ActToken, DiffersInEveryPart) {
  const std::set<std::string> tokens{
      act_token("op", {Phase::forward, "step"}, 0), act_token("op", {Phase::forward, "step"}, 1),
      act_token("op", {Phase::undo, "step"}, 0),    act_token("op2", {Phase::forward, "step"}, 0),
      act_token("o", {Phase::forward, "pstep"}, 0), act_token("op", {Phase::forward, "step2"}, 0)};
  EXPECT_EQ(tokens.size(), 6U);
}

TEST(ActToken, FitsTheNarrowestTokenOfAws) {
  const Pattern narrow("^[a-z2-7]{32}$");
  for (int generation = 0; generation < 100; ++generation) {
    EXPECT_TRUE(narrow.matches(act_token("op", {Phase::forward, "step"}, generation)));
  }
}

}  // namespace
}  // namespace instantstart::operations
