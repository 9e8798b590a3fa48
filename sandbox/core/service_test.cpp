#include "sandbox/core/service.h"

#include <fmt/format.h>

#include "aws/shapes/ec2.h"
#include "aws/shapes/eks.h"
#include "aws/shapes/iam.h"
#include "sandbox/core/testing/world_fixture.h"

namespace instantstart::sandbox {
namespace {

namespace ec2 = aws::ec2;
namespace iam = aws::iam;

class VpcService final : public Service {
 public:
  VpcService() : Service(ec2::service()) {
    on<ec2::DeleteVpc>([this](const Call& call, const ec2::DeleteVpcRequest& in) -> Reply<aws::Empty> {
      if (*in.vpc_id == "vpc-1") {
        deleted_in = call.region;
        return {};
      }
      return fault("InvalidVpcID.NotFound", fmt::format("The vpc ID '{}' does not exist", *in.vpc_id));
    });
    on_reading<ec2::DescribeVpcs>(
        [](Call call, const ec2::DescribeVpcsRequest& in) -> asio::awaitable<Reply<ec2::DescribeVpcsResult>> {
          if (in.max_results) co_return fault("Never", "of its own");
          co_return ec2::DescribeVpcsResult{.next_token = call.region};
        });
  }
  template <class Op>
  void add_again() {
    on<Op>([](const Call&, const typename Op::Input&) -> Reply<typename Op::Output> { return {}; });
  }

  std::string deleted_in;
};

class RoleService final : public Service {
 public:
  RoleService() : Service(iam::service()) {
    on<iam::GetRole>(
        [](const Call&, const iam::GetRoleRequest&) -> Reply<iam::GetRoleResponse> { return {}; });
  }
};

class ServiceTest : public WorldFixture {
 protected:
  ServiceTest() { EXPECT_TRUE(start().load()); }
};

TEST_F(ServiceTest, AHandlerGetsItsInputAndTheCall) {
  VpcService service;
  EXPECT_TRUE(process->ask<ec2::DeleteVpc>(service, {.vpc_id = "vpc-1"}, {.region = "eu-west-1"}));
  EXPECT_EQ(service.deleted_in, "eu-west-1");
  const auto refused = process->ask<ec2::DeleteVpc>(service, {.vpc_id = "vpc-2"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "InvalidVpcID.NotFound");
}

TEST_F(ServiceTest, AHandlerThatWaitsAnswersToo) {
  VpcService service;
  const auto answer = process->ask<ec2::DescribeVpcs>(service, {}, {.region = "eu-west-1"});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->next_token, "eu-west-1");
}

TEST_F(ServiceTest, OperationsWithoutAHandlerAreAnsweredAsUnknown) {
  VpcService service;
  EXPECT_TRUE(service.serves("DeleteVpc"));
  EXPECT_FALSE(service.serves("CreateVpc"));
  const auto refused = process->ask<ec2::CreateVpc>(service, {.cidr_block = "10.0.0.0/16"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "InvalidAction");
}

TEST_F(ServiceTest, Ec2NamesTheMissingParameter) {
  VpcService service;
  const auto refused = process->ask<ec2::DeleteVpc>(service, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "MissingParameter");
  EXPECT_EQ(refused.error().message, "The request must contain the parameter VpcId");
  const auto range = process->ask<ec2::DescribeVpcs>(service, {.max_results = 1});
  ASSERT_FALSE(range);
  EXPECT_EQ(range.error().code, "InvalidParameterValue");
}

TEST_F(ServiceTest, QueryServicesCountTheConstraints) {
  RoleService service;
  const auto refused = process->ask<iam::GetRole>(service, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "ValidationError");
  EXPECT_EQ(refused.error().message,
            "1 validation error detected: Value null at 'RoleName' failed to satisfy constraint: Member must "
            "not be null");
}

TEST_F(ServiceTest, AHandlerTooManyOrOfAnotherServiceIsAMistake) {
  VpcService service;
  EXPECT_THROW(service.add_again<ec2::DeleteVpc>(), std::logic_error);
  EXPECT_THROW(service.add_again<iam::GetRole>(), std::logic_error);
}

}  // namespace
}  // namespace instantstart::sandbox
