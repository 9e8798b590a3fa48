#include "capabilities/overview/cluster_look.h"

#include <gtest/gtest.h>

namespace instantstart::capabilities {
namespace {

json::object node(std::string_view name, std::string_view gpus, bool ready, bool unschedulable = false) {
  return {{"metadata", {{"name", name}}},
          {"spec", {{"unschedulable", unschedulable}}},
          {"status",
           {{"allocatable", {{"nvidia.com/gpu", gpus}}},
            {"conditions", {{{"type", "Ready"}, {"status", ready ? "True" : "False"}}}}}}};
}

json::object pod(std::string_view node, std::string_view gpus, std::string_view phase = "Running") {
  return {
      {"spec",
       {{"nodeName", node}, {"containers", {{{"resources", {{"requests", {{"nvidia.com/gpu", gpus}}}}}}}}}},
      {"status", {{"phase", phase}}}};
}

json::object with_condition(std::string_view type) {
  return {
      {"status",
       {{"conditions", {{{"type", "Created"}, {"status", "True"}}, {{"type", type}, {"status", "True"}}}}}}};
}

TEST(ClusterLook, EveryGpuIsInOneState) {
  ClusterCounter counter;
  counter.node(node("a", "8", true));
  counter.node(node("b", "8", true, true));
  counter.node(node("c", "8", false));
  counter.pod(pod("a", "6"));
  counter.pod(pod("b", "8"));
  counter.pod(pod("c", "1"));
  counter.pod(pod("a", "8", "Succeeded"));
  counter.pod(pod("", "8", "Pending"));
  const auto look = counter.look("demo");
  EXPECT_EQ(look.nodes, 3);
  EXPECT_EQ(look.nodes_ready, 2);
  EXPECT_EQ(look.gpus.in_use, 15);
  EXPECT_EQ(look.gpus.idle, 2);
  EXPECT_EQ(look.gpus.unavailable, 7);
}

TEST(ClusterLook, WhatIsNoNumberCountsAsNone) {
  ClusterCounter counter;
  counter.node(node("a", "many", true));
  counter.node(node("b", "-3", true));
  EXPECT_EQ(counter.look("demo").gpus.idle, 0);
}

TEST(ClusterLook, JobsAndDeploymentsCountByState) {
  ClusterCounter counter;
  for (const auto* state : {"Running", "Failed", "Completed", "Queued"}) counter.job(with_condition(state));
  counter.deployment({{"spec", {{"replicas", 2}}}, {"status", {{"readyReplicas", 2}}}});
  counter.deployment({{"spec", {{"replicas", 2}}}, {"status", {{"readyReplicas", 1}}}});
  const auto look = counter.look("demo");
  EXPECT_EQ(look.jobs.ready, 1);
  EXPECT_EQ(look.jobs.failed, 1);
  EXPECT_EQ(look.jobs.ended, 1);
  EXPECT_EQ(look.jobs.starting, 1);
  EXPECT_EQ(look.deployments.ready, 1);
  EXPECT_EQ(look.deployments.starting, 1);
}

TEST(Overview, WhatNeedsSomebodyIsAnAlarmAndComesNext) {
  OverviewAnswer answer;
  answer.clusters = {{.cluster = "demo", .nodes = 2, .nodes_ready = 1}};
  answer.operations = {{"1", "hyperpod_create", "cluster/demo", operations::OperationState::needs_input}};
  const auto alarms = alarms_of(answer);
  ASSERT_EQ(alarms.size(), 2);
  EXPECT_EQ(alarms[0], "demo: 1 of 2 nodes are not ready.");
  const auto next = next_of(answer);
  ASSERT_EQ(next.size(), 1);
  EXPECT_EQ(next[0].action, "operation_get");
}

TEST(Overview, WithoutClustersOneLooksForThem) {
  EXPECT_TRUE(alarms_of({}).empty());
  EXPECT_EQ(next_of({}).at(0).action, "cluster_discover");
}

}  // namespace
}  // namespace instantstart::capabilities
