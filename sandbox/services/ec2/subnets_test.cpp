#include "sandbox/services/ec2/testing/ec2_fixture.h"
#include "sandbox/services/ec2/zones.h"

namespace instantstart::sandbox::ec2 {
namespace {

class SubnetsTest : public Ec2Fixture {};

struct SubnetCase {
  std::string_view block, zone, code;
};

TEST_F(SubnetsTest, AreInsideTheVpcAndApart) {
  const auto vpc = make_vpc();
  // Each case is made beside those before it.
  constexpr SubnetCase k_cases[] = {
      {"10.0.0.0/24", "us-west-2a", ""},
      {"10.0.0.0/24", "us-west-2a", "InvalidSubnet.Conflict"},
      {"10.0.0.128/25", "us-west-2b", "InvalidSubnet.Conflict"},
      {"10.0.0.0/20", "us-west-2b", "InvalidSubnet.Conflict"},
      {"10.0.1.0/24", "us-west-2b", ""},
      {"10.0.2.9/24", "us-west-2c", ""},
      {"10.1.0.0/24", "us-west-2a", "InvalidSubnet.Range"},
      {"10.0.0.0/15", "us-west-2a", "InvalidSubnet.Range"},
      {"10.0.9.0/29", "us-west-2a", "InvalidSubnet.Range"},
      {"10.0.9.0/28", "us-west-2d", ""},
      {"10.0.9", "us-west-2a", "InvalidParameterValue"},
      {"10.0.10.0/24", "us-west-2z", "InvalidParameterValue"},
      {"10.0.10.0/24", "us-east-1a", "InvalidParameterValue"},
      {"10.0.10.0/24", "us-west-2-lax-1b", "InvalidParameterValue"},  // not opted in
      {"10.0.10.0/24", "us-west-2-lax-1a", ""},
  };
  for (const auto& [block, zone, expected] : k_cases) {
    EXPECT_EQ(code<api::CreateSubnet>(
                  {.availability_zone = std::string(zone), .cidr_block = std::string(block), .vpc_id = vpc}),
              expected)
        << block << " in " << zone;
  }
  EXPECT_EQ(code<api::CreateSubnet>({.cidr_block = "10.0.0.0/24", .vpc_id = "vpc-none"}),
            "InvalidVpcID.NotFound");
  EXPECT_EQ(code<api::CreateSubnet>({.vpc_id = vpc}), "MissingParameter");
}

TEST_F(SubnetsTest, AreInAnAvailabilityZoneUnlessALocalOneIsNamed) {
  const auto made = get<api::CreateSubnet>({.cidr_block = "10.0.0.0/24", .vpc_id = make_vpc()});
  EXPECT_EQ(made.subnet->availability_zone, "us-west-2a");
}

TEST_F(SubnetsTest, AreFoundByWhatTheyAre) {
  const auto vpc = make_vpc();
  const auto made = get<api::CreateSubnet>({.tag_specifications = tagged("subnet", "Name", "one"),
                                            .availability_zone_id = "usw2-az1",
                                            .cidr_block = "10.0.0.0/24",
                                            .vpc_id = vpc})
                        .subnet.value();
  EXPECT_EQ(made.availability_zone, "us-west-2b");
  EXPECT_EQ(made.available_ip_address_count, 251);
  EXPECT_EQ(made.subnet_arn, "arn:aws:ec2:us-west-2:123456789012:subnet/" + *made.subnet_id);
  make_subnet(vpc, "10.0.1.0/24", "us-west-2a");
  const auto found = [&](std::string name, std::string value) {
    return get<api::DescribeSubnets>({.filters = {{{"vpc-id", {{vpc}}}, {name, {{value}}}}}}).subnets->size();
  };
  EXPECT_EQ(found("cidr-block", "10.0.0.0/24"), 1U);
  EXPECT_EQ(found("availability-zone-id", "usw2-az1"), 1U);
  EXPECT_EQ(found("availabilityZone", "us-west-2?"), 2U);
  EXPECT_EQ(found("tag:Name", "o*"), 1U);
  EXPECT_EQ(found("available-ip-address-count", "251"), 2U);
  EXPECT_EQ(found("state", "pending"), 0U);
  EXPECT_EQ(code<api::DescribeSubnets>({.filters = {{{"zone", {{"a"}}}}}}), "InvalidParameterValue");
  EXPECT_EQ(code<api::DescribeSubnets>({.subnet_ids = {{"subnet-none"}}}), "InvalidSubnetID.NotFound");
}

TEST_F(SubnetsTest, OneAttributeAtATime) {
  const auto id = make_subnet(make_vpc(), "10.0.0.0/24");
  EXPECT_FALSE(*subnet(id).map_public_ip_on_launch);
  get<api::ModifySubnetAttribute>(
      {.map_public_ip_on_launch = api::AttributeBooleanValue{.value = true}, .subnet_id = id});
  EXPECT_TRUE(*subnet(id).map_public_ip_on_launch);
  EXPECT_EQ(code<api::ModifySubnetAttribute>({.subnet_id = id}), "InvalidParameterCombination");
  EXPECT_EQ(
      code<api::ModifySubnetAttribute>(
          {.map_public_ip_on_launch = api::AttributeBooleanValue{.value = true}, .subnet_id = "subnet-none"}),
      "InvalidSubnetID.NotFound");
}

TEST_F(SubnetsTest, InterfacesTakeTheirAddressesAndHoldThem) {
  const auto id = make_subnet(make_vpc(), "10.0.0.0/28");
  Network& network = service->network();
  const auto one = network.add_interface("us-west-2", {.subnet_id = id, .addresses = 10}).value();
  EXPECT_EQ(subnet(id).available_ip_address_count, 1);
  EXPECT_EQ(network.add_interface("us-west-2", {.subnet_id = id, .addresses = 2}).error().code,
            "InsufficientFreeAddressesInSubnet");
  const auto two = network.add_interface("us-west-2", {.subnet_id = id}).value();
  EXPECT_EQ(code<api::DeleteSubnet>({.subnet_id = id}), "DependencyViolation");

  std::set<std::string> addresses;
  for (const auto& interface :
       *get<api::DescribeNetworkInterfaces>({.filters = {{{"subnet-id", {{id}}}}}}).network_interfaces) {
    for (const auto& address : *interface.private_ip_addresses) addresses.insert(*address.private_ip_address);
  }
  EXPECT_EQ(addresses.size(), 11U);
  EXPECT_FALSE(addresses.contains("10.0.0.3"));
  EXPECT_FALSE(addresses.contains("10.0.0.15"));

  network.remove_interface("us-west-2", one);
  network.remove_interface("us-west-2", two);
  network.remove_interface("us-west-2", two);
  EXPECT_EQ(subnet(id).available_ip_address_count, 11);
  const auto all = network.add_interface("us-west-2", {.subnet_id = id, .addresses = 11}).value();
  EXPECT_EQ(get<api::DescribeNetworkInterfaces>({.network_interface_ids = {{all}}})
                .network_interfaces->at(0)
                .private_ip_addresses->size(),
            11U);
  network.remove_interface("us-west-2", all);
  EXPECT_EQ(code<api::DeleteSubnet>({.subnet_id = id}), "");
  EXPECT_EQ(network.add_interface("us-west-2", {.subnet_id = id}).error().code, "InvalidSubnetID.NotFound");
}

TEST_F(SubnetsTest, ADeletedOneLeavesItsRouteTable) {
  const auto vpc = make_vpc();
  const auto id = make_subnet(vpc, "10.0.0.0/24");
  const auto table_id = *get<api::CreateRouteTable>({.vpc_id = vpc}).route_table->route_table_id;
  get<api::AssociateRouteTable>({.subnet_id = id, .route_table_id = table_id});
  get<api::DeleteSubnet>({.subnet_id = id});
  EXPECT_TRUE(table(table_id).associations->empty());
}

TEST_F(SubnetsTest, PagesGoThroughAllOfThem) {
  limits.subnets_per_vpc = 12;
  const auto vpc = make_vpc();
  for (int i = 0; i < 12; ++i) make_subnet(vpc, fmt::format("10.0.{}.0/24", i));
  EXPECT_EQ(code<api::CreateSubnet>({.cidr_block = "10.0.99.0/24", .vpc_id = vpc}), "SubnetLimitExceeded");
  api::DescribeSubnetsRequest request{.filters = {{{"vpc-id", {{vpc}}}}}, .max_results = 5};
  std::set<std::string> seen;
  std::vector<std::size_t> sizes;
  do {
    const auto page = get<api::DescribeSubnets>(request);
    for (const auto& one : *page.subnets) EXPECT_TRUE(seen.insert(*one.subnet_id).second);
    sizes.push_back(page.subnets->size());
    request.next_token = page.next_token;
  } while (request.next_token);
  EXPECT_EQ(sizes, (std::vector<std::size_t>{5, 5, 2}));
  EXPECT_EQ(code<api::DescribeSubnets>({.max_results = 4}), "InvalidParameterValue");
}

TEST(Zones, NamesAndIdsFollowTheRegion) {
  const auto text = [](std::string_view region) {
    std::string result;
    for (const auto& zone : zones_of(region)) result += zone.name + "=" + zone.id + " ";
    return result;
  };
  EXPECT_EQ(text("ap-northeast-1"),
            "ap-northeast-1a=apne1-az4 ap-northeast-1c=apne1-az1 ap-northeast-1d=apne1-az2 ");
  EXPECT_EQ(text("eu-central-1"), "eu-central-1a=euc1-az1 eu-central-1b=euc1-az2 eu-central-1c=euc1-az3 ");
  EXPECT_EQ(zones_of("ap-southeast-2").front().id, "apse2-az1");
  EXPECT_EQ(zones_of("us-gov-west-1").front().id, "usgw1-az1");
  EXPECT_EQ(zones_of("ca-central-1").front().id, "cac1-az1");
  EXPECT_EQ(find_zone("us-west-2", "usw2-az2")->name, "us-west-2a");
  EXPECT_EQ(find_zone("us-west-2", "us-west-2d")->id, "usw2-az4");
  EXPECT_FALSE(find_zone("us-west-2", "us-east-1a"));
}

TEST_F(SubnetsTest, ZonesOfTheAccountAreShown) {
  const auto names = [this](api::DescribeAvailabilityZonesRequest request) {
    std::string result;
    for (const auto& zone : *get<api::DescribeAvailabilityZones>(request).availability_zones) {
      result += *zone.zone_name + " ";
    }
    return result;
  };
  EXPECT_EQ(names({}), "us-west-2-lax-1a us-west-2a us-west-2b us-west-2c us-west-2d ");
  EXPECT_EQ(names({.filters = {{{"zone-type", {{"availability-zone"}}}}}}),
            "us-west-2a us-west-2b us-west-2c us-west-2d ");
  EXPECT_EQ(names({.filters = {{{"opt-in-status", {{"opt-in-not-required"}}}}}}),
            "us-west-2a us-west-2b us-west-2c us-west-2d ");
  EXPECT_EQ(names({.all_availability_zones = true, .filters = {{{"zone-type", {{"local-zone"}}}}}}),
            "us-west-2-lax-1a us-west-2-lax-1b ");
  EXPECT_EQ(names({.zone_ids = {{"usw2-az1"}}}), "us-west-2b ");
  EXPECT_EQ(code<api::DescribeAvailabilityZones>({.zone_names = {{"us-west-2x"}}}), "InvalidParameterValue");
}

}  // namespace
}  // namespace instantstart::sandbox::ec2
