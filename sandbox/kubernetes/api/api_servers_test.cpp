#include "sandbox/kubernetes/api/api_servers.h"

#include <string>

#include <fmt/format.h>

#include "sandbox/kubernetes/api/testing/api_fixture.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr const char* k_maps = "/api/v1/namespaces/default/configmaps";
constexpr const char* k_pods = "/api/v1/namespaces/default/pods";

class Api : public ApiFixture {
 protected:
  void plan(FaultRule rule) {
    rule.service = "kubernetes";
    running->faults.replace({rule});
  }
  std::vector<AuditEntry> audit() {
    auto rows = process->run(process->world().audit_after(0, 1000));
    return rows ? *rows : std::vector<AuditEntry>{};
  }
};

TEST_F(Api, AStrangerMayAskForHealthAndVersionOnly) {
  EXPECT_EQ(send("GET", "/version", "", "").text("major"), "1");
  EXPECT_EQ(send("GET", "/readyz", "", "").status, 200);
  EXPECT_EQ(send("GET", k_maps, "", "").status, 401);
  EXPECT_EQ(send("GET", "/api", "", "").status, 401);
  EXPECT_EQ(send("GET", k_maps, "", "somebody").status, 401);
}

TEST_F(Api, ATokenOfAnotherClusterIsNoGood) {
  const auto reply =
      send("GET", k_maps, "", "", {{"Authorization", "Bearer " + test_token("admin", "other")}});
  EXPECT_EQ(reply.status, 401);
}

TEST_F(Api, AnAccessPolicyHoldsInItsNamespaces) {
  EXPECT_EQ(send("GET", k_maps, "", "viewer").status, 200);
  EXPECT_EQ(send("GET", "/api/v1/namespaces/kube-system/configmaps", "", "viewer").status, 403);
  const auto refused = send("POST", k_maps, to_text(config_map("a")), "viewer");
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(refused.text("message"),
            "configmaps is forbidden: User \"arn:aws:iam::123456789012:user/viewer\" cannot create resource "
            "\"configmaps\" in API group \"\" in the namespace \"default\"");
}

TEST_F(Api, AnAdministratorActsAsSomebodyElse) {
  const auto reply = send("GET", "/api/v1/nodes", "", "admin", {{"Impersonate-User", "jane"}});
  EXPECT_EQ(reply.status, 403);
  EXPECT_EQ(send("GET", k_maps, "", "guest", {{"Impersonate-User", "jane"}}).status, 403);
}

TEST_F(Api, MutationsAreAudited) {
  post(k_maps, config_map("a"));
  get(k_maps);
  remove(fmt::format("{}/none", k_maps));
  const auto rows = audit();
  ASSERT_EQ(rows.size(), 2);
  EXPECT_EQ(rows[0].operation, "create configmaps");
  EXPECT_EQ(rows[0].service, "kubernetes");
  EXPECT_EQ(rows[0].principal, "arn:aws:iam::123456789012:user/admin");
  EXPECT_TRUE(rows[0].carried_out());
  EXPECT_EQ(rows[1].operation, "delete configmaps");
  EXPECT_EQ(rows[1].error_code, "NotFound");
}

TEST_F(Api, TheAuditKeepsNoSecrets) {
  json::object secret = config_map("s");
  secret["kind"] = "Secret";
  secret["data"] = json::object{{"password", "aHVudGVyMg=="}};
  EXPECT_EQ(post("/api/v1/namespaces/default/secrets", secret).status, 201);
  EXPECT_EQ(to_text(audit().at(0).request).find("aHVudGVyMg"), std::string::npos);
}

TEST_F(Api, APlannedErrorIsAnsweredInsteadOfTheCall) {
  plan({.operation = "create configmaps", .kind = FaultKind::throttle});
  const auto refused = post(k_maps, config_map("a"));
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.headers.get("Retry-After"), "1");
  EXPECT_EQ(get(fmt::format("{}/a", k_maps)).status, 404);
  EXPECT_EQ(post(k_maps, config_map("a")).status, 201);
}

TEST_F(Api, ADroppedReplyIsOfACallThatWasCarriedOut) {
  plan({.operation = "create configmaps", .kind = FaultKind::drop_reply});
  EXPECT_TRUE(post(k_maps, config_map("a")).aborted);
  EXPECT_EQ(get(fmt::format("{}/a", k_maps)).status, 200);
}

TEST_F(Api, ADroppedRequestIsNotCarriedOut) {
  plan({.operation = "create configmaps", .kind = FaultKind::drop_request});
  EXPECT_TRUE(post(k_maps, config_map("a")).aborted);
  EXPECT_EQ(get(fmt::format("{}/a", k_maps)).status, 404);
  EXPECT_FALSE(audit().at(0).carried_out());
}

TEST_F(Api, ALargeBodyIsRefused) {
  EXPECT_EQ(send("POST", k_maps, std::string(k_largest_body + 1, ' ')).status, 413);
}

TEST_F(Api, BytesThatAreNoProtobufMessageAreRefused) {
  for (const std::string& body : {std::string("k8s"), std::string("k8s\0\xFF\xFF", 6), std::string("{}")}) {
    const auto reply =
        send("POST", k_maps, body, "admin", {{"Content-Type", "application/vnd.kubernetes.protobuf"}});
    EXPECT_EQ(reply.status, 400);
  }
}

