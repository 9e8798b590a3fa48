// The whole way of a request: who may call, what the fault plan does, what is durable when the answer leaves.
#include "sandbox/gateway/gateway.h"

#include <optional>
#include <vector>

#include <boost/asio/bind_cancellation_slot.hpp>

#include "aws/shapes/ec2.h"
#include "aws/shapes/eks.h"
#include "aws/shapes/iam.h"
#include "aws/shapes/s3.h"
#include "aws/shapes/service_quotas.h"
#include "aws/shapes/sts.h"
#include "sandbox/core/testing/world_fixture.h"
#include "sandbox/gateway/testing/sign.h"

namespace instantstart::sandbox {
namespace {

namespace ec2 = aws::ec2;
namespace quotas = aws::service_quotas;

/// Some operations of one service in each protocol.
class Ec2 final : public Service {
 public:
  explicit Ec2(World& world) : Service(ec2::service()), vpcs(world, "test.vpc") {
    on<ec2::CreateVpc>(
        [this, &world](const Call& call, const ec2::CreateVpcRequest& in) -> Reply<ec2::CreateVpcResult> {
          last = call;
          ec2::Vpc vpc{.vpc_id = world.make_id("vpc"), .cidr_block = in.cidr_block};
          vpcs.put(*vpc.vpc_id, vpc);
          return ec2::CreateVpcResult{.vpc = vpc};
        });
    on<ec2::DescribeVpcs>(
        [this](const Call&, const ec2::DescribeVpcsRequest&) -> Reply<ec2::DescribeVpcsResult> {
          ec2::DescribeVpcsResult all{.vpcs = std::vector<ec2::Vpc>()};
          for (const auto& [id, vpc] : vpcs) all.vpcs->push_back(vpc);
          return all;
        });
  }

  Collection<ec2::Vpc> vpcs;
  std::optional<Call> last;
};

class Sts final : public Service {
 public:
  Sts() : Service(aws::sts::service()) {
    on<aws::sts::GetCallerIdentity>(
        [](const Call& call,
           const aws::sts::GetCallerIdentityRequest&) -> Reply<aws::sts::GetCallerIdentityResponse> {
          return aws::sts::GetCallerIdentityResponse{.arn = call.principal_arn};
        });
    on<aws::sts::AssumeRoleWithWebIdentity>(
        [](const Call& call, const aws::sts::AssumeRoleWithWebIdentityRequest&)
            -> Reply<aws::sts::AssumeRoleWithWebIdentityResponse> {
          EXPECT_EQ(call.principal_arn, "");
          return aws::sts::AssumeRoleWithWebIdentityResponse{};
        });
  }
};

template <class Op>
class OneOperation final : public Service {
 public:
  OneOperation() : Service(*Op::info().service) {
    on<Op>([](const Call&, const typename Op::Input&) -> Reply<typename Op::Output> {
      return typename Op::Output{};
    });
  }
};

/// Everything of one process.
struct Parts {
  explicit Parts(World& world)
      : faults(world),
        keys(world),
        ec2(world),
        gateway(world, faults, keys, ServiceTable({&ec2, &sts, &eks, &iam, &s3, &service_quotas}), {}) {}

  FaultPlan faults;
  AccessKeys keys;
  Ec2 ec2;
  Sts sts;
  OneOperation<aws::eks::DescribeCluster> eks;
  OneOperation<aws::iam::GetRole> iam;
  OneOperation<aws::s3::ListBuckets> s3;
  OneOperation<quotas::GetServiceQuota> service_quotas;
  Gateway gateway;
};

struct Answer {
  int status = 0;
  std::string body;
  net::Headers headers;
  bool aborted = false;

  bool has(std::string_view text) const { return body.find(text) != std::string::npos; }
};

class GatewayTest : public WorldFixture {
 protected:
  GatewayTest() { restart(); }
  void restart(store::MemoryHooks hooks = {}) {
    parts.reset();
    start({}, std::move(hooks));
    parts.emplace(process->world());
    EXPECT_TRUE(process->load());
    signer = {
        .access_key_id = parts->keys.root().id, .secret = parts->keys.root().secret, .session_token = {}};
  }

