#include "sandbox/services/ec2/testing/ec2_fixture.h"

namespace instantstart::sandbox::ec2 {
namespace {

class VpcsTest : public Ec2Fixture {};

TEST_F(VpcsTest, ANewOneHasItsMainTableAndDefaultGroup) {
  const auto created =
      get<api::CreateVpc>({.cidr_block = "10.3.0.0/16", .tag_specifications = tagged("vpc", "Name", "net")});
  EXPECT_EQ(created.vpc->state, "pending");
  EXPECT_EQ(created.vpc->owner_id, "123456789012");
  EXPECT_EQ(created.vpc->tags->at(0).value, "net");
  const std::string id = *created.vpc->vpc_id;

  const auto shown = get<api::DescribeVpcs>({.vpc_ids = {{id}}}).vpcs->at(0);
  EXPECT_EQ(shown.state, "available");
  EXPECT_EQ(shown.cidr_block_association_set->at(0).cidr_block_state->state, "associated");
  const auto tables = get<api::DescribeRouteTables>({.filters = {{{"vpc-id", {{id}}}}}});
  ASSERT_EQ(tables.route_tables->size(), 1U);
  EXPECT_TRUE(*tables.route_tables->at(0).associations->at(0).main);
  EXPECT_EQ(tables.route_tables->at(0).routes->at(0).gateway_id, "local");
  const auto groups = get<api::DescribeSecurityGroups>({.filters = {{{"vpc-id", {{id}}}}}});
  ASSERT_EQ(groups.security_groups->size(), 1U);
  EXPECT_EQ(groups.security_groups->at(0).group_name, "default");
}

struct BlockCase {
  std::string_view block, code;
};

TEST_F(VpcsTest, TheBlockMustBeBetween28And16AndUsable) {
  limits.vpcs_per_region = 100;
  constexpr BlockCase k_cases[] = {
      {"10.0.0.0/16", ""},
      {"10.0.0.0/28", ""},
      {"100.64.0.0/16", ""},
      {"8.8.0.0/16", ""},
      {"10.0.0.0/15", "InvalidVpc.Range"},
      {"10.0.0.0/29", "InvalidVpc.Range"},
      {"127.0.0.0/16", "InvalidVpc.Range"},
      {"169.254.0.0/16", "InvalidVpc.Range"},
      {"224.0.0.0/16", "InvalidVpc.Range"},
      {"0.0.0.0/16", "InvalidVpc.Range"},
      {"10.0.0.0", "InvalidParameterValue"},
      {"10.0.0.0/33", "InvalidParameterValue"},
      {"fd00::/56", "InvalidParameterValue"},
      {"", "InvalidParameterValue"},
  };
  for (const auto& [block, expected] : k_cases) {
    EXPECT_EQ(code<api::CreateVpc>({.cidr_block = std::string(block)}), expected) << block;
  }
  EXPECT_EQ(code<api::CreateVpc>({}), "MissingParameter");
  EXPECT_EQ(code<api::CreateVpc>({.cidr_block = "10.0.0.0/16", .amazon_provided_ipv6_cidr_block = true}),
            "UnsupportedOperation");
}

TEST_F(VpcsTest, HostBitsAreCleared) {
  EXPECT_EQ(get<api::CreateVpc>({.cidr_block = "10.9.8.7/16"}).vpc->cidr_block, "10.9.0.0/16");
}

TEST_F(VpcsTest, EveryRegionHasADefaultOneFromTheBeginning) {
  for (const std::string region : {"us-east-1", "ap-northeast-1", "eu-central-1"}) {
    const auto vpcs =
        get<api::DescribeVpcs>({.filters = {{{"is-default", {{"true"}}}}}}, region).vpcs.value();
    ASSERT_EQ(vpcs.size(), 1U) << region;
    EXPECT_EQ(vpcs[0].cidr_block, "172.31.0.0/16");
    const auto zones =
        get<api::DescribeAvailabilityZones>({.filters = {{{"zone-type", {{"availability-zone"}}}}}}, region);
    const auto subnets = get<api::DescribeSubnets>({.filters = {{{"default-for-az", {{"true"}}}}}}, region);
    EXPECT_EQ(subnets.subnets->size(), zones.availability_zones->size());
    EXPECT_EQ(subnets.subnets->at(0).available_ip_address_count, 4091);
    const auto tables = get<api::DescribeRouteTables>(
        {.filters = {{{"route.destination-cidr-block", {{"0.0.0.0/0"}}}, {"route.state", {{"active"}}}}}},
        region);
    EXPECT_EQ(tables.route_tables->size(), 1U);
  }
}

TEST_F(VpcsTest, TheDefaultOneStaysDeleted) {
  const auto id = *get<api::DescribeVpcs>({}).vpcs->at(0).vpc_id;
  EXPECT_EQ(code<api::DeleteVpc>({.vpc_id = id}), "DependencyViolation");
  for (const auto& subnet : *get<api::DescribeSubnets>({}).subnets) {
    get<api::DeleteSubnet>({.subnet_id = subnet.subnet_id});
  }
  const auto gateway = *get<api::DescribeInternetGateways>({}).internet_gateways->at(0).internet_gateway_id;
  get<api::DetachInternetGateway>({.internet_gateway_id = gateway, .vpc_id = id});
  get<api::DeleteVpc>({.vpc_id = id});
  restart();
  EXPECT_TRUE(get<api::DescribeVpcs>({}).vpcs->empty());
  EXPECT_EQ(code<api::CreateSecurityGroup>({.description = "d", .group_name = "g"}), "VPCIdNotSpecified");
}

TEST_F(VpcsTest, RegionsAreSeparate) {
  const auto id = make_vpc();
  EXPECT_EQ(code<api::DescribeVpcs>({.vpc_ids = {{id}}}, "us-east-1"), "InvalidVpcID.NotFound");
  EXPECT_EQ(code<api::DeleteVpc>({.vpc_id = id}, "us-east-1"), "InvalidVpcID.NotFound");
}

TEST_F(VpcsTest, ThereAreFiveInARegionUnlessTheQuotaIsRaised) {
  for (int i = 1; i < 5; ++i) make_vpc();
  EXPECT_EQ(code<api::CreateVpc>({.cidr_block = "10.0.0.0/16"}), "VpcLimitExceeded");
  EXPECT_EQ(code<api::CreateVpc>({.cidr_block = "10.0.0.0/16"}, "us-east-1"), "");
  limits.vpcs_per_region = 6;
  EXPECT_EQ(code<api::CreateVpc>({.cidr_block = "10.0.0.0/16"}), "");
}

TEST_F(VpcsTest, WhatIsInsideHoldsItBack) {
  const auto vpc = make_vpc();
  const auto gateway = attach_new_gateway(vpc);
  const auto inside = make_subnet(vpc, "10.0.0.0/24");
  const auto refusal = ask<api::DeleteVpc>({.vpc_id = vpc});
  ASSERT_FALSE(refusal);
  EXPECT_EQ(refusal.error().message, "The vpc '" + vpc + "' has dependencies and cannot be deleted.");
  get<api::DeleteSubnet>({.subnet_id = inside});
  EXPECT_EQ(code<api::DeleteVpc>({.vpc_id = vpc}), "DependencyViolation");
  get<api::DetachInternetGateway>({.internet_gateway_id = gateway, .vpc_id = vpc});
  const auto table = *get<api::CreateRouteTable>({.vpc_id = vpc}).route_table->route_table_id;
  EXPECT_EQ(code<api::DeleteVpc>({.vpc_id = vpc}), "DependencyViolation");
  get<api::DeleteRouteTable>({.route_table_id = table});
  const auto group =
      *get<api::CreateSecurityGroup>({.description = "d", .group_name = "g", .vpc_id = vpc}).group_id;
  EXPECT_EQ(code<api::DeleteVpc>({.vpc_id = vpc}), "DependencyViolation");
  get<api::DeleteSecurityGroup>({.group_id = group});
  get<api::DeleteVpc>({.vpc_id = vpc});
  EXPECT_EQ(code<api::DeleteVpc>({.vpc_id = vpc}), "InvalidVpcID.NotFound");
  EXPECT_TRUE(get<api::DescribeRouteTables>({.filters = {{{"vpc-id", {{vpc}}}}}}).route_tables->empty());
  EXPECT_TRUE(
      get<api::DescribeSecurityGroups>({.filters = {{{"vpc-id", {{vpc}}}}}}).security_groups->empty());
}

TEST_F(VpcsTest, OneAttributeAtATime) {
  const auto vpc = make_vpc();
  const api::AttributeBooleanValue yes{.value = true};
  const api::AttributeBooleanValue no{.value = false};
  EXPECT_EQ(code<api::ModifyVpcAttribute>({.enable_dns_hostnames = yes, .vpc_id = vpc}), "");
  EXPECT_EQ(
      code<api::ModifyVpcAttribute>({.enable_dns_hostnames = yes, .enable_dns_support = yes, .vpc_id = vpc}),
      "InvalidParameterCombination");
  EXPECT_EQ(code<api::ModifyVpcAttribute>({.vpc_id = vpc}), "InvalidParameterCombination");
  EXPECT_EQ(code<api::ModifyVpcAttribute>({.enable_dns_support = no, .vpc_id = vpc}), "");
  EXPECT_EQ(code<api::ModifyVpcAttribute>({.enable_dns_hostnames = yes, .vpc_id = vpc}),
            "InvalidParameterCombination");
  EXPECT_EQ(code<api::ModifyVpcAttribute>({.enable_dns_support = no, .vpc_id = "vpc-none"}),
            "InvalidVpcID.NotFound");
}

TEST_F(VpcsTest, ADryRunChangesNothing) {
  const auto reply = ask<api::CreateVpc>({.cidr_block = "10.0.0.0/16", .dry_run = true});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, "DryRunOperation");
  EXPECT_EQ(reply.error().http_status, 412);
  EXPECT_EQ(get<api::DescribeVpcs>({}).vpcs->size(), 1U);
}

struct JoinCase {
  std::string_view primary, added, code;
};

TEST_F(VpcsTest, SecondaryBlocksFollowTheRules) {
  limits.vpcs_per_region = 100;
  constexpr JoinCase k_cases[] = {
      {"10.3.0.0/16", "10.4.0.0/16", ""},
      {"10.3.0.0/16", "100.64.0.0/16", ""},
      {"10.3.0.0/16", "8.8.0.0/16", ""},
      {"10.3.0.0/16", "10.3.128.0/20", "CidrConflict"},
      {"10.3.0.0/20", "10.3.0.0/16", "CidrConflict"},
      {"10.3.0.0/16", "10.4.0.0/15", "InvalidVpc.Range"},
      {"10.3.0.0/16", "172.16.0.0/16", "InvalidVpc.Range"},
      {"10.3.0.0/16", "192.168.0.0/16", "InvalidVpc.Range"},
      {"10.1.0.0/16", "10.0.0.0/16", "InvalidVpc.Range"},
      {"172.16.0.0/16", "172.17.0.0/16", ""},
      {"172.16.0.0/16", "10.0.0.0/16", "InvalidVpc.Range"},
      {"192.168.0.0/16", "10.0.0.0/16", "InvalidVpc.Range"},
      {"100.64.0.0/16", "10.0.0.0/16", "InvalidVpc.Range"},
      {"100.64.0.0/16", "100.65.0.0/16", ""},
      {"10.3.0.0/16", "10.4.0.0", "InvalidParameterValue"},
  };
  for (const auto& [primary, added, expected] : k_cases) {
    const auto vpc = make_vpc(std::string(primary));
    EXPECT_EQ(code<api::AssociateVpcCidrBlock>({.cidr_block = std::string(added), .vpc_id = vpc}), expected)
        << primary << " + " << added;
  }
}

TEST_F(VpcsTest, BlocksComeAndGo) {
  const auto vpc = make_vpc("10.3.0.0/16");
  const auto added = get<api::AssociateVpcCidrBlock>({.cidr_block = "10.4.0.0/16", .vpc_id = vpc});
  EXPECT_EQ(added.cidr_block_association->cidr_block_state->state, "associating");
  const auto id = *added.cidr_block_association->association_id;
  EXPECT_EQ(table(main_table(vpc)).routes->size(), 2U);
  const auto inside = make_subnet(vpc, "10.4.0.0/24");
  EXPECT_EQ(code<api::DisassociateVpcCidrBlock>({.association_id = id}), "InvalidCidrBlock.InUse");
  get<api::DeleteSubnet>({.subnet_id = inside});
  get<api::DisassociateVpcCidrBlock>({.association_id = id});
  EXPECT_EQ(code<api::CreateSubnet>({.cidr_block = "10.4.0.0/24", .vpc_id = vpc}), "InvalidSubnet.Range");
  EXPECT_EQ(code<api::DisassociateVpcCidrBlock>({.association_id = id}),
            "InvalidVpcCidrBlockAssociationID.NotFound");
  const auto primary = *get<api::DescribeVpcs>({.vpc_ids = {{vpc}}})
                            .vpcs->at(0)
                            .cidr_block_association_set->at(0)
                            .association_id;
  EXPECT_EQ(code<api::DisassociateVpcCidrBlock>({.association_id = primary}), "OperationNotPermitted");
  for (int i = 5; i < 9; ++i) {
    EXPECT_EQ(code<api::AssociateVpcCidrBlock>({.cidr_block = fmt::format("10.{}.0.0/16", i), .vpc_id = vpc}),
              "");
  }
  EXPECT_EQ(code<api::AssociateVpcCidrBlock>({.cidr_block = "10.9.0.0/16", .vpc_id = vpc}),
            "CidrLimitExceeded");
}

}  // namespace
}  // namespace instantstart::sandbox::ec2
