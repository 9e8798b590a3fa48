// Deployments, ReplicaSets, DaemonSets, StatefulSets, Jobs, Services: what they make of what they are asked.
#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sandbox/kubernetes/api/metadata.h"
#include "sandbox/kubernetes/cluster/testing/cluster_fixture.h"
#include "sandbox/kubernetes/cluster/workload.h"

namespace instantstart::sandbox::kubernetes {
namespace {

std::string workload_text(std::string_view kind, std::string_view name, std::string_view spec,
                          std::string_view image = "registry/app:1", std::string_view pod_rest = "") {
  return fmt::format(R"({{"apiVersion":"apps/v1","kind":"{}","metadata":{{"name":"{}"}},"spec":{{{}
      "selector":{{"matchLabels":{{"app":"{}"}}}},"template":{{"metadata":{{"labels":{{"app":"{}"}}}},
      "spec":{{{}"containers":[{{"name":"main","image":"{}"}}]}}}}}}}})",
                     kind, name, spec, name, name, pod_rest, image);
}

std::string image_patch(std::string_view image) {
  return fmt::format(
      R"({{"spec":{{"template":{{"spec":{{"containers":[{{"name":"main","image":"{}"}}]}}}}}}}})", image);
}

class Controllers : public ClusterFixture {
 protected:
  void SetUp() override {
    ClusterFixture::SetUp();
    join(node("n1"));
    join(node("n2"));
  }
  std::int64_t pods_with_image(std::string_view image) {
    const auto pods = list("", "pods");
    return std::ranges::count_if(pods, [image](const json::object* pod) {
      return text(pod, "spec.containers.0.image") == image && is_active_pod(*pod);
    });
  }
  std::string condition(std::string_view group, std::string_view resource, std::string_view name,
                        std::string_view type) {
    const auto* object = find(group, resource, name);
    const auto* found = object ? find_condition(*object, type) : nullptr;
    return found ? text(found, "status") + " " + text(found, "reason") : "(none)";
  }
};

TEST_F(Controllers, ADeploymentComesUp) {
  create(workload_text("Deployment", "web", R"("replicas":3,)"));
  pass(milliseconds(500));
  EXPECT_EQ(condition("apps", "deployments", "web", "Available"), "False MinimumReplicasUnavailable");
  EXPECT_EQ(condition("apps", "deployments", "web", "Progressing"), "True ReplicaSetUpdated");
  pass(seconds(20));
  const auto* web = find("apps", "deployments", "web");
  for (const auto member : {"replicas", "updatedReplicas", "readyReplicas", "availableReplicas"}) {
    EXPECT_EQ(text(web, fmt::format("status.{}", member)), "3") << member;
  }
  EXPECT_EQ(text(web, "status.observedGeneration"), text(web, "metadata.generation"));
  EXPECT_EQ(annotation_of(*web, "deployment.kubernetes.io/revision"), "1");
  EXPECT_EQ(condition("apps", "deployments", "web", "Available"), "True MinimumReplicasAvailable");
  EXPECT_EQ(condition("apps", "deployments", "web", "Progressing"), "True NewReplicaSetAvailable");
  EXPECT_TRUE(has_event("ScalingReplicaSet", "from 0 to 3"));
  EXPECT_TRUE(has_event("SuccessfulCreate", "Created pod: web-"));
}

TEST_F(Controllers, ADeploymentScales) {
  create(workload_text("Deployment", "web", R"("replicas":3,)"));
  pass(seconds(20));
  change("apps", "deployments", "web", R"({"spec":{"replicas":1}})");
  pass(seconds(20));
  EXPECT_EQ(list("", "pods").size(), 1);
  change("apps", "deployments", "web", R"({"spec":{"replicas":4}})");
  pass(seconds(20));
  EXPECT_EQ(text(find("apps", "deployments", "web"), "status.readyReplicas"), "4");
}