TEST_F(Api, PathsThatLeadNowhere) {
  EXPECT_EQ(get("/api/v1/namespaces/default/none").status, 404);
  EXPECT_EQ(get("/apis/none/v1").status, 404);
  EXPECT_EQ(send("PUT", k_maps, "{}").status, 405);
}

TEST_F(Api, EvictionAsksTheDisruptionBudget) {
  json::object running_pod = pod("p");
  running_pod["metadata"].as_object()["labels"] = json::object{{"a", "b"}};
  post(k_pods, running_pod);
  patch(fmt::format("{}/p/status", k_pods), from_text(R"({"status":{"phase":"Running"}})"));
  post("/apis/policy/v1/namespaces/default/poddisruptionbudgets",
       from_text(R"({"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"b"},
                       "spec":{"minAvailable":1,"selector":{"matchLabels":{"a":"b"}}}})"));
  const json::object eviction{
      {"apiVersion", "policy/v1"}, {"kind", "Eviction"}, {"metadata", json::object{{"name", "p"}}}};
  const auto refused = post(fmt::format("{}/p/eviction", k_pods), eviction);
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.text("message"), "Cannot evict pod as it would violate the pod's disruption budget.");
  patch("/apis/policy/v1/namespaces/default/poddisruptionbudgets/b/status",
        from_text(R"({"status":{"disruptionsAllowed":1}})"));
  EXPECT_EQ(post(fmt::format("{}/p/eviction", k_pods), eviction).status, 201);
  EXPECT_EQ(get(fmt::format("{}/p", k_pods)).status, 404);
}

TEST_F(Api, APodIsBoundOnceAndThenHasTimeToEnd) {
  post(k_pods, pod("p"));
  const json::object binding{{"apiVersion", "v1"},
                             {"kind", "Binding"},
                             {"metadata", json::object{{"name", "p"}}},
                             {"target", json::object{{"kind", "Node"}, {"name", "n1"}}}};
  EXPECT_EQ(post(fmt::format("{}/p/binding", k_pods), binding).status, 201);
  EXPECT_EQ(post(fmt::format("{}/p/binding", k_pods), binding).status, 409);
  const auto ending = remove(fmt::format("{}/p", k_pods));
  EXPECT_EQ(ending.text("metadata.deletionGracePeriodSeconds"), "30");
  EXPECT_EQ(get(fmt::format("{}/p", k_pods)).status, 200);
  remove(fmt::format("{}/p", k_pods), {{"gracePeriodSeconds", 0}});
  EXPECT_EQ(get(fmt::format("{}/p", k_pods)).status, 404);
}

TEST_F(Api, TheEndpointIsEqualAfterARestart) {
  const auto before = running->servers->endpoint(k_test_cluster);
  EXPECT_EQ(before.url, fmt::format("https://127.0.0.1:6443/clusters/{}", k_test_cluster));
  end_server();
  start_server();
  EXPECT_EQ(running->servers->endpoint(k_test_cluster).url, before.url);
}

TEST_F(Api, AClosedClusterIsGoneWithItsObjects) {
  running->servers->close(k_test_cluster);
  EXPECT_EQ(get(k_maps).status, 503);
  EXPECT_TRUE(running->servers->store().all(k_test_cluster).empty());
}

TEST_F(Api, ADeploymentOfAnAddonNeedsItsReplicas) {
  running->servers->apply_addon(k_test_cluster, {.name = "coredns", .version = "v1"});
  running->servers->apply_addon(k_test_cluster, {.name = "kube-proxy", .version = "v1"});
  EXPECT_TRUE(running->servers->addon_health(k_test_cluster, "kube-proxy").healthy);
  EXPECT_EQ(running->servers->addon_health(k_test_cluster, "coredns").code, "InsufficientNumberOfReplicas");
  patch("/apis/apps/v1/namespaces/kube-system/deployments/coredns/status",
        from_text(R"({"status":{"replicas":2,"readyReplicas":2,"availableReplicas":2}})"));
  EXPECT_TRUE(running->servers->addon_health(k_test_cluster, "coredns").healthy);
  running->servers->remove_addon(k_test_cluster, "coredns");
  EXPECT_EQ(get("/apis/apps/v1/namespaces/kube-system/deployments/coredns").status, 404);
}

TEST_F(Api, EveryAddonOfTheTableIsTakenByTheRules) {
  for (const auto* name : {"vpc-cni", "aws-ebs-csi-driver", "aws-efs-csi-driver", "aws-fsx-csi-driver",
                           "aws-mountpoint-s3-csi-driver", "cert-manager", "eks-pod-identity-agent",
                           "amazon-cloudwatch-observability", "amazon-sagemaker-hyperpod-taskgovernance",
                           "amazon-sagemaker-hyperpod-training-operator", "snapshot-controller",
                           "amazon-sagemaker-hyperpod-observability", "metrics-server"}) {
    running->servers->apply_addon(k_test_cluster,
                                  {.name = name, .version = "v1", .service_account_role_arn = "arn"});
  }
  EXPECT_EQ(get("/apis/storage.k8s.io/v1/csidrivers/s3.csi.aws.com").status, 200);
  EXPECT_EQ(get("/apis/apps/v1/namespaces/cert-manager/deployments/cert-manager-webhook").status, 200);
  EXPECT_EQ(get("/apis/kueue.x-k8s.io/v1beta1/clusterqueues").status, 200);
  EXPECT_EQ(get("/apis/apps/v1/namespaces/kube-system/daemonsets/s3-csi-node").status, 200);
}

}  // namespace
}  // namespace instantstart::sandbox::kubernetes
