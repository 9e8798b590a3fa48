#include "kube/discovery.h"

#include "base/error_codes.h"
#include "kube/testing/kube_fixture.h"

namespace instantstart::kube {
namespace {

constexpr std::string_view k_core = R"({"kind":"APIGroupDiscoveryList","items":[{"metadata":{},"versions":[
  {"version":"v1","resources":[
    {"resource":"pods","responseKind":{"group":"","version":"v1","kind":"Pod"},"scope":"Namespaced",
     "singularResource":"pod","shortNames":["po"],"verbs":["get","list"],
     "subresources":[{"subresource":"log","responseKind":{"kind":"Pod"},"verbs":["get"]}]},
    {"resource":"events","responseKind":{"kind":"Event"},"scope":"Namespaced","singularResource":"event","verbs":[]},
    {"resource":"nodes","responseKind":{"kind":"Node"},"scope":"Cluster","singularResource":"node","verbs":[]}]}]}]})";

constexpr std::string_view k_groups = R"({"kind":"APIGroupDiscoveryList","items":[
  {"metadata":{"name":"autoscaling"},"versions":[
    {"version":"v2","resources":[{"resource":"hpas","responseKind":{"kind":"Hpa"},"scope":"Namespaced",
      "singularResource":"hpa","verbs":[]}]},
    {"version":"v1","resources":[{"resource":"hpas","responseKind":{"kind":"Hpa"},"scope":"Namespaced",
      "singularResource":"hpa","verbs":[]}]}]},
  {"metadata":{"name":"events.k8s.io"},"versions":[{"version":"v1","resources":[
    {"resource":"events","responseKind":{"kind":"Event"},"scope":"Namespaced","singularResource":"event","verbs":[]}]}]}
  ]})";

class KubeDiscovery : public KubeFixture {
 protected:
  void serve(std::string_view core = k_core, std::string_view groups = k_groups) {
    api.then(reply(200, std::string(core))).then(reply(200, std::string(groups)));
  }
  std::string spelled(std::string text) {
    auto type = run(discovery.spelled(std::move(text), net::Deadline::never()));
    return type ? type->plural + " " + type->gvk.api_version() : type.error().code;
  }

  Discovery discovery{*connection};
};

TEST_F(KubeDiscovery, ReadsTypesWithAllTheirNames) {
  serve();
  const auto pod = run(discovery.find({"", "v1", "Pod"}, net::Deadline::never()));
  ASSERT_TRUE(pod) << pod.error().message;
  EXPECT_EQ(pod->plural, "pods");
  EXPECT_TRUE(pod->namespaced);
  EXPECT_TRUE(pod->serves("list"));
  EXPECT_FALSE(pod->serves("watch"));
  EXPECT_TRUE(pod->has_subresource("log"));
  EXPECT_EQ(api.seen()[0].line(), "GET /api");
  EXPECT_EQ(api.seen()[1].line(), "GET /apis");
  EXPECT_NE(api.seen()[0].header("Accept").find("as=APIGroupDiscoveryList"), std::string::npos);
}

TEST_F(KubeDiscovery, KindsAreSpelledAsPeopleDo) {
  serve();
  for (const auto* text : {"pods", "pod", "po", "Pod", "PODS"}) EXPECT_EQ(spelled(text), "pods v1") << text;
  EXPECT_EQ(spelled("events"), "events v1");
  EXPECT_EQ(spelled("events.events.k8s.io"), "events events.k8s.io/v1");
  EXPECT_EQ(spelled("hpa"), "hpas autoscaling/v2");
  EXPECT_EQ(spelled("hpa.v1.autoscaling"), "hpas autoscaling/v1");
  EXPECT_EQ(spelled("pods.v1."), "pods v1");
  EXPECT_EQ(api.seen().size(), 2U);
}

TEST_F(KubeDiscovery, ThePreferredVersionIsTheServers) {
  serve();
  EXPECT_EQ(run(discovery.preferred("autoscaling", "Hpa", net::Deadline::never())).value().gvk.version, "v2");
}

TEST_F(KubeDiscovery, WhatIsUnknownIsAskedForAgainButNotAtOnce) {
  serve();
  const auto missing = run(discovery.spelled("node5", net::Deadline::never()));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, codes::not_found);
  EXPECT_EQ(missing.error().detail.at("nearest"), "nodes");
  EXPECT_EQ(spelled("widgets"), codes::not_found);
  EXPECT_EQ(api.seen().size(), 2U);
  time.run_for(Discovery::k_least_age);
  serve(k_core,
        R"({"kind":"APIGroupDiscoveryList","items":[{"metadata":{"name":"e.com"},"versions":[{"version":"v1",
    "resources":[{"resource":"widgets","responseKind":{"kind":"Widget"},"scope":"Cluster","verbs":[]}]}]}]})");
  EXPECT_EQ(spelled("widgets"), "widgets e.com/v1");
}

TEST_F(KubeDiscovery, AServerWithoutAggregationIsAskedGroupByGroup) {
  api.then(reply(200, R"({"kind":"APIVersions","versions":["v1"]})"))
      .then(reply(200, R"({"kind":"APIResourceList","groupVersion":"v1","resources":[
        {"name":"pods","singularName":"pod","namespaced":true,"kind":"Pod","verbs":["get"],"shortNames":["po"]},
        {"name":"pods/log","kind":"Pod","namespaced":true}]})"))
      .then(status_reply(406, "NotAcceptable"))
      .then(reply(
          200,
          R"({"kind":"APIGroupList","groups":[{"name":"apps","preferredVersion":{"groupVersion":"apps/v1"},
        "versions":[{"groupVersion":"apps/v1beta1"},{"groupVersion":"apps/v1"}]}]})"))
      .then(reply(
          200, R"({"groupVersion":"apps/v1","resources":[{"name":"sets","kind":"Set","namespaced":true}]})"))
      .then(status_reply(404, "NotFound"));
  EXPECT_EQ(spelled("set"), "sets apps/v1");
  EXPECT_EQ(spelled("po"), "pods v1");
  EXPECT_TRUE(discovery.catalog().find({"", "v1", "Pod"})->has_subresource("log"));
  EXPECT_EQ(api.seen()[4].line(), "GET /apis/apps/v1");
  EXPECT_EQ(api.seen()[5].line(), "GET /apis/apps/v1beta1");
  EXPECT_TRUE(api.complete());
}

TEST_F(KubeDiscovery, AFailureKeepsWhatIsKnown) {
  serve();
  EXPECT_EQ(spelled("pods"), "pods v1");
  api.then(status_reply(403, "Forbidden"));
  EXPECT_EQ(run(discovery.refresh(net::Deadline::never())).error().code, codes::access_denied);
  EXPECT_EQ(spelled("pods"), "pods v1");
}

}  // namespace
}  // namespace instantstart::kube
