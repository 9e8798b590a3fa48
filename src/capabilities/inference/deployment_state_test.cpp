#include "capabilities/inference/deployment_state.h"

#include <gtest/gtest.h>

namespace instantstart::capabilities {
namespace {

RolloutSeen rollout(std::vector<PodSeen> pods) {
  return {
      .current = true, .wanted = 1, .total = 1, .updated = 1, .newest_hash = "h", .pods = std::move(pods)};
}

PodSeen pod() { return {.name = "qwen-h-1", .hash = "h", .node = "n1", .phase = "Running"}; }

TEST(Rollout, IsCompleteWhenNothingOlderIsLeft) {
  RolloutSeen seen{.current = true, .wanted = 2, .total = 2, .updated = 2, .available = 2};
  EXPECT_TRUE(is_complete(seen));
  for (auto change : {+[](RolloutSeen& s) { s.current = false; }, +[](RolloutSeen& s) { s.total = 3; },
                      +[](RolloutSeen& s) { s.updated = 1; }, +[](RolloutSeen& s) { s.available = 1; }}) {
    auto other = seen;
    change(other);
    EXPECT_FALSE(is_complete(other));
  }
}

TEST(Trouble, AnImageThatIsNotThereIsCertainARegistryThatIsDownIsNot) {
  auto missing = pod();
  missing.waiting_reason = "ErrImagePull";
  missing.waiting_message = "rpc error: manifest unknown";
  auto found = trouble_of(rollout({missing}));
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->certain);
  EXPECT_TRUE(found->reason.contains("manifest unknown"));
  missing.waiting_message = "dial tcp: i/o timeout";
  found = trouble_of(rollout({missing}));
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->certain);
}

TEST(Trouble, AServerThatEndsAgainAndAgainSaysWhy) {
  auto crashing = pod();
  crashing.waiting_reason = "CrashLoopBackOff";
  crashing.exit_code = 1;
  crashing.last_words = "INFO ok\nRuntimeError: boom\n";
  crashing.restarts = k_most_crashes - 2;
  EXPECT_FALSE(trouble_of(rollout({crashing})));
  EXPECT_TRUE(words_of(crashing).contains("ended 2 times"));
  crashing.restarts = k_most_crashes - 1;
  auto found = trouble_of(rollout({crashing}));
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->certain);
  EXPECT_TRUE(found->reason.contains("exit code 1: \"RuntimeError: boom\"")) << found->reason;
  crashing.last_words = "ValueError: No available memory for the cache blocks.\nRuntimeError: see above";
  EXPECT_TRUE(trouble_of(rollout({crashing}))->reason.contains("the weights fill the GPU memory"));
  crashing.exit_reason = "OOMKilled";
  EXPECT_TRUE(trouble_of(rollout({crashing}))->reason.contains("it ran out of memory"));
}

TEST(Trouble, OfOlderAndEndingPodsIsNone) {
  auto old = pod();
  old.waiting_reason = "InvalidImageName";
  old.hash = "older";
  EXPECT_FALSE(trouble_of(rollout({old})));
  old.hash = "h";
  old.going = true;
  EXPECT_FALSE(trouble_of(rollout({old})));
}

TEST(Trouble, OfPodsFromBeforeAnUpdateThatItsControllerHasNotSeenIsNone) {
  auto before = pod();
  before.waiting_reason = "InvalidImageName";
  auto seen = rollout({before});
  EXPECT_TRUE(trouble_of(seen));
  seen.current = false;
  EXPECT_FALSE(trouble_of(seen));
}

TEST(Trouble, PodsThatMayNotBeMadeAreOne) {
  auto seen = rollout({});
  seen.replica_failure = "exceeded quota";
  const auto found = trouble_of(seen);
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->certain);
  EXPECT_TRUE(found->reason.contains("exceeded quota"));
}

TEST(Progress, SaysWhatIsWaitedFor) {
  auto waiting = pod();
  waiting.node.clear();
  waiting.phase = "Pending";
  waiting.unschedulable = "0/2 nodes are available: 2 Insufficient nvidia.com/gpu.";
  EXPECT_EQ(progress_of(rollout({waiting})),
            "0 of 1 replicas ready; qwen-h-1: waits for a node: 0/2 nodes are available: 2 Insufficient "
            "nvidia.com/gpu.");
  auto pulling = pod();
  pulling.phase = "Pending";
  pulling.waiting_reason = "ContainerCreating";
  EXPECT_TRUE(progress_of(rollout({pulling})).contains("pulls its image"));
  EXPECT_TRUE(progress_of(rollout({pod()})).contains("loads the model"));
}

TEST(PodSeen, IsReadFromItsStatus) {
  json::array statuses{
      json::object{{"name", "sidecar"}, {"restartCount", 9}},
      json::object{{"name", "model"},
                   {"ready", false},
                   {"restartCount", 2},
                   {"state", {{"waiting", {{"reason", "CrashLoopBackOff"}, {"message", "back-off"}}}}},
                   {"lastState", {{"terminated", {{"exitCode", 137}, {"reason", "OOMKilled"}}}}}}};
  const json::object live{
      {"metadata", {{"name", "p"}, {"uid", "u"}, {"labels", {{"pod-template-hash", "h"}}}}},
      {"spec", {{"nodeName", "n"}}},
      {"status", {{"phase", "Running"}, {"containerStatuses", std::move(statuses)}}}};
  const auto seen = pod_seen_of(live);
  EXPECT_EQ(seen.restarts, 2);
  EXPECT_EQ(seen.exit_code, 137);
  EXPECT_EQ(seen.exit_reason, "OOMKilled");
  EXPECT_EQ(seen.waiting_reason, "CrashLoopBackOff");
  EXPECT_FALSE(seen.ended);
  EXPECT_EQ(pod_seen_of({}).name, "");
  json::array conditions{json::object{
      {"type", "PodScheduled"}, {"status", "False"}, {"message", "2 Insufficient nvidia.com/gpu."}}};
  EXPECT_EQ(pod_seen_of({{"status", {{"conditions", std::move(conditions)}}}}).unschedulable,
            "2 Insufficient nvidia.com/gpu")
      << "our sentence has its own full stop";
}

}  // namespace
}  // namespace instantstart::capabilities
