// What the server bears: refusals, slow and vanishing peers, too many of them, its own end.
#include "net/http_server.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sys/resource.h>

#include <gtest/gtest.h>

#include "net/testing/http_server_fixture.h"
#include "net/testing/refused_requests.h"

namespace instantstart::net {
namespace {

constexpr std::string_view k_get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
constexpr std::string_view k_get_2 = "GET /2 HTTP/1.1\r\nHost: a\r\n\r\n";

/// Pieces without end, as fast as they are taken.
class Flood final : public BodyStream {
 public:
  explicit Flood(std::vector<std::string>& events) : events_(events) {}
  ~Flood() override { events_.push_back("stream gone"); }

  asio::awaitable<std::optional<std::string>> next() override { co_return std::string(20'000, 'x'); }

 private:
  std::vector<std::string>& events_;
};

/// Nothing for ever, as an event stream on a quiet day.
class Silence final : public BodyStream {
 public:
  Silence(Timekeeper& time, std::vector<std::string>& events) : time_(time), events_(events) {}
  ~Silence() override { events_.push_back("stream gone"); }

  asio::awaitable<std::optional<std::string>> next() override {
    co_await time_.sleep_until(SteadyTime::max());
    co_return std::nullopt;
  }

 private:
  Timekeeper& time_;
  std::vector<std::string>& events_;
};

asio::awaitable<Response> flood(std::vector<std::string>& events) {
  co_return Response{.body = std::make_unique<Flood>(events)};
}

asio::awaitable<Response> silence(Timekeeper& time, std::vector<std::string>& events) {
  co_return Response{.body = std::make_unique<Silence>(time, events)};
}

asio::awaitable<Response> large(Request) { co_return Response{.body = std::string(50'000'000, 'x')}; }

class HttpServerGuardTest : public HttpServerFixture {
 protected:
  HttpHandler gated_handler() {
    return [this](Request request) { return gated(std::move(request)); };
  }
  void open_gate() {
    gate_open = true;
    gate.notify();
  }
  bool happened(const std::string& event) const { return std::ranges::count(events, event) > 0; }
  bool turn_until_event(const std::string& event) {
    return turn_until([&] { return happened(event); });
  }
  /// Still open, with nothing to read.
  bool quiet(RawClient& client) {
    settle();
    client.look();
    return client.received().empty() && !client.ended() && !client.broken();
  }
};

TEST_F(HttpServerGuardTest, RefusesInTheFacesWordsAndCloses) {
  start(echo);
  for (const auto& [why, bytes, status] : refused_requests()) {
    auto client = connect();
    send(client, bytes);
    const auto answer = next_response(client);
    EXPECT_EQ(answer.status, status) << why;
    EXPECT_TRUE(answer.body.starts_with("refused: ")) << why;
    EXPECT_TRUE(answer.has("Connection: close\r\n")) << why;
    EXPECT_TRUE(closed(client)) << why;
    EXPECT_FALSE(client.broken()) << why;
  }
  EXPECT_TRUE(log_lines.empty()) << "a peer must not be able to fill the log";
}

TEST_F(HttpServerGuardTest, WhatComesBehindARefusedRequestIsNotServed) {
  start(gated_handler());
  auto client = connect();
  send(client, "GET / HTTP/1.1\r\nHost: a\r\nX : y\r\n\r\n" + std::string(k_get));
  EXPECT_EQ(next_response(client).status, 400);
  EXPECT_TRUE(closed(client));
  EXPECT_TRUE(client.received().empty());
  EXPECT_TRUE(events.empty());
}

TEST_F(HttpServerGuardTest, TheRefusalOfALargeBodyArrivesWhileTheClientStillSends) {
  start(echo);
  auto client = connect();
  send(client, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000000\r\n\r\n");
  send(client, std::string(8'000'000, 'x'));
  EXPECT_EQ(next_response(client).status, 413);
  EXPECT_TRUE(closed(client));
  EXPECT_FALSE(client.broken());
}

TEST_F(HttpServerGuardTest, AClientThatNeverStopsSendingIsLeftAfterAWhile) {
  start(echo);
  auto client = connect();
  send(client, "BAD\r\n\r\n");
  EXPECT_EQ(next_response(client).status, 400);
  send(client, std::string(1'000'000, 'x'));
  settle();
  time.run_for(seconds(3));
  EXPECT_TRUE(turn_until([&] {
    client.send("x");
    return client.broken();
  }));
}

TEST_F(HttpServerGuardTest, ASlowHeaderIsRefusedWhateverTricklesIn) {
  start(echo);
  auto client = connect();
  send(client, "GET / HTTP/1.1\r\nHost: a\r\n");
  settle();
  for (int i = 0; i < 9; ++i) {
    time.run_for(seconds(1));
    send(client, "X: y\r\n");
    ASSERT_TRUE(quiet(client));
  }
  time.run_for(seconds(2));
  const auto answer = next_response(client);
  EXPECT_EQ(answer.status, 408);
  EXPECT_EQ(answer.body, "refused: The header did not arrive in time.");
  EXPECT_TRUE(closed(client));
}

TEST_F(HttpServerGuardTest, TheHeaderTimeBeginsWithItsFirstByte) {
  start(echo);
  auto client = connect();
  settle();
  time.run_for(seconds(100));
  EXPECT_EQ(exchange(client, k_get).status, 200);
}

TEST_F(HttpServerGuardTest, ASlowBodyIsRefused) {
  start(echo);
  auto client = connect();
  send(client, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n");
  settle();
  time.run_for(seconds(59));
  send(client, "x");
  EXPECT_TRUE(quiet(client));
  time.run_for(seconds(2));
  EXPECT_EQ(next_response(client).status, 408);
  EXPECT_TRUE(closed(client));
}

TEST_F(HttpServerGuardTest, AnIdleConnectionIsClosedWithoutAWord) {
  start(echo);
  auto fresh = connect();
  auto used = connect();
  settle();
  time.run_for(seconds(60));
  EXPECT_EQ(exchange(used, k_get).status, 200);
  settle();
  time.run_for(seconds(61));
  EXPECT_EQ(rest(fresh), "");
  EXPECT_TRUE(quiet(used));
  time.run_for(seconds(60));
  EXPECT_EQ(rest(used), "");
}

TEST_F(HttpServerGuardTest, AHandlerMayTakeItsTime) {
  start(gated_handler());
  auto client = connect();
  send(client, k_get);
  settle();
  time.run_for(std::chrono::hours(5));
  open_gate();
  EXPECT_EQ(next_response(client).status, 200);
}

TEST_F(HttpServerGuardTest, ASlowReaderOfAStreamIsCutAfterTheWriteTimeout) {
  start([this](Request) { return flood(events); });
  auto client = connect();
  send(client, k_get);
  settle();  // Until the kernel's buffers are full.
  time.run_for(seconds(59));
  EXPECT_TRUE(events.empty());
  time.run_for(seconds(2));
  EXPECT_TRUE(turn_until_event("stream gone"));
}

TEST_F(HttpServerGuardTest, AReaderThatGoesOnReadingIsNotCut) {
  start([this](Request) { return flood(events); });
  auto client = connect();
  send(client, k_get);
  for (int i = 0; i < 5; ++i) {
    settle();
    time.run_for(seconds(50));
    std::size_t before = 0;
    EXPECT_TRUE(turn_until([&] {
      client.look(8'000'000);
      before += client.received().size();
      client.forget(client.received().size());
      return before > 8'000'000;
    }));
  }
  EXPECT_TRUE(events.empty());
}

TEST_F(HttpServerGuardTest, ASlowReaderOfALargeAnswerIsCutToo) {
  start(large);
  auto client = connect();
  send(client, k_get);
  settle();
  time.run_for(seconds(61));
  const std::string got = rest(client);
  EXPECT_LT(got.size(), 50'000'000u);
}

TEST_F(HttpServerGuardTest, TheHandlerIsCancelledWhenThePeerCloses) {
  start(gated_handler());
  auto client = connect();
  send(client, k_get);
  settle();
  client.close();
  EXPECT_TRUE(turn_until_event("cancelled /"));
  EXPECT_TRUE(log_lines.empty());
}

TEST_F(HttpServerGuardTest, TheHandlerIsCancelledWhenThePeerClosesItsSendingSide) {
  start(gated_handler());
  auto client = connect();
  send(client, k_get);
  settle();
  client.close_sending();
  EXPECT_TRUE(turn_until_event("cancelled /"));
}

TEST_F(HttpServerGuardTest, APeerThatSentMoreBeforeItClosedItsSendingSideGetsItsAnswers) {
  start(gated_handler());
  auto client = connect();
  send(client, std::string(k_get) + std::string(k_get_2));
  client.close_sending();
  settle();
  open_gate();
  const std::string all = rest(client);
  EXPECT_EQ(events, (std::vector<std::string>{"begin /", "end /", "begin /2", "end /2"}));
  EXPECT_TRUE(all.contains("\r\n\r\n/HTTP/1.1 200 OK")) << all;
  EXPECT_TRUE(all.ends_with("/2"));
}

TEST_F(HttpServerGuardTest, AResetCancelsEvenWithMoreRequestsWaiting) {
  start(gated_handler());
  auto client = connect();
  send(client, std::string(k_get) + std::string(k_get_2));
  settle();
  client.reset();
  EXPECT_TRUE(turn_until_event("cancelled /"));
  settle();
  EXPECT_EQ(events, (std::vector<std::string>{"begin /", "cancelled /"}));
}

TEST_F(HttpServerGuardTest, AQuietStreamEndsWhenThePeerGoes) {
  start([this](Request) { return silence(time, events); });
  auto client = connect();
  send(client, k_get);
  EXPECT_TRUE(turn_until([&] {
    client.look();
    return client.received().contains("\r\n\r\n");
  })) << "the header must not wait for the first piece";
  client.close();
  EXPECT_TRUE(turn_until_event("stream gone"));
}

TEST_F(HttpServerGuardTest, StopClosesIdleConnectionsAtOnceAndLetsRequestsFinish) {
  start(gated_handler());
  auto idle = connect();
  auto busy = connect();
  send(busy, k_get);
  settle();
  begin_stop(Deadline::in(time, seconds(10)));
  EXPECT_TRUE(closed(idle));
  EXPECT_TRUE(quiet(busy));
  EXPECT_THROW(connect(), std::runtime_error);
  EXPECT_FALSE(stopped);
  open_gate();
  const auto answer = next_response(busy);
  EXPECT_EQ(answer.status, 200);
  EXPECT_TRUE(answer.has("Connection: close\r\n"));
  EXPECT_TRUE(closed(busy));
  EXPECT_TRUE(turn_until([this] { return stopped; }));
}

TEST_F(HttpServerGuardTest, StopCancelsWhatRunsAtTheDeadline) {
  start([this](Request request) {
    return request.path() == "/stream" ? silence(time, events) : gated(std::move(request));
  });
  auto waiting = connect();
  auto streaming = connect();
  auto half_sent = connect();
  send(waiting, k_get);
  send(streaming, "GET /stream HTTP/1.1\r\nHost: a\r\n\r\n");
  send(half_sent, "GET / HTTP/1.1\r\n");
  settle();
  begin_stop(Deadline::in(time, seconds(5)));
  time.run_for(seconds(4));
  EXPECT_EQ(events, (std::vector<std::string>{"begin /"}));
  EXPECT_FALSE(stopped);
  time.run_for(seconds(1));
  EXPECT_TRUE(turn_until([this] { return stopped; }));
  EXPECT_TRUE(happened("cancelled /"));
  EXPECT_TRUE(happened("stream gone"));
  EXPECT_TRUE(closed(waiting));
  EXPECT_TRUE(closed(streaming));
  EXPECT_TRUE(closed(half_sent));
  EXPECT_TRUE(log_lines.empty());
}

TEST_F(HttpServerGuardTest, ARequestThatPipelinesBehindTheLastOneIsNotServedWhileStopping) {
  start(gated_handler());
  auto client = connect();
  send(client, std::string(k_get) + std::string(k_get_2));
  settle();
  begin_stop(Deadline::in(time, seconds(10)));
  settle();
  open_gate();
  EXPECT_EQ(next_response(client).body, "/");
  EXPECT_TRUE(closed(client));
  EXPECT_FALSE(client.broken()) << "the answer must not be lost to a reset";
  EXPECT_EQ(events, (std::vector<std::string>{"begin /", "end /"}));
}

TEST_F(HttpServerGuardTest, ManyIdleConnectionsPastTheLimitAreTurnedAwayPolitely) {
  rlimit files{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &files), 0);
  files.rlim_cur = files.rlim_max;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &files), 0);
  if (files.rlim_cur < 4'500) GTEST_SKIP() << "needs 4,500 descriptors";

  start(echo, {.limits = {.connections = 4}});
  std::vector<RawClient> inside;
  for (int i = 0; i < 4; ++i) inside.push_back(connect());
  settle();
  std::vector<RawClient> outside;
  for (int i = 0; i < 2'000; ++i) {
    outside.push_back(connect());
    if (i % 100 == 0) settle();
  }
  for (auto& client : outside) {
    ASSERT_EQ(next_response(client).status, 503);
    ASSERT_TRUE(closed(client));
    ASSERT_FALSE(client.broken());
  }
  EXPECT_EQ(log_lines.size(), 1u) << "once, not 2,000 times";
  for (auto& client : inside) EXPECT_EQ(exchange(client, k_get).status, 200);
  inside.pop_back();
  settle();
  auto next = connect();
  EXPECT_EQ(exchange(next, k_get).status, 200);
}

TEST_F(HttpServerGuardTest, AClientTurnedAwayReadsWhyEvenWhenItHadSentARequest) {
  start(echo, {.limits = {.connections = 0}});
  auto client = connect();
  send(client, k_get);
  EXPECT_EQ(next_response(client).status, 503);
  EXPECT_TRUE(closed(client));
  EXPECT_FALSE(client.broken());
}

TEST_F(HttpServerGuardTest, RunningOutOfDescriptorsIsSurvived) {
  start(echo);
  auto client = connect();
  send(client, k_get);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none = before;
  none.rlim_cur = 3;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  settle();
  time.run_for(seconds(1));
  settle();
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(log_lines.size(), 1u) << "once for the outage, not at each try";
  EXPECT_TRUE(quiet(client));
  time.run_for(seconds(1));
  EXPECT_EQ(next_response(client).status, 200);
}

}  // namespace
}  // namespace instantstart::net
