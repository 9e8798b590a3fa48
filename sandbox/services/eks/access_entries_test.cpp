#include "sandbox/services/eks/testing/eks_fixture.h"

namespace instantstart::sandbox::eks {
namespace {

using std::chrono::minutes;

class AccessEntriesTest : public EksFixture {
 protected:
  void SetUp() override {
    EksFixture::SetUp();
    make_active();
    dev = make_role("dev", "ec2.amazonaws.com", "/team/");
  }
  std::string view_policy() const { return "arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy"; }
  api::AccessEntry entry(const std::string& principal) {
    return get<api::DescribeAccessEntry>({.cluster_name = "demo", .principal_arn = principal})
        .access_entry.value_or(api::AccessEntry{});
  }
  std::optional<ClusterUser> user(const std::string& arn) { return service->find_user(cluster_id(), arn); }

  std::string dev;
};

TEST_F(AccessEntriesTest, WhoMadeTheClusterIsItsAdministrator) {
  const auto made = entry(caller);
  EXPECT_EQ(made.username, caller);
  EXPECT_EQ(made.type, "STANDARD");
  const auto policies =
      *get<api::ListAssociatedAccessPolicies>({.cluster_name = "demo", .principal_arn = caller})
           .associated_access_policies;
  ASSERT_EQ(policies.size(), 1u);
  EXPECT_EQ(policies[0].policy_arn, "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy");
  const auto found = user(caller);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->policies.at(0).name, "AmazonEKSClusterAdminPolicy");
  EXPECT_TRUE(found->policies.at(0).namespaces.empty());
}

TEST_F(AccessEntriesTest, ASessionThatMadeTheClusterIsItsRole) {
  caller = "arn:aws:sts::123456789012:assumed-role/dev/me";
  make_active("other");
  EXPECT_EQ(get<api::ListAccessEntries>({.cluster_name = "other"}).access_entries,
            std::vector<std::string>{dev});
}

TEST_F(AccessEntriesTest, NobodyIsAnAdministratorWhenThatIsNotAsked) {
  auto wanted = request("strict");
  wanted.access_config->bootstrap_cluster_creator_admin_permissions = false;
  get<api::CreateCluster>(wanted);
  process->pass(minutes(10));
  EXPECT_TRUE(get<api::ListAccessEntries>({.cluster_name = "strict"}).access_entries->empty());
  EXPECT_FALSE(service->find_user(cluster_id("strict"), caller));
}

TEST_F(AccessEntriesTest, InModeConfigMapOnlyTheMakerIsKnown) {
  auto wanted = request("old");
  wanted.access_config.reset();
  get<api::CreateCluster>(wanted);
  process->pass(minutes(10));
  const auto found = service->find_user(cluster_id("old"), caller);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->groups, std::vector<std::string>{"system:masters"});
  EXPECT_FALSE(service->find_user(cluster_id("old"), "arn:aws:sts::123456789012:assumed-role/dev/me"));
  EXPECT_EQ(code<api::CreateAccessEntry>({.cluster_name = "old", .principal_arn = dev}),
            "InvalidRequestException");
}

TEST_F(AccessEntriesTest, SessionsOfARoleAreItsEntryWhateverItsPath) {
  get<api::CreateAccessEntry>(
      {.cluster_name = "demo", .principal_arn = dev, .kubernetes_groups = {{"viewers"}}});
  EXPECT_EQ(entry(dev).username, "arn:aws:sts::123456789012:assumed-role/dev/{{SessionName}}");
  const auto found = user("arn:aws:sts::123456789012:assumed-role/dev/a@b.c");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->username, "arn:aws:sts::123456789012:assumed-role/dev/a-b.c");
  EXPECT_EQ(found->groups, std::vector<std::string>{"viewers"});
  EXPECT_EQ(found->principal_arn, dev);
  EXPECT_FALSE(user("arn:aws:sts::123456789012:assumed-role/devops/a"));
  EXPECT_FALSE(user("arn:aws:sts::999999999999:assumed-role/dev/a"));
  EXPECT_FALSE(user("nonsense"));
}

TEST_F(AccessEntriesTest, UsernamesAreTemplates) {
  get<api::CreateAccessEntry>(
      {.cluster_name = "demo", .principal_arn = dev, .username = "{{AccountID}}:dev:{{SessionNameRaw}}"});
  EXPECT_EQ(user("arn:aws:sts::123456789012:assumed-role/dev/a@b")->username, "123456789012:dev:a@b");
}

TEST_F(AccessEntriesTest, NodesHaveTheNamesAndGroupsOfTheirType) {
  get<api::CreateAccessEntry>({.cluster_name = "demo", .principal_arn = dev, .type = "HYPERPOD_LINUX"});
  EXPECT_EQ(entry(dev).username, "system:node:{{SessionName}}");
  EXPECT_EQ(entry(dev).kubernetes_groups, std::vector<std::string>{"system:nodes"});
  EXPECT_EQ(code<api::AssociateAccessPolicy>({.cluster_name = "demo",
                                              .principal_arn = dev,
                                              .policy_arn = view_policy(),
                                              .access_scope = api::AccessScope{.type = "cluster"}}),
            "InvalidRequestException");
  EXPECT_EQ(code<api::UpdateAccessEntry>({.cluster_name = "demo", .principal_arn = dev, .username = "a"}),
            "InvalidParameterException");
}

