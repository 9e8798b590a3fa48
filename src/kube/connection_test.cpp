#include "kube/connection.h"

#include "base/error_codes.h"
#include "kube/testing/kube_fixture.h"

namespace instantstart::kube {
namespace {

using KubeConnection = KubeFixture;

ApiRequest change() { return {.method = "POST", .path = "/api/v1/namespaces", .body = "{}"}; }

TEST_F(KubeConnection, SendsTokenAuthorityAndQueryBelowTheBasePath) {
  connection = connect(api, time, random, "https://127.0.0.1:6443/clusters/x/");
  api.then(reply(200, "{}"));
  ASSERT_TRUE(run(connection->send({.path = "/api/v1/nodes", .query = {{"labelSelector", "a=b,c in (d)"}}},
                                   net::Deadline::never())));
  const auto& sent = api.seen().at(0);
  EXPECT_EQ(sent.request.url,
            "https://127.0.0.1:6443/clusters/x/api/v1/nodes?labelSelector=a%3Db%2Cc%20in%20%28d%29");
  EXPECT_EQ(sent.header("Authorization"), "Bearer made-up");
  EXPECT_EQ(sent.request.ca_bundle_pem, "the authority");
}

TEST_F(KubeConnection, OnlyHttpsAddressesAreTaken) {
  for (const auto* url : {"http://a", "https://", "https:///x", "a.example", "https://u@a", "https://a/?x",
                          "https://a#f", "https://a b"}) {
    const auto made = Connection::make({.url = url}, static_token(Secret("t")), api, time, random, Log());
    ASSERT_FALSE(made) << url;
    EXPECT_EQ(made.error().code, codes::invalid_request) << url;
  }
}

TEST_F(KubeConnection, ALostChangeIsNotSentAgain) {
  api.then(lost());
  const auto answer = run(connection->send(change(), net::Deadline::never()));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, codes::unknown_outcome);
  EXPECT_EQ(api.seen().size(), 1U);
  EXPECT_FALSE(api.seen()[0].request.idempotent);
}

TEST_F(KubeConnection, AnAnswerThatCannotBeTakenIsAnErrorOfAReadAndUnknownOfAChange) {
  Error large{.code = std::string(codes::upstream_error), .message = "larger than allowed"};
  large.detail["sent"] = true;
  api.then({.error = large}).then({.error = large});
  EXPECT_EQ(run(connection->send({.path = "/api"}, net::Deadline::never())).error().code,
            codes::upstream_error);
  EXPECT_EQ(run(connection->send(change(), net::Deadline::never())).error().code, codes::unknown_outcome);
}

TEST_F(KubeConnection, AChangeThatProvablyDidNotRunIsSentAgain) {
  api.then(refused_connection()).then(status_reply(429, "TooManyRequests")).then(reply(201, "{}"));
  const auto answer = run(connection->send(change(), net::Deadline::never()));
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->status, 201);
}

TEST_F(KubeConnection, AReadIsSentAgainAndAtLastUnavailable) {
  for (int i = 0; i < k_max_attempts; ++i) api.then(lost());
  const auto answer = run(connection->send({.path = "/api"}, net::Deadline::never()));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, codes::unavailable);
  EXPECT_TRUE(api.complete());
}

TEST_F(KubeConnection, AnUnansweredHarmlessChangeIsUnknownAfterItsLastAttempt) {
  ApiRequest request = change();
  request.repeat_is_harmless = true;
  api.then(lost());
  for (int i = 1; i < k_max_attempts; ++i) api.then(refused_connection());
  const auto answer = run(connection->send(request, net::Deadline::never()));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, codes::unknown_outcome);
}

TEST_F(KubeConnection, RetryAfterIsWaitedFor) {
  Reply busy = status_reply(429, "TooManyRequests");
  busy.headers.add("Retry-After", "4");
  api.then(busy).then(reply(200, "{}"));
  ASSERT_TRUE(run(connection->send({.path = "/api"}, net::Deadline::never())));
  EXPECT_EQ(api.seen()[1].at - api.seen()[0].at, seconds(4));
}

TEST_F(KubeConnection, ARepeatPastTheDeadlineIsNotWaitedFor) {
  Reply busy = status_reply(429, "TooManyRequests");
  busy.headers.add("Retry-After", "4");
  api.then(busy);
  const auto answer = run(connection->send({.path = "/api"}, in(seconds(3))));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, codes::rate_limited);
  EXPECT_EQ(answer.error().retry_after, seconds(4));
}

/// Counts, and gives a new token after each refusal.
class CountedTokens final : public TokenSource {
 public:
  Task<Secret> token(net::Deadline) override { co_return Secret("token-" + std::to_string(refusals)); }
  void refused(const Secret&) override { ++refusals; }
  int refusals = 0;
};

TEST_F(KubeConnection, ARefusedTokenIsRenewedOnce) {
  connection =
      Connection::make({.url = "https://a"}, std::make_unique<CountedTokens>(), api, time, random, Log())
          .value();
  api.then(status_reply(401, "Unauthorized")).then(status_reply(401, "Unauthorized"));
  const auto answer = run(connection->send(change(), net::Deadline::never()));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, codes::credentials_invalid);
  ASSERT_EQ(api.seen().size(), 2U);
  EXPECT_EQ(api.seen()[0].header("Authorization"), "Bearer token-0");
  EXPECT_EQ(api.seen()[1].header("Authorization"), "Bearer token-1");
}

TEST_F(KubeConnection, AStreamIsRefusedLikeAnAnswer) {
  api.then(status_reply(404, "NotFound", "no pod"));
  const auto opened = run(connection->open({.path = "/x"}, net::Deadline::never()));
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, codes::not_found);
  EXPECT_EQ(opened.error().message, "no pod");
  EXPECT_EQ(api.open_streams(), 0);
}

TEST_F(KubeConnection, ARefusalWhoseBodyNeverComesStillEnds) {
  Reply stalled{.status = 404, .end = BodyEnd::open};
  api.then(stalled);
  const auto opened = run(connection->open({.path = "/x"}, net::Deadline::never()));
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, codes::not_found);
}

TEST(KubeWarnings, TextsOfWarningHeaders) {
  net::Headers headers{
      {"Warning", "299 - \"a \\\"quoted\\\" one\", 299 - \"b\""}, {"warning", "299 - \"c\""}, {"X", "\"d\""}};
  EXPECT_EQ(warnings_of(headers), (std::vector<std::string>{"a \"quoted\" one", "b", "c"}));
}

}  // namespace
}  // namespace instantstart::kube