  /// nullopt when no answer came by then.
  std::optional<Answer> send_until(net::Request request, SteadyTime until) {
    std::optional<Answer> answer;
    asio::co_spawn(time.context(), parts->gateway.handle(std::move(request)),
                   [&answer](const std::exception_ptr& broken, net::Response response) {
                     if (broken) std::rethrow_exception(broken);
                     answer = Answer{.status = response.status,
                                     .body = std::get<std::string>(response.body),
                                     .headers = response.headers,
                                     .aborted = response.abort};
                   });
    time.run(until);
    return answer;
  }
  Answer send(net::Request request) {
    auto answer = send_until(std::move(request), SteadyTime::max());
    EXPECT_TRUE(answer);
    return std::move(answer).value_or(Answer{});
  }
  template <class Op>
  Answer call(const typename Op::Input& input = {}) {
    return send(signed_call<Op>(input, signer, time.wall()));
  }
  Answer create_vpc() { return call<ec2::CreateVpc>({.cidr_block = "10.0.0.0/16"}); }
  std::vector<AuditEntry> audit() { return process->run(process->world().audit_after(0, 1000)).value(); }

  std::optional<Parts> parts;
  Signer signer;
};

TEST_F(GatewayTest, ACallIsAnsweredInItsProtocolWithItsRequestId) {
  const Answer answer = create_vpc();
  EXPECT_EQ(answer.status, 200);
  EXPECT_TRUE(answer.has("<CreateVpcResponse"));
  EXPECT_TRUE(answer.has("<cidrBlock>10.0.0.0/16</cidrBlock>"));
  const std::string id(answer.headers.get("x-amzn-RequestId"));
  EXPECT_EQ(id.size(), 36u);
  EXPECT_TRUE(answer.has(id));
  EXPECT_TRUE(answer.headers.get("Content-Type").starts_with("text/xml"));
  ASSERT_EQ(audit().size(), 1u);
  EXPECT_EQ(audit()[0].request_id, id);
}

TEST_F(GatewayTest, TheHandlerKnowsWhoCallsAndFromWhere) {
  signer.region = "eu-central-1";
  create_vpc();
  ASSERT_TRUE(parts->ec2.last);
  EXPECT_EQ(parts->ec2.last->region, "eu-central-1");
  EXPECT_EQ(parts->ec2.last->principal_arn, "arn:aws:iam::123456789012:user/sandbox");
  EXPECT_EQ(parts->ec2.last->endpoint, "http://127.0.0.1:4566");
}

TEST_F(GatewayTest, AMutationIsInTheAuditWithRequestAndResponse) {
  create_vpc();
  call<ec2::DescribeVpcs>();
  const auto rows = audit();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].service, "ec2");
  EXPECT_EQ(rows[0].operation, "CreateVpc");
  EXPECT_TRUE(rows[0].mutating);
  EXPECT_TRUE(rows[0].carried_out());
  EXPECT_EQ(rows[0].request.at("CidrBlock"), "10.0.0.0/16");
  EXPECT_EQ(rows[0].response.at("Vpc").as_object().at("CidrBlock"), "10.0.0.0/16");
  EXPECT_EQ(rows[1].operation, "DescribeVpcs");
  EXPECT_FALSE(rows[1].mutating);
  EXPECT_TRUE(rows[1].response.empty());
}

// -- who is let in

TEST_F(GatewayTest, UnknownKeysAreRefusedInTheWordsOfEachService) {
  signer.access_key_id = "AKIDUNKNOWN";
  const Answer query = call<aws::sts::GetCallerIdentity>();
  EXPECT_EQ(query.status, 403);
  EXPECT_TRUE(query.has("<Code>InvalidClientTokenId</Code>"));
  const Answer ec2_answer = create_vpc();
  EXPECT_EQ(ec2_answer.status, 401);
  EXPECT_TRUE(ec2_answer.has("<Code>AuthFailure</Code>"));
  const Answer json_answer = call<quotas::GetServiceQuota>({.service_code = "a", .quota_code = "b"});
  EXPECT_EQ(json_answer.status, 400);
  EXPECT_TRUE(json_answer.has("\"UnrecognizedClientException\""));
  const Answer rest = call<aws::eks::DescribeCluster>({.name = "a"});
  EXPECT_EQ(rest.status, 403);
  EXPECT_EQ(rest.headers.get("x-amzn-ErrorType"), "UnrecognizedClientException");
  const Answer s3 = call<aws::s3::ListBuckets>();
  EXPECT_EQ(s3.status, 403);
  EXPECT_TRUE(s3.has("<Code>InvalidAccessKeyId</Code>"));
  EXPECT_TRUE(audit().empty());
}

