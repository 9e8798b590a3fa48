#include "sandbox/services/ec2/testing/ec2_fixture.h"

namespace instantstart::sandbox::ec2 {
namespace {

class SecurityGroupsTest : public Ec2Fixture {
 protected:
  void SetUp() override {
    Ec2Fixture::SetUp();
    vpc = make_vpc();
    group = make_group("efa");
  }
  std::string make_group(const std::string& name) {
    return *get<api::CreateSecurityGroup>({.description = "d", .group_name = name, .vpc_id = vpc}).group_id;
  }
  api::SecurityGroup shown(const std::string& id) {
    return get<api::DescribeSecurityGroups>({.group_ids = {{id}}}).security_groups->at(0);
  }
  Reply<api::AuthorizeSecurityGroupIngressResult> allow(api::IpPermission permission) {
    return ask<api::AuthorizeSecurityGroupIngress>(
        {.group_id = group, .ip_permissions = {{std::move(permission)}}});
  }
  static api::IpPermission tcp(std::int64_t from, std::int64_t to, const std::string& block) {
    return {.ip_protocol = "tcp", .from_port = from, .to_port = to, .ip_ranges = {{{.cidr_ip = block}}}};
  }
  static api::IpPermission all_of(const std::string& peer) {
    return {.ip_protocol = "-1", .user_id_group_pairs = {{{.group_id = peer}}}};
  }

  std::string vpc;
  std::string group;
};

TEST_F(SecurityGroupsTest, ANewOneLetsEverythingOutAndNothingIn) {
  const auto made = shown(group);
  EXPECT_TRUE(made.ip_permissions->empty());
  ASSERT_EQ(made.ip_permissions_egress->size(), 1U);
  EXPECT_EQ(made.ip_permissions_egress->at(0).ip_protocol, "-1");
  EXPECT_EQ(made.ip_permissions_egress->at(0).ip_ranges->at(0).cidr_ip, "0.0.0.0/0");
  EXPECT_FALSE(made.ip_permissions_egress->at(0).from_port);
}

TEST_F(SecurityGroupsTest, NamesAreUniqueInTheVpc) {
  const auto create = [this](const std::string& name, const std::string& description = "d") {
    return code<api::CreateSecurityGroup>({.description = description, .group_name = name, .vpc_id = vpc});
  };
  EXPECT_EQ(create("efa"), "InvalidGroup.Duplicate");
  EXPECT_EQ(create("sg-x"), "InvalidParameterValue");
  EXPECT_EQ(create("default"), "InvalidParameterValue");
  EXPECT_EQ(create("x", "ümlaut"), "InvalidParameterValue");
  EXPECT_EQ(create(std::string(256, 'x')), "InvalidParameterValue");
  EXPECT_EQ(code<api::CreateSecurityGroup>({.description = "d", .group_name = "x", .vpc_id = "vpc-none"}),
            "InvalidVpcID.NotFound");
  // Without a VPC it goes into the default one.
  const auto id = *get<api::CreateSecurityGroup>({.description = "d", .group_name = "efa"}).group_id;
  EXPECT_NE(shown(id).vpc_id, vpc);
  EXPECT_EQ(get<api::DescribeSecurityGroups>({.group_names = {{"efa"}}}).security_groups->at(0).group_id, id);
}

TEST_F(SecurityGroupsTest, EfaWantsAGroupThatTrustsItselfBothWays) {
  ASSERT_TRUE(allow(all_of(group)));
  ASSERT_TRUE(
      ask<api::AuthorizeSecurityGroupEgress>({.group_id = group, .ip_permissions = {{all_of(group)}}}));
  const auto made = shown(group);
  EXPECT_EQ(made.ip_permissions->at(0).user_id_group_pairs->at(0).group_id, group);
  EXPECT_EQ(made.ip_permissions->at(0).user_id_group_pairs->at(0).user_id, "123456789012");
  // Rules of one protocol and range are one permission.
  ASSERT_EQ(made.ip_permissions_egress->size(), 1U);
  EXPECT_EQ(made.ip_permissions_egress->at(0).user_id_group_pairs->size(), 1U);
  EXPECT_EQ(made.ip_permissions_egress->at(0).ip_ranges->size(), 1U);
  const auto twice = allow(all_of(group));
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().code, "InvalidPermission.Duplicate");
  EXPECT_EQ(twice.error().message, "the specified rule \"peer: " + group + ", ALL, ALLOW\" already exists");
}

TEST_F(SecurityGroupsTest, RulesAreCanonicalBeforeTheyAreCompared) {
  ASSERT_TRUE(allow(tcp(22, 22, "10.0.0.9/8")));
  auto same = tcp(22, 22, "10.0.0.0/8");
  same.ip_protocol = "6";
  const auto refused = allow(same);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "the specified rule \"peer: 10.0.0.0/8, TCP, from port: 22, to port: 22, ALLOW\" already exists");
}

