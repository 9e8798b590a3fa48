#include "kube/object.h"

#include <gtest/gtest.h>

#include "kube/kubeconfig.h"

namespace instantstart::kube {
namespace {

TEST(ObjectView, ReadsWhatAllKindsHave) {
  const auto value =
      parse_json(R"({"apiVersion":"apps/v1","kind":"Set","metadata":{"name":"a","namespace":"s","uid":"u",
    "resourceVersion":"7","generation":3,"deletionTimestamp":"x","labels":{"k":"v"},"annotations":{"n":"w"}},
    "status":{"conditions":[{"type":"Ready","status":"True","reason":"R","message":"m"},5,{"type":"Other"}]}})");
  const ObjectView view(value->get_object());
  EXPECT_EQ(view.gvk(), (GroupVersionKind{"apps", "v1", "Set"}));
  EXPECT_EQ(view.gvk().api_version(), "apps/v1");
  EXPECT_EQ(view.id(), (ObjectName{"s", "a"}));
  EXPECT_EQ(view.uid(), "u");
  EXPECT_EQ(view.resource_version(), "7");
  EXPECT_EQ(view.generation(), 3);
  EXPECT_TRUE(view.being_deleted());
  EXPECT_EQ(view.label("k"), "v");
  EXPECT_EQ(view.annotation("n"), "w");
  EXPECT_FALSE(view.label("n"));
  EXPECT_EQ(view.conditions().size(), 3U);
  EXPECT_TRUE(view.condition("Ready")->is_true());
  EXPECT_FALSE(view.condition("Other")->is_true());
  EXPECT_FALSE(view.condition("Missing"));
}

TEST(ObjectView, WhatIsMissingOrOfAnotherTypeIsEmpty) {
  const auto value = parse_json(R"({"apiVersion":5,"metadata":[],"status":{"conditions":{}}})");
  const ObjectView view(value->get_object());
  EXPECT_EQ(view.gvk(), GroupVersionKind());
  EXPECT_EQ(view.name(), "");
  EXPECT_EQ(view.generation(), 0);
  EXPECT_FALSE(view.being_deleted());
  EXPECT_TRUE(view.conditions().empty());
}

TEST(MakeKubeconfig, AsksForTokensAndHoldsNone) {
  const auto config = make_kubeconfig({.context = "arn:aws:eks:us-west-2:1:cluster/c",
                                       .server = "https://host",
                                       .ca_pem = "pem",
                                       .cluster_name = "c; rm -rf /",
                                       .region = "us-west-2",
                                       .profile = "p",
                                       .space = "team"});
  const auto expected = parse_json(R"({"apiVersion":"v1","kind":"Config",
    "current-context":"arn:aws:eks:us-west-2:1:cluster/c","preferences":{},
    "clusters":[{"name":"arn:aws:eks:us-west-2:1:cluster/c",
      "cluster":{"server":"https://host","certificate-authority-data":"cGVt"}}],
    "contexts":[{"name":"arn:aws:eks:us-west-2:1:cluster/c","context":{
      "cluster":"arn:aws:eks:us-west-2:1:cluster/c","user":"arn:aws:eks:us-west-2:1:cluster/c","namespace":"team"}}],
    "users":[{"name":"arn:aws:eks:us-west-2:1:cluster/c","user":{"exec":{
      "apiVersion":"client.authentication.k8s.io/v1beta1","command":"aws",
      "args":["--region","us-west-2","eks","get-token","--cluster-name","c; rm -rf /","--output","json"],
      "interactiveMode":"Never","provideClusterInfo":false,"env":[{"name":"AWS_PROFILE","value":"p"}]}}}]})");
  EXPECT_EQ(config, *expected);
}

}  // namespace
}  // namespace instantstart::kube