TEST_F(GatewayTest, WrongSecretsAreRefusedInTheWordsOfEachService) {
  signer.secret = "wrong";
  EXPECT_TRUE(call<aws::sts::GetCallerIdentity>().has("<Code>SignatureDoesNotMatch</Code>"));
  EXPECT_TRUE(create_vpc().has("<Code>AuthFailure</Code>"));
  EXPECT_TRUE(call<quotas::GetServiceQuota>({.service_code = "a", .quota_code = "b"})
                  .has("\"InvalidSignatureException\""));
  EXPECT_EQ(call<aws::eks::DescribeCluster>({.name = "a"}).headers.get("x-amzn-ErrorType"),
            "InvalidSignatureException");
  EXPECT_TRUE(call<aws::s3::ListBuckets>().has("<Code>SignatureDoesNotMatch</Code>"));
  EXPECT_EQ(parts->ec2.vpcs.size(), 0u);
}

TEST_F(GatewayTest, LateRequestsAreRefusedSoThatClientsCorrectTheirClock) {
  const auto late = [this](auto tag) {
    using Op = typename decltype(tag)::type;
    return send(signed_call<Op>({}, signer, time.wall() - std::chrono::minutes(20)));
  };
  EXPECT_TRUE(late(std::type_identity<aws::sts::GetCallerIdentity>())
                  .has("<Code>SignatureDoesNotMatch</Code><Message>Signature expired: "));
  EXPECT_TRUE(late(std::type_identity<ec2::DescribeVpcs>()).has("<Code>RequestExpired</Code>"));
  EXPECT_TRUE(late(std::type_identity<aws::s3::ListBuckets>()).has("<Code>RequestTimeTooSkewed</Code>"));
}

TEST_F(GatewayTest, UnsignedRequestsAreRefused) {
  const Answer query = send({.method = "POST", .target = "/?Action=GetCallerIdentity&Version=2011-06-15"});
  EXPECT_EQ(query.status, 403);
  EXPECT_TRUE(query.has("<Code>MissingAuthenticationToken</Code>"));
  const Answer json_answer = send({.method = "POST",
                                   .target = "/",
                                   .headers = {{"X-Amz-Target", "ServiceQuotasV20190624.GetServiceQuota"}}});
  EXPECT_EQ(json_answer.status, 400);
  EXPECT_TRUE(json_answer.has("MissingAuthenticationTokenException"));
  const Answer nothing = send({.method = "GET", .target = "/"});
  EXPECT_EQ(nothing.status, 403);
}

TEST_F(GatewayTest, WhatTheModelCallsUnsignedIsLetIn) {
  const Answer answer = send({.method = "POST",
                              .target = "/?Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=arn%"
                                        "3Aaws%3Aiam%3A%3A123456789012%3Arole%2Fa"
                                        "&RoleSessionName=ab&WebIdentityToken=abcd"});
  EXPECT_EQ(answer.status, 200);
}

TEST_F(GatewayTest, SessionsNeedTheirTokenAndEnd) {
  const AccessKey session =
      parts->keys.make_session({.principal_arn = "arn:aws:sts::123456789012:assumed-role/a/b",
                                .principal_id = "AROA:b",
                                .role_arn = ""},
                               seconds(900));
  signer = {.access_key_id = session.id, .secret = session.secret, .session_token = *session.session_token};
  EXPECT_TRUE(call<aws::sts::GetCallerIdentity>().has("assumed-role/a/b"));
  signer.session_token = "another";
  EXPECT_TRUE(call<aws::sts::GetCallerIdentity>().has("<Code>InvalidClientTokenId</Code>"));
  signer.session_token.clear();
  EXPECT_TRUE(call<aws::sts::GetCallerIdentity>().has("<Code>InvalidClientTokenId</Code>"));

  signer.session_token = *session.session_token;
  time.shift_wall(seconds(900));
  const Answer query = call<aws::sts::GetCallerIdentity>();
  EXPECT_EQ(query.status, 403);
  EXPECT_TRUE(query.has("<Code>ExpiredToken</Code>"));
  EXPECT_TRUE(create_vpc().has("<Code>RequestExpired</Code>"));
  EXPECT_TRUE(call<quotas::GetServiceQuota>({.service_code = "a", .quota_code = "b"})
                  .has("\"ExpiredTokenException\""));
  EXPECT_EQ(call<aws::eks::DescribeCluster>({.name = "a"}).headers.get("x-amzn-ErrorType"),
            "ExpiredTokenException");
  EXPECT_TRUE(call<aws::s3::ListBuckets>().has("<Code>ExpiredToken</Code>"));
}

