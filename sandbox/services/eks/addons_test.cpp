#include "sandbox/services/eks/testing/eks_fixture.h"

namespace instantstart::sandbox::eks {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

class AddonsTest : public EksFixture {
 protected:
  void SetUp() override {
    EksFixture::SetUp();
    make_active();
  }
  api::Addon addon(const std::string& name) {
    return get<api::DescribeAddon>({.cluster_name = "demo", .addon_name = name}).addon.value_or(api::Addon{});
  }
  api::CreateAddonRequest request(const std::string& name) {
    return {.cluster_name = "demo", .addon_name = name};
  }
  api::AddonPodIdentityAssociations identity(const std::string& account) {
    return {.service_account = account, .role_arn = role};
  }
};

TEST_F(AddonsTest, AHealthyOneIsSoonActive) {
  const auto made = *get<api::CreateAddon>(request("vpc-cni")).addon;
  EXPECT_EQ(made.status, "CREATING");
  EXPECT_EQ(made.addon_version, "v1.20.4-eksbuild.2");
  EXPECT_TRUE(made.addon_arn->starts_with("arn:aws:eks:us-west-2:123456789012:addon/demo/vpc-cni/"));
  process->pass(seconds(20));
  EXPECT_EQ(addon("vpc-cni").status, "ACTIVE");
  EXPECT_TRUE(addon("vpc-cni").health->issues->empty());
  EXPECT_EQ(get<api::ListAddons>({.cluster_name = "demo"}).addons, std::vector<std::string>{"vpc-cni"});
}

TEST_F(AddonsTest, WithoutNodesTheyAreDegradedUntilThereAreSome) {
  host.troubles["coredns"] = "InsufficientNumberOfReplicas";
  get<api::CreateAddon>(request("coredns"));
  process->pass(minutes(1));
  EXPECT_EQ(addon("coredns").status, "CREATING");
  restart();
  process->pass(minutes(3));
  EXPECT_EQ(addon("coredns").status, "DEGRADED");
  EXPECT_EQ(addon("coredns").health->issues->at(0).code, "InsufficientNumberOfReplicas");
  host.troubles.clear();
  EXPECT_EQ(addon("coredns").status, "ACTIVE");
  EXPECT_TRUE(addon("coredns").health->issues->empty());
}

TEST_F(AddonsTest, AConflictFailsTheInstallationAndOverwriteIsPassedOn) {
  host.troubles["coredns"] = "ConfigurationConflict";
  get<api::CreateAddon>(request("coredns"));
  EXPECT_FALSE(host.addons[cluster_id()]["coredns"].overwrite);
  process->pass(seconds(20));
  EXPECT_EQ(addon("coredns").status, "CREATE_FAILED");
  EXPECT_EQ(addon("coredns").health->issues->at(0).code, "ConfigurationConflict");
  host.troubles.clear();
  get<api::UpdateAddon>({.cluster_name = "demo", .addon_name = "coredns", .resolve_conflicts = "OVERWRITE"});
  EXPECT_TRUE(host.addons[cluster_id()]["coredns"].overwrite);
  process->pass(seconds(20));
  EXPECT_EQ(addon("coredns").status, "ACTIVE");
}

TEST_F(AddonsTest, FailWhenThatIsPlanned) {
  failure = PlannedFailure{"AccessDenied", "No."};
  get<api::CreateAddon>(request("metrics-server"));
  failure.reset();
  process->pass(seconds(20));
  EXPECT_EQ(addon("metrics-server").status, "CREATE_FAILED");
  EXPECT_EQ(addon("metrics-server").health->issues->at(0).message, "No.");
}

TEST_F(AddonsTest, AreRefusedWhatTheyCanNotHave) {
  const auto with = [this](const std::string& name, auto change) {
    auto changed = request(name);
    change(changed);
    return changed;
  };
  const std::vector<std::pair<api::CreateAddonRequest, std::string>> cases{
      {request("nothing"), "Addon specified is not supported"},
      {with("coredns", [](auto& r) { r.addon_version = "v9"; }), "Addon version specified is not supported"},
      {with("coredns", [](auto& r) { r.addon_version = "v1.11.3-eksbuild.1"; }),
       "Addon version specified is not supported"},
      {with("coredns", [](auto& r) { r.resolve_conflicts = "PRESERVE"; }),
       "The resolveConflicts option PRESERVE"},
      {with("coredns", [](auto& r) { r.configuration_values = "[1]"; }),
       "ConfigurationValue provided in request is not supported: Json schema"},
      {with("coredns", [](auto& r) { r.configuration_values = "replicaCount: 2"; }),
       "ConfigurationValue provided in request is not supported: the sandbox reads"},
      {request("amazon-sagemaker-hyperpod-inference"), "ConfigurationValue is required"},
      {with("amazon-sagemaker-hyperpod-training-operator",
            [this](auto& r) {
              r.pod_identity_associations = {{identity("hp-training-operator-controller-manager")}};
            }),
       "Pod Identity feature is not supported for addon version: v1.2.1-eksbuild.1"},
      {with("vpc-cni", [this](auto& r) { r.pod_identity_associations = {{identity("other")}}; }),
       "Service account other is not supported"},
  };
  for (const auto& [wanted, words] : cases) {
    const auto reply = ask<api::CreateAddon>(wanted);
    ASSERT_FALSE(reply) << words;
    EXPECT_EQ(reply.error().code, "InvalidParameterException");
    EXPECT_TRUE(reply.error().message.starts_with(words)) << reply.error().message;
  }
}

TEST_F(AddonsTest, AreThereOnce) {
  auto wanted = request("coredns");
  wanted.client_request_token = "t";
  get<api::CreateAddon>(wanted);
  EXPECT_EQ(code<api::CreateAddon>(wanted), "");
  EXPECT_EQ(message<api::CreateAddon>(request("coredns")), "Addon already exists.");
  EXPECT_EQ(code<api::CreateAddon>({.cluster_name = "none", .addon_name = "coredns"}),
            "ResourceNotFoundException");
  EXPECT_EQ(message<api::DescribeAddon>({.cluster_name = "demo", .addon_name = "vpc-cni"}),
            "No addon: vpc-cni found in cluster: demo");
}

TEST_F(AddonsTest, NeedACluster) {
  get<api::CreateCluster>(EksFixture::request("new"));
  EXPECT_EQ(code<api::CreateAddon>({.cluster_name = "new", .addon_name = "coredns"}),
            "InvalidRequestException");
}

TEST_F(AddonsTest, ChangeByAnUpdate) {
  get<api::CreateAddon>(request("vpc-cni"));
  EXPECT_EQ(code<api::UpdateAddon>({.cluster_name = "demo", .addon_name = "vpc-cni"}),
            "ResourceInUseException");
  process->pass(seconds(20));
  const auto update = *get<api::UpdateAddon>({.cluster_name = "demo",
                                              .addon_name = "vpc-cni",
                                              .addon_version = "v1.21.1-eksbuild.1",
                                              .configuration_values = "{\"env\":{}}"})
                           .update;
  EXPECT_EQ(update.type, "AddonUpdate");
  EXPECT_EQ(addon("vpc-cni").status, "UPDATING");
  EXPECT_EQ(addon("vpc-cni").addon_version, "v1.20.4-eksbuild.2");
  process->pass(seconds(20));
  EXPECT_EQ(addon("vpc-cni").addon_version, "v1.21.1-eksbuild.1");
  EXPECT_EQ(host.addons[cluster_id()]["vpc-cni"].configuration, "{\"env\":{}}");
  EXPECT_EQ(get<api::DescribeUpdate>({.name = "demo", .update_id = update.id, .addon_name = "vpc-cni"})
                .update->status,
            "Successful");
  EXPECT_EQ(code<api::DescribeUpdate>({.name = "demo", .update_id = update.id}), "ResourceNotFoundException");
}

TEST_F(AddonsTest, OwnTheirPodIdentities) {
  auto wanted = request("vpc-cni");
  wanted.pod_identity_associations = {{identity("aws-node")}};
  const auto made = *get<api::CreateAddon>(wanted).addon;
  ASSERT_EQ(made.pod_identity_associations->size(), 1u);
  const auto listed = *get<api::ListPodIdentityAssociations>({.cluster_name = "demo"}).associations;
  ASSERT_EQ(listed.size(), 1u);
  EXPECT_EQ(listed[0].owner_arn, made.addon_arn);
  EXPECT_EQ(listed[0].namespace_, "kube-system");
  EXPECT_EQ(code<api::DeletePodIdentityAssociation>(
                {.cluster_name = "demo", .association_id = listed[0].association_id}),
            "InvalidRequestException");
  process->pass(seconds(20));
  get<api::UpdateAddon>({.cluster_name = "demo",
                         .addon_name = "vpc-cni",
                         .pod_identity_associations = std::vector<api::AddonPodIdentityAssociations>{}});
  EXPECT_TRUE(get<api::ListPodIdentityAssociations>({.cluster_name = "demo"}).associations->empty());
}

TEST_F(AddonsTest, LeaveTheClusterUnlessPreserved) {
  for (const auto* name : {"cert-manager", "metrics-server"}) get<api::CreateAddon>(request(name));
  process->pass(seconds(20));
  EXPECT_EQ(get<api::DeleteAddon>({.cluster_name = "demo", .addon_name = "cert-manager"}).addon->status,
            "DELETING");
  get<api::DeleteAddon>({.cluster_name = "demo", .addon_name = "metrics-server", .preserve = true});
  process->pass(minutes(1));
  EXPECT_TRUE(get<api::ListAddons>({.cluster_name = "demo"}).addons->empty());
  EXPECT_FALSE(host.addons[cluster_id()].contains("cert-manager"));
  EXPECT_TRUE(host.addons[cluster_id()].contains("metrics-server"));
}

TEST_F(AddonsTest, VersionsTellWhatTheyAreFor) {
  const auto found =
      *get<api::DescribeAddonVersions>({.kubernetes_version = "1.34", .addon_name = "kube-proxy"}).addons;
  ASSERT_EQ(found.size(), 1u);
  ASSERT_EQ(found[0].addon_versions->size(), 1u);
  EXPECT_EQ(found[0].addon_versions->at(0).addon_version, "v1.34.1-eksbuild.2");
  EXPECT_EQ(found[0].addon_versions->at(0).compatibilities->at(0).default_version, true);
  const auto community = *get<api::DescribeAddonVersions>({.owners = {{"community"}}}).addons;
  EXPECT_EQ(community.size(), 2u);
  const auto page = get<api::DescribeAddonVersions>({.max_results = 3});
  EXPECT_EQ(page.addons->size(), 3u);
  EXPECT_TRUE(page.next_token);
  EXPECT_EQ(code<api::DescribeAddonVersions>({.addon_name = "nothing"}), "ResourceNotFoundException");
}

TEST_F(AddonsTest, EachHasADefaultForEachOfferedVersion) {
  for (const auto* version : {"1.32", "1.33", "1.34", "1.35"}) {
    for (const auto& info : *get<api::DescribeAddonVersions>({.kubernetes_version = version}).addons) {
      int defaults = 0;
      for (const auto& one : *info.addon_versions) {
        for (const auto& fits : *one.compatibilities) defaults += *fits.default_version ? 1 : 0;
      }
      EXPECT_EQ(defaults, 1) << *info.addon_name << " " << version;
    }
  }
}

}  // namespace
}  // namespace instantstart::sandbox::eks
