#include "sandbox/kubernetes/cluster/scheduler.h"

#include <gtest/gtest.h>

#include "sandbox/kubernetes/cluster/testing/cluster_fixture.h"

namespace instantstart::sandbox::kubernetes {
namespace {

class Scheduling : public ClusterFixture {
 protected:
  std::string problem(std::string_view pod) { return text(find_pod(pod), "status.conditions.0.message"); }
  static std::string gpus(int count) {
    return fmt::format(R"("resources":{{"limits":{{"nvidia.com/gpu":"{}"}}}},)", count);
  }
};

TEST_F(Scheduling, WithoutNodesAPodSaysSo) {
  create(pod_text("p"));
  pass(seconds(1));
  EXPECT_EQ(text(find_pod("p"), "status.phase"), "Pending");
  EXPECT_EQ(problem("p"), "no nodes available to schedule pods");
  EXPECT_EQ(text(find_pod("p"), "status.conditions.0.reason"), "Unschedulable");
  join(node("n1"));
  pass(seconds(1));
  EXPECT_EQ(text(find_pod("p"), "spec.nodeName"), "n1");
}

TEST_F(Scheduling, ReasonsAreCountedInTheSchedulersWords) {
  join(node("n1"));
  for (const auto* name : {"n2", "n3"}) {
    NodeSpec spec = node(name, {{"nvidia.com/gpu", "8"}});
    spec.taints = {{"sagemaker.amazonaws.com/node-health-status", "Unschedulable", "NoSchedule"}};
    join(spec);
  }
  create(pod_text("p", "registry/app:1", gpus(1)));
  pass(seconds(1));
  EXPECT_EQ(
      problem("p"),
      "0/3 nodes are available: 1 Insufficient nvidia.com/gpu, 2 node(s) had untolerated taint "
      "{sagemaker.amazonaws.com/node-health-status: Unschedulable}. preemption: 0/3 nodes are available: 1 "
      "No preemption victims found for incoming pod, 2 Preemption is not helpful for scheduling.");
  EXPECT_TRUE(has_event("FailedScheduling", "Insufficient nvidia.com/gpu"));
  running->runtime.nodes().update(
      k_test_cluster, "n3",
      {.taints_removed = {{"sagemaker.amazonaws.com/node-health-status", "", "NoSchedule"}}});
  pass(seconds(1));
  EXPECT_EQ(text(find_pod("p"), "spec.nodeName"), "n3");
}

TEST_F(Scheduling, DevicesAreCountedAndFreed) {
  join(node("n1", {{"nvidia.com/gpu", "8"}}));
  create(pod_text("a", "registry/app:1", gpus(6)));
  create(pod_text("b", "registry/app:1", gpus(6)));
  pass(seconds(20));
  EXPECT_EQ(text(find_pod("a"), "spec.nodeName"), "n1");
  EXPECT_EQ(text(find_pod("b"), "spec.nodeName"), "");
  remove("", "pods", "a");
  pass(seconds(20));
  EXPECT_EQ(text(find_pod("b"), "spec.nodeName"), "n1");
}

TEST_F(Scheduling, WhatIsFreedWhileNobodyWaitsIsThereForTheNext) {
  join(node("n1", {{"nvidia.com/gpu", "8"}}));
  create(pod_text("a", "registry/app:1", gpus(6)));
  create(pod_text("b", "registry/app:1", gpus(6)));
  pass(seconds(20));
  remove("", "pods", "b");
  pass(seconds(20));
  remove("", "pods", "a");
  pass(seconds(60));
  create(pod_text("c", "registry/app:1", gpus(6)));
  pass(seconds(20));
  EXPECT_EQ(text(find_pod("c"), "spec.nodeName"), "n1");
}

TEST_F(Scheduling, SelectorsAffinityAndCordonsHold) {
  NodeSpec one = node("n1");
  one.labels["zone"] = "a";
  NodeSpec two = node("n2");
  two.labels["zone"] = "b";
  join(one);
  join(two);
  create(pod_text("selected", "registry/app:1", "", R"("nodeSelector":{"zone":"b"},)"));
  create(pod_text("required", "registry/app:1", "", R"("affinity":{"nodeAffinity":{
      "requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[
      {"key":"zone","operator":"NotIn","values":["b"]}]}]}}},)"));
  create(pod_text("preferred", "registry/app:1", "", R"("affinity":{"nodeAffinity":{
      "preferredDuringSchedulingIgnoredDuringExecution":[{"weight":100,"preference":{"matchExpressions":[
      {"key":"zone","operator":"In","values":["b"]}]}}]}},)"));
  create(pod_text("nowhere", "registry/app:1", "", R"("nodeSelector":{"zone":"c"},)"));
  pass(seconds(1));
  EXPECT_EQ(text(find_pod("selected"), "spec.nodeName"), "n2");
  EXPECT_EQ(text(find_pod("required"), "spec.nodeName"), "n1");
  EXPECT_EQ(text(find_pod("preferred"), "spec.nodeName"), "n2");
  EXPECT_NE(problem("nowhere").find("2 node(s) didn't match Pod's node affinity/selector"),
            std::string::npos);
  running->runtime.nodes().drain(k_test_cluster, "n2");
  create(pod_text("later", "registry/app:1", "", R"("nodeSelector":{"zone":"b"},)"));
  pass(seconds(1));
  EXPECT_NE(problem("later").find("1 node(s) were unschedulable"), std::string::npos);
  running->runtime.nodes().uncordon(k_test_cluster, "n2");
  pass(seconds(1));
  EXPECT_EQ(text(find_pod("later"), "spec.nodeName"), "n2");
}

TEST_F(Scheduling, AClaimMustBeBound) {
  join(node("n1"));
  create(
      R"({"apiVersion":"storage.k8s.io/v1","kind":"CSIDriver","metadata":{"name":"fsx.csi.aws.com"},"spec":{}})");
  create(pod_text("p", "registry/app:1", "",
                  R"("volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"c"}}],)"));
  pass(seconds(1));
  EXPECT_NE(problem("p").find("persistentvolumeclaim \"c\" not found"), std::string::npos);
  create(R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"c"},"spec":{
      "accessModes":["ReadWriteMany"],"storageClassName":"","volumeName":"v",
      "resources":{"requests":{"storage":"10Gi"}}}})");
  pass(seconds(10));
  EXPECT_NE(problem("p").find("pod has unbound immediate PersistentVolumeClaims"), std::string::npos);
  create(R"({"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"v"},"spec":{
      "accessModes":["ReadWriteMany"],"capacity":{"storage":"1200Gi"},"persistentVolumeReclaimPolicy":"Retain",
      "csi":{"driver":"fsx.csi.aws.com","volumeHandle":"fs-1"}}})");
  pass(seconds(20));
  EXPECT_EQ(text(find("", "persistentvolumeclaims", "c"), "status.phase"), "Bound");
  EXPECT_EQ(text(find("", "persistentvolumes", "v"), "spec.claimRef.name"), "c");
  EXPECT_EQ(container_state("p"), "running");
}

TEST(UnschedulableMessage, Table) {
  EXPECT_EQ(unschedulable_message(0, {}), "no nodes available to schedule pods");
  EXPECT_EQ(unschedulable_message(2, {{"Insufficient cpu", 2}, {"Insufficient memory", 1}}),
            "0/2 nodes are available: 1 Insufficient memory, 2 Insufficient cpu. preemption: 0/2 nodes are "
            "available: 2 No preemption victims found for incoming pod.");
}

}  // namespace
}  // namespace instantstart::sandbox::kubernetes
