#include "sandbox/services/ec2/testing/ec2_fixture.h"

namespace instantstart::sandbox::ec2 {
namespace {

constexpr const char* k_s3 = "com.amazonaws.us-west-2.s3";
constexpr const char* k_ecr = "com.amazonaws.us-west-2.ecr.api";

class VpcEndpointsTest : public Ec2Fixture {
 protected:
  void SetUp() override {
    Ec2Fixture::SetUp();
    vpc = make_vpc();
    table_id = main_table(vpc);
    place = make_subnet(vpc, "10.0.0.0/24", "us-west-2a");
  }
  api::VpcEndpoint shown(const std::string& id) {
    return get<api::DescribeVpcEndpoints>({.vpc_endpoint_ids = {{id}}}).vpc_endpoints->at(0);
  }
  api::CreateVpcEndpointRequest interface_to(const std::string& service_name) {
    return {.vpc_endpoint_type = "Interface",
            .vpc_id = vpc,
            .service_name = service_name,
            .subnet_ids = {{place}},
            .private_dns_enabled = false};
  }
  std::string make(const api::CreateVpcEndpointRequest& request) {
    return *get<api::CreateVpcEndpoint>(request).vpc_endpoint->vpc_endpoint_id;
  }

  std::string vpc;
  std::string table_id;
  std::string place;
};

TEST_F(VpcEndpointsTest, AGatewayIsARouteInItsTables) {
  const auto id = make({.vpc_id = vpc, .service_name = k_s3, .route_table_ids = {{table_id}}});
  EXPECT_EQ(shown(id).state, "available");
  EXPECT_EQ(shown(id).vpc_endpoint_type, "Gateway");
  const auto route = table(table_id).routes->at(1);
  EXPECT_EQ(route.gateway_id, id);
  EXPECT_TRUE(route.destination_prefix_list_id->starts_with("pl-"));
  EXPECT_EQ(route.state, "active");
  EXPECT_EQ(
      code<api::CreateVpcEndpoint>({.vpc_id = vpc, .service_name = k_s3, .route_table_ids = {{table_id}}}),
      "RouteAlreadyExists");

  const auto second = *get<api::CreateRouteTable>({.vpc_id = vpc}).route_table->route_table_id;
  get<api::ModifyVpcEndpoint>(
      {.vpc_endpoint_id = id, .add_route_table_ids = {{second}}, .remove_route_table_ids = {{table_id}}});
  EXPECT_EQ(table(table_id).routes->size(), 1U);
  EXPECT_EQ(table(second).routes->size(), 2U);
  EXPECT_EQ(*shown(id).route_table_ids, std::vector<std::string>{second});
  get<api::DeleteRouteTable>({.route_table_id = second});
  EXPECT_TRUE(shown(id).route_table_ids->empty());
  EXPECT_EQ(code<api::DeleteVpc>({.vpc_id = vpc}), "DependencyViolation");
  EXPECT_TRUE(get<api::DeleteVpcEndpoints>({.vpc_endpoint_ids = {{id}}}).unsuccessful->empty());
  EXPECT_EQ(code<api::DescribeVpcEndpoints>({.vpc_endpoint_ids = {{id}}}), "InvalidVpcEndpointId.NotFound");
}

TEST_F(VpcEndpointsTest, AnInterfaceEndpointTakesTimeAndAddresses) {
  const auto id = make(interface_to(k_ecr));
  EXPECT_EQ(shown(id).state, "pending");
  EXPECT_EQ(shown(id).groups->at(0).group_name, "default");
  EXPECT_EQ(shown(id).network_interface_ids->size(), 1U);
  EXPECT_EQ(subnet(place).available_ip_address_count, 250);
  process->pass(seconds(60));
  EXPECT_EQ(shown(id).state, "available");

  const auto other = make_subnet(vpc, "10.0.1.0/24", "us-west-2b");
  const auto group =
      *get<api::CreateSecurityGroup>({.description = "d", .group_name = "g", .vpc_id = vpc}).group_id;
  get<api::ModifyVpcEndpoint>({.vpc_endpoint_id = id,
                               .add_subnet_ids = {{other}},
                               .remove_subnet_ids = {{place}},
                               .add_security_group_ids = {{group}},
                               .remove_security_group_ids = {{*shown(id).groups->at(0).group_id}}});
  EXPECT_EQ(*shown(id).subnet_ids, std::vector<std::string>{other});
  EXPECT_EQ(subnet(place).available_ip_address_count, 251);
  EXPECT_EQ(subnet(other).available_ip_address_count, 250);
  const auto interface = get<api::DescribeNetworkInterfaces>(
      {.filters = {{{"interface-type", {{"vpc_endpoint"}}}, {"group-id", {{group}}}}}});
  EXPECT_EQ(interface.network_interfaces->size(), 1U);
  EXPECT_EQ(code<api::DeleteSecurityGroup>({.group_id = group}), "DependencyViolation");

  get<api::DeleteVpcEndpoints>({.vpc_endpoint_ids = {{id}}});
  EXPECT_EQ(shown(id).state, "deleting");
  EXPECT_EQ(code<api::DeleteSubnet>({.subnet_id = other}), "DependencyViolation");
  process->pass(seconds(60));
  EXPECT_EQ(code<api::DescribeVpcEndpoints>({.vpc_endpoint_ids = {{id}}}), "InvalidVpcEndpointId.NotFound");
  EXPECT_EQ(code<api::DeleteSubnet>({.subnet_id = other}), "");
}

TEST_F(VpcEndpointsTest, PrivateNamesNeedTheVpcsConsentAndAreUnique) {
  auto request = interface_to(k_ecr);
  request.private_dns_enabled.reset();  // The default is on.
  EXPECT_EQ(code<api::CreateVpcEndpoint>(request), "InvalidParameter");
  get<api::ModifyVpcAttribute>(
      {.enable_dns_hostnames = api::AttributeBooleanValue{.value = true}, .vpc_id = vpc});
  const auto id = make(request);
  EXPECT_EQ(shown(id).dns_entries->size(), 2U);
  EXPECT_EQ(shown(id).dns_entries->at(1).dns_name, "ecr.api.us-west-2.amazonaws.com");
  EXPECT_EQ(code<api::ModifyVpcEndpoint>({.vpc_endpoint_id = id, .private_dns_enabled = true}), "");
  request.client_token = "other";
  EXPECT_EQ(code<api::CreateVpcEndpoint>(request), "InvalidParameter");
}

TEST_F(VpcEndpointsTest, AGatewayTakesItsRoutesAlongAndHoldsItsVpc) {
  const auto empty = make_vpc("10.1.0.0/16");
  const auto id = make({.vpc_id = empty, .service_name = k_s3, .route_table_ids = {{main_table(empty)}}});
  EXPECT_EQ(code<api::DeleteVpc>({.vpc_id = empty}), "DependencyViolation");
  get<api::DeleteVpcEndpoints>({.vpc_endpoint_ids = {{id}}});
  EXPECT_EQ(table(main_table(empty)).routes->size(), 1U);
  EXPECT_EQ(code<api::DeleteVpc>({.vpc_id = empty}), "");
}

TEST_F(VpcEndpointsTest, ASecondDeleteDoesNotBeginAgain) {
  const auto id = make(interface_to(k_ecr));
  get<api::DeleteVpcEndpoints>({.vpc_endpoint_ids = {{id}}});
  process->pass(seconds(40));
  EXPECT_TRUE(get<api::DeleteVpcEndpoints>({.vpc_endpoint_ids = {{id}}}).unsuccessful->empty());
  process->pass(seconds(20));
  EXPECT_EQ(code<api::DescribeVpcEndpoints>({.vpc_endpoint_ids = {{id}}}), "InvalidVpcEndpointId.NotFound");
}

TEST_F(VpcEndpointsTest, TheSameTokenMakesOne) {
  auto request = interface_to(k_ecr);
  request.client_token = "t";
  EXPECT_EQ(make(request), make(request));
  request.service_name = "com.amazonaws.us-west-2.sts";
  EXPECT_EQ(code<api::CreateVpcEndpoint>(request), "IdempotentParameterMismatch");
}

TEST_F(VpcEndpointsTest, AreRefusedWhatCanNotBe) {
  EXPECT_EQ(code<api::CreateVpcEndpoint>({.vpc_id = vpc, .service_name = "com.amazonaws.us-west-2.nothing"}),
            "InvalidServiceName");
  EXPECT_EQ(code<api::CreateVpcEndpoint>({.vpc_id = vpc, .service_name = "com.amazonaws.us-east-1.s3"}),
            "InvalidServiceName");
  EXPECT_EQ(code<api::CreateVpcEndpoint>({.vpc_id = vpc, .service_name = k_ecr}),
            "InvalidServiceName");  // no gateway
  EXPECT_EQ(code<api::CreateVpcEndpoint>({.vpc_id = "vpc-none", .service_name = k_s3}),
            "InvalidVpcID.NotFound");
  EXPECT_EQ(
      code<api::CreateVpcEndpoint>({.vpc_id = vpc, .service_name = k_s3, .route_table_ids = {{"rtb-none"}}}),
      "InvalidRouteTableID.NotFound");
  EXPECT_EQ(code<api::CreateVpcEndpoint>({.vpc_id = vpc, .service_name = k_s3, .policy_document = "{"}),
            "InvalidPolicyDocument");
  auto twins = interface_to(k_ecr);
  twins.subnet_ids->push_back(make_subnet(vpc, "10.0.1.0/24", "us-west-2a"));
  EXPECT_EQ(code<api::CreateVpcEndpoint>(twins), "DuplicateSubnetsInSameZone");
  const auto other = make_vpc("10.1.0.0/16");
  EXPECT_EQ(code<api::CreateVpcEndpoint>(
                {.vpc_id = vpc, .service_name = k_s3, .route_table_ids = {{main_table(other)}}}),
            "InvalidParameter");
  auto stray = interface_to(k_ecr);
  stray.subnet_ids = {{make_subnet(other, "10.1.0.0/24", "us-west-2c")}};
  EXPECT_EQ(code<api::CreateVpcEndpoint>(stray), "InvalidParameter");
  stray = interface_to(k_ecr);
  stray.security_group_ids = {
      {*get<api::CreateSecurityGroup>({.description = "d", .group_name = "g", .vpc_id = other}).group_id}};
  EXPECT_EQ(code<api::CreateVpcEndpoint>(stray), "InvalidParameter");
  auto gateway_balancer = interface_to(k_ecr);
  gateway_balancer.vpc_endpoint_type = "GatewayLoadBalancer";
  EXPECT_EQ(code<api::CreateVpcEndpoint>(gateway_balancer), "UnsupportedOperation");
  const auto unknown = get<api::DeleteVpcEndpoints>({.vpc_endpoint_ids = {{"vpce-none"}}});
  EXPECT_EQ(unknown.unsuccessful->at(0).error->code, "InvalidVpcEndpointId.NotFound");
  EXPECT_EQ(code<api::ModifyVpcEndpoint>({.vpc_endpoint_id = "vpce-none"}), "InvalidVpcEndpointId.NotFound");
}

}  // namespace
}  // namespace instantstart::sandbox::ec2