struct PermissionCase {
  api::IpPermission permission;
  std::string_view code;
};

TEST_F(SecurityGroupsTest, PermissionsThatMeanNothingAreRefused) {
  const std::vector<api::IpRange> any{{.cidr_ip = "0.0.0.0/0"}};
  const PermissionCase k_cases[] = {
      {{.ip_protocol = "tcp", .ip_ranges = any}, "InvalidParameterValue"},
      {{.ip_protocol = "tcp", .from_port = 80, .to_port = 22, .ip_ranges = any}, "InvalidParameterValue"},
      {{.ip_protocol = "tcp", .from_port = -1, .to_port = 22, .ip_ranges = any}, "InvalidParameterValue"},
      {{.ip_protocol = "tcp", .from_port = 1, .to_port = 70000, .ip_ranges = any}, "InvalidParameterValue"},
      {{.ip_protocol = "xyz", .ip_ranges = any}, "InvalidParameterValue"},
      {{.ip_protocol = "300", .ip_ranges = any}, "InvalidParameterValue"},
      {{.ip_ranges = any}, "MissingParameter"},
      {{.ip_protocol = "-1"}, "MissingParameter"},
      {{.ip_protocol = "-1", .ip_ranges = {{{.cidr_ip = "10.0.0/8"}}}}, "InvalidParameterValue"},
      {{.ip_protocol = "-1", .ipv6_ranges = {{{.cidr_ipv6 = "10.0.0.0/8"}}}}, "InvalidParameterValue"},
      {{.ip_protocol = "-1", .user_id_group_pairs = {{{.group_id = "sg-none"}}}}, "InvalidGroup.NotFound"},
      {{.ip_protocol = "-1", .user_id_group_pairs = {{{.group_id = "none"}}}}, "InvalidGroupId.Malformed"},
      {{.ip_protocol = "-1", .ip_ranges = {{{.cidr_ip = "10.0.0.0/8"}, {.cidr_ip = "10.1.0.0/8"}}}},
       "InvalidParameterValue"},  // the same twice
      {{.ip_protocol = "ICMP", .from_port = 8, .to_port = -1, .ip_ranges = any}, ""},
      {{.ip_protocol = "47", .ip_ranges = any}, ""},
      {{.ip_protocol = "udp", .from_port = 0, .to_port = 65535, .ipv6_ranges = {{{.cidr_ipv6 = "::/0"}}}},
       ""},
  };
  for (std::size_t i = 0; i < std::size(k_cases); ++i) {
    const auto reply = allow(k_cases[i].permission);
    EXPECT_EQ(reply ? "" : reply.error().code, k_cases[i].code) << i;
  }
}

TEST_F(SecurityGroupsTest, PeersAreOfTheSameNetwork) {
  const auto elsewhere = *get<api::CreateSecurityGroup>({.description = "d", .group_name = "other"}).group_id;
  const auto reply = allow(all_of(elsewhere));
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().message, "You have specified two resources that belong to different networks.");
}

TEST_F(SecurityGroupsTest, AnAuthorizationIsAllOrNothing) {
  ASSERT_TRUE(allow(tcp(22, 22, "10.0.0.0/8")));
  EXPECT_EQ(
      code<api::AuthorizeSecurityGroupIngress>(
          {.group_id = group, .ip_permissions = {{tcp(80, 80, "10.0.0.0/8"), tcp(22, 22, "10.0.0.0/8")}}}),
      "InvalidPermission.Duplicate");
  EXPECT_EQ(shown(group).ip_permissions->size(), 1U);
  limits.rules_per_security_group = 2;
  EXPECT_EQ(
      code<api::AuthorizeSecurityGroupIngress>(
          {.group_id = group, .ip_permissions = {{tcp(80, 80, "10.0.0.0/8"), tcp(81, 81, "10.0.0.0/8")}}}),
      "RulesPerSecurityGroupLimitExceeded");
}