TEST_F(AccessEntriesTest, AreRefusedWhatTheyCanNotHave) {
  const std::string linked =
      "arn:aws:iam::123456789012:role/aws-service-role/eks.amazonaws.com/AWSServiceRoleForAmazonEKS";
  const std::vector<std::pair<api::CreateAccessEntryRequest, std::string>> cases{
      {{.principal_arn = dev, .kubernetes_groups = {{"system:masters"}}},
       "The kubernetes group name system:masters is invalid, it cannot start with system:"},
      {{.principal_arn = dev, .username = "system:admin"}, "The username must not begin with system:"},
      {{.principal_arn = dev, .username = "dev{{SessionName}}"},
       "The username must contain a colon before {{SessionName}}"},
      {{.principal_arn = dev, .type = "NODE"}, "The type provided is invalid."},
      {{.principal_arn = dev, .kubernetes_groups = {{"a"}}, .type = "EC2_LINUX"},
       "The username and kubernetesGroups can't be specified for the type EC2_LINUX."},
      {{.principal_arn = "arn:aws:iam::123456789012:role/none"},
       "The specified principalArn is invalid: invalid principal."},
      {{.principal_arn = "arn:aws:iam::123456789012:role/dev"},
       "The specified principalArn is invalid: invalid principal."},
      {{.principal_arn = "arn:aws:sts::123456789012:assumed-role/dev/me"},
       "The specified principalArn is invalid: invalid principal."},
      {{.principal_arn = "arn:aws-cn:iam::123456789012:user/a"},
       "The specified principalArn is invalid: invalid principal."},
      {{.principal_arn = caller, .type = "EC2_LINUX"},
       "The specified access entry resource is already in use"},
      {{.principal_arn = linked}, "The caller is not allowed to modify access entries"},
  };
  for (auto [wanted, words] : cases) {
    wanted.cluster_name = "demo";
    const std::string said = message<api::CreateAccessEntry>(wanted);
    EXPECT_TRUE(said.starts_with(words)) << said << " instead of " << words;
  }
}

TEST_F(AccessEntriesTest, PoliciesHoldInTheirScope) {
  get<api::CreateAccessEntry>({.cluster_name = "demo", .principal_arn = dev});
  const auto associate = [this](const std::string& policy, api::AccessScope scope) {
    return code<api::AssociateAccessPolicy>(
        {.cluster_name = "demo", .principal_arn = dev, .policy_arn = policy, .access_scope = scope});
  };
  EXPECT_EQ(associate(view_policy(), {.type = "namespace", .namespaces = {{"team-*"}}}), "");
  EXPECT_EQ(user("arn:aws:sts::123456789012:assumed-role/dev/a")->policies.at(0).namespaces,
            std::vector<std::string>{"team-*"});
  EXPECT_EQ(associate(view_policy(), {.type = "cluster"}), "");
  EXPECT_TRUE(user("arn:aws:sts::123456789012:assumed-role/dev/a")->policies.at(0).namespaces.empty());
  EXPECT_EQ(associate(view_policy(), {.type = "namespace"}), "InvalidParameterException");
  EXPECT_EQ(associate(view_policy(), {.type = "cluster", .namespaces = {{"a"}}}),
            "InvalidParameterException");
  EXPECT_EQ(associate(view_policy() + "x", {.type = "cluster"}), "ResourceNotFoundException");
  EXPECT_EQ(associate("arn:aws-cn:eks::aws:cluster-access-policy/AmazonEKSViewPolicy", {.type = "cluster"}),
            "InvalidParameterException");
  EXPECT_EQ(get<api::ListAccessEntries>({.cluster_name = "demo", .associated_policy_arn = view_policy()})
                .access_entries,
            std::vector<std::string>{dev});
  get<api::DisassociateAccessPolicy>(
      {.cluster_name = "demo", .principal_arn = dev, .policy_arn = view_policy()});
  EXPECT_EQ(code<api::DisassociateAccessPolicy>(
                {.cluster_name = "demo", .principal_arn = dev, .policy_arn = view_policy()}),
            "ResourceNotFoundException");
}

TEST_F(AccessEntriesTest, GoWithTheirPolicies) {
  get<api::DeleteAccessEntry>({.cluster_name = "demo", .principal_arn = caller});
  EXPECT_FALSE(user(caller));
  EXPECT_EQ(message<api::DescribeAccessEntry>({.cluster_name = "demo", .principal_arn = caller}),
            "The specified principalArn could not be found. You can view your available access entries with "
            "'list-access-entries'.");
  get<api::CreateAccessEntry>({.cluster_name = "demo", .principal_arn = caller});
  EXPECT_TRUE(user(caller)->policies.empty());
}

TEST_F(AccessEntriesTest, ChangeTheirGroupsAndNames) {
  get<api::CreateAccessEntry>({.cluster_name = "demo", .principal_arn = dev, .tags = {{{"a", "b"}}}});
  const auto changed =
      *get<api::UpdateAccessEntry>(
           {.cluster_name = "demo", .principal_arn = dev, .kubernetes_groups = {{"ops"}}, .username = "ops"})
           .access_entry;
  EXPECT_EQ(changed.kubernetes_groups, std::vector<std::string>{"ops"});
  EXPECT_EQ(changed.tags->at("a"), "b");
  EXPECT_EQ(user("arn:aws:sts::123456789012:assumed-role/dev/a")->username, "ops");
}

}  // namespace
}  // namespace instantstart::sandbox::eks
