#include "sandbox/kubernetes/api/policy_rule.h"

#include <gtest/gtest.h>

#include "sandbox/kubernetes/api/bootstrap_roles.h"

namespace instantstart::sandbox::kubernetes {
namespace {

Attributes get_pod(std::string subresource = "", std::string name = "") {
  return {.verb = "get", .resource = "pods", .subresource = std::move(subresource), .name = std::move(name)};
}

TEST(PolicyRule, AResourceIsNotItsSubresource) {
  const PolicyRule rule{.groups = {""}, .resources = {"pods"}, .verbs = {"get"}};
  EXPECT_TRUE(allows(rule, get_pod()));
  EXPECT_FALSE(allows(rule, get_pod("log")));
  EXPECT_TRUE(allows({.groups = {""}, .resources = {"pods/log"}, .verbs = {"get"}}, get_pod("log")));
  EXPECT_TRUE(allows({.groups = {""}, .resources = {"*/log"}, .verbs = {"get"}}, get_pod("log")));
  EXPECT_TRUE(allows({.groups = {"*"}, .resources = {"*"}, .verbs = {"*"}}, get_pod("log")));
}

TEST(PolicyRule, NamesHoldForTheNamedAlone) {
  const PolicyRule rule{.groups = {""}, .resources = {"pods"}, .verbs = {"get"}, .names = {"a"}};
  EXPECT_TRUE(allows(rule, get_pod("", "a")));
  EXPECT_FALSE(allows(rule, get_pod("", "b")));
  EXPECT_FALSE(allows(rule, get_pod()));
}

TEST(PolicyRule, PathsMayEndInAStar) {
  const PolicyRule rule{.groups = {}, .resources = {}, .verbs = {"get"}, .urls = {"/healthz", "/api/*"}};
  EXPECT_TRUE(allows(rule, {.is_resource = false, .verb = "get", .path = "/api/v1"}));
  EXPECT_FALSE(allows(rule, {.is_resource = false, .verb = "get", .path = "/healthz/ping"}));
  EXPECT_FALSE(allows(rule, {.is_resource = false, .verb = "post", .path = "/healthz"}));
}

TEST(AccessPolicies, ViewReadsNoSecrets) {
  const auto& view = rules_of_access_policy("AmazonEKSViewPolicy");
  EXPECT_TRUE(allow(view, get_pod("log")));
  EXPECT_FALSE(allow(view, {.verb = "get", .resource = "secrets"}));
  EXPECT_TRUE(
      allow(rules_of_access_policy("AmazonEKSAdminViewPolicy"), {.verb = "get", .resource = "secrets"}));
}

TEST(AccessPolicies, EditChangesNoRights) {
  const Attributes make_role{.verb = "create", .group = "rbac.authorization.k8s.io", .resource = "roles"};
  EXPECT_FALSE(allow(rules_of_access_policy("AmazonEKSEditPolicy"), make_role));
  EXPECT_TRUE(allow(rules_of_access_policy("AmazonEKSAdminPolicy"), make_role));
}

TEST(AccessPolicies, AnUnknownOneGrantsNothing) {
  EXPECT_TRUE(rules_of_access_policy("AmazonEKSNonePolicy").empty());
}

}  // namespace
}  // namespace instantstart::sandbox::kubernetes
