#include "kube/streams.h"
#include "base/error_codes.h"
#include "kube/logs.h"
#include "kube/service_proxy.h"
#include "kube/testing/kube_fixture.h"

namespace instantstart::kube {
namespace {

class KubeStreams : public KubeFixture {
 protected:
  const net::Deadline never = net::Deadline::never();

  Task<std::vector<std::string>> pieces(net::ClientBodyStream& body) {
    std::vector<std::string> result;
    for (;;) {
      auto piece = co_await body.next();
      if (!piece) co_return result;
      result.push_back(std::move(*piece));
    }
  }
};

TEST_F(KubeStreams, LogsAreAskedForWithTheirOptions) {
  api.then(streamed({"line\n"}, BodyEnd::normal));
  auto logs = run(open_logs(*connection, {"s", "p"},
                            {.container = "c",
                             .follow = true,
                             .previous = true,
                             .timestamps = true,
                             .tail_lines = 10,
                             .since = WallTime(seconds(0)),
                             .limit_bytes = 99},
                            never));
  ASSERT_TRUE(logs) << logs.error().message;
  EXPECT_EQ(
      api.seen()[0].line(),
      "GET /api/v1/namespaces/s/pods/p/log?container=c&follow=true&previous=true&timestamps=true&tailLines=10"
      "&sinceTime=1970-01-01T00%3A00%3A00.000Z&limitBytes=99");
  EXPECT_EQ(run(pieces(**logs)).value(), std::vector<std::string>{"line\n"});
}

TEST_F(KubeStreams, LogPiecesAreBounded) {
  const std::string much(3 * k_max_piece_bytes + 5, 'x');
  api.then(streamed({"a", much, "b"}, BodyEnd::normal));
  auto logs = run(open_logs(*connection, {"s", "p"}, {}, never));
  ASSERT_TRUE(logs);
  const auto got = run(pieces(**logs)).value();
  std::string all;
  for (const auto& piece : got) {
    EXPECT_LE(piece.size(), k_max_piece_bytes);
    all += piece;
  }
  EXPECT_EQ(all, "a" + much + "b");
}

TEST_F(KubeStreams, LogsOfAContainerThatStartsAreUnavailable) {
  api.then(
      status_reply(400, "BadRequest", R"(container "c" in pod "p" is waiting to start: ContainerCreating)"));
  const auto logs = run(open_logs(*connection, {"s", "p"}, {}, never));
  ASSERT_FALSE(logs);
  EXPECT_EQ(logs.error().code, codes::unavailable);
  EXPECT_TRUE(logs.error().retryable);
}

ServiceCall model_call() {
  return {.service = {"s", "model"},
          .port = "8000",
          .path = "/v1/chat",
          .headers = {{"Content-Type", "application/json"}},
          .body = "{}"};
}

TEST_F(KubeStreams, AServiceIsCalledThroughTheApiServer) {
  api.then(streamed({"a", "b"}, BodyEnd::normal));
  auto answer = run(call_service(*connection, model_call(), never));
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(api.seen()[0].line(), "POST /api/v1/namespaces/s/services/http:model:8000/proxy/v1/chat");
  EXPECT_EQ(api.seen()[0].header("Content-Type"), "application/json");
  EXPECT_EQ(run(pieces(*answer->body)).value(), (std::vector<std::string>{"a", "b"}));
}

TEST_F(KubeStreams, WhatTheServiceAnswersIsAnAnswer) {
  api.then({.status = 503, .pieces = {"over", "loaded"}});
  auto answer = run(call_service(*connection, model_call(), never));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 503);
  EXPECT_EQ(run(pieces(*answer->body)).value(), std::vector<std::string>{"overloaded"});
  EXPECT_EQ(api.seen().size(), 1U);
}

TEST_F(KubeStreams, RefusalsOfTheServiceAreNotTheApiServers) {
  for (const int status : {401, 429}) {
    api.then(reply(status, R"({"detail":"the model says no"})"));
    auto answer = run(call_service(*connection, model_call(), never));
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->status, status);
    EXPECT_EQ(run(pieces(*answer->body)).value(),
              std::vector<std::string>{R"({"detail":"the model says no"})"});
  }
  EXPECT_EQ(api.seen().size(), 2U);
  api.then(status_reply(401, "Unauthorized")).then(streamed({"x"}, BodyEnd::normal));
  EXPECT_TRUE(run(call_service(*connection, model_call(), never)));
}

TEST_F(KubeStreams, WhatTheApiServerSaysIsAnError) {
  api.then(status_reply(503, "ServiceUnavailable", "no endpoints available for service"));
  const auto answer = run(call_service(*connection, model_call(), never));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, codes::unavailable);
}

TEST_F(KubeStreams, ALostServiceCallIsUnknown) {
  api.then(lost());
  const auto answer = run(call_service(*connection, model_call(), never));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, codes::unknown_outcome);
}

TEST_F(KubeStreams, AServiceCallCannotLeaveItsService) {
  for (const std::string path : {"", "x", "/../../secrets", "/%2e%2e/x", "/a?b", "/a#b", "/a\\b"}) {
    ServiceCall call = model_call();
    call.path = path;
    EXPECT_FALSE(run(call_service(*connection, std::move(call), never))) << path;
  }
  for (const std::string header : {"Authorization", "cookie", "Impersonate-User", "Impersonate-Extra-x"}) {
    ServiceCall call = model_call();
    call.headers.add(header, "x");
    EXPECT_FALSE(run(call_service(*connection, std::move(call), never))) << header;
  }
  ServiceCall call = model_call();
  call.service.name = "a:b";
  EXPECT_FALSE(run(call_service(*connection, std::move(call), never)));
  EXPECT_TRUE(api.seen().empty());
}

}  // namespace
}  // namespace instantstart::kube
