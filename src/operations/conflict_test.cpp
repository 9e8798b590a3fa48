#include "operations/conflict.h"

#include <gtest/gtest.h>

namespace instantstart::operations {
namespace {

struct Case {
  Claim a;
  Claim b;
  bool conflict;
};

TEST(InConflict, FollowsScopeAndRemoval) {
  const Claim cluster{"cluster/a", Scope::tree};
  const Claim group{"cluster/a/group/g", Scope::tree};
  const Claim job{"cluster/a/job/j", Scope::leaf};
  const Claim removal{"cluster/a", Scope::tree, true};
  const Claim leaf_removal{"cluster/a", Scope::leaf, true};
  const Claim leaf_above{"cluster/a", Scope::leaf};
  const std::vector<Case> cases{
      {cluster, cluster, true},    // The same subject, always.
      {job, job, true},            //
      {cluster, group, true},      // A tree holds all below it …
      {cluster, job, false},       // … but workloads run beside it,
      {removal, job, true},        // unless it takes the ground away.
      {leaf_removal, job, true},   //
      {leaf_above, group, false},  // A leaf holds itself alone.
      {leaf_above, job, false},    //
      {job, {"cluster/b", Scope::tree, true}, false},
      {{"cluster/a/job/j", Scope::leaf, true}, cluster, false},  // What is above doesn't stand on it.
  };
  for (const auto& [a, b, conflict] : cases) {
    EXPECT_EQ(in_conflict(a, b), conflict) << a.subject << " and " << b.subject;
    EXPECT_EQ(in_conflict(b, a), conflict) << b.subject << " and " << a.subject;
  }
}

TEST(AreaOf, IsTheFirstKindAndName) {
  EXPECT_EQ(area_of("cluster/a"), "cluster/a");
  EXPECT_EQ(area_of("cluster/a/group/g"), "cluster/a");
  EXPECT_EQ(area_of("cluster/a/group/g/node/n"), "cluster/a");
}

}  // namespace
}  // namespace instantstart::operations