TEST_F(GatewayTest, AUsersKeyTakesNoToken) {
  signer.session_token = "surplus";
  EXPECT_TRUE(call<aws::sts::GetCallerIdentity>().has("<Code>InvalidClientTokenId</Code>"));
}

TEST_F(GatewayTest, IamTakesSignaturesForAnyRegion) {
  signer.region = "ap-south-1";
  EXPECT_EQ(call<aws::iam::GetRole>({.role_name = "a"}).status, 200);
}

TEST_F(GatewayTest, ServicesThatAreNotSimulatedSaySo) {
  net::Request request{.method = "POST",
                       .target = "/",
                       .headers = {{"X-Amz-Target", "DynamoDB_20120810.ListTables"}},
                       .body = "{}"};
  const Answer answer = send(sign(std::move(request), "dynamodb", signer, time.wall()));
  EXPECT_EQ(answer.status, 400);
  EXPECT_TRUE(answer.has("UnknownOperationException"));
  EXPECT_TRUE(answer.has("'dynamodb'"));
}

TEST_F(GatewayTest, WhatCannotBeReadIsRefusedAsTheServiceWould) {
  net::Request broken{.method = "POST",
                      .target = "/",
                      .headers = {{"X-Amz-Target", "ServiceQuotasV20190624.GetServiceQuota"}},
                      .body = "{"};
  EXPECT_TRUE(
      send(sign(std::move(broken), "servicequotas", signer, time.wall())).has("SerializationException"));
  net::Request unknown{.method = "POST", .target = "/?Action=NoSuchThing&Version=2016-11-15"};
  EXPECT_TRUE(send(sign(std::move(unknown), "ec2", signer, time.wall())).has("<Code>InvalidAction</Code>"));
  net::Request path{.method = "GET", .target = "/nowhere"};
  EXPECT_EQ(send(sign(std::move(path), "eks", signer, time.wall())).status, 404);
}

// -- what the fault plan does

FaultRule rule(FaultKind kind, std::string operation = "CreateVpc") {
  return {.service = "ec2", .operation = std::move(operation), .kind = kind};
}

TEST_F(GatewayTest, PlannedErrorsAreAnsweredAndNothingIsDone) {
  auto error = rule(FaultKind::error);
  error.code = "VpcLimitExceeded";
  error.message = "The maximum number of VPCs has been reached.";
  struct Case {
    FaultRule rule;
    int status;
    std::string code;
  };
  const std::vector<Case> cases{{error, 400, "VpcLimitExceeded"},
                                {rule(FaultKind::throttle), 503, "RequestLimitExceeded"},
                                {rule(FaultKind::server_error), 500, "InternalError"},
                                {rule(FaultKind::expired_credentials), 400, "RequestExpired"},
                                {rule(FaultKind::access_denied), 403, "UnauthorizedOperation"}};
  for (const auto& planned : cases) {
    SCOPED_TRACE(planned.code);
    parts->faults.replace({planned.rule});
    const Answer answer = create_vpc();
    EXPECT_EQ(answer.status, planned.status);
    EXPECT_TRUE(answer.has("<Code>" + planned.code + "</Code>"));
    EXPECT_EQ(audit().back().error_code, planned.code);
    EXPECT_EQ(audit().back().fault, fault_kind_name(planned.rule.kind));
  }
  EXPECT_EQ(parts->ec2.vpcs.size(), 0u);
  EXPECT_EQ(create_vpc().status, 200);
}

TEST_F(GatewayTest, ThrottlingIsSpelledAsTheServiceDoes) {
  const auto throttle = [this](std::string service) {
    parts->faults.replace({{.service = std::move(service), .operation = "*", .kind = FaultKind::throttle}});
  };
  throttle("sts");
  EXPECT_TRUE(call<aws::sts::GetCallerIdentity>().has("<Code>Throttling</Code>"));
  throttle("service-quotas");
  EXPECT_TRUE(call<quotas::GetServiceQuota>({.service_code = "a", .quota_code = "b"})
                  .has("TooManyRequestsException"));
  throttle("s3");
  const Answer slow_down = call<aws::s3::ListBuckets>();
  EXPECT_EQ(slow_down.status, 503);
  EXPECT_TRUE(slow_down.has("<Code>SlowDown</Code>"));
}

