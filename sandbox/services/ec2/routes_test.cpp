#include "sandbox/services/ec2/testing/ec2_fixture.h"

namespace instantstart::sandbox::ec2 {
namespace {

class RoutesTest : public Ec2Fixture {
 protected:
  void SetUp() override {
    Ec2Fixture::SetUp();
    vpc = make_vpc();
    routes = main_table(vpc);
    gateway = attach_new_gateway(vpc);
    get<api::CreateRoute>(
        {.route_table_id = routes, .destination_cidr_block = "0.0.0.0/0", .gateway_id = gateway});
  }
  std::string vpc;
  std::string routes;
  std::string gateway;
};

TEST_F(RoutesTest, ReplaceRouteGivesARouteAnotherTarget) {
  const auto nat = *get<api::CreateNatGateway>(
                        {.subnet_id = make_subnet(vpc, "10.0.1.0/24"), .connectivity_type = "private"})
                        .nat_gateway->nat_gateway_id;
  get<api::ReplaceRoute>(
      {.route_table_id = routes, .destination_cidr_block = "0.0.0.0/0", .nat_gateway_id = nat});
  const auto route = table(routes).routes->back();
  EXPECT_EQ(route.nat_gateway_id, nat);
  EXPECT_FALSE(route.gateway_id);
}

TEST_F(RoutesTest, ReplaceRouteIsRefusedWhatCreateRouteIs) {
  EXPECT_EQ(code<api::ReplaceRoute>(
                {.route_table_id = routes, .destination_cidr_block = "1.0.0.0/8", .gateway_id = gateway}),
            "InvalidRoute.NotFound");
  EXPECT_EQ(code<api::ReplaceRoute>(
                {.route_table_id = routes, .destination_cidr_block = "0.0.0.0/0", .gateway_id = "igw-none"}),
            "InvalidGatewayID.NotFound");
  EXPECT_EQ(code<api::ReplaceRoute>({.route_table_id = routes, .destination_cidr_block = "0.0.0.0/0"}),
            "MissingParameter");
}

TEST_F(RoutesTest, DeleteRouteLeavesTheLocalOne) {
  get<api::DeleteRoute>({.route_table_id = routes, .destination_cidr_block = "0.0.0.0/0"});
  ASSERT_EQ(table(routes).routes->size(), 1u);
  EXPECT_EQ(table(routes).routes->at(0).gateway_id, "local");
  EXPECT_EQ(code<api::DeleteRoute>({.route_table_id = routes, .destination_cidr_block = "0.0.0.0/0"}),
            "InvalidRoute.NotFound");
  EXPECT_EQ(code<api::DeleteRoute>({.route_table_id = routes, .destination_cidr_block = "10.0.0.0/16"}),
            "InvalidRoute.NotFound");
}

TEST_F(RoutesTest, OnlyAwsServicesPutReservedTags) {
  const api::CreateVpcRequest request{.cidr_block = "10.1.0.0/16",
                                      .tag_specifications = tagged("vpc", "aws:x", "y")};
  EXPECT_EQ(code<api::CreateVpc>(request), "InvalidParameterValue");
  Call call{.region = "us-west-2"};
  call.invoked_by = "cloudformation.amazonaws.com";
  EXPECT_TRUE(process->ask<api::CreateVpc>(*service, request, call));
}

}  // namespace
}  // namespace instantstart::sandbox::ec2
