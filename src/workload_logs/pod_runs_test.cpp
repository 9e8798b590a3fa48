#include "workload_logs/pod_runs.h"

#include <gtest/gtest.h>

namespace instantstart::workload_logs {
namespace {

const LogSubject k_by_label{.id = {}, .selector = "job=a"};
const LogSubject k_by_owner{
    .id = {},
    .selector = "",
    .owner = LogOwner{"sagemaker.amazonaws.com/v1", "HyperPodPyTorchJob", "hyperpodpytorchjobs", "a"}};

PodRuns of(std::string_view text, const LogSubject& subject = k_by_label) {
  return pod_runs(parse_json(text).value().as_object(), subject);
}

std::vector<RunPlace> runs(std::string_view status) {
  const auto pod =
      of(R"({"metadata":{"name":"p"},"status":{"containerStatuses":[)" + std::string(status) + "]}}");
  return pod.containers.empty() ? std::vector<RunPlace>{} : pod.containers[0].runs;
}

TEST(PodRuns, ARunningContainerHasItsPresentRun) {
  EXPECT_EQ(runs(R"({"name":"c","restartCount":0,"state":{"running":{}}})"),
            (std::vector<RunPlace>{{0, false, false}}));
}

TEST(PodRuns, ARestartedContainerHasTheRunBeforeToo) {
  EXPECT_EQ(runs(R"({"name":"c","restartCount":3,"state":{"running":{}},"lastState":{"terminated":{}}})"),
            (std::vector<RunPlace>{{2, true, true}, {3, false, false}}));
}

TEST(PodRuns, OneThatWaitsToBeStartedAgainHasOnlyItsLastRun) {
  EXPECT_EQ(runs(R"({"name":"c","restartCount":3,"containerID":"x","state":{"waiting":{}},
                     "lastState":{"terminated":{"containerID":"x"}}})"),
            (std::vector<RunPlace>{{3, true, true}}));
  EXPECT_EQ(runs(R"({"name":"c","restartCount":3,"containerID":"y","state":{"waiting":{}},
                     "lastState":{"terminated":{"containerID":"x"}}})"),
            (std::vector<RunPlace>{{2, true, true}}));
}

TEST(PodRuns, OneThatNeverRanHasNone) {
  EXPECT_EQ(runs(R"({"name":"c","restartCount":0,"state":{"waiting":{}}})"), std::vector<RunPlace>{});
}

TEST(PodRuns, TheRankIsInLabelsOrInTheName) {
  EXPECT_EQ(of(R"({"metadata":{"name":"a-pods-12"}})").rank, 12);
  EXPECT_EQ(
      of(R"({"metadata":{"name":"a-7","labels":{"batch.kubernetes.io/job-completion-index":"3"}}})").rank, 3);
  EXPECT_EQ(of(R"({"metadata":{"name":"a-x7kqz"}})").rank, std::nullopt);
}

TEST(PodRuns, WithoutASelectorThePodsOfTheOwnerAreChosen) {
  EXPECT_TRUE(of(R"({"metadata":{"name":"p","ownerReferences":[
      {"apiVersion":"sagemaker.amazonaws.com/v1","kind":"HyperPodPytorchJob","name":"a"}]}})",
                 k_by_owner)
                  .chosen);
  EXPECT_FALSE(of(R"({"metadata":{"name":"p","ownerReferences":[
      {"apiVersion":"sagemaker.amazonaws.com/v1","kind":"HyperPodPytorchJob","name":"b"}]}})",
                  k_by_owner)
                   .chosen);
  EXPECT_FALSE(of(R"({"metadata":{"name":"p"}})", k_by_owner).chosen);
}

TEST(PodRuns, AnyPodReads) {
  for (const auto* text : {"{}", R"({"status":[]})", R"({"status":{"containerStatuses":{}},"metadata":7})",
                           R"({"status":{"containerStatuses":[3,{"name":5,"restartCount":"x"}]}})"}) {
    EXPECT_TRUE(of(text).containers.empty()) << text;
  }
}

TEST(HasEnded, ReadsConditionsAndRaysState) {
  const auto ended = [](std::string_view text) { return has_ended(parse_json(text).value().as_object()); };
  EXPECT_TRUE(ended(R"({"status":{"conditions":[{"type":"Complete","status":"True"}]}})"));
  EXPECT_TRUE(ended(R"({"status":{"conditions":[{"type":"Failed","status":"True"}]}})"));
  EXPECT_FALSE(ended(R"({"status":{"conditions":[{"type":"Failed","status":"False"}]}})"));
  EXPECT_TRUE(ended(R"({"status":{"jobDeploymentStatus":"Complete"}})"));
  EXPECT_FALSE(ended(R"({"status":{"jobDeploymentStatus":"Running"}})"));
  EXPECT_FALSE(ended("{}"));
}

}  // namespace
}  // namespace instantstart::workload_logs
