#include "sandbox/kubernetes/cluster/nodes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sandbox/kubernetes/api/metadata.h"
#include "sandbox/kubernetes/cluster/testing/cluster_fixture.h"
#include "sandbox/kubernetes/cluster/workload.h"

namespace instantstart::sandbox::kubernetes {
namespace {

struct Heard final : NodeWatcher {
  void health_status_labelled(std::string_view, std::string_view node, std::string_view value) override {
    said.push_back(fmt::format("{} {}", node, value));
  }
  std::vector<std::string> said;
};

constexpr const char* k_health = "sagemaker.amazonaws.com/node-health-status";

class NodeLife : public ClusterFixture {
 protected:
  NodeHost& nodes() { return running->runtime.nodes(); }
};

TEST_F(NodeLife, ANodeLooksLikeOne) {
  NodeSpec spec = node("hyperpod-i-1", {{"nvidia.com/gpu", "8"}});
  spec.labels[k_health] = "Schedulable";
  join(spec);
  const auto* made = find("", "nodes", "hyperpod-i-1");
  ASSERT_NE(made, nullptr);
  EXPECT_TRUE(is_condition_true(*made, "Ready"));
  EXPECT_EQ(text(made, "spec.providerID"), spec.provider_id);
  EXPECT_EQ(text(made, "status.capacity.nvidia.com/gpu"), "");
  EXPECT_EQ(member_text(member_object(member_object(*made, "status"), "allocatable"), "nvidia.com/gpu"), "8");
  EXPECT_EQ(label_of(*made, "kubernetes.io/hostname"), spec.hostname);
  EXPECT_EQ(text(made, "status.nodeInfo.kubeletVersion"), "v1.34.2-eks-ecaa3a6");
  nodes().leave(k_test_cluster, "hyperpod-i-1");
  EXPECT_EQ(find("", "nodes", "hyperpod-i-1"), nullptr);
}

TEST_F(NodeLife, AnUpdateChangesWhatItNames) {
  join(node("n1"));
  nodes().update(k_test_cluster, "n1",
                 {.labels = {{"a", "b"}, {"node.kubernetes.io/instance-type", ""}},
                  .taints_added = {{"t", "v", "NoSchedule"}},
                  .conditions = {{"NvidiaErrorReboot", "True", "XidHardwareFailure", "Xid 79"}}});
  const auto* now = find("", "nodes", "n1");
  EXPECT_EQ(label_of(*now, "a"), "b");
  EXPECT_EQ(label_of(*now, "node.kubernetes.io/instance-type"), "");
  EXPECT_EQ(text(now, "spec.taints.0.key"), "t");
  EXPECT_TRUE(is_condition_true(*now, "NvidiaErrorReboot"));
  nodes().update(
      k_test_cluster, "n1",
      {.taints_removed = {{"t", "", "NoSchedule"}}, .conditions = {{"NvidiaErrorReboot", "", "", ""}}});
  EXPECT_EQ(text(find("", "nodes", "n1"), "spec.taints"), "");
  EXPECT_EQ(find_condition(*find("", "nodes", "n1"), "NvidiaErrorReboot"), nullptr);
  nodes().update(k_test_cluster, "none", {.labels = {{"a", "b"}}});
  nodes().update("none", "n1", {.labels = {{"a", "b"}}});
}

TEST_F(NodeLife, ADrainLeavesDaemons) {
  join(node("n1"));
  create(R"({"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"name":"agent"},"spec":{
      "selector":{"matchLabels":{"app":"agent"}},"template":{"metadata":{"labels":{"app":"agent"}},
      "spec":{"containers":[{"name":"main","image":"registry/agent:1"}]}}}})");
  create(pod_text("p"));
  pass(seconds(20));
  EXPECT_FALSE(nodes().is_drained(k_test_cluster, "n1"));
  nodes().drain(k_test_cluster, "n1");
  EXPECT_FALSE(nodes().is_drained(k_test_cluster, "n1"));
  pass(seconds(20));
  EXPECT_TRUE(nodes().is_drained(k_test_cluster, "n1"));
  EXPECT_EQ(list("", "pods").size(), 1);
  EXPECT_EQ(text(find("", "nodes", "n1"), "spec.unschedulable"), "true");
  EXPECT_TRUE(nodes().is_drained(k_test_cluster, "none"));
}

TEST_F(NodeLife, PodsOfALostNodeAreEvictedAfterTheirToleration) {
  join(node("n1"));
  create(pod_text("p"));
  pass(seconds(20));
  nodes().set_reachable(k_test_cluster, "n1", false, "NodeStatusUnknown");
  pass(seconds(5));
  EXPECT_FALSE(is_ready_pod(*find_pod("p")));
  EXPECT_FALSE(is_deleting(*find_pod("p")));
  EXPECT_EQ(text(find_condition(*find("", "nodes", "n1"), "Ready"), "status"), "Unknown");
  pass(seconds(310));
  ASSERT_NE(find_pod("p"), nullptr);
  EXPECT_TRUE(is_deleting(*find_pod("p")));  // Nobody is there to end it.
  nodes().leave(k_test_cluster, "n1");
  EXPECT_EQ(find_pod("p"), nullptr);
}

