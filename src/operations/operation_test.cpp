#include "operations/operation.h"

#include <gtest/gtest.h>

#include "base/decode.h"

namespace instantstart::operations {
namespace {

TEST(SubjectsOverlap, WhenOnePathContainsTheOther) {
  EXPECT_TRUE(subjects_overlap("cluster/a", "cluster/a"));
  EXPECT_TRUE(subjects_overlap("cluster/a", "cluster/a/group/g"));
  EXPECT_TRUE(subjects_overlap("cluster/a/group/g", "cluster/a"));
}

TEST(SubjectsOverlap, NotForSiblingsOrNamesThatBeginAlike) {
  EXPECT_FALSE(subjects_overlap("cluster/a", "cluster/ab"));
  EXPECT_FALSE(subjects_overlap("cluster/a/group/g", "cluster/a/group/h"));
  EXPECT_FALSE(subjects_overlap("cluster/a/group/g", "cluster/b"));
}

TEST(OperationState, IsTerminalOnlyWhereNothingMoves) {
  EXPECT_TRUE(is_terminal(OperationState::succeeded));
  EXPECT_TRUE(is_terminal(OperationState::failed));
  EXPECT_TRUE(is_terminal(OperationState::cancelled));
  EXPECT_FALSE(is_terminal(OperationState::needs_input));
  EXPECT_FALSE(is_terminal(OperationState::cancelling));
}

TEST(StoredError, ComesBackWithAllItsMembers) {
  Error error{
      .code = "name_taken",
      .message = "It is taken.",
      .retryable = true,
      .retry_after = milliseconds(1'500),
      .problems =
          {{.pointer = "/a", .rule = "pattern", .message = "must match", .value = "1", .nearest = "b"}},
      .next = {{"operation_get", {{"operation_id", "x"}}, "Look."}},
      .detail = {{"name", "a"}}};
  const auto back = decode<Error>(encode(error));
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(*back, error);
  const auto bare = decode<Error>(encode(Error{.code = "internal"}));
  ASSERT_TRUE(bare.has_value());
  EXPECT_FALSE(bare->retry_after.has_value());
}

}  // namespace
}  // namespace instantstart::operations
