#include "sandbox/core/internal_calls.h"

#include "aws/shapes/ec2.h"
#include "aws/shapes/iam.h"
#include "sandbox/core/testing/world_fixture.h"

namespace instantstart::sandbox {
namespace {

namespace ec2 = aws::ec2;

class VpcService final : public Service {
 public:
  VpcService() : Service(ec2::service()) {
    on<ec2::DeleteVpc>([this](const Call& call, const ec2::DeleteVpcRequest&) -> Reply<aws::Empty> {
      last = call;
      return {};
    });
    on_reading<ec2::DescribeVpcs>(
        [](Call, const ec2::DescribeVpcsRequest&) -> asio::awaitable<Reply<ec2::DescribeVpcsResult>> {
          co_return ec2::DescribeVpcsResult{};
        });
  }
  Call last;
};

class InternalCallsTest : public WorldFixture {
 protected:
  InternalCallsTest() {
    start();
    faults.emplace(process->world());
    EXPECT_TRUE(process->load());
    calls.emplace(process->world(), *faults);
    calls->add(service);
  }
  Reply<aws::Empty> remove() { return calls->call<ec2::DeleteVpc>(by_cloudformation(), {.vpc_id = "vpc-1"}); }
  static Call by_cloudformation() {
    return {.region = "us-west-2",
            .principal_arn = "arn:aws:iam::123456789012:user/made-up",
            .invoked_by = "cloudformation.amazonaws.com"};
  }
  std::vector<AuditEntry> audit() {
    EXPECT_TRUE(process->run(process->world().flush()));
    return process->run(process->world().audit_after(0, 100)).value();
  }

  VpcService service;
  std::optional<FaultPlan> faults;
  std::optional<InternalCalls> calls;
};

TEST_F(InternalCallsTest, ReachTheServiceAndTheAuditWithTheNameOfTheCaller) {
  ASSERT_TRUE(remove());
  EXPECT_EQ(service.last.region, "us-west-2");
  EXPECT_FALSE(service.last.request_id.empty());
  const auto rows = audit();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].operation, "DeleteVpc");
  EXPECT_TRUE(rows[0].mutating);
  EXPECT_EQ(rows[0].invoked_by, "cloudformation.amazonaws.com");
  EXPECT_EQ(rows[0].request_id, service.last.request_id);
}

TEST_F(InternalCallsTest, ARuleForClientsLeavesThemAlone) {
  faults->replace({{.service = "ec2", .operation = "*", .kind = FaultKind::throttle}});
  EXPECT_TRUE(remove());
  EXPECT_EQ(faults->rules().size(), 1u);
}

TEST_F(InternalCallsTest, ARuleForThemMakesThemFailWithItsCode) {
  faults->replace({{.service = "ec2",
                    .operation = "DeleteVpc",
                    .kind = FaultKind::error,
                    .code = "DependencyViolation",
                    .message = "in use",
                    .invoked_by = "cloudformation.amazonaws.com"}});
  EXPECT_FALSE(faults->hit("ec2", "DeleteVpc", {}));
  const auto refused = remove();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "DependencyViolation");
  EXPECT_EQ(refused.error().message, "in use");
  EXPECT_EQ(audit().at(0).error_code, "DependencyViolation");
  EXPECT_TRUE(remove());
}

TEST_F(InternalCallsTest, WhatTheyMakeCanFailLater) {
  faults->replace({{.service = "ec2",
                    .operation = "DeleteVpc",
                    .kind = FaultKind::resource_failure,
                    .code = "Stuck",
                    .invoked_by = "cloudformation.amazonaws.com"}});
  ASSERT_TRUE(remove());
  ASSERT_TRUE(service.last.fails_later);
  EXPECT_EQ(service.last.fails_later->code, "Stuck");
}

TEST_F(InternalCallsTest, OthersThanTheSimulatedAreFaultsOfTheProgram) {
  EXPECT_THROW((void)calls->call<ec2::DescribeVpcs>(by_cloudformation(), {}), std::logic_error);
  EXPECT_THROW((void)calls->call<aws::iam::GetRole>(by_cloudformation(), {.role_name = "r"}),
               std::logic_error);
  EXPECT_THROW(calls->add(service), std::logic_error);
}

}  // namespace
}  // namespace instantstart::sandbox