TEST_F(NodeLife, ARestartedNodeBeginsItsContainersAnew) {
  join(node("n1"));
  create(pod_text("p"));
  create(pod_text("pulling", "registry/training:1", "", R"("restartPolicy":"Never",)"));
  create(pod_text("once", "busybox", R"("command":["sleep","1000"],)", R"("restartPolicy":"Never",)"));
  pass(seconds(20));
  nodes().set_reachable(k_test_cluster, "n1", false, "Reboot");
  pass(seconds(60));
  nodes().set_reachable(k_test_cluster, "n1", true, "KubeletReady");
  pass(seconds(20));
  EXPECT_EQ(container_state("p"), "running");
  EXPECT_EQ(text(find_pod("p"), "status.containerStatuses.0.restartCount"), "1");
  EXPECT_EQ(text(find_pod("p"), "status.containerStatuses.0.lastState.terminated.exitCode"), "255");
  EXPECT_TRUE(is_ready_pod(*find_pod("p")));
  EXPECT_EQ(text(find_pod("once"), "status.phase"), "Failed");
  EXPECT_EQ(text(find_pod("pulling"), "status.phase"), "Pending");
  EXPECT_TRUE(is_condition_true(*find("", "nodes", "n1"), "Ready"));
  EXPECT_EQ(text(find("", "nodes", "n1"), "spec.taints"), "");
}

TEST_F(NodeLife, AUsersHealthLabelIsTold) {
  Heard heard;
  running->runtime.set_node_watcher(heard);
  NodeSpec spec = node("n1");
  spec.labels[k_health] = "Schedulable";
  join(spec);
  nodes().update(k_test_cluster, "n1", {.labels = {{k_health, "Unschedulable"}}});
  pass(seconds(1));
  EXPECT_TRUE(heard.said.empty());
  change("", "nodes", "n1",
         fmt::format(R"({{"metadata":{{"labels":{{"{}":"UnschedulablePendingReboot"}}}}}})", k_health));
  pass(seconds(1));
  EXPECT_EQ(heard.said, std::vector<std::string>{"n1 UnschedulablePendingReboot"});
}

TEST_F(NodeLife, MissingDependenciesAreNamedAsInTheChart) {
  EXPECT_EQ(nodes().missing_dependencies(k_test_cluster),
            (std::vector<std::string>{"health-monitoring-agent", "deep-health-check", "job-auto-restart",
                                      "hyperpod-patching"}));
  for (const auto* name :
       {"deep-health-check-service-account-role", "job-auto-restart", "hyperpod-patching"}) {
    auto made = running->servers->objects(std::string(k_test_cluster), "helm")
                    .create(json::object{{"apiVersion", "rbac.authorization.k8s.io/v1"},
                                         {"kind", "ClusterRole"},
                                         {"metadata", json::object{{"name", name}}},
                                         {"rules", json::array{}}});
    ASSERT_TRUE(made) << made.error().message;
  }
  EXPECT_EQ(nodes().missing_dependencies(k_test_cluster),
            std::vector<std::string>{"health-monitoring-agent"});
}

TEST_F(NodeLife, AResetLeavesNothing) {
  join(node("n1"));
  create(pod_text("p"));
  pass(seconds(20));
  ASSERT_TRUE(process->run(process->world().reset()));
  running->servers->open(test_cluster());
  EXPECT_TRUE(nodes().is_drained(k_test_cluster, "n1"));
  create(pod_text("p"));
  pass(seconds(5));
  EXPECT_EQ(text(find_pod("p"), "status.conditions.0.message"), "no nodes available to schedule pods");
  join(node("n1"));
  pass(seconds(20));
  EXPECT_EQ(container_state("p"), "running");
}

TEST_F(NodeLife, PodsOfADeletedNodeGo) {
  join(node("n1"));
  create(pod_text("p"));
  pass(seconds(20));
  remove("", "nodes", "n1");
  pass(seconds(1));
  EXPECT_EQ(find_pod("p"), nullptr);
}

TEST_F(NodeLife, ATaintThatIsNotToleratedEvicts) {
  join(node("n1"));
  create(pod_text("p"));
  create(pod_text("stays", "registry/app:1", "", R"("tolerations":[{"operator":"Exists"}],)"));
  create(pod_text("some", "registry/app:1", "",
                  R"("tolerations":[{"key":"t","operator":"Exists","tolerationSeconds":60}],)"));
  pass(seconds(20));
  nodes().update(k_test_cluster, "n1", {.taints_added = {{"t", "v", "NoExecute"}}});
  pass(seconds(20));
  EXPECT_EQ(names("", "pods"), (std::vector<std::string>{"some", "stays"}));
  EXPECT_TRUE(has_event("TaintManagerEviction", "Marking for deletion Pod default/p"));
  pass(seconds(60));
  EXPECT_EQ(names("", "pods"), std::vector<std::string>{"stays"});
}

/// Slow when something looks at all pods of all nodes at each change.
TEST_F(NodeLife, HundredsOfNodesAndPodsAreNoTrouble) {
  for (int i = 0; i < 300; ++i) join(node(fmt::format("n{:04}", i)));
  create(R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{"replicas":300,
      "selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},
      "spec":{"containers":[{"name":"main","image":"busybox","command":["sleep","100000"]}]}}}})");
  create(R"({"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"name":"agent"},"spec":{
      "selector":{"matchLabels":{"app":"agent"}},"template":{"metadata":{"labels":{"app":"agent"}},
      "spec":{"containers":[{"name":"main","image":"registry/agent:1"}]}}}})");
  pass(seconds(60));
  EXPECT_EQ(text(find("apps", "deployments", "web"), "status.readyReplicas"), "300");
  EXPECT_EQ(text(find("apps", "daemonsets", "agent"), "status.numberReady"), "300");
}

}  // namespace
}  // namespace instantstart::sandbox::kubernetes