TEST_F(Controllers, ARollingUpdateKeepsEnoughPods) {
  create(workload_text("Deployment", "web", R"("replicas":4,)"));
  pass(seconds(20));
  change("apps", "deployments", "web", image_patch("registry/app:2"));
  for (int i = 0; i < 40; ++i) {
    pass(seconds(1));
    const auto pods = list("", "pods");
    const auto ready = std::ranges::count_if(
        pods, [](const json::object* pod) { return is_ready_pod(*pod) && is_active_pod(*pod); });
    const auto active =
        std::ranges::count_if(pods, [](const json::object* pod) { return is_active_pod(*pod); });
    EXPECT_GE(ready, 3) << i;
    EXPECT_LE(active, 5) << i;
  }
  EXPECT_EQ(pods_with_image("registry/app:2"), 4);
  EXPECT_EQ(pods_with_image("registry/app:1"), 0);
  EXPECT_EQ(list("apps", "replicasets").size(), 2);
  EXPECT_EQ(annotation_of(*find("apps", "deployments", "web"), "deployment.kubernetes.io/revision"), "2");
  // Back to the first template: its set is used again, as the newest revision.
  change("apps", "deployments", "web", image_patch("registry/app:1"));
  pass(seconds(40));
  EXPECT_EQ(pods_with_image("registry/app:1"), 4);
  EXPECT_EQ(list("apps", "replicasets").size(), 2);
  EXPECT_EQ(annotation_of(*find("apps", "deployments", "web"), "deployment.kubernetes.io/revision"), "3");
}

TEST_F(Controllers, ABrokenUpdateStopsAndIsTooLate) {
  create(workload_text("Deployment", "web", R"("replicas":4,"progressDeadlineSeconds":60,)"));
  pass(seconds(20));
  change("apps", "deployments", "web", image_patch("me/does-not-exist"));
  pass(seconds(30));
  EXPECT_EQ(condition("apps", "deployments", "web", "Progressing"), "True ReplicaSetUpdated");
  pass(seconds(60));
  EXPECT_EQ(condition("apps", "deployments", "web", "Progressing"), "False ProgressDeadlineExceeded");
  EXPECT_EQ(text(find("apps", "deployments", "web"), "status.availableReplicas"), "3");
}

TEST_F(Controllers, RecreateEndsTheOldFirst) {
  create(workload_text("Deployment", "web", R"("replicas":2,"strategy":{"type":"Recreate"},)"));
  pass(seconds(20));
  change("apps", "deployments", "web", image_patch("registry/app:2"));
  for (int i = 0; i < 30; ++i) {
    pass(seconds(1));
    EXPECT_FALSE(pods_with_image("registry/app:1") > 0 && pods_with_image("registry/app:2") > 0);
  }
  EXPECT_EQ(text(find("apps", "deployments", "web"), "status.readyReplicas"), "2");
}

TEST_F(Controllers, ADeletedPodIsReplaced) {
  create(workload_text("Deployment", "web", R"("replicas":1,)"));
  pass(seconds(20));
  const std::string first = names("", "pods").at(0);
  remove("", "pods", first);
  pass(seconds(20));
  ASSERT_EQ(list("", "pods").size(), 1);
  EXPECT_NE(names("", "pods").at(0), first);
  EXPECT_TRUE(is_ready_pod(*list("", "pods").at(0)));
}

TEST_F(Controllers, DeletingADeploymentEndsItsPods) {
  create(workload_text("Deployment", "web", R"("replicas":2,)"));
  pass(seconds(20));
  remove("apps", "deployments", "web");
  pass(seconds(20));
  EXPECT_TRUE(list("", "pods").empty());
  EXPECT_TRUE(list("apps", "replicasets").empty());
}

TEST_F(Controllers, ADaemonSetFollowsTheNodes) {
  create(workload_text("DaemonSet", "agent", ""));
  pass(seconds(20));
  EXPECT_EQ(text(find("apps", "daemonsets", "agent"), "status.numberReady"), "2");
  NodeSpec tainted = node("n3");
  tainted.taints = {{"a", "b", "NoSchedule"}};
  join(tainted);
  join(node("n4"));
  pass(seconds(20));
  const auto* agent = find("apps", "daemonsets", "agent");
  EXPECT_EQ(text(agent, "status.desiredNumberScheduled"), "3");
  EXPECT_EQ(text(agent, "status.numberAvailable"), "3");
  running->runtime.nodes().leave(k_test_cluster, "n1");
  pass(seconds(20));
  EXPECT_EQ(text(find("apps", "daemonsets", "agent"), "status.desiredNumberScheduled"), "2");
  EXPECT_EQ(list("", "pods").size(), 2);
  change("apps", "daemonsets", "agent", image_patch("registry/app:2"));
  pass(seconds(60));
  EXPECT_EQ(pods_with_image("registry/app:2"), 2);
  EXPECT_EQ(text(find("apps", "daemonsets", "agent"), "status.updatedNumberScheduled"), "2");
}

