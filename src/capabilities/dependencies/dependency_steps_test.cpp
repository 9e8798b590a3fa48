#include "capabilities/dependencies/dependency_steps.h"

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "capabilities/dependencies/pod_role.h"

namespace instantstart::capabilities {
namespace {

using operations::Act;
using operations::Blocked;
using operations::Decision;
using operations::Done;
using operations::Fail;
using operations::History;
using operations::Repeat;
using operations::Wait;

const ClusterTarget k_cluster{.name = "demo", .region = "us-west-2", .account = "123456789012"};

/// "done", "act <request>", "wait", "blocked <code>", "fail <code>"
std::string text_of(const Decision& decision) {
  if (std::holds_alternative<Done>(decision)) return "done";
  if (const auto* act = std::get_if<Act>(&decision)) return "act " + instantstart::to_text(act->request);
  if (std::holds_alternative<Wait>(decision)) return "wait";
  if (const auto* blocked = std::get_if<Blocked>(&decision)) return "blocked " + blocked->error.code;
  if (const auto* failed = std::get_if<Fail>(&decision)) return "fail " + failed->error.code;
  return "ask";
}

// --- objects -----------------------------------------------------------------------------------------------

const ObjectsInput k_patching{.cluster = k_cluster, .component = "hyperpod_patching", .release = "r"};
constexpr const char* k_role = "clusterroles/hyperpod-patching";
constexpr const char* k_binding = "clusterrolebindings/hyperpod-patching";

ObjectSeen ours(std::string ref, std::string maker = "op") {
  return {.ref = std::move(ref), .exists = true, .maker = std::move(maker)};
}
ObjectsSeen both(ObjectSeen role, ObjectSeen binding) {
  ObjectsSeen seen;
  seen.objects = {std::move(role), std::move(binding)};
  return seen;
}

TEST(ObjectsStep, AppliesWhatIsMissingOneByOneAndIsDoneWithoutWaitingForPods) {
  auto seen = both({.ref = k_role}, {.ref = k_binding});
  const auto first = choose_objects("op", k_patching, seen, {});
  EXPECT_EQ(text_of(first), R"(act {"ref":"clusterroles/hyperpod-patching","maker":"op","force":false})");
  EXPECT_EQ(std::get<Act>(first).makes.at(0).type, "kubernetes:clusterrole");
  EXPECT_EQ(std::get<Act>(first).repeat, Repeat::observe);
  seen.objects[0] = ours(k_role);
  EXPECT_EQ(text_of(choose_objects("op", k_patching, seen, {})),
            R"(act {"ref":"clusterrolebindings/hyperpod-patching","maker":"op","force":false})");
  seen.objects[1] = ours(k_binding);
  const auto last = choose_objects("op", k_patching, seen, {});
  ASSERT_EQ(text_of(last), "done");
  EXPECT_EQ(std::get<Done>(last).owned.size(), 2U);
}

TEST(ObjectsStep, WhatAnotherOperationMadeKeepsItsMakerAndIsNotOwned) {
  auto seen = both(ours(k_role, "earlier"), ours(k_binding));
  EXPECT_EQ(std::get<Done>(choose_objects("op", k_patching, seen, {})).owned.size(), 1U);
  seen.objects[0].differences = {"/rules"};
  EXPECT_EQ(text_of(choose_objects("op", k_patching, seen, {})),
            R"(act {"ref":"clusterroles/hyperpod-patching","maker":"earlier","force":true})");
}

TEST(ObjectsStep, TheSameNameWithoutProofIsTakenUnlessItIsAsNeededOrAdopted) {
  auto seen = both({.ref = k_role, .exists = true}, ours(k_binding));
  const auto equal = choose_objects("op", k_patching, seen, {});
  ASSERT_EQ(text_of(equal), "done");
  EXPECT_EQ(std::get<Done>(equal).owned.size(), 1U) << "it is not ours for being equal";
  seen.objects[0].differences = {"/rules"};
  const auto taken = choose_objects("op", k_patching, seen, {});
  ASSERT_EQ(text_of(taken), "blocked name_taken");
  EXPECT_EQ(std::get<Blocked>(taken).error.detail.at("differences").as_array().size(), 1U);
  auto adopting = k_patching;
  adopting.adopt = true;
  EXPECT_EQ(text_of(choose_objects("op", adopting, seen, {})),
            R"(act {"ref":"clusterroles/hyperpod-patching","maker":"adopted","force":true})");
}

TEST(ObjectsStep, SomethingElseThatSetsAFieldBackIsNamedInsteadOfFought) {
  auto seen = both(ours(k_role), ours(k_binding));
  seen.objects[0].differences = {"/rules"};
  History history{.acts = 1, .receipt = json::object{{"ref", k_role}}};
  EXPECT_EQ(text_of(choose_objects("op", k_patching, seen, history)), "blocked conflict");
  history.asked_again = true;
  EXPECT_TRUE(text_of(choose_objects("op", k_patching, seen, history)).starts_with("act "));
}

TEST(ObjectsStep, NeverAddsASecondCopyOfADevicePlugin) {
  auto seen = both({.ref = k_role}, {.ref = k_binding});
  seen.copies = {"daemonsets/gpu-operator/nvidia-device-plugin-daemonset"};
  EXPECT_EQ(text_of(choose_objects("op", k_patching, seen, {})), "blocked name_taken");
}

TEST(ObjectsUndo, TakesAwayWhatThisOperationMadeAndNothingElseBackwards) {
  auto seen = both(ours(k_role), ours(k_binding));
  EXPECT_EQ(text_of(choose_removal("op", seen, {})),
            R"(act {"ref":"clusterrolebindings/hyperpod-patching","maker":"op","force":false})");
  seen.objects[1] = {.ref = k_binding};
  EXPECT_TRUE(text_of(choose_removal("op", seen, {})).starts_with(R"(act {"ref":"clusterroles/)"));
  seen.objects[0] = ours(k_role, "earlier");
  const auto last = choose_removal("op", seen, {});
  ASSERT_EQ(text_of(last), "done");
  EXPECT_EQ(std::get<Done>(last).removed.size(), 1U);
}

TEST(ObjectsUndo, ANamespaceThatStillHoldsPodsStays) {
  ObjectsSeen seen;
  seen.objects = {ours("namespaces/aws-hyperpod")};
  seen.occupied = true;
  EXPECT_EQ(text_of(choose_removal("op", seen, {})), "wait") << "pods may be about to end";
  EXPECT_EQ(text_of(choose_removal("op", seen, {.since_start = std::chrono::minutes(6)})),
            "blocked conflict");
  seen.occupied = false;
  EXPECT_TRUE(text_of(choose_removal("op", seen, {})).starts_with("act "));
}

// --- add-ons -----------------------------------------------------------------------------------------------

const AddonInput k_addon{.cluster = k_cluster, .component = "cert_manager", .version = "v1.18.2-eksbuild.2"};

AddonSeen addon(std::string status, bool nodes = true, std::vector<std::string> issues = {}) {
  AddonSeen seen{
      .exists = true, .status = std::move(status), .version = k_addon.version, .maker = "op", .nodes = nodes};
  for (auto& code : issues) seen.issues.push_back({std::move(code), "words"});
  return seen;
}

TEST(AddonStep, DecidesByStatusIssuesAndNodes) {
  struct Row {
    AddonSeen seen;
    std::string_view decision;
  };
  const std::vector<Row> rows{
      {{.nodes = true}, R"(act {"call":"create","version":"v1.18.2-eksbuild.2"})"},
      {addon("ACTIVE"), "done"},
      {addon("CREATING"), "wait"},
      {addon("CREATING", false), "done"},
      {addon("UPDATING"), "wait"},
      {addon("DELETING"), "wait"},
      {addon("DEGRADED", false, {"InsufficientNumberOfReplicas"}), "done"},
      {addon("DEGRADED", true, {"InsufficientNumberOfReplicas"}), "wait"},
      {addon("DEGRADED", true, {"AccessDenied"}), "fail upstream_error"},
      {addon("DEGRADED", false, {"InsufficientNumberOfReplicas", "AccessDenied"}), "fail upstream_error"},
      {addon("DEGRADED", true, {"InternalFailure"}), "wait"},
      {addon("CREATE_FAILED", false, {"InsufficientNumberOfReplicas"}), "done"},
      {addon("CREATE_FAILED"), R"(act {"call":"delete","version":""})"},
      {addon("UPDATE_FAILED"), R"(act {"call":"update","version":"v1.18.2-eksbuild.2"})"},
      {addon("DELETE_FAILED"), "fail upstream_error"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(text_of(choose_addon("op", k_addon, row.seen, {})), row.decision) << row.seen.status;
  }
}

TEST(AddonStep, WithoutNodesItIsDoneAndSaysThatItWaits) {
  const auto decision = choose_addon("op", k_addon, addon("CREATING", false), {});
  ASSERT_EQ(text_of(decision), "done");
  EXPECT_EQ(std::get<Done>(decision).output.at("state"), "waiting_for_nodes");
  EXPECT_EQ(std::get<Done>(decision).owned.size(), 1U);
}

TEST(AddonStep, WhatItMadeItselfAndFailedIsAFailureUntilSomebodyAsksAgain) {
  History history{.acts = 1, .receipt = json::object{{"call", "create"}}};
  EXPECT_EQ(text_of(choose_addon("op", k_addon, addon("CREATE_FAILED"), history)), "fail upstream_error");
  history.asked_again = true;
  EXPECT_EQ(text_of(choose_addon("op", k_addon, addon("CREATE_FAILED"), history)),
            R"(act {"call":"delete","version":""})");
}

TEST(AddonStep, PatienceEnds) {
  const History history{
      .acts = 1, .since_act = std::chrono::minutes(31), .since_start = std::chrono::minutes(32)};
  const auto decision =
      choose_addon("op", k_addon, addon("DEGRADED", true, {"InsufficientNumberOfReplicas"}), history);
  ASSERT_EQ(text_of(decision), "fail upstream_error");
  EXPECT_NE(std::get<Fail>(decision).error.message.find("pods do not run"), std::string::npos);
}

TEST(AddonStep, OnlyWhatIsOursIsUpdatedAndNeverBack) {
  auto seen = addon("ACTIVE");
  seen.version = "v1.9.3-eksbuild.11";
  EXPECT_EQ(text_of(choose_addon("op", k_addon, seen, {})),
            R"(act {"call":"update","version":"v1.18.2-eksbuild.2"})");
  const History updated{
      .acts = 1, .receipt = json::object{{"call", "update"}}, .since_act = std::chrono::seconds(5)};
  EXPECT_EQ(text_of(choose_addon("op", k_addon, seen, updated)), "wait");
  seen.maker.reset();
  const auto foreign = choose_addon("op", k_addon, seen, {});
  ASSERT_EQ(text_of(foreign), "done");
  EXPECT_TRUE(std::get<Done>(foreign).owned.empty());
  seen.maker = "op";
  seen.version = "v1.19.0-eksbuild.1";
  EXPECT_EQ(text_of(choose_addon("op", k_addon, seen, {})), "done");
}

TEST(AddonStep, WhatIsInstalledInAnotherWayIsNotDoubled) {
  const AddonSeen seen{.installed_otherwise = "CustomResourceDefinition certificates.cert-manager.io"};
  EXPECT_EQ(text_of(choose_addon("op", k_addon, seen, {})), "blocked name_taken");
}

TEST(AddonUndo, DeletesOnlyWhatThisOperationMade) {
  EXPECT_EQ(text_of(choose_addon_removal("op", k_addon, addon("ACTIVE"))),
            R"(act {"call":"delete","version":""})");
  EXPECT_EQ(text_of(choose_addon_removal("other", k_addon, addon("ACTIVE"))), "done");
  EXPECT_EQ(text_of(choose_addon_removal("op", k_addon, addon("DELETING"))), "wait");
  EXPECT_EQ(std::get<Done>(choose_addon_removal("op", k_addon, {})).removed.size(), 1U);
}

// --- identity ----------------------------------------------------------------------------------------------

TEST(OidcStep, IsMadeOnceForAnIssuer) {
  const OidcInput input{k_cluster};
  OidcSeen seen{.issuer = "https://oidc.eks.us-west-2.amazonaws.com/id/1"};
  EXPECT_EQ(text_of(choose_oidc("op", input, seen)),
            R"(act {"id":"https://oidc.eks.us-west-2.amazonaws.com/id/1"})");
  seen.arn = "arn:aws:iam::123456789012:oidc-provider/oidc.eks.us-west-2.amazonaws.com/id/1";
  EXPECT_EQ(text_of(choose_oidc("op", input, seen)), "blocked name_taken") << "no audience";
  seen.has_audience = true;
  EXPECT_TRUE(std::get<Done>(choose_oidc("op", input, seen)).owned.empty());
  seen.maker = "op";
  EXPECT_EQ(std::get<Done>(choose_oidc("op", input, seen)).owned.at(0).name, *seen.arn);
  EXPECT_EQ(text_of(choose_oidc("op", input, {})), "fail conflict");
}

TEST(RoleStep, ARoleOfTheNameThatIsNotOursIsTaken) {
  const RoleInput input{k_cluster, "demo-us-west-2-s3-csi"};
  EXPECT_EQ(text_of(choose_role("op", input, {})), R"(act {"call":"create"})");
  RoleSeen seen{.arn = "arn:aws:iam::123456789012:role/x", .trusts_pods = true};
  EXPECT_EQ(text_of(choose_role("op", input, seen)), "blocked name_taken");
  seen.maker = "earlier";
  EXPECT_TRUE(std::get<Done>(choose_role("op", input, seen)).owned.empty());
  seen.trusts_pods = false;
  EXPECT_EQ(text_of(choose_role("op", input, seen)), "blocked conflict");
}

TEST(RoleStep, AManagedPolicyIsAttachedAndDetachedBeforeTheRoleGoes) {
  const RoleInput input{k_cluster, "demo-us-west-2-training", "SomePolicy"};
  RoleSeen seen{.arn = "arn:aws:iam::123456789012:role/x", .trusts_pods = true, .maker = "op"};
  EXPECT_EQ(text_of(choose_role("op", input, seen)), R"(act {"call":"attach"})");
  EXPECT_EQ(text_of(choose_role_removal(true, input, seen)), R"(act {"call":"delete"})");
  seen.has_policy = true;
  EXPECT_EQ(std::get<Done>(choose_role("op", input, seen)).owned.size(), 1U);
  EXPECT_EQ(text_of(choose_role_removal(true, input, seen)), R"(act {"call":"detach"})");
  EXPECT_EQ(text_of(choose_role_removal(false, input, seen)), "done");
  EXPECT_EQ(std::get<Done>(choose_role_removal(true, input, {})).removed.size(), 1U);
  const ClusterTarget china{.name = "demo", .region = "cn-north-1", .account = "123456789012"};
  EXPECT_EQ(pod_policy_arn(china, "SomePolicy"), "arn:aws-cn:iam::aws:policy/SomePolicy");
}

TEST(PodIdentityStep, ARoleThatTheAccountHasAlreadyIsNotReplaced) {
  const AssociationInput input{k_cluster, "kube-system", "s3-csi-driver-sa", "demo-us-west-2-s3-csi"};
  const auto act = choose_association("op", input, {});
  ASSERT_TRUE(text_of(act).starts_with("act "));
  EXPECT_EQ(std::get<Act>(act).repeat, Repeat::with_token);
  AssociationSeen seen{.id = "a-1", .role_arn = "arn:aws:iam::123456789012:role/other"};
  EXPECT_EQ(text_of(choose_association("op", input, seen)), "blocked name_taken");
  seen.role_arn = "arn:aws:iam::123456789012:role/instantstart/demo-us-west-2-s3-csi";
  seen.maker = "op";
  EXPECT_EQ(std::get<Done>(choose_association("op", input, seen)).owned.size(), 1U);
}

TEST(PodRole, IsTrustedByPodIdentityOfThisClusterAloneInAnyPartition) {
  const ClusterTarget china{.name = "demo", .region = "cn-north-1", .account = "123456789012"};
  const auto trust = instantstart::to_text(json::value(pod_role_trust(china)));
  EXPECT_NE(trust.find("arn:aws-cn:eks:cn-north-1:123456789012:cluster/demo"), std::string::npos) << trust;
  EXPECT_TRUE(is_pod_role_trust(trust, china));
  EXPECT_FALSE(is_pod_role_trust(trust, k_cluster));
  EXPECT_FALSE(is_pod_role_trust("%", china));
}

TEST(PodRole, TagsOfAnotherClusterProveNothing) {
  const auto tags = owner_tags(k_cluster, "op");
  EXPECT_EQ(maker_of(tags, k_cluster), "op");
  EXPECT_EQ(maker_of(tags, ClusterTarget{"other", "us-west-2", "123456789012", {}}), std::nullopt);
  EXPECT_EQ(maker_of(std::map<std::string, std::string>{}, k_cluster), std::nullopt);
}

}  // namespace
}  // namespace instantstart::capabilities
