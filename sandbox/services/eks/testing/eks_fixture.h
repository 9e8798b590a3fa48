// A simulated EKS in virtual time, with the IAM and EC2 that it stands on.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sandbox/core/testing/world_fixture.h"
#include "sandbox/services/ec2/ec2.h"
#include "sandbox/services/eks/eks.h"
#include "sandbox/services/eks/testing/fake_control_planes.h"
#include "sandbox/services/iam/iam.h"

namespace instantstart::sandbox::eks {

namespace api = aws::eks;

class EksFixture : public WorldFixture {
 protected:
  void SetUp() override {
    restart();
    role = make_role("cluster", "eks.amazonaws.com");
    vpc = make_vpc("10.0.0.0/16");
    subnets = {make_subnet(vpc, "10.0.1.0/24", "us-west-2a"), make_subnet(vpc, "10.0.2.0/24", "us-west-2b")};
  }
  void TearDown() override { end(); }

  void end() {
    service.reset();
    ec2.reset();
    iam.reset();
  }
  /// Ends the process and starts it again on what it had written.
  void restart() {
    end();
    start();
    iam = std::make_unique<iam::Iam>(process->world());
    ec2 = std::make_unique<ec2::Ec2>(process->world());
    service = std::make_unique<Eks>(process->world(), *iam, ec2->network(), host,
                                    [this](std::string_view) { return limits; });
    ASSERT_TRUE(process->load());
    process->start_timers();
  }

  Call call(const std::string& region = "us-west-2") const {
    return {.region = region,
            .principal_arn = caller,
            .principal_id = {},
            .access_key_id = {},
            .request_id = "r",
            .endpoint = {},
            .fails_later = failure};
  }
  template <class Op>
  Reply<typename Op::Output> ask(const typename Op::Input& input, const std::string& region = "us-west-2") {
    return process->ask<Op>(*service, input, call(region));
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
  std::string code(const typename Op::Input& input) {
    const auto reply = ask<Op>(input);
    return reply ? "" : reply.error().code;
  }
  template <class Op>
  std::string message(const typename Op::Input& input) {
    const auto reply = ask<Op>(input);
    return reply ? "" : reply.error().message;
  }

  static std::string trust(const std::string& principal) {
    return R"({"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"Service":")" + principal +
           R"("},"Action":"sts:AssumeRole"}]})";
  }
  std::string make_role(const std::string& name, const std::string& principal,
                        const std::string& path = "/") {
    return *process
                ->ask<aws::iam::CreateRole>(
                    *iam, {.path = path, .role_name = name, .assume_role_policy_document = trust(principal)})
                .value()
                .role->arn;
  }
  std::string make_vpc(const std::string& block) {
    return *process->ask<aws::ec2::CreateVpc>(*ec2, {.cidr_block = block}).value().vpc->vpc_id;
  }
  std::string make_subnet(const std::string& in_vpc, const std::string& block, const std::string& zone) {
    return *process
                ->ask<aws::ec2::CreateSubnet>(
                    *ec2, {.availability_zone = zone, .cidr_block = block, .vpc_id = in_vpc})
                .value()
                .subnet->subnet_id;
  }

  api::CreateClusterRequest request(const std::string& name = "demo") const {
    return {.name = name,
            .role_arn = role,
            .resources_vpc_config = api::VpcConfigRequest{.subnet_ids = subnets},
            .access_config = api::CreateAccessConfigRequest{.authentication_mode = "API_AND_CONFIG_MAP"}};
  }
  api::Cluster cluster(const std::string& name = "demo") {
    return get<api::DescribeCluster>({.name = name}).cluster.value_or(api::Cluster{});
  }
  void make_active(const std::string& name = "demo") {
    get<api::CreateCluster>(request(name));
    process->pass(std::chrono::minutes(10));
    ASSERT_EQ(cluster(name).status, "ACTIVE");
  }
  std::string cluster_id(const std::string& name = "demo") const {
    return service->find_cluster("us-west-2", name).value().id;
  }

  FakeControlPlanes host;
  Limits limits;
  std::string caller = "arn:aws:iam::123456789012:user/sandbox";
  std::optional<PlannedFailure> failure;
  std::string role;
  std::string vpc;
  std::vector<std::string> subnets;
  std::unique_ptr<iam::Iam> iam;
  std::unique_ptr<ec2::Ec2> ec2;
  std::unique_ptr<Eks> service;
};

}  // namespace instantstart::sandbox::eks