TEST_F(Controllers, AStatefulSetGrowsAndShrinksInOrder) {
  create(workload_text("StatefulSet", "db", R"("replicas":3,"serviceName":"db",)"));
  pass(milliseconds(500));
  EXPECT_EQ(names("", "pods"), std::vector<std::string>{"db-0"});
  pass(seconds(40));
  EXPECT_EQ(names("", "pods"), (std::vector<std::string>{"db-0", "db-1", "db-2"}));
  EXPECT_EQ(text(find("apps", "statefulsets", "db"), "status.readyReplicas"), "3");
  EXPECT_EQ(text(find_pod("db-1"), "spec.hostname"), "db-1");
  remove("", "pods", "db-1");
  pass(seconds(40));
  EXPECT_EQ(names("", "pods").size(), 3);
  change("apps", "statefulsets", "db", image_patch("registry/app:2"));
  pass(seconds(100));
  EXPECT_EQ(pods_with_image("registry/app:2"), 3);
  change("apps", "statefulsets", "db", R"({"spec":{"replicas":1}})");
  pass(seconds(40));
  EXPECT_EQ(names("", "pods"), std::vector<std::string>{"db-0"});
}

TEST_F(Controllers, AStatefulSetMakesItsClaims) {
  create(
      R"({"apiVersion":"storage.k8s.io/v1","kind":"CSIDriver","metadata":{"name":"ebs.csi.aws.com"},"spec":{}})");
  create(workload_text("StatefulSet", "db",
                       R"("replicas":1,"serviceName":"db","volumeClaimTemplates":[{"metadata":
      {"name":"data"},"spec":{"accessModes":["ReadWriteOnce"],"storageClassName":"gp2",
      "resources":{"requests":{"storage":"8Gi"}}}}],)"));
  pass(seconds(30));
  EXPECT_EQ(text(find("", "persistentvolumeclaims", "data-db-0"), "status.phase"), "Bound");
  EXPECT_EQ(list("", "persistentvolumes").size(), 1);
  EXPECT_EQ(container_state("db-0"), "running");
}

std::string job_text(std::string_view spec, std::string_view script, std::string_view policy = "Never") {
  return fmt::format(
      R"({{"apiVersion":"batch/v1","kind":"Job","metadata":{{"name":"j"}},"spec":{{{}"template":{{"spec":
      {{"restartPolicy":"{}","containers":[{{"name":"main","image":"busybox","command":["sh","-c","{}"]}}]}}}}}}}})",
      spec, policy, script);
}

struct JobRow {
  const char* what;
  const char* spec;
  const char* script;
  seconds after;
  const char* succeeded;
  const char* failed;
  const char* condition;  ///< type of one that is True
  const char* reason;
};

class JobTable : public Controllers, public testing::WithParamInterface<JobRow> {};

TEST_P(JobTable, EndsAsAskedFor) {
  const JobRow& row = GetParam();
  create(job_text(row.spec, row.script));
  pass(row.after);
  const auto* job = find("batch", "jobs", "j");
  EXPECT_EQ(text(job, "status.succeeded"), row.succeeded);
  EXPECT_EQ(text(job, "status.failed"), row.failed);
  EXPECT_EQ(condition("batch", "jobs", "j", row.condition), fmt::format("True {}", row.reason));
  EXPECT_EQ(text(job, "status.active"), "");
}

INSTANTIATE_TEST_SUITE_P(
    All, JobTable,
    testing::Values(JobRow{"one", "", "exit 0", seconds(20), "1", "", "Complete", "CompletionsReached"},
                    JobRow{"many", R"("completions":4,"parallelism":2,)", "sleep 5", seconds(60), "4", "",
                           "Complete", "CompletionsReached"},
                    JobRow{"indexed", R"("completions":3,"parallelism":3,"completionMode":"Indexed",)",
                           "exit 0", seconds(60), "3", "", "Complete", "CompletionsReached"},
                    JobRow{"fails", R"("backoffLimit":1,)", "exit 1", seconds(90), "", "2", "Failed",
                           "BackoffLimitExceeded"},
                    JobRow{"late", R"("activeDeadlineSeconds":30,)", "sleep 1000", seconds(60), "", "",
                           "Failed", "DeadlineExceeded"}),
    [](const auto& row) { return row.param.what; });

