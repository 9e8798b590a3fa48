// The composition: what one simulated service knows of another, through the front door.
#include "sandbox/app/cloud.h"

#include <optional>

#include "aws/shapes/ec2.h"
#include "aws/shapes/iam.h"
#include "aws/shapes/sts.h"
#include "sandbox/app/ec2_limits.h"
#include "sandbox/core/testing/world_fixture.h"
#include "sandbox/gateway/testing/sign.h"

namespace instantstart::sandbox {
namespace {

constexpr auto k_trust =
    R"({"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"AWS":"123456789012"},"Action":"sts:AssumeRole"}]})";

class CloudTest : public testing::Test {
 protected:
  CloudTest() {
    EXPECT_TRUE(run(cloud.start()));
    signer = {.access_key_id = cloud.root_key().id, .secret = cloud.root_key().secret, .session_token = {}};
  }
  ~CloudTest() override {
    asio::co_spawn(time.context(), cloud.stop(), [](const std::exception_ptr&) {});
    time.run();
  }

  template <class T>
  Result<T> run(Task<T> task) {
    std::optional<Result<T>> outcome;
    asio::co_spawn(time.context(), std::move(task),
                   [&outcome](const std::exception_ptr&, Result<T> value) { outcome = std::move(value); });
    time.run_until([&outcome] { return outcome.has_value(); });
    return outcome.value();
  }
  net::Response send(net::Request request) {
    std::optional<net::Response> answer;
    asio::co_spawn(
        time.context(), cloud.handle(std::move(request)),
        [&answer](const std::exception_ptr&, net::Response response) { answer = std::move(response); });
    time.run_until([&answer] { return answer.has_value(); });
    return std::move(answer).value();
  }
  template <class Op>
  std::string call(const typename Op::Input& input) {
    return std::get<std::string>(send(signed_call<Op>(input, signer, time.wall())).body);
  }
  int control(std::string method, std::string name, std::string body) {
    net::Request request{.method = std::move(method),
                         .target = "/_sandbox/" + name,
                         .headers = {{"Host", "127.0.0.1"}, {"Content-Type", "application/json"}},
                         .body = std::move(body)};
    request.peer.loopback = true;
    return send(std::move(request)).status;
  }

  net::VirtualTime time;
  store::MemoryStore store;
  store::MemoryDatabase database{store};
  SeededRandom random{7};
  std::unique_ptr<Cloud> made = Cloud::make({.executor = time.context().get_executor(),
                                             .time = time,
                                             .random = random,
                                             .log = {},
                                             .database = database},
                                            {}, {.url = "https://127.0.0.1:1", .authority_pem = "made-up"})
                                    .value();
  Cloud& cloud = *made;
  Signer signer;
};

TEST_F(CloudTest, ARoleOfIamCanBeAssumedAtSts) {
  EXPECT_NE(
      call<aws::sts::AssumeRole>({.role_arn = "arn:aws:iam::123456789012:role/a", .role_session_name = "one"})
          .find("<Code>AccessDenied</Code>"),
      std::string::npos);
  call<aws::iam::CreateRole>({.role_name = "a", .assume_role_policy_document = k_trust});
  EXPECT_NE(
      call<aws::sts::AssumeRole>({.role_arn = "arn:aws:iam::123456789012:role/a", .role_session_name = "one"})
          .find("assumed-role/a/one"),
      std::string::npos);
}

TEST_F(CloudTest, Ec2EnforcesWhatServiceQuotasSays) {
  const auto create = [this] { return call<aws::ec2::CreateVpc>({.cidr_block = "10.0.0.0/16"}); };
  EXPECT_NE(create().find("<vpcId>"), std::string::npos);
  EXPECT_EQ(control("PUT", "quotas",
                    R"({"region":"us-west-2","service_code":"vpc","quota_code":"L-F678F1CE","value":2})"),
            200);
  EXPECT_NE(create().find("<Code>VpcLimitExceeded</Code>"), std::string::npos);
  EXPECT_EQ(control("PUT", "quotas",
                    R"({"region":"us-west-2","service_code":"vpc","quota_code":"L-00000000","value":2})"),
            404);
}

TEST_F(CloudTest, AResetLeavesAnAccountThatWorks) {
  call<aws::iam::CreateRole>({.role_name = "a", .assume_role_policy_document = k_trust});
  EXPECT_EQ(control("POST", "reset", ""), 200);
  EXPECT_NE(call<aws::iam::GetRole>({.role_name = "a"}).find("<Code>NoSuchEntity</Code>"), std::string::npos);
  EXPECT_NE(call<aws::ec2::DescribeVpcs>({}).find("<isDefault>true</isDefault>"), std::string::npos);
}

TEST(Ec2LimitsTest, EveryLimitHasItsQuota) {
  net::VirtualTime time;
  store::MemoryStore store;
  store::MemoryDatabase database(store);
  SeededRandom random(1);
  World world(database, time, random, {}, {});
  const Quotas quotas(world);
  const ec2::Limits limits = ec2_limits(quotas, "us-west-2");
  EXPECT_EQ(limits.vpcs_per_region, 20u);
  EXPECT_EQ(limits.addresses_per_region, 20u);
  EXPECT_EQ(limits.interface_endpoints_per_vpc, 50u);
}

}  // namespace
}  // namespace instantstart::sandbox
