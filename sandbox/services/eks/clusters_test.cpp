#include <set>

#include "base/digest.h"
#include "sandbox/services/eks/testing/eks_fixture.h"

namespace instantstart::sandbox::eks {
namespace {

using std::chrono::minutes;

class ClustersTest : public EksFixture {
 protected:
  std::vector<aws::ec2::NetworkInterface> interfaces() {
    return process->ask<aws::ec2::DescribeNetworkInterfaces>(*ec2, {}).value().network_interfaces.value();
  }
};

TEST_F(ClustersTest, ANewOneIsCreatingWithoutAnEndpoint) {
  const auto made = *get<api::CreateCluster>(request()).cluster;
  EXPECT_EQ(made.status, "CREATING");
  EXPECT_EQ(made.arn, "arn:aws:eks:us-west-2:123456789012:cluster/demo");
  EXPECT_EQ(made.version, "1.35");
  EXPECT_EQ(made.access_config->bootstrap_cluster_creator_admin_permissions, true);
  EXPECT_EQ(made.upgrade_policy->support_type, "EXTENDED");
  EXPECT_EQ(made.resources_vpc_config->public_access_cidrs, std::vector<std::string>{"0.0.0.0/0"});
  EXPECT_FALSE(made.endpoint || made.identity || made.certificate_authority->data);
  EXPECT_FALSE(cluster().endpoint);
  EXPECT_TRUE(host.opened.empty());
}

TEST_F(ClustersTest, IsActiveAfterNineMinutesAlsoAcrossARestart) {
  get<api::CreateCluster>(request());
  process->pass(minutes(8));
  EXPECT_EQ(cluster().status, "CREATING");
  restart();
  process->pass(minutes(2));
  const auto made = cluster();
  EXPECT_EQ(made.status, "ACTIVE");
  const std::string id = cluster_id();
  EXPECT_EQ(made.endpoint, "https://127.0.0.1:6443/clusters/" + id);
  EXPECT_EQ(made.certificate_authority->data, to_base64("certificate"));
  EXPECT_EQ(made.identity->oidc->issuer, "https://oidc.eks.us-west-2.amazonaws.com/id/" + id);
  ASSERT_TRUE(host.opened.contains(id));
  EXPECT_EQ(host.opened[id].oidc_issuer, made.identity->oidc->issuer);
  EXPECT_EQ(host.opened[id].service_cidr, made.kubernetes_network_config->service_ipv4_cidr);
}

TEST_F(ClustersTest, BeginWithTheDefaultAddonsUnlessToldNotTo) {
  make_active();
  EXPECT_EQ(host.addons[cluster_id()].size(), 3u);
  EXPECT_EQ(host.addons[cluster_id()]["kube-proxy"].version, "v1.35.0-eksbuild.2");
  EXPECT_TRUE(get<api::ListAddons>({.cluster_name = "demo"}).addons->empty());
  auto bare = request("bare");
  bare.bootstrap_self_managed_addons = false;
  get<api::CreateCluster>(bare);
  process->pass(minutes(10));
  EXPECT_TRUE(host.addons[cluster_id("bare")].empty());
}

TEST_F(ClustersTest, HaveTheirGroupAndInterfacesInTwoZones) {
  make_active();
  const std::string group = *cluster().resources_vpc_config->cluster_security_group_id;
  const auto* record = ec2->network().find_group("us-west-2", group);
  ASSERT_NE(record, nullptr);
  EXPECT_TRUE(record->group_name->starts_with("eks-cluster-sg-demo-")) << *record->group_name;
  const auto tags = ec2->network().tags("us-west-2", group);
  EXPECT_EQ(tags.at("aws:eks:cluster-name"), "demo");
  EXPECT_EQ(tags.at("kubernetes.io/cluster/demo"), "owned");
  std::set<std::string> places;
  for (const auto& interface : interfaces()) {
    places.insert(*interface.subnet_id);
    EXPECT_EQ(interface.description, "Amazon EKS demo");
    EXPECT_EQ(interface.groups->back().group_id, group);
  }
  EXPECT_EQ(places, std::set<std::string>(subnets.begin(), subnets.end()));
}

TEST_F(ClustersTest, GoWithEverythingTheyHad) {
  make_active();
  const std::string group = *cluster().resources_vpc_config->cluster_security_group_id;
  get<api::CreateAddon>({.cluster_name = "demo", .addon_name = "coredns"});
  get<api::CreatePodIdentityAssociation>(
      {.cluster_name = "demo", .namespace_ = "a", .service_account = "b", .role_arn = role});
  EXPECT_EQ(get<api::DeleteCluster>({.name = "demo"}).cluster->status, "DELETING");
  EXPECT_EQ(get<api::DeleteCluster>({.name = "demo"}).cluster->status, "DELETING");
  process->pass(minutes(5));
  EXPECT_EQ(message<api::DescribeCluster>({.name = "demo"}), "No cluster found for name: demo.");
  EXPECT_EQ(code<api::DeleteCluster>({.name = "demo"}), "ResourceNotFoundException");
  EXPECT_TRUE(host.opened.empty());
  EXPECT_TRUE(interfaces().empty());
  EXPECT_EQ(ec2->network().find_group("us-west-2", group), nullptr);
  make_active();
  EXPECT_TRUE(get<api::ListPodIdentityAssociations>({.cluster_name = "demo"}).associations->empty());
  EXPECT_TRUE(get<api::ListAddons>({.cluster_name = "demo"}).addons->empty());
}

TEST_F(ClustersTest, FailWithAnIssueWhenThatIsPlanned) {
  failure = PlannedFailure{"InsufficientFreeAddresses", "No room."};
  get<api::CreateCluster>(request());
  failure.reset();
  process->pass(minutes(10));
  EXPECT_EQ(cluster().status, "FAILED");
  EXPECT_EQ(cluster().health->issues->at(0).code, "InsufficientFreeAddresses");
  EXPECT_FALSE(cluster().endpoint);
  EXPECT_EQ(code<api::CreateAddon>({.cluster_name = "demo", .addon_name = "coredns"}),
            "InvalidRequestException");
  get<api::DeleteCluster>({.name = "demo"});
  process->pass(minutes(5));
  EXPECT_EQ(code<api::DescribeCluster>({.name = "demo"}), "ResourceNotFoundException");
}

TEST_F(ClustersTest, ARepeatWithTheTokenIsTheSameCluster) {
  auto wanted = request();
  wanted.client_request_token = "t";
  get<api::CreateCluster>(wanted);
  EXPECT_EQ(get<api::CreateCluster>(wanted).cluster->status, "CREATING");
  EXPECT_EQ(interfaces().size(), 2u);
  wanted.tags = {{{"a", "b"}}};
  EXPECT_EQ(code<api::CreateCluster>(wanted), "ResourceInUseException");
  EXPECT_EQ(message<api::CreateCluster>(request()), "Cluster already exists with name: demo");
}

TEST_F(ClustersTest, AreRefusedWhatTheyCanNotHave) {
  const std::string elsewhere = make_subnet(make_vpc("10.1.0.0/16"), "10.1.0.0/24", "us-west-2c");
  const std::string same_zone = make_subnet(vpc, "10.0.3.0/24", "us-west-2a");
  const std::string node_role = make_role("node", "ec2.amazonaws.com");
  const auto with = [this](auto change) {
    auto changed = request();
    change(changed);
    return changed;
  };
  const std::vector<std::pair<api::CreateClusterRequest, std::string>> cases{
      {with([](auto& r) { r.name = "-a"; }), "The cluster name should match"},
      {with([](auto& r) { r.name = "a.b"; }), "The cluster name should match"},
      {with([](auto& r) { r.version = "1.31"; }), "unsupported Kubernetes version"},
      {with([](auto& r) { r.role_arn = "arn:aws:iam::123456789012:role/none"; }), "Role with arn"},
      {with([&](auto& r) { r.role_arn = node_role; }), "Role with arn"},
      {with([&](auto& r) { r.resources_vpc_config->subnet_ids = {{subnets[0]}}; }),
       "Subnets specified must be"},
      {with([&](auto& r) { r.resources_vpc_config->subnet_ids = {{subnets[0], same_zone}}; }),
       "Subnets specified must be in at least two different AZs"},
      {with([&](auto& r) { r.resources_vpc_config->subnet_ids = {{subnets[0], elsewhere}}; }),
       "Provided subnets belong to different VPCs"},
      {with([&](auto& r) { r.resources_vpc_config->subnet_ids = {{subnets[0], "subnet-0"}}; }),
       "The subnet ID 'subnet-0' does not exist"},
      {with([](auto& r) { r.resources_vpc_config->security_group_ids = {{"sg-0"}}; }),
       "The security group 'sg-0'"},
      {with([](auto& r) { r.resources_vpc_config->endpoint_public_access = false; }),
       "Private and public endpoint"},
      {with([](auto& r) { r.resources_vpc_config->public_access_cidrs = {{"1.2.3.4"}}; }),
       "The following CIDRs"},
      {with([](auto& r) {
         r.access_config =
             api::CreateAccessConfigRequest{.bootstrap_cluster_creator_admin_permissions = false};
       }),
       "bootstrapClusterCreatorAdminPermissions must be true"},
      {with([](auto& r) { r.kubernetes_network_config = {.service_ipv4_cidr = "10.0.64.0/20"}; }),
       "serviceIpv4Cidr 10.0.64.0/20 overlaps"},
      {with([](auto& r) { r.kubernetes_network_config = {.service_ipv4_cidr = "8.8.0.0/16"}; }),
       "serviceIpv4Cidr 8.8.0.0/16 is invalid"},
      {with([](auto& r) { r.kubernetes_network_config = {.service_ipv4_cidr = "10.100.0.0/28"}; }),
       "serviceIpv4Cidr 10.100.0.0/28 is invalid"},
      {with([](auto& r) { r.kubernetes_network_config = {.ip_family = "ipv6"}; }),
       "The sandbox does not simulate IPv6 clusters."},
      {with([](auto& r) { r.tags = {{{"aws:a", "b"}}}; }), "Tag key 'aws:a' is reserved"},
  };
  for (const auto& [wanted, words] : cases) {
    const auto reply = ask<api::CreateCluster>(wanted);
    ASSERT_FALSE(reply) << words;
    EXPECT_EQ(reply.error().code, "InvalidParameterException") << words;
    EXPECT_TRUE(reply.error().message.starts_with(words)) << reply.error().message;
  }
  EXPECT_TRUE(get<api::ListClusters>({}).clusters->empty());
  EXPECT_TRUE(interfaces().empty());
}

TEST_F(ClustersTest, NeedFreeAddressesInEachZone) {
  const std::string tiny = make_subnet(vpc, "10.0.9.0/28", "us-west-2b");
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(ec2->network().add_interface("us-west-2", {.subnet_id = tiny}));
  }
  auto wanted = request();
  wanted.resources_vpc_config->subnet_ids = {{subnets[0], tiny}};
  EXPECT_TRUE(message<api::CreateCluster>(wanted).starts_with(
      "Atleast one subnet in each AZ should have 2 free IPs. Invalid AZs: { [us-west-2b] }"));
}

TEST_F(ClustersTest, AreLimitedByTheQuota) {
  limits.clusters = 1;
  get<api::CreateCluster>(request("a"));
  EXPECT_EQ(code<api::CreateCluster>(request("b")), "ResourceLimitExceededException");
}

TEST_F(ClustersTest, TakeServiceAddressesThatTheVpcHasNot) {
  EXPECT_EQ(get<api::CreateCluster>(request()).cluster->kubernetes_network_config->service_ipv4_cidr,
            "10.100.0.0/16");
  const std::string wide = make_vpc("10.100.0.0/16");
  subnets = {make_subnet(wide, "10.100.1.0/24", "us-west-2a"),
             make_subnet(wide, "10.100.2.0/24", "us-west-2b")};
  EXPECT_EQ(get<api::CreateCluster>(request("b")).cluster->kubernetes_network_config->service_ipv4_cidr,
            "172.20.0.0/16");
}

TEST_F(ClustersTest, MayBeProtectedFromDeletion) {
  make_active();
  get<api::UpdateClusterConfig>({.name = "demo", .deletion_protection = true});
  process->pass(minutes(4));
  EXPECT_EQ(code<api::DeleteCluster>({.name = "demo"}), "InvalidRequestException");
}

TEST_F(ClustersTest, CanNotBeDeletedWhileTheyAreMade) {
  get<api::CreateCluster>(request());
  EXPECT_EQ(code<api::DeleteCluster>({.name = "demo"}), "ResourceInUseException");
}

TEST_F(ClustersTest, AreListedInPages) {
  for (const auto* name : {"a", "b", "c"}) get<api::CreateCluster>(request(name));
  const auto first = get<api::ListClusters>({.max_results = 2});
  EXPECT_EQ(first.clusters, (std::vector<std::string>{"a", "b"}));
  const auto second = get<api::ListClusters>({.max_results = 2, .next_token = first.next_token});
  EXPECT_EQ(second.clusters, std::vector<std::string>{"c"});
  EXPECT_FALSE(second.next_token);
  EXPECT_EQ(code<api::ListClusters>({.next_token = "x"}), "InvalidParameterException");
  EXPECT_TRUE(get<api::ListClusters>({}, "eu-west-1").clusters->empty());
}

TEST_F(ClustersTest, TheFirstOneBringsTheServiceLinkedRole) {
  const std::string arn =
      "arn:aws:iam::123456789012:role/aws-service-role/eks.amazonaws.com/AWSServiceRoleForAmazonEKS";
  EXPECT_FALSE(iam->find_role(arn));
  get<api::CreateCluster>(request());
  EXPECT_TRUE(iam->find_role(arn));
}

TEST_F(ClustersTest, TagsAreTheirOwn) {
  auto wanted = request();
  wanted.tags = {{{"team", "a"}}};
  const std::string arn = *get<api::CreateCluster>(wanted).cluster->arn;
  get<api::TagResource>({.resource_arn = arn, .tags = {{{"SageMaker", "true"}, {"team", "b"}}}});
  EXPECT_EQ(*cluster().tags, (std::map<std::string, std::string>{{"SageMaker", "true"}, {"team", "b"}}));
  get<api::UntagResource>({.resource_arn = arn, .tag_keys = {{"team"}}});
  EXPECT_EQ(get<api::ListTagsForResource>({.resource_arn = arn}).tags->size(), 1u);
  EXPECT_EQ(code<api::ListTagsForResource>({.resource_arn = arn + "x"}), "NotFoundException");
  EXPECT_EQ(code<api::ListTagsForResource>({.resource_arn = "demo"}), "BadRequestException");
  EXPECT_EQ(code<api::TagResource>({.resource_arn = arn, .tags = {{{"aws:x", ""}}}}), "BadRequestException");
}

TEST_F(ClustersTest, VersionsTellHowLongTheyAreSupported) {
  const auto offered = *get<api::DescribeClusterVersions>({}).cluster_versions;
  ASSERT_EQ(offered.size(), 4u);
  EXPECT_EQ(offered[0].cluster_version, "1.35");
  EXPECT_EQ(offered[0].default_version, true);
  EXPECT_EQ(offered[1].version_status, "STANDARD_SUPPORT");
  EXPECT_EQ(offered[2].version_status, "EXTENDED_SUPPORT");
  const auto old = *get<api::DescribeClusterVersions>({.cluster_versions = {{"1.31"}}}).cluster_versions;
  EXPECT_EQ(old.at(0).version_status, "UNSUPPORTED");
  EXPECT_EQ(get<api::DescribeClusterVersions>({.default_only = true}).cluster_versions->size(), 1u);
  EXPECT_EQ(code<api::DescribeClusterVersions>({.cluster_versions = {{"1.99"}}}),
            "InvalidParameterException");
}

TEST_F(ClustersTest, NamesFollowThePartition) {
  const auto vpcs = process->ask<aws::ec2::DescribeVpcs>(*ec2, {}, call("cn-north-1")).value().vpcs.value();
  auto places = process->ask<aws::ec2::DescribeSubnets>(*ec2, {}, call("cn-north-1")).value().subnets.value();
  const auto made_role =
      process
          ->ask<aws::iam::CreateRole>(
              *iam, {.role_name = "cn", .assume_role_policy_document = trust("eks.amazonaws.com")},
              call("cn-north-1"))
          .value();
  auto wanted = request();
  wanted.role_arn = made_role.role->arn;
  wanted.resources_vpc_config->subnet_ids = {{*places[0].subnet_id, *places[1].subnet_id}};
  EXPECT_EQ(get<api::CreateCluster>(wanted, "cn-north-1").cluster->arn,
            "arn:aws-cn:eks:cn-north-1:123456789012:cluster/demo");
  process->pass(minutes(10));
  const auto made = *get<api::DescribeCluster>({.name = "demo"}, "cn-north-1").cluster;
  EXPECT_TRUE(made.identity->oidc->issuer->starts_with("https://oidc.eks.cn-north-1.amazonaws.com.cn/id/"));
}

}  // namespace
}  // namespace instantstart::sandbox::eks