TEST_F(GatewayTest, ADroppedRequestIsNotCarriedOut) {
  parts->faults.replace({rule(FaultKind::drop_request)});
  EXPECT_TRUE(create_vpc().aborted);
  EXPECT_EQ(parts->ec2.vpcs.size(), 0u);
  ASSERT_EQ(audit().size(), 1u);
  EXPECT_FALSE(audit()[0].carried_out());
  EXPECT_EQ(audit()[0].fault, "drop_request");
}

TEST_F(GatewayTest, ADroppedReplyIsCarriedOutAndDurable) {
  parts->faults.replace({rule(FaultKind::drop_reply)});
  EXPECT_TRUE(create_vpc().aborted);
  ASSERT_EQ(audit().size(), 1u);
  EXPECT_TRUE(audit()[0].carried_out());
  restart();
  EXPECT_EQ(parts->ec2.vpcs.size(), 1u);
}

TEST_F(GatewayTest, ALateReplyIsCarriedOutAtOnce) {
  auto late = rule(FaultKind::late_reply);
  late.delay_ms = 30'000;
  parts->faults.replace({late});
  const auto before = time.steady();
  EXPECT_FALSE(send_until(signed_call<ec2::CreateVpc>({.cidr_block = "10.0.0.0/16"}, signer, time.wall()),
                          before + seconds(29)));
  EXPECT_EQ(parts->ec2.vpcs.size(), 1u);
  parts->gateway.hurry();
  time.run(before + seconds(29));
}

TEST_F(GatewayTest, ASlowCallIsCarriedOutAfterItsDelay) {
  auto slow = rule(FaultKind::slow);
  slow.delay_ms = 30'000;
  parts->faults.replace({slow});
  const auto before = time.steady();
  const Answer answer = create_vpc();
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(time.steady() - before, seconds(30));
}

TEST_F(GatewayTest, AResourceFailureIsHandedToTheService) {
  auto failure = rule(FaultKind::resource_failure);
  failure.code = "InsufficientInstanceCapacity";
  parts->faults.replace({failure});
  EXPECT_EQ(create_vpc().status, 200);
  ASSERT_TRUE(parts->ec2.last->fails_later);
  EXPECT_EQ(parts->ec2.last->fails_later->code, "InsufficientInstanceCapacity");
  EXPECT_EQ(create_vpc().status, 200);
  EXPECT_FALSE(parts->ec2.last->fails_later);
}

// -- what is durable when

TEST_F(GatewayTest, NoAnswerLeavesBeforeTheCommit) {
  restart(
      {.before_commit = [](std::uint64_t n) { return n == 2 ? store::Fate::crash : store::Fate::goes_on; },
       .after_commit = {}});
  EXPECT_FALSE(send_until(signed_call<ec2::CreateVpc>({.cidr_block = "10.0.0.0/16"}, signer, time.wall()),
                          SteadyTime::max()));
  restart();
  EXPECT_EQ(parts->ec2.vpcs.size(), 0u);
  EXPECT_TRUE(audit().empty());
}

TEST_F(GatewayTest, ACallerWhoGoesAwayChangesNothing) {
  asio::cancellation_signal leave;
  auto slow = rule(FaultKind::slow);
  slow.delay_ms = 5'000;
  parts->faults.replace({slow});
  bool ended = false;
  asio::co_spawn(
      time.context(),
      parts->gateway.handle(signed_call<ec2::CreateVpc>({.cidr_block = "10.0.0.0/16"}, signer, time.wall())),
      asio::bind_cancellation_slot(leave.slot(),
                                   [&](const std::exception_ptr&, const net::Response&) { ended = true; }));
  time.run_for(seconds(1));
  leave.emit(asio::cancellation_type::terminal);
  time.run_for(seconds(10));
  EXPECT_TRUE(ended);
  ASSERT_EQ(audit().size(), 1u);
  EXPECT_TRUE(audit()[0].carried_out());
  restart();
  EXPECT_EQ(parts->ec2.vpcs.size(), 1u);
}

}  // namespace
}  // namespace instantstart::sandbox