TEST_F(SecurityGroupsTest, RulesAreRevokedByWhatTheyAreOrById) {
  const auto first = allow(tcp(22, 22, "10.0.0.0/8")).value();
  ASSERT_TRUE(allow(tcp(80, 80, "10.0.0.0/8")));
  const auto revoke = [this](api::RevokeSecurityGroupIngressRequest request) {
    request.group_id = group;
    return code<api::RevokeSecurityGroupIngress>(request);
  };
  EXPECT_EQ(revoke({.ip_permissions = {{tcp(81, 81, "10.0.0.0/8")}}}), "InvalidPermission.NotFound");
  EXPECT_EQ(revoke({.security_group_rule_ids = {{"sgr-none"}}}), "InvalidSecurityGroupRuleId.NotFound");
  const std::string id = *first.security_group_rules->at(0).security_group_rule_id;
  EXPECT_EQ(code<api::RevokeSecurityGroupEgress>({.security_group_rule_ids = {{id}}, .group_id = group}),
            "InvalidSecurityGroupRuleId.NotFound");
  EXPECT_EQ(revoke({.security_group_rule_ids = {{id}}}), "");
  EXPECT_EQ(revoke({.cidr_ip = "10.0.0.0/8", .from_port = 80, .ip_protocol = "tcp", .to_port = 80}), "");
  EXPECT_TRUE(shown(group).ip_permissions->empty());
  EXPECT_EQ(code<api::RevokeSecurityGroupEgress>(
                {.group_id = group,
                 .ip_permissions = {{{.ip_protocol = "-1", .ip_ranges = {{{.cidr_ip = "0.0.0.0/0"}}}}}}}),
            "");
  EXPECT_TRUE(shown(group).ip_permissions_egress->empty());
}

TEST_F(SecurityGroupsTest, RulesAreShownOneByOne) {
  ASSERT_TRUE(allow(tcp(22, 22, "10.0.0.0/8")));
  const auto rules =
      *get<api::DescribeSecurityGroupRules>({.filters = {{{"group-id", {{group}}}}}}).security_group_rules;
  EXPECT_EQ(rules.size(), 2U);
  for (const auto& rule : rules) {
    EXPECT_EQ(*rule.is_egress, *rule.ip_protocol == "-1");
    EXPECT_EQ(*rule.from_port, *rule.is_egress ? -1 : 22);
  }
  EXPECT_EQ(code<api::DescribeSecurityGroupRules>({.security_group_rule_ids = {{"sgr-none"}}}),
            "InvalidSecurityGroupRuleId.NotFound");
}

TEST_F(SecurityGroupsTest, OneThatIsNeededStays) {
  const auto other = make_group("other");
  ASSERT_TRUE(allow(all_of(other)));
  const auto refusal = ask<api::DeleteSecurityGroup>({.group_id = other});
  ASSERT_FALSE(refusal);
  EXPECT_EQ(refusal.error().code, "DependencyViolation");
  EXPECT_EQ(refusal.error().message, "resource " + other + " has a dependent object");
  ASSERT_TRUE(allow(all_of(group)));  // Its own rules don't hold it.
  const auto interface =
      service->network()
          .add_interface("us-west-2", {.subnet_id = make_subnet(vpc, "10.0.0.0/24"), .group_ids = {group}})
          .value();
  EXPECT_EQ(code<api::DeleteSecurityGroup>({.group_id = group}), "DependencyViolation");
  service->network().remove_interface("us-west-2", interface);
  EXPECT_EQ(code<api::DeleteSecurityGroup>({.group_id = group}), "");
  EXPECT_EQ(code<api::DeleteSecurityGroup>({.group_id = other}), "");
  EXPECT_EQ(code<api::DeleteSecurityGroup>({.group_id = other}), "InvalidGroup.NotFound");
  EXPECT_EQ(code<api::DeleteSecurityGroup>({}), "MissingParameter");
  EXPECT_EQ(code<api::DeleteSecurityGroup>({.group_name = "default"}), "CannotDelete");
}

TEST_F(SecurityGroupsTest, AServicesGroupTrustsItself) {
  const auto id = service->network().make_cluster_group(
      "us-west-2",
      {.vpc_id = vpc, .name = "eks-cluster-sg-a-1", .description = "EKS created security group"});
  service->network().tag("us-west-2", id, {{"aws:eks:cluster-name", "a"}});
  EXPECT_EQ(shown(id).ip_permissions->at(0).user_id_group_pairs->at(0).group_id, id);
  EXPECT_EQ(get<api::DescribeSecurityGroups>({.filters = {{{"tag:aws:eks:cluster-name", {{"a"}}}}}})
                .security_groups->at(0)
                .group_id,
            id);
  EXPECT_TRUE(service->network().remove_group("us-west-2", id));
}

}  // namespace
}  // namespace instantstart::sandbox::ec2
