#include "capabilities/training/job_state.h"

#include <gtest/gtest.h>

#include "base/decode.h"
#include "capabilities/training/job_object.h"

namespace instantstart::capabilities {
namespace {

json::object job(json::array conditions = {}, json::object status = {}) {
  const JobSpec spec{
      .cluster = {.name = "demo", .region = "us-west-2", .account = "123456789012", .profile = {}},
      .name = "sft",
      .space = "default",
      .image = "example.com/train:1",
      .script = "/data/train.py",
      .nodes = 2,
      .gpus_per_node = 8,
      .instance_type = "ml.p5.48xlarge",
      .max_restarts = 3};
  auto object = job_object(spec, {"sagemaker.amazonaws.com", "v1", "HyperPodPyTorchJob"}, "op-1");
  object["metadata"].as_object()["uid"] = "u-1";
  status["conditions"] = std::move(conditions);
  object["status"] = std::move(status);
  return object;
}

json::object condition(const char* type, const char* time, const char* status = "True",
                       const char* reason = "", const char* message = "") {
  return {{"type", type},
          {"status", status},
          {"reason", reason},
          {"message", message},
          {"lastTransitionTime", std::string("2026-12-01T") + time + "Z"}};
}

json::object pod(int rank, const char* phase, json::object status = {}) {
  status["phase"] = phase;
  return {{"metadata",
           {{"name", "sft-pods-" + std::to_string(rank)},
            {"namespace", "default"},
            {"labels", {{"instantstart/job", "sft"}}}}},
          {"spec", {{"nodeName", "node-" + std::to_string(rank)}}},
          {"status", std::move(status)}};
}
json::object unschedulable(int rank, const char* message) {
  return pod(rank, "Pending",
             {{"conditions", json::array{json::object{
                                 {"type", "PodScheduled"}, {"status", "False"}, {"message", message}}}}});
}

JobState state(json::array conditions, std::vector<json::object> pods = {}) {
  return job_view(job(std::move(conditions)), pods).state;
}

TEST(JobStates, TheNewestConditionThatHoldsDecides) {
  const auto created = condition("Created", "10:00:00");
  EXPECT_EQ(state({}), JobState::pending);
  EXPECT_EQ(state({created}), JobState::pending);
  EXPECT_EQ(state({created, condition("Running", "10:01:00")}), JobState::running);
  EXPECT_EQ(state({condition("Running", "10:01:00"), created}), JobState::running) << "in whatever order";
  EXPECT_EQ(state({condition("Running", "10:01:00", "False"), condition("Restarting", "10:02:00")}),
            JobState::restarting);
  EXPECT_EQ(state({condition("Restarting", "10:02:00"), condition("Running", "10:02:00")}), JobState::running)
      << "of equals the last";
  EXPECT_EQ(state({condition("Completed", "10:03:00"), condition("Running", "10:09:00")}),
            JobState::succeeded)
      << "an end is an end";
  EXPECT_EQ(state({condition("Suspended", "10:03:00")}), JobState::suspended);
  EXPECT_EQ(state({condition("Somethingelse", "10:03:00")}), JobState::pending);
}

TEST(JobStates, PodsTellWaitingFromStarting) {
  const json::array created{condition("Created", "10:00:00"), condition("PodsRunning", "10:00:10")};
  EXPECT_EQ(state(created, {pod(0, "Running"), pod(1, "Running")}), JobState::starting);
  EXPECT_EQ(state(created, {pod(0, "Running"), pod(1, "Pending")}), JobState::pending);
}

TEST(JobReasons, SayWhyPodsDontRunOnceForAllOfAKind) {
  const char* full =
      "0/3 nodes are available: 2 Insufficient nvidia.com/gpu. preemption: 0/3 nodes are available.";
  EXPECT_EQ(pending_in_words({unschedulable(0, full), unschedulable(1, full)}, 2),
            std::vector<std::string>{"2 pods pending: Insufficient nvidia.com/gpu"});
  const char* two =
      "0/3 nodes are available: 1 Insufficient nvidia.com/gpu, 2 node(s) didn't match Pod's node "
      "affinity/selector.";
  EXPECT_EQ(
      pending_in_words({unschedulable(0, two)}, 2),
      (std::vector<std::string>{"1 pod pending: Insufficient nvidia.com/gpu, node(s) didn't match Pod's "
                                "node affinity/selector",
                                "1 pod is not made yet by the training operator."}));
  const auto pulling =
      pod(0, "Pending",
          {{"containerStatuses",
            json::array{json::object{
                {"state",
                 {{"waiting", {{"reason", "ImagePullBackOff"}, {"message", "Back-off pulling image"}}}}}}}}});
  EXPECT_EQ(pending_in_words({pulling}, 1),
            std::vector<std::string>{"1 pod pending: ImagePullBackOff: Back-off pulling image"});
}

TEST(JobBudget, IsToldAsUsedAndLeft) {
  const auto view = job_view(
      job({condition("Running", "10:00:00")},
          {{"restartCount", 2}, {"restartStatus", {{"restartCount", 1}, {"fullJobRestartCount", 1}}}}),
      {});
  EXPECT_EQ(view.restarts.limit, 3);
  EXPECT_EQ(view.restarts.used, 2);
  EXPECT_EQ(view.restarts.left, 1);
  EXPECT_EQ(view.restarts.window_used, 1);
  EXPECT_EQ(view.restarts.full_used, 1);
  EXPECT_EQ(job_view(job(), {}).restarts.left, 3);
}

TEST(JobBudget, ExhaustedIsAReasonOfTheFailure) {
  const auto view =
      job_view(job({condition("Failed", "10:00:00", "True", "BackoffLimitExceeded", "too many restarts")},
                   {{"restartCount", 3}}),
               {});
  EXPECT_EQ(view.state, JobState::failed);
  EXPECT_EQ(view.failure, "BackoffLimitExceeded: too many restarts");
  EXPECT_EQ(view.reasons.back(), "The budget is used up: 3 of 3 restarts.");
  EXPECT_EQ(view.ended_at, "2026-12-01T10:00:00Z");
}

TEST(JobFindings, AHangIsNamedWithItsRule) {
  const auto view =
      job_view(job({condition("Created", "09:00:00"),
                    condition("Restarting", "10:00:00", "True", "LogHang_loss-1", "rank 3 is silent"),
                    condition("Running", "10:01:00")}),
               {});
  ASSERT_TRUE(view.log_finding);
  EXPECT_EQ(view.log_finding->kind, "hang");
  EXPECT_EQ(view.log_finding->rule, "loss-1");
  EXPECT_EQ(view.state, JobState::running);
  const auto in_list =
      job_view(job({}, {{"latestFaultyPodInstanceList", {{"restartType", "LogSlow_tps: 3"}}}}), {});
  ASSERT_TRUE(in_list.log_finding);
  EXPECT_EQ(in_list.log_finding->kind, "slow");
  EXPECT_EQ(in_list.log_finding->rule, "tps");
  EXPECT_FALSE(job_view(job({condition("Running", "10:00:00", "True", "LogHang_")}), {}).log_finding);
  const std::vector<json::object> events{
      {{"message", "Process restart (LogHang_new): silence"}, {"lastTimestamp", "2026-12-01T11:00:00Z"}},
      {{"message", "Process restart (LogHang_old): silence"}, {"lastTimestamp", "2026-12-01T10:00:00Z"}}};
  const auto by_event = job_view(job({condition("Running", "12:00:00")}), {}, events);
  ASSERT_TRUE(by_event.log_finding) << "when it runs again only events tell";
  EXPECT_EQ(by_event.log_finding->rule, "new");
}

TEST(JobFaults, TheLatestAreTold) {
  const auto view = job_view(job({}, {{"latestFaultyPodInstanceList",
                                       {{"restartType", "ProcessLevelRestart"},
                                        {"faultyPodList", json::array{"sft-pods-1"}},
                                        {"faultyInstanceIdList", json::array{"i-1"}},
                                        {"faultyRankList", json::array{8, "9", "x"}}}}}),
                             {});
  ASSERT_TRUE(view.latest_fault);
  EXPECT_EQ(view.latest_fault->restart_type, "ProcessLevelRestart");
  EXPECT_EQ(view.latest_fault->ranks, (std::vector<std::int64_t>{8, 9}));
  EXPECT_EQ(view.latest_fault->pods, std::vector<std::string>{"sft-pods-1"});
}

TEST(JobTimes, AnEndedJobStartedWithItsFirstPodAndNotAtItsEnd) {
  const auto view =
      job_view(job({condition("Running", "10:20:00", "False"), condition("Completed", "10:20:00")}),
               {pod(1, "Succeeded", {{"startTime", "2026-12-01T10:05:02Z"}}),
                pod(0, "Succeeded", {{"startTime", "2026-12-01T10:05:00Z"}})});
  EXPECT_EQ(view.started_at, "2026-12-01T10:05:00Z");
}

TEST(JobPods, StandByRankAndSayHowTheyEnded) {
  const auto ended = pod(1, "Failed",
                         {{"containerStatuses",
                           json::array{json::object{
                               {"restartCount", 2},
                               {"state", {{"terminated", {{"exitCode", 137}, {"reason", "OOMKilled"}}}}}}}}});
  const auto view =
      job_view(job({condition("Running", "10:00:00")}), {pod(10, "Running"), ended, pod(2, "Running")});
  ASSERT_EQ(view.pods.size(), 3U);
  EXPECT_EQ(view.pods[0].name, "sft-pods-1");
  EXPECT_EQ(view.pods[0].reason, "OOMKilled: exit code 137");
  EXPECT_EQ(view.pods[0].container_restarts, 2);
  EXPECT_EQ(view.pods[1].node_rank, 2);
  EXPECT_EQ(view.pods[2].node_rank, 10);
  EXPECT_EQ(view.pods_running, 2);
}

TEST(JobPods, AreToldFromThoseOfOthers) {
  const auto whole = job();
  EXPECT_TRUE(is_pod_of(pod(0, "Running"), whole));
  auto other = pod(0, "Running");
  other["metadata"].as_object()["labels"] = json::object();
  EXPECT_FALSE(is_pod_of(other, whole)) << "a name alone proves nothing";
  other["metadata"].as_object()["ownerReferences"] = json::array{json::object{{"uid", "u-1"}}};
  EXPECT_TRUE(is_pod_of(other, whole));
  auto elsewhere = pod(0, "Running");
  elsewhere["metadata"].as_object()["namespace"] = "other";
  EXPECT_FALSE(is_pod_of(elsewhere, whole));
}

TEST(JobViews, WhateverAClusterHoldsIsNoCrash) {
  for (const char* text :
       {"{}", R"({"metadata":7,"spec":[],"status":{"conditions":{}}})",
        R"({"status":{"conditions":[1,{"type":2}]},"spec":{"replicaSpecs":[null,{"replicas":-1}]}})"}) {
    const auto object = parse_json(text)->as_object();
    EXPECT_EQ(job_view(object, {object}).state, JobState::pending) << text;
    EXPECT_EQ(job_summary(object).nodes, 0) << text;
  }
}

TEST(JobViews, AForeignJobIsReadFromItsOwnFields) {
  auto object = parse_json(R"({"metadata":{"name":"x","namespace":"team"},"spec":{"replicaSpecs":[
    {"name":"a","replicas":1,"template":{"spec":{"nodeSelector":{"beta.kubernetes.io/instance-type":"ml.g5.8xlarge"},
     "containers":[{"image":"i","command":["hyperpodrun"],"args":["t.py"],"resources":{"requests":{"nvidia.com/gpu":1}}}]}}},
    {"name":"b","replicas":2}]}})")
                    ->as_object();
  const auto view = job_view(object, {});
  EXPECT_EQ(view.owner, "other");
  EXPECT_EQ(view.nodes, 3);
  EXPECT_EQ(view.gpus_per_node, 1);
  EXPECT_EQ(view.instance_type, "ml.g5.8xlarge");
  EXPECT_EQ(view.command, (std::vector<std::string>{"hyperpodrun", "t.py"}));
  EXPECT_FALSE(view.restarts.left);
}

}  // namespace
}  // namespace instantstart::capabilities