TEST_F(Controllers, AFinishedJobGoesAfterItsTime) {
  create(job_text(R"("ttlSecondsAfterFinished":60,)", "exit 0"));
  pass(seconds(30));
  EXPECT_EQ(condition("batch", "jobs", "j", "Complete"), "True CompletionsReached");
  pass(seconds(90));
  EXPECT_EQ(find("batch", "jobs", "j"), nullptr);
  EXPECT_TRUE(list("", "pods").empty());
}

TEST_F(Controllers, ASuspendedJobWaits) {
  create(job_text(R"("suspend":true,)", "exit 0"));
  pass(seconds(20));
  EXPECT_TRUE(list("", "pods").empty());
  EXPECT_EQ(condition("batch", "jobs", "j", "Suspended"), "True JobSuspended");
  change("batch", "jobs", "j", R"({"spec":{"suspend":false}})");
  pass(seconds(20));
  EXPECT_EQ(condition("batch", "jobs", "j", "Complete"), "True CompletionsReached");
}

TEST_F(Controllers, EndpointsAreTheReadyPods) {
  create(R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"web"},"spec":{"selector":{"app":"web"},
      "ports":[{"name":"http","port":80,"targetPort":8080}]}})");
  pass(seconds(1));
  EXPECT_EQ(text(find("", "endpoints", "web"), "subsets"), "");
  create(workload_text("Deployment", "web", R"("replicas":2,)"));
  pass(milliseconds(2500));
  EXPECT_EQ(text(find("", "endpoints", "web"), "subsets.0.notReadyAddresses.0.targetRef.kind"), "Pod");
  pass(seconds(20));
  const auto* endpoints = find("", "endpoints", "web");
  EXPECT_EQ(text(endpoints, "subsets.0.addresses.1.ip"), "100.64.0.2");
  EXPECT_EQ(text(endpoints, "subsets.0.ports.0.port"), "8080");
  const auto slices = list("discovery.k8s.io", "endpointslices");
  ASSERT_EQ(slices.size(), 1);
  EXPECT_EQ(text(slices[0], "endpoints.0.conditions.ready"), "true");
  remove("", "services", "web");
  pass(seconds(5));
  EXPECT_EQ(find("", "endpoints", "web"), nullptr);
}

TEST_F(Controllers, ABudgetCountsHealthyPods) {
  create(R"({"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"web"},"spec":{
      "minAvailable":"50%","selector":{"matchLabels":{"app":"web"}}}})");
  create(workload_text("Deployment", "web", R"("replicas":3,)"));
  pass(milliseconds(500));
  EXPECT_EQ(text(find("policy", "poddisruptionbudgets", "web"), "status.disruptionsAllowed"), "0");
  pass(seconds(20));
  const auto* budget = find("policy", "poddisruptionbudgets", "web");
  EXPECT_EQ(text(budget, "status.disruptionsAllowed"), "1");
  EXPECT_EQ(text(budget, "status.desiredHealthy"), "2");
  EXPECT_EQ(text(budget, "status.expectedPods"), "3");
}

TEST_F(Controllers, AddonsBecomeHealthyOnNodes) {
  running->servers->apply_addon(k_test_cluster, {.name = "coredns", .version = "v1"});
  running->servers->apply_addon(k_test_cluster, {.name = "vpc-cni", .version = "v1"});
  EXPECT_FALSE(running->servers->addon_health(k_test_cluster, "coredns").healthy);
  pass(seconds(30));
  EXPECT_TRUE(running->servers->addon_health(k_test_cluster, "coredns").healthy);
  EXPECT_TRUE(running->servers->addon_health(k_test_cluster, "vpc-cni").healthy);
}

TEST_F(Controllers, ADeploymentGoesOnAfterARestart) {
  create(workload_text("Deployment", "web", R"("replicas":3,)"));
  ASSERT_TRUE(process->run(process->world().commit()));
  end_cluster();
  start_cluster();
  pass(seconds(30));
  EXPECT_EQ(text(find("apps", "deployments", "web"), "status.readyReplicas"), "3");
  join(node("n3"));
  pass(seconds(1));
  change("apps", "deployments", "web", R"({"spec":{"replicas":5}})");
  pass(seconds(30));
  EXPECT_EQ(text(find("apps", "deployments", "web"), "status.readyReplicas"), "5");
}

}  // namespace
}  // namespace instantstart::sandbox::kubernetes
