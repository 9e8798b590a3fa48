// Internet gateways, NAT gateways, addresses, route tables and routes.
#include "sandbox/services/ec2/testing/ec2_fixture.h"

namespace instantstart::sandbox::ec2 {
namespace {

class RoutingTest : public Ec2Fixture {
 protected:
  void SetUp() override {
    Ec2Fixture::SetUp();
    vpc = make_vpc();
    place = make_subnet(vpc, "10.0.0.0/24");
  }
  std::string vpc;
  std::string place;
};

TEST_F(RoutingTest, ANatGatewayTakesItsTime) {
  attach_new_gateway(vpc);
  const auto address = make_address();
  const auto id = make_nat(place, address);
  EXPECT_EQ(nat(id).state, "pending");
  EXPECT_EQ(nat(id).nat_gateway_addresses->at(0).allocation_id, address);
  EXPECT_EQ(subnet(place).available_ip_address_count, 250);
  process->pass(seconds(59));
  EXPECT_EQ(nat(id).state, "pending");
  process->pass(seconds(1));
  EXPECT_EQ(nat(id).state, "available");

  EXPECT_EQ(code<api::ReleaseAddress>({.allocation_id = address}), "InvalidIPAddress.InUse");
  EXPECT_EQ(code<api::DeleteSubnet>({.subnet_id = place}), "DependencyViolation");
  get<api::DeleteNatGateway>({.nat_gateway_id = id});
  EXPECT_EQ(nat(id).state, "deleting");
  EXPECT_EQ(code<api::ReleaseAddress>({.allocation_id = address}), "InvalidIPAddress.InUse");
  process->pass(seconds(60));
  EXPECT_EQ(nat(id).state, "deleted");
  EXPECT_EQ(subnet(place).available_ip_address_count, 251);
  EXPECT_EQ(code<api::ReleaseAddress>({.allocation_id = address}), "");
  process->pass(std::chrono::hours(1));
  EXPECT_EQ(code<api::DescribeNatGateways>({.nat_gateway_ids = {{id}}}), "NatGatewayNotFound");
}

TEST_F(RoutingTest, ANatGatewayGoesOnAfterARestart) {
  attach_new_gateway(vpc);
  const auto id = make_nat(place, make_address());
  restart();
  EXPECT_EQ(nat(id).state, "pending");
  process->pass(seconds(60));
  EXPECT_EQ(nat(id).state, "available");
}

TEST_F(RoutingTest, WithoutAnInternetGatewayANatGatewayFails) {
  const auto address = make_address();
  const auto id = make_nat(place, address);
  process->pass(seconds(60));
  EXPECT_EQ(nat(id).state, "failed");
  EXPECT_EQ(nat(id).failure_code, "Gateway.NotAttached");
  EXPECT_EQ(nat(id).failure_message, "Network " + vpc + " has no Internet gateway attached");
  EXPECT_EQ(code<api::ReleaseAddress>({.allocation_id = address}), "");
}

TEST_F(RoutingTest, APrivateNatGatewayNeedsNoInternet) {
  const auto made = get<api::CreateNatGateway>({.subnet_id = place, .connectivity_type = "private"});
  process->pass(seconds(60));
  EXPECT_EQ(nat(*made.nat_gateway->nat_gateway_id).state, "available");
}

TEST_F(RoutingTest, AFailedNatGatewayGivesItsAddressUpForGood) {
  const auto address = make_address();
  const auto failed = make_nat(place, address);
  process->pass(seconds(60));
  attach_new_gateway(vpc);
  const auto next = make_nat(place, address);
  get<api::DeleteNatGateway>({.nat_gateway_id = failed});
  process->pass(seconds(60));
  EXPECT_EQ(nat(failed).state, "deleted");
  EXPECT_EQ(nat(next).state, "available");
  EXPECT_EQ(code<api::ReleaseAddress>({.allocation_id = address}), "InvalidIPAddress.InUse");
}

TEST_F(RoutingTest, ThePlannedFailureOfACallBecomesTheGateways) {
  attach_new_gateway(vpc);
  Call call{.region = "us-west-2"};
  call.fails_later = PlannedFailure{"InternalError", "it was planned"};
  const auto made = process->ask<api::CreateNatGateway>(
      *service, {.allocation_id = make_address(), .subnet_id = place}, call);
  process->pass(seconds(60));
  EXPECT_EQ(nat(*made->nat_gateway->nat_gateway_id).failure_message, "it was planned");
}

TEST_F(RoutingTest, TheSameTokenMakesOneNatGateway) {
  attach_new_gateway(vpc);
  const auto address = make_address();
  const api::CreateNatGatewayRequest request{
      .allocation_id = address, .client_token = "t", .subnet_id = place};
  const auto first = get<api::CreateNatGateway>(request);
  EXPECT_EQ(first.client_token, "t");
  restart();
  const auto second = get<api::CreateNatGateway>(request);
  EXPECT_EQ(second.nat_gateway->nat_gateway_id, first.nat_gateway->nat_gateway_id);
  auto other = request;
  other.tag_specifications = tagged("natgateway", "Name", "other");
  EXPECT_EQ(code<api::CreateNatGateway>(other), "IdempotentParameterMismatch");
  other.client_token = "u";
  EXPECT_EQ(code<api::CreateNatGateway>(other), "Resource.AlreadyAssociated");
  EXPECT_EQ(get<api::DescribeNatGateways>({}).nat_gateways->size(), 1U);
}

TEST_F(RoutingTest, NatGatewaysAreRefusedWhatTheyCannotHave) {
  attach_new_gateway(vpc);
  EXPECT_EQ(code<api::CreateNatGateway>({.subnet_id = place}), "MissingParameter");
  EXPECT_EQ(code<api::CreateNatGateway>({.allocation_id = "eipalloc-none", .subnet_id = place}),
            "InvalidAllocationID.NotFound");
  EXPECT_EQ(code<api::CreateNatGateway>({.allocation_id = make_address(), .subnet_id = "subnet-none"}),
            "InvalidSubnetID.NotFound");
  EXPECT_EQ(code<api::CreateNatGateway>({.availability_mode = "regional", .vpc_id = vpc}),
            "UnsupportedOperation");
  EXPECT_EQ(code<api::DeleteNatGateway>({.nat_gateway_id = "nat-none"}), "NatGatewayNotFound");
  EXPECT_EQ(code<api::DeleteNatGateway>({.nat_gateway_id = "none"}), "NatGatewayMalformed");
  get<api::CreateNatGateway>({.subnet_id = place, .connectivity_type = "private"});
  limits.nat_gateways_per_zone = 1;
  EXPECT_EQ(code<api::CreateNatGateway>({.subnet_id = place, .connectivity_type = "private"}),
            "NatGatewayLimitExceeded");
}

TEST_F(RoutingTest, AnInternetGatewayIsAttachedOnceAndHeldByPublicAddresses) {
  const auto gateway = attach_new_gateway(vpc);
  EXPECT_EQ(code<api::AttachInternetGateway>({.internet_gateway_id = gateway, .vpc_id = vpc}),
            "Resource.AlreadyAssociated");
  const auto second = *get<api::CreateInternetGateway>({}).internet_gateway->internet_gateway_id;
  EXPECT_EQ(code<api::AttachInternetGateway>({.internet_gateway_id = second, .vpc_id = vpc}),
            "InvalidParameterValue");
  EXPECT_EQ(code<api::DetachInternetGateway>({.internet_gateway_id = second, .vpc_id = vpc}),
            "Gateway.NotAttached");
  EXPECT_EQ(code<api::DeleteInternetGateway>({.internet_gateway_id = gateway}), "DependencyViolation");
  EXPECT_EQ(code<api::DeleteInternetGateway>({.internet_gateway_id = "igw-none"}),
            "InvalidInternetGatewayID.NotFound");
  const auto id = make_nat(place, make_address());
  const auto other_vpc = make_vpc("10.1.0.0/16");
  get<api::AttachInternetGateway>({.internet_gateway_id = second, .vpc_id = other_vpc});
  EXPECT_EQ(code<api::DetachInternetGateway>({.internet_gateway_id = second, .vpc_id = vpc}),
            "Gateway.NotAttached");
  EXPECT_EQ(code<api::DetachInternetGateway>({.internet_gateway_id = second, .vpc_id = other_vpc}), "");
  EXPECT_EQ(code<api::DetachInternetGateway>({.internet_gateway_id = gateway, .vpc_id = vpc}),
            "DependencyViolation");
  get<api::DeleteNatGateway>({.nat_gateway_id = id});
  process->pass(seconds(60));
  get<api::DetachInternetGateway>({.internet_gateway_id = gateway, .vpc_id = vpc});
  get<api::DeleteInternetGateway>({.internet_gateway_id = gateway});
}

TEST_F(RoutingTest, RoutesFallIntoABlackHoleWithTheirTarget) {
  const auto gateway = attach_new_gateway(vpc);
  const auto nat_id = make_nat(place, make_address());
  const auto public_table = main_table(vpc);
  const auto private_table = *get<api::CreateRouteTable>({.vpc_id = vpc}).route_table->route_table_id;
  const auto route_to = [&](const std::string& table_id, api::CreateRouteRequest request) {
    request.route_table_id = table_id;
    request.destination_cidr_block = "0.0.0.0/0";
    return code<api::CreateRoute>(request);
  };
  EXPECT_EQ(route_to(public_table, {.gateway_id = gateway}), "");
  EXPECT_EQ(route_to(private_table, {.nat_gateway_id = nat_id}), "");
  EXPECT_EQ(route_to(private_table, {.nat_gateway_id = nat_id}), "RouteAlreadyExists");
  EXPECT_EQ(table(private_table).routes->at(1).state, "active");
  get<api::DeleteNatGateway>({.nat_gateway_id = nat_id});
  EXPECT_EQ(table(private_table).routes->at(1).state, "active");
  EXPECT_EQ(route_to(public_table, {.nat_gateway_id = nat_id}), "InvalidNatGatewayID.NotFound");
  process->pass(seconds(60));
  EXPECT_EQ(table(private_table).routes->at(1).state, "blackhole");
  EXPECT_EQ(route_to(public_table, {.nat_gateway_id = nat_id}), "InvalidNatGatewayID.NotFound");
  get<api::DetachInternetGateway>({.internet_gateway_id = gateway, .vpc_id = vpc});
  EXPECT_EQ(table(public_table).routes->at(1).state, "blackhole");
}

struct RouteCase {
  std::string_view destination, gateway, code;
};

TEST_F(RoutingTest, RoutesNeedATargetOfTheNetworkAndADestinationOutsideIt) {
  const auto gateway = attach_new_gateway(vpc);
  const auto stray = *get<api::CreateInternetGateway>({}).internet_gateway->internet_gateway_id;
  const RouteCase k_cases[] = {
      {"0.0.0.0/0", "", "MissingParameter"},
      {"", gateway, "MissingParameter"},
      {"0.0.0.0", gateway, "InvalidParameterValue"},
      {"10.0.0.0/16", gateway, "InvalidParameterValue"},
      {"10.0.5.0/24", gateway, "InvalidParameterValue"},
      {"0.0.0.0/0", "igw-none", "InvalidGatewayID.NotFound"},
      {"0.0.0.0/0", stray, "InvalidParameterValue"},
      {"10.0.0.0/8", gateway, ""},
      {"203.0.113.7/24", gateway, ""},
      {"203.0.113.0/24", gateway, "RouteAlreadyExists"},
  };
  for (const auto& [destination, target, expected] : k_cases) {
    api::CreateRouteRequest request{.route_table_id = main_table(vpc)};
    if (!destination.empty()) request.destination_cidr_block = destination;
    if (!target.empty()) request.gateway_id = target;
    EXPECT_EQ(code<api::CreateRoute>(request), expected) << destination << " to " << target;
  }
  EXPECT_EQ(code<api::CreateRoute>({.route_table_id = "rtb-none", .destination_cidr_block = "0.0.0.0/0"}),
            "InvalidRouteTableID.NotFound");
  EXPECT_EQ(code<api::CreateRoute>({.route_table_id = main_table(vpc),
                                    .destination_cidr_block = "1.0.0.0/8",
                                    .gateway_id = gateway,
                                    .nat_gateway_id = "nat-x"}),
            "InvalidParameterCombination");
  EXPECT_EQ(code<api::CreateRoute>({.transit_gateway_id = "tgw-x",
                                    .route_table_id = main_table(vpc),
                                    .destination_cidr_block = "1.0.0.0/8"}),
            "UnsupportedOperation");
  limits.routes_per_table = 2;
  EXPECT_EQ(
      code<api::CreateRoute>(
          {.route_table_id = main_table(vpc), .destination_cidr_block = "1.0.0.0/8", .gateway_id = gateway}),
      "RouteLimitExceeded");
}

TEST_F(RoutingTest, ANatGatewayServesItsOwnNetwork) {
  attach_new_gateway(vpc);
  const auto nat_id = make_nat(place, make_address());
  const auto elsewhere = main_table(make_vpc("10.1.0.0/16"));
  EXPECT_EQ(
      code<api::CreateRoute>(
          {.route_table_id = elsewhere, .destination_cidr_block = "0.0.0.0/0", .nat_gateway_id = nat_id}),
      "InvalidParameterValue");
}

TEST_F(RoutingTest, ABlockCanNotSwallowARoute) {
  const auto gateway = attach_new_gateway(vpc);
  get<api::CreateRoute>(
      {.route_table_id = main_table(vpc), .destination_cidr_block = "10.7.3.0/24", .gateway_id = gateway});
  EXPECT_EQ(code<api::AssociateVpcCidrBlock>({.cidr_block = "10.7.0.0/16", .vpc_id = vpc}), "CidrConflict");
  EXPECT_EQ(code<api::AssociateVpcCidrBlock>({.cidr_block = "10.8.0.0/16", .vpc_id = vpc}), "");
}

TEST_F(RoutingTest, ASubnetIsInOneTable) {
  const auto make = [this] {
    return *get<api::CreateRouteTable>({.vpc_id = vpc}).route_table->route_table_id;
  };
  const auto one = make();
  const auto two = make();
  const auto association =
      *get<api::AssociateRouteTable>({.subnet_id = place, .route_table_id = one}).association_id;
  EXPECT_EQ(code<api::AssociateRouteTable>({.subnet_id = place, .route_table_id = two}),
            "Resource.AlreadyAssociated");
  EXPECT_EQ(code<api::DeleteRouteTable>({.route_table_id = one}), "DependencyViolation");
  EXPECT_EQ(get<api::DescribeRouteTables>({.filters = {{{"association.subnet-id", {{place}}}}}})
                .route_tables->at(0)
                .route_table_id,
            one);
  get<api::DisassociateRouteTable>({.association_id = association});
  EXPECT_EQ(code<api::DisassociateRouteTable>({.association_id = association}),
            "InvalidAssociationID.NotFound");
  EXPECT_EQ(code<api::DeleteRouteTable>({.route_table_id = one}), "");
  const auto main = table(main_table(vpc)).associations->at(0).route_table_association_id;
  EXPECT_EQ(code<api::DisassociateRouteTable>({.association_id = main}), "InvalidParameterValue");
  EXPECT_EQ(code<api::DeleteRouteTable>({.route_table_id = main_table(vpc)}), "DependencyViolation");
  EXPECT_EQ(code<api::AssociateRouteTable>({.subnet_id = place, .route_table_id = "rtb-none"}),
            "InvalidRouteTableID.NotFound");
  const auto elsewhere = make_subnet(make_vpc("10.1.0.0/16"), "10.1.0.0/24");
  EXPECT_EQ(code<api::AssociateRouteTable>({.subnet_id = elsewhere, .route_table_id = two}),
            "InvalidParameterValue");
}

TEST_F(RoutingTest, TheSameTokenMakesOneRouteTable) {
  const auto first = get<api::CreateRouteTable>({.client_token = "t", .vpc_id = vpc});
  const auto second = get<api::CreateRouteTable>({.client_token = "t", .vpc_id = vpc});
  EXPECT_EQ(first.route_table->route_table_id, second.route_table->route_table_id);
  process->pass(std::chrono::hours(25));  // A token is known for a day.
  const auto third = get<api::CreateRouteTable>({.client_token = "t", .vpc_id = vpc});
  EXPECT_NE(first.route_table->route_table_id, third.route_table->route_table_id);
}

TEST_F(RoutingTest, AddressesAreTheAccountsOwn) {
  std::set<std::string> ips;
  for (int i = 0; i < 5; ++i) ips.insert(*get<api::AllocateAddress>({.domain = "vpc"}).public_ip);
  EXPECT_EQ(ips.size(), 5U);
  EXPECT_EQ(code<api::AllocateAddress>({.domain = "vpc"}), "AddressLimitExceeded");
  const auto all = *get<api::DescribeAddresses>({}).addresses;
  EXPECT_EQ(all.size(), 5U);
  EXPECT_EQ(get<api::DescribeAddresses>({.public_ips = {{*all[0].public_ip}}}).addresses->at(0).allocation_id,
            all[0].allocation_id);
  EXPECT_EQ(code<api::DescribeAddresses>({.public_ips = {{"192.0.2.1"}}}), "InvalidAddress.NotFound");
  EXPECT_EQ(code<api::DescribeAddresses>({.allocation_ids = {{"eipalloc-none"}}}),
            "InvalidAllocationID.NotFound");
  EXPECT_EQ(code<api::ReleaseAddress>({.public_ip = all[0].public_ip}), "InvalidParameterValue");
  EXPECT_EQ(code<api::ReleaseAddress>({}), "MissingParameter");
  get<api::ReleaseAddress>({.allocation_id = all[0].allocation_id});
  EXPECT_EQ(code<api::ReleaseAddress>({.allocation_id = all[0].allocation_id}),
            "InvalidAllocationID.NotFound");
}

}  // namespace
}  // namespace instantstart::sandbox::ec2
