#include "capabilities/dependencies/dependency_plan.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "capabilities/dependencies/component_state.h"
#include "capabilities/dependencies/owned_object.h"
#include "capabilities/dependencies/pod_role.h"

namespace instantstart::capabilities {
namespace {

const ClusterTarget k_cluster{.name = "demo", .region = "us-west-2", .account = "123456789012"};
constexpr const char* k_wanted = "v1.2.3-eksbuild.1";

/// A cluster with nothing in it.
ComponentSeen nothing_of(const Component& component) {
  ComponentSeen seen;
  switch (component.how) {
    case How::objects: {
      ObjectsSeen objects;
      for (const auto& object :
           component.objects({.region = "us-west-2", .release = std::string(k_release)})) {
        objects.objects.push_back({.ref = to_text(ref_of(object))});
      }
      seen.objects = std::move(objects);
      break;
    }
    case How::eks_addon:
      seen.addon = AddonSeen{};
      seen.wanted_version = k_wanted;
      break;
    case How::oidc_provider: seen.oidc = OidcSeen{.issuer = "https://oidc.example/id/1"}; break;
  }
  if (component.identity) {
    seen.role = RoleSeen{};
    seen.association = AssociationSeen{};
  }
  return seen;
}

ReconcileFacts empty_cluster() {
  ReconcileFacts facts{.cluster = k_cluster};
  for (const auto& component : components()) facts.components.push_back({&component, nothing_of(component)});
  return facts;
}

/// All in place, by us, with or without nodes.
ReconcileFacts complete_cluster(bool nodes = false) {
  auto facts = empty_cluster();
  for (auto& [component, seen] : facts.components) {
    if (seen.objects) {
      for (auto& object : seen.objects->objects) {
        object.exists = true;
        object.maker = "earlier";
        if (object.ref.starts_with("daemonsets/")) object.daemons = DaemonsSeen{.current = true};
      }
      seen.objects->nodes = nodes;
    }
    if (seen.addon) {
      seen.addon = AddonSeen{.exists = true,
                             .status = nodes ? "ACTIVE" : "CREATING",
                             .version = k_wanted,
                             .maker = "earlier",
                             .nodes = nodes};
    }
    if (seen.oidc) {
      seen.oidc->arn = "arn:aws:iam::123456789012:oidc-provider/oidc.example/id/1";
      seen.oidc->has_audience = true;
    }
    if (seen.role) {
      seen.role =
          RoleSeen{.arn = pod_role_arn(k_cluster, *pod_role_name(k_cluster, component->identity->purpose)),
                   .trusts_pods = true,
                   .has_policy = !component->identity->policy.empty(),
                   .maker = "earlier"};
      seen.association = AssociationSeen{.id = "a-1", .role_arn = *seen.role->arn, .maker = "earlier"};
    }
  }
  return facts;
}

ComponentSeen& seen_of(ReconcileFacts& facts, std::string_view name) {
  return std::ranges::find(facts.components, name, [](const SeenComponent& c) { return c.component->name; })
      ->seen;
}

contract::Plan plan_of(const ReconcileFacts& facts) {
  auto plan = plan_reconcile(facts);
  EXPECT_TRUE(plan) << plan.error().message;
  EXPECT_TRUE(contract::plan_faults(*plan).empty());
  return *plan;
}

std::vector<std::string> ids_of(const contract::Plan& plan) {
  std::vector<std::string> ids;
  for (const auto& step : plan.steps) ids.push_back(step.id);
  return ids;
}

const contract::PlannedStep& step_of(const contract::Plan& plan, std::string_view id) {
  return *std::ranges::find(plan.steps, id, &contract::PlannedStep::id);
}

kube::HelmRelease chart_release(json::object values = {}) {
  return {.name = "dependencies", .space = "kube-system", .status = "deployed", .values = std::move(values)};
}

TEST(ReconcilePlan, AnEmptyClusterGetsEverythingInOrder) {
  const auto plan = plan_of(empty_cluster());
  EXPECT_EQ(plan.steps.size(), components().size() + 4)
      << "the S3 driver and the training operator have a role and an identity besides";
  EXPECT_EQ(step_of(plan, "health_agent").after, std::vector<std::string>{"namespaces"});
  EXPECT_EQ(step_of(plan, "s3_csi").after,
            (std::vector<std::string>{"pod_identity", "s3_csi/role", "s3_csi/identity"}));
  EXPECT_EQ(step_of(plan, "s3_csi/identity").after, std::vector<std::string>{"s3_csi/role"});
  EXPECT_EQ(step_of(plan, "health_agent").calls.size(), 5U);
  EXPECT_FALSE(plan.needs_confirmation());
  EXPECT_TRUE(plan.warnings.empty());
  EXPECT_EQ(plan.subject, "cluster/demo.us-west-2.123456789012/part/dependencies");
}

TEST(ReconcilePlan, AskedAgainItHasNoStepWithAndWithoutNodes) {
  for (const bool nodes : {false, true}) {
    const auto plan = plan_of(complete_cluster(nodes));
    EXPECT_EQ(ids_of(plan), std::vector<std::string>{}) << nodes;
    EXPECT_TRUE(plan.warnings.empty());
  }
}

TEST(ReconcilePlan, TheTrainingOperatorGetsItsManagedPolicyAlsoLater) {
  auto facts = empty_cluster();
  const auto whole = plan_of(facts);
  EXPECT_EQ(step_of(whole, "training_operator/role").calls.size(), 2U);
  EXPECT_EQ(step_of(whole, "s3_csi/role").calls.size(), 1U);
  EXPECT_EQ(step_of(whole, "training_operator").after,
            (std::vector<std::string>{"namespaces", "pod_identity", "cert_manager", "training_operator/role",
                                      "training_operator/identity"}));
  facts = complete_cluster();
  seen_of(facts, "training_operator").role->has_policy = false;
  const auto plan = plan_of(facts);
  ASSERT_EQ(ids_of(plan), std::vector<std::string>{"training_operator/role"});
  ASSERT_EQ(plan.steps[0].calls.size(), 1U);
  EXPECT_EQ(plan.steps[0].calls[0].call, "iam:AttachRolePolicy");
  EXPECT_EQ(plan.steps[0].effect, contract::StepEffect::update);
}

TEST(ReconcilePlan, ARegionWithoutAnAgentImageIsSaidBefore) {
  auto facts = empty_cluster();
  facts.cluster.region = "eu-west-3";
  const auto plan = plan_of(facts);
  ASSERT_EQ(plan.warnings.size(), 1U);
  EXPECT_NE(plan.warnings[0].find("Health monitoring agent: No image"), std::string::npos)
      << plan.warnings[0];
}

TEST(ReconcilePlan, OneChangedFieldIsOneCall) {
  auto facts = complete_cluster();
  seen_of(facts, "efa_device_plugin").objects->objects[0].differences = {"/spec/template/spec/hostNetwork"};
  const auto plan = plan_of(facts);
  ASSERT_EQ(ids_of(plan), std::vector<std::string>{"efa_device_plugin"});
  EXPECT_EQ(plan.steps[0].calls.size(), 1U);
  EXPECT_EQ(plan.steps[0].effect, contract::StepEffect::update);
}

TEST(ReconcilePlan, WhatAHelmReleaseHasSwitchedOnIsLeftToIt) {
  auto facts = empty_cluster();
  facts.helm = chart_release({{"neuron-device-plugin", {{"devicePlugin", {{"enabled", false}}}}}});
  const auto plan = plan_of(facts);
  const auto ids = ids_of(plan);
  EXPECT_EQ(std::ranges::count(ids, "health_agent"), 0);
  EXPECT_EQ(std::ranges::count(ids, "namespaces"), 0);
  EXPECT_EQ(std::ranges::count(ids, "neuron_device_plugin"), 1) << "the release has it off: it is ours";
  EXPECT_EQ(std::ranges::count(ids, "cert_manager"), 1) << "no part of the chart that is on";
  ASSERT_EQ(plan.warnings.size(), 1U);
  EXPECT_NE(plan.warnings[0].find("'dependencies' in kube-system keeps namespaces, health_agent"),
            std::string::npos);
}

TEST(ReconcilePlan, WhatSomebodyElseInstalledIsNotTouched) {
  auto facts = empty_cluster();
  seen_of(facts, "nvidia_device_plugin").objects->copies = {"daemonsets/gpu-operator/nvidia"};
  seen_of(facts, "metrics_server").addon->installed_otherwise = "APIService v1beta1.metrics.k8s.io";
  seen_of(facts, "s3_csi").addon->installed_otherwise = "CSIDriver s3.csi.aws.com";
  const auto plan = plan_of(facts);
  const auto ids = ids_of(plan);
  for (const auto* id :
       {"nvidia_device_plugin", "metrics_server", "s3_csi", "s3_csi/role", "s3_csi/identity"}) {
    EXPECT_EQ(std::ranges::count(ids, id), 0) << id;
  }
  EXPECT_EQ(plan.warnings.size(), 3U);
}

TEST(ReconcilePlan, AForeignObjectThatDiffersIsAnnouncedAndAdoptedOnlyWhenAsked) {
  auto facts = complete_cluster();
  auto& role = seen_of(facts, "hyperpod_patching").objects->objects[0];
  role.maker.reset();
  EXPECT_TRUE(plan_of(facts).steps.empty()) << "somebody else's, but as it should be";
  role.differences = {"/rules"};
  EXPECT_EQ(plan_of(facts).warnings.size(), 1U);
  EXPECT_EQ(plan_of(facts).steps.size(), 1U);
  facts.adopt = true;
  EXPECT_TRUE(plan_of(facts).warnings.empty());
  EXPECT_EQ(plan_of(facts).steps.size(), 1U);
}

TEST(ReconcilePlan, ReplacingAnAddonThatNeverCameUpNeedsAConfirmation) {
  auto facts = complete_cluster(true);
  seen_of(facts, "cert_manager").addon->status = "CREATE_FAILED";
  const auto plan = plan_of(facts);
  ASSERT_EQ(ids_of(plan), std::vector<std::string>{"cert_manager"});
  EXPECT_TRUE(plan.needs_confirmation());
}

// --- what the list says ------------------------------------------------------------------------------------

DependencyView view(ReconcileFacts& facts, std::string_view name) {
  const auto* component = find_component(name);
  return view_of(*component, seen_of(facts, name), keeper_of(*component, facts.helm));
}

TEST(DependencyView, SaysHowAComponentIs) {
  auto empty = empty_cluster();
  auto bare = complete_cluster(false);
  auto full = complete_cluster(true);
  for (const auto& component : components()) {
    EXPECT_EQ(view(empty, component.name).state, DependencyState::absent) << component.name;
    EXPECT_EQ(view(bare, component.name).state,
              component.needs_nodes ? DependencyState::waiting_for_nodes : DependencyState::ready)
        << component.name;
    EXPECT_EQ(view(full, component.name).state, DependencyState::ready) << component.name;
    EXPECT_TRUE(view(full, component.name).owner.has_value());
  }
}

TEST(DependencyView, CountsPodsOnTheNodesThatFit) {
  auto facts = complete_cluster(true);
  auto& objects = seen_of(facts, "health_agent").objects->objects;
  objects[3].daemons = DaemonsSeen{.current = true, .wanted = 4, .ready = 3};
  auto progressing = view(facts, "health_agent");
  EXPECT_EQ(progressing.state, DependencyState::progressing);
  EXPECT_EQ(progressing.reasons, std::vector<std::string>{"3 of 4 pods are ready."});
  objects[3].daemons->ready = 4;
  EXPECT_EQ(view(facts, "health_agent").state, DependencyState::ready);
  objects[1] = {.ref = objects[1].ref};
  const auto degraded = view(facts, "health_agent");
  EXPECT_EQ(degraded.state, DependencyState::degraded);
  EXPECT_EQ(degraded.reasons, std::vector<std::string>{"clusterroles/health-monitoring-agent is missing."});
}

TEST(DependencyView, NamesTheOwner) {
  auto facts = complete_cluster(true);
  EXPECT_EQ(view(facts, "namespaces").owner, "instantstart");
  EXPECT_EQ(view(facts, "oidc_provider").owner, "other");
  seen_of(facts, "cert_manager").addon->maker.reset();
  EXPECT_EQ(view(facts, "cert_manager").owner, "eks_addon");
  facts.helm = chart_release();
  EXPECT_EQ(view(facts, "namespaces").owner, "helm:dependencies");
  facts.helm.reset();
  auto& objects = seen_of(facts, "hyperpod_patching").objects->objects;
  objects[0].maker.reset();
  objects[0].differences = {"/rules"};
  const auto foreign = view(facts, "hyperpod_patching");
  EXPECT_EQ(foreign.owner, "other");
  EXPECT_EQ(foreign.state, DependencyState::foreign);
  EXPECT_EQ(foreign.differences, std::vector<std::string>{"clusterroles/hyperpod-patching: /rules"});
}

TEST(DependencyView, AnAddonsIssuesHaveWords) {
  auto facts = complete_cluster(true);
  auto& addon = *seen_of(facts, "metrics_server").addon;
  addon.status = "DEGRADED";
  addon.issues = {{"AccessDenied", "no"}, {"SomethingNew", ""}};
  const auto degraded = view(facts, "metrics_server");
  EXPECT_EQ(degraded.state, DependencyState::degraded);
  EXPECT_EQ(degraded.reasons,
            (std::vector<std::string>{"EKS has no right to change the cluster for it: no", "SomethingNew."}));
}

}  // namespace
}  // namespace instantstart::capabilities
