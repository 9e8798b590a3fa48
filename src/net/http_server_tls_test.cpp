// The server over TLS: what holds for a plain connection holds here.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <boost/asio/co_spawn.hpp>

#include "base/error_codes.h"
#include "net/http_client.h"
#include "net/testing/http_server_fixture.h"
#include "net/testing/test_certificate.h"

namespace instantstart::net {
namespace {

/// Pieces as the test hands them out, through the fixture's gate.
class Feed final : public BodyStream {
 public:
  Feed(Signal& gate, const int& handed_out, std::vector<std::string>& events)
      : gate_(gate), handed_out_(handed_out), events_(events) {}
  ~Feed() override { events_.push_back("stream gone"); }

  asio::awaitable<std::optional<std::string>> next() override {
    while (taken_ >= handed_out_) co_await gate_.wait(Deadline::never());
    co_return "piece " + std::to_string(++taken_) + "\n";
  }

 private:
  Signal& gate_;
  const int& handed_out_;
  std::vector<std::string>& events_;
  int taken_ = 0;
};

/// As much as anybody takes.
class Flood final : public BodyStream {
 public:
  explicit Flood(std::vector<std::string>& events) : events_(events) {}
  ~Flood() override { events_.push_back("stream gone"); }
  asio::awaitable<std::optional<std::string>> next() override { co_return std::string(20'000, 'x'); }

 private:
  std::vector<std::string>& events_;
};

class HttpServerTls : public HttpServerFixture {
 protected:
  void start_tls(HttpHandler handler) {
    start(std::move(handler), {.tls = authority.issue({"IP:127.0.0.1", "DNS:localhost"})});
    client = make_curl_client(time.context().get_executor(), time, Log());
  }

  template <class T>
  T run(asio::awaitable<T> task) {
    std::optional<T> value;
    asio::co_spawn(time.context(), std::move(task),
                   [&](const std::exception_ptr&, T result) { value = std::move(result); });
    EXPECT_TRUE(turn_until([&] { return value.has_value(); }));
    return std::move(value.value());
  }

  ClientRequest request(const std::string& target = "/", std::string body = "") {
    return {.method = body.empty() ? "GET" : "POST",
            .url = "https://127.0.0.1:" + std::to_string(server->port()) + target,
            .body = std::move(body),
            .ca_bundle_pem = authority.certificate_pem()};
  }
  Result<ClientResponse> send(ClientRequest what, Deadline deadline = Deadline::never()) {
    return run(client->send(std::move(what), deadline));
  }
  bool happened(const std::string& event) const { return std::ranges::count(events, event) > 0; }
  bool logged(std::string_view text) const {
    return std::ranges::any_of(log_lines, [&](const auto& line) { return line.contains(text); });
  }

  TestAuthority authority;
  std::unique_ptr<HttpClient> client;
};

TEST_F(HttpServerTls, RequestsAndLargeBodiesPassUnchanged) {
  start_tls(echo);
  const std::string body(900'000, 'x');
  for (int i = 0; i < 2; ++i) {
    const auto got = send(request("/a?b=c", body));
    ASSERT_TRUE(got) << got.error().message;
    EXPECT_EQ(got->body, "POST /a?b=c\n" + body);
  }
}

TEST_F(HttpServerTls, AClientOfAnotherAuthorityDoesNotBelieveIt) {
  start_tls(echo);
  auto what = request();
  what.ca_bundle_pem = TestAuthority("Other").certificate_pem();
  const auto got = send(std::move(what));
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, codes::connection_failed);
  EXPECT_TRUE(turn_until([this] { return logged("A TLS handshake failed."); }));
  EXPECT_TRUE(logged("\"debug\"")) << log_lines.front();
}

TEST_F(HttpServerTls, StreamsArriveAsTheyAreMadeAndEndWhenThePeerGoes) {
  int handed_out = 1;
  start_tls([&](Request) -> asio::awaitable<Response> {
    co_return Response{.body = std::make_unique<Feed>(gate, handed_out, events)};
  });
  auto stream = run(client->open(request(), Deadline::never()));
  ASSERT_TRUE(stream) << stream.error().message;
  EXPECT_EQ(run(stream->body->next()), "piece 1\n");
  handed_out = 2;
  gate.notify();
  EXPECT_EQ(run(stream->body->next()), "piece 2\n");
  EXPECT_TRUE(events.empty());
  stream->body.reset();
  EXPECT_TRUE(turn_until([this] { return happened("stream gone"); }));
}

TEST_F(HttpServerTls, AStreamThatNobodyReadsIsCutAfterTheWriteTimeout) {
  start_tls([this](Request) -> asio::awaitable<Response> {
    co_return Response{.body = std::make_unique<Flood>(events)};
  });
  auto stream = run(client->open(request(), Deadline::never()));
  ASSERT_TRUE(stream) << stream.error().message;
  settle();  // Until all buffers are full.
  time.run_for(seconds(59));
  EXPECT_TRUE(events.empty());
  for (int i = 0; i < 1'000; ++i) {
    const auto piece = run(stream->body->next());
    ASSERT_TRUE(piece);
    ASSERT_EQ(piece->find_first_not_of('x'), std::string::npos);
  }
  settle();
  time.run_for(seconds(61));
  EXPECT_TRUE(turn_until([this] { return happened("stream gone"); }));
}

TEST_F(HttpServerTls, TheHandlerIsCancelledWhenThePeerCloses) {
  start_tls([this](Request what) { return gated(std::move(what)); });
  bool ended = false;
  asio::co_spawn(time.context(), client->send(request(), Deadline::in(time, seconds(5))),
                 [&](const std::exception_ptr&, const Result<ClientResponse>& got) {
                   EXPECT_EQ(got.error().code, codes::deadline_exceeded);
                   ended = true;
                 });
  EXPECT_TRUE(turn_until([this] { return happened("begin /"); }));
  time.run_for(seconds(6));
  EXPECT_TRUE(turn_until([&] { return ended && happened("cancelled /"); }));
}

TEST_F(HttpServerTls, ASlowHandshakeIsCutAfterTheHeaderTimeout) {
  start_tls(echo);
  auto slow = connect();
  HttpServerFixture::send(slow, std::string("\x16\x03\x01\x02", 4));
  time.run_for(seconds(9));
  settle();
  slow.look();
  EXPECT_FALSE(slow.ended());
  time.run_for(seconds(2));
  EXPECT_TRUE(closed(slow));
  EXPECT_TRUE(logged("\"timed_out\":true"));
}

TEST_F(HttpServerTls, PlainTextIsNotServed) {
  start_tls([this](Request what) { return gated(std::move(what)); });
  auto plain = connect();
  HttpServerFixture::send(plain, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_TRUE(closed(plain));
  EXPECT_FALSE(plain.received().contains("HTTP"));
  EXPECT_TRUE(events.empty());
}

TEST_F(HttpServerTls, StopClosesIdleConnectionsAndThoseInAHandshake) {
  start_tls(echo);
  ASSERT_TRUE(send(request()));
  auto silent = connect();
  settle();
  begin_stop(Deadline::never());
  EXPECT_TRUE(turn_until([this] { return stopped; }));
  EXPECT_TRUE(closed(silent));
}

TEST_F(HttpServerTls, ConnectionsOverTheLimitAreClosed) {
  start(echo, {.limits = {.connections = 0}, .tls = authority.issue({"IP:127.0.0.1"})});
  auto turned_away = connect();
  EXPECT_TRUE(closed(turned_away));
  EXPECT_EQ(turned_away.received(), "");
}

TEST_F(HttpServerTls, AnIdentityThatCannotBeUsedIsRefused) {
  const auto good = authority.issue({"IP:127.0.0.1"});
  const auto other = authority.issue({"IP:127.0.0.1"});
  const std::vector<TlsIdentity> bad = {
      {},
      {.certificate_pem = "nonsense", .key_pem = good.key_pem},
      {.certificate_pem = good.certificate_pem, .key_pem = "nonsense"},
      {.certificate_pem = good.certificate_pem, .key_pem = other.key_pem},
      {.certificate_pem =
           good.certificate_pem + "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
       .key_pem = good.key_pem}};
  for (const auto& identity : bad) {
    HttpServer refused(time.context().get_executor(), time, Log(), {.tls = identity}, echo,
                       [](int status, std::string_view) { return Response{.status = status}; });
    const auto listening = refused.listen();
    ASSERT_FALSE(listening);
    EXPECT_EQ(listening.error().code, codes::invalid_request);
    EXPECT_FALSE(listening.error().message.contains("PRIVATE KEY"));
  }
}

}  // namespace
}  // namespace instantstart::net
