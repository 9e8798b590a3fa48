// A simulated EC2 in virtual time, with short forms of what tests do all the time.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sandbox/core/testing/world_fixture.h"
#include "sandbox/services/ec2/ec2.h"

namespace instantstart::sandbox::ec2 {

namespace api = aws::ec2;

class Ec2Fixture : public WorldFixture {
 protected:
  void SetUp() override { restart(); }
  void TearDown() override { service.reset(); }

  /// Ends the process and starts it again on what it had written.
  void restart() {
    service.reset();
    start();
    service = std::make_unique<Ec2>(process->world(), [this](std::string_view) { return limits; });
    ASSERT_TRUE(process->load());
    process->start_timers();
  }

  template <class Op>
  Reply<typename Op::Output> ask(const typename Op::Input& input, const std::string& region = "us-west-2") {
    return process->ask<Op>(*service, input, Call{.region = region, .request_id = "r"});
  }
  /// The answer, which must be one.
  template <class Op>
  typename Op::Output get(const typename Op::Input& input, const std::string& region = "us-west-2") {
    auto reply = ask<Op>(input, region);
    if (reply) return std::move(*reply);
    ADD_FAILURE() << reply.error().code << ": " << reply.error().message;
    return {};
  }
  /// The code of the refusal; "" when there is none.
  template <class Op>
  std::string code(const typename Op::Input& input, const std::string& region = "us-west-2") {
    const auto reply = ask<Op>(input, region);
    return reply ? "" : reply.error().code;
  }

  std::string make_vpc(const std::string& block = "10.0.0.0/16") {
    return get<api::CreateVpc>({.cidr_block = block}).vpc->vpc_id.value();
  }
  std::string make_subnet(const std::string& vpc, const std::string& block,
                          const std::string& zone = "us-west-2a") {
    return get<api::CreateSubnet>({.availability_zone = zone, .cidr_block = block, .vpc_id = vpc})
        .subnet->subnet_id.value();
  }
  std::string attach_new_gateway(const std::string& vpc) {
    const auto id = get<api::CreateInternetGateway>({}).internet_gateway->internet_gateway_id.value();
    get<api::AttachInternetGateway>({.internet_gateway_id = id, .vpc_id = vpc});
    return id;
  }
  std::string make_address() { return get<api::AllocateAddress>({.domain = "vpc"}).allocation_id.value(); }
  std::string make_nat(const std::string& subnet, const std::string& address) {
    return get<api::CreateNatGateway>({.allocation_id = address, .subnet_id = subnet})
        .nat_gateway->nat_gateway_id.value();
  }
  api::NatGateway nat(const std::string& id) {
    return get<api::DescribeNatGateways>({.nat_gateway_ids = {{id}}}).nat_gateways->at(0);
  }
  api::Subnet subnet(const std::string& id) {
    return get<api::DescribeSubnets>({.subnet_ids = {{id}}}).subnets->at(0);
  }
  api::RouteTable table(const std::string& id) {
    return get<api::DescribeRouteTables>({.route_table_ids = {{id}}}).route_tables->at(0);
  }
  std::string main_table(const std::string& vpc) {
    return get<api::DescribeRouteTables>({.filters = {{{.name = "vpc-id", .values = {{vpc}}},
                                                       {.name = "association.main", .values = {{"true"}}}}}})
        .route_tables->at(0)
        .route_table_id.value();
  }
  static std::vector<api::TagSpecification> tagged(const std::string& type, const std::string& key,
                                                   const std::string& value) {
    return {{.resource_type = type, .tags = {{{.key = key, .value = value}}}}};
  }

  Limits limits;
  std::unique_ptr<Ec2> service;
};

}  // namespace instantstart::sandbox::ec2
