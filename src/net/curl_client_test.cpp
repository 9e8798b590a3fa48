// What the client puts on the wire and what it makes of a good answer.
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include "base/error_codes.h"
#include "net/testing/client_fixture.h"

namespace instantstart::net {
namespace {

class CurlClient : public ClientFixture {
 protected:
  std::string host() const { return fmt::format("127.0.0.1:{}", server.port()); }

  std::vector<std::string> requests;
  RawServer server{time.context(), always(answer("hello"), requests)};
};

/// Sets a variable of the environment while it lives.
class EnvironmentVariable {
 public:
  EnvironmentVariable(const char* name, const std::string& value) : name_(name) {
    ::setenv(name, value.c_str(), 1);
  }
  ~EnvironmentVariable() { ::unsetenv(name_); }
  EnvironmentVariable(const EnvironmentVariable&) = delete;
  EnvironmentVariable& operator=(const EnvironmentVariable&) = delete;

 private:
  const char* name_;
};

TEST_F(CurlClient, AGetIsSentWithNothingAdded) {
  const auto got = send({.url = server.url("/a/b?c=d")});
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->status, 200);
  EXPECT_EQ(got->body, "hello");
  EXPECT_EQ(got->headers.get("content-length"), "5");
  EXPECT_EQ(got->peer_address, "127.0.0.1");
  EXPECT_EQ(requests, (std::vector<std::string>{"GET /a/b?c=d HTTP/1.1\r\nHost: " + host() + "\r\n\r\n"}));
}

TEST_F(CurlClient, HeadersKeepOrderSpellingAndEmptyValues) {
  ASSERT_TRUE(send(
      {.method = "POST",
       .url = server.url(),
       .headers = {{"x-B", "2"}, {"X-a", ""}, {"x-b", "1; 2, 3"}, {"content-TYPE", "x/y"}, {"Accept", "z"}},
       .body = "body"}));
  EXPECT_EQ(requests.at(0), "POST / HTTP/1.1\r\nHost: " + host() +
                                "\r\nx-B: 2\r\nX-a:\r\nx-b: 1; 2, 3\r\ncontent-TYPE: x/y\r\nAccept: z\r\n"
                                "Content-Length: 4\r\n\r\nbody");
}

TEST_F(CurlClient, AHostThatIsGivenReplacesTheMadeOne) {
  ASSERT_TRUE(send({.url = server.url(), .headers = {{"X-A", "1"}, {"Host", "signed.example"}}}));
  EXPECT_EQ(requests.at(0), "GET / HTTP/1.1\r\nHost: signed.example\r\nX-A: 1\r\n\r\n");
}

TEST_F(CurlClient, EveryMethodWithAndWithoutABody) {
  const std::string head = " / HTTP/1.1\r\nHost: " + host() + "\r\n";
  for (const char* method : {"GET", "DELETE"}) {
    ASSERT_TRUE(send({.method = method, .url = server.url()}));
    EXPECT_EQ(requests.back(), method + head + "\r\n");
  }
  for (const char* method : {"POST", "PUT", "PATCH"}) {
    ASSERT_TRUE(send({.method = method, .url = server.url()}));
    EXPECT_EQ(requests.back(), method + head + "Content-Length: 0\r\n\r\n");
  }
  for (const char* method : {"GET", "POST", "PUT", "PATCH", "DELETE"}) {
    ASSERT_TRUE(send({.method = method, .url = server.url(), .body = std::string("a\0b\r\n", 5)}));
    EXPECT_EQ(requests.back(), method + head + "Content-Length: 5\r\n\r\n" + std::string("a\0b\r\n", 5));
  }
  EXPECT_EQ(server.accepted(), 1U);
}

TEST_F(CurlClient, AnAnswerToHeadHasNoBodyWhateverItsLengthSays) {
  std::vector<std::string> heads;
  RawServer bodiless(time.context(), always("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n", heads));
  for (int i = 0; i < 2; ++i) {
    const auto got = send({.method = "HEAD", .url = bodiless.url(), .max_response_bytes = 10});
    ASSERT_TRUE(got) << got.error().message;
    EXPECT_EQ(got->body, "");
    EXPECT_EQ(got->headers.get("Content-Length"), "1000000000");
  }
  EXPECT_EQ(bodiless.accepted(), 1U);
}

TEST_F(CurlClient, TheUrlIsSentByteForByte) {
  for (const char* target :
       {"/", "//", "/a/../b/./c", "/..", "/%2e%2E/%2F%", "/a?", "/?", "/a?b?c=/../&&", "/a//b/",
        "/a;b=c,d'(e)*!$~+", "/{a}|b^c`d\"e<f>g\\h[i]", "/a?{b}|c^d`e\"f<g>h\\i[j]:@"}) {
    ASSERT_TRUE(send({.url = server.url(target)})) << target;
    EXPECT_EQ(requests.back().substr(0, requests.back().find(" HTTP/1.1")), std::string("GET ") + target);
  }
  ASSERT_TRUE(send({.url = server.url("")}));
  EXPECT_EQ(requests.back().substr(0, 14), "GET / HTTP/1.1");
  ASSERT_TRUE(send({.url = server.url("?a=b")}));
  EXPECT_EQ(requests.back().substr(0, 19), "GET /?a=b HTTP/1.1\r");
}

TEST_F(CurlClient, AConnectionIsUsedAgain) {
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(send({.url = server.url()}));
  ASSERT_TRUE(send({.method = "POST", .url = server.url(), .body = "x"}));
  EXPECT_EQ(server.accepted(), 1U);
  EXPECT_EQ(requests.size(), 6U);
}

TEST_F(CurlClient, AnIdleConnectionDoesNotKeepTheLoopBusy) {
  ASSERT_TRUE(send({.url = server.url()}));
  server.stop_listening();
  settle();
  EXPECT_EQ(server.open(), 1U);
  client.reset();
  settle();
  EXPECT_EQ(server.open(), 0U) << "the client's end closes its connections";
  EXPECT_TRUE(time.context().stopped()) << "nothing is left to wait for";
}

TEST_F(CurlClient, ManyRequestsAtOnceShareTheConnectionsOfTheirHost) {
  constexpr int k_requests = 200;
  make_client({.max_connections_per_host = 8});
  int good = 0;
  int ended = 0;
  for (int i = 0; i < k_requests; ++i) {
    ClientRequest request{
        .method = "POST", .url = server.url("/" + std::to_string(i)), .body = std::string(1000, 'x')};
    asio::co_spawn(time.context(), client->send(std::move(request), Deadline::never()),
                   [&](std::exception_ptr error, Result<ClientResponse> got) {
                     ++ended;
                     if (!error && got && got->body == "hello") ++good;
                   });
  }
  run_until([&] { return ended == k_requests; });
  EXPECT_EQ(good, k_requests);
  EXPECT_EQ(requests.size(), static_cast<std::size_t>(k_requests));
  EXPECT_LE(server.peak(), 8U);
  EXPECT_GE(server.peak(), 2U);
}

TEST_F(CurlClient, LargeBodiesBothWays) {
  std::string body(8 * 1024 * 1024, '\0');
  for (std::size_t i = 0; i < body.size(); ++i) body[i] = static_cast<char>(i * 31 + i / 4096);
  std::string received;
  RawServer echo(time.context(), [&](RawConnection& peer) -> asio::awaitable<void> {
    const auto request = co_await peer.read_request();
    received = request.substr(request.find("\r\n\r\n") + 4);
    co_await peer.write(answer(received));
  });
  const auto got = send({.method = "PUT", .url = echo.url(), .body = body});
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_TRUE(received == body);
  EXPECT_TRUE(got->body == body);
}

TEST_F(CurlClient, AChunkedAnswerIsPutTogether) {
  std::vector<std::string> seen;
  RawServer chunked(time.context(), always("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                                           "3;x=y\r\nabc\r\nA\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n",
                                           seen));
  for (int i = 0; i < 2; ++i) {
    const auto got = send({.url = chunked.url()});
    ASSERT_TRUE(got) << got.error().message;
    EXPECT_EQ(got->body, "abc0123456789");
    EXPECT_FALSE(got->headers.contains("Trailer"));
  }
  EXPECT_EQ(chunked.accepted(), 1U);
}

TEST_F(CurlClient, AnInterimAnswerIsNotTheAnswer) {
  std::vector<std::string> seen;
  RawServer hinting(time.context(),
                    always("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nX-Early: 1\r\n\r\n" +
                               answer("late", "X-Late: 1\r\n"),
                           seen));
  const auto got = send({.url = hinting.url()});
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->status, 200);
  EXPECT_EQ(got->body, "late");
  EXPECT_FALSE(got->headers.contains("X-Early"));
  EXPECT_TRUE(got->headers.contains("X-Late"));
}

TEST_F(CurlClient, ARedirectIsAnAnswerAndACookieIsForgotten) {
  std::vector<std::string> seen;
  RawServer moved(time.context(), always("HTTP/1.1 302 Found\r\nLocation: " + server.url("/elsewhere") +
                                             "\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n",
                                         seen));
  const auto got = send({.url = moved.url()});
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->status, 302);
  EXPECT_EQ(got->headers.get("Location"), server.url("/elsewhere"));
  ASSERT_TRUE(send({.url = moved.url()}));
  EXPECT_EQ(seen.at(1).find("ookie"), std::string::npos);
  EXPECT_TRUE(requests.empty());
}

TEST_F(CurlClient, ACompressedBodyIsLeftAsItCame) {
  std::vector<std::string> seen;
  RawServer packed(time.context(), always(answer("\x1F\x8B not really", "Content-Encoding: gzip\r\n"), seen));
  const auto got = send({.url = packed.url(), .headers = {{"Accept-Encoding", "gzip"}}});
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->body, "\x1F\x8B not really");
  EXPECT_NE(seen.at(0).find("\r\nAccept-Encoding: gzip\r\n"), std::string::npos);
}

TEST_F(CurlClient, AProxyOfTheEnvironmentIsUsedButNotForLoopback) {
  std::vector<std::string> seen;
  RawServer proxy(time.context(), always(answer("by proxy"), seen));
  const EnvironmentVariable variable("http_proxy", proxy.url(""));
  const auto far = send({.url = "http://far.invalid/a/../b?c"});
  ASSERT_TRUE(far) << far.error().message;
  EXPECT_EQ(far->body, "by proxy");
  EXPECT_EQ(seen.at(0).substr(0, seen.at(0).find("\r\n")), "GET http://far.invalid/a/../b?c HTTP/1.1");
  const auto near = send({.url = server.url()});
  ASSERT_TRUE(near) << near.error().message;
  EXPECT_EQ(near->body, "hello");
}

TEST_F(CurlClient, AProxySeesNoHeaderOfATunnelledRequest) {
  std::vector<std::string> seen;
  RawServer proxy(time.context(), always("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n", seen));
  const EnvironmentVariable variable("https_proxy", proxy.url(""));
  const auto got = send({.method = "POST",
                         .url = "https://far.invalid/",
                         .headers = {{"Authorization", "Bearer x"}},
                         .body = "y"});
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, codes::connection_failed);
  EXPECT_EQ(got.error().detail.at("sent"), false);
  EXPECT_EQ(got.error().detail.at("reason"), "proxy");
  EXPECT_EQ(seen.at(0).substr(0, seen.at(0).find("\r\n")), "CONNECT far.invalid:443 HTTP/1.1");
  EXPECT_EQ(seen.at(0).find("Authorization"), std::string::npos);
}

TEST_F(CurlClient, APrivateTargetIsRefusedByItsAddress) {
  for (const auto& url : {server.url(), fmt::format("http://localhost:{}/", server.port())}) {
    const auto got = send({.url = url, .allow_private_target = false});
    ASSERT_FALSE(got) << url;
    EXPECT_EQ(got.error().code, codes::forbidden);
    EXPECT_EQ(got.error().detail.at("sent"), false);
    EXPECT_TRUE(got.error().detail.at("address") == "127.0.0.1" || got.error().detail.at("address") == "::1");
  }
  EXPECT_EQ(server.accepted(), 0U);
}

TEST_F(CurlClient, APrivateTargetIsRefusedOnAConnectionThatIsAlreadyThere) {
  ASSERT_TRUE(send({.url = server.url()}));
  const auto got = send({.url = server.url(), .allow_private_target = false});
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, codes::forbidden);
  EXPECT_EQ(got.error().detail.at("address"), "127.0.0.1");
  EXPECT_EQ(requests.size(), 1U);
}

TEST_F(CurlClient, ARequestThatMustStayPublicGoesPastTheProxy) {
  std::vector<std::string> seen;
  RawServer proxy(time.context(), always(answer(), seen));
  const EnvironmentVariable variable("http_proxy", proxy.url(""));
  const auto got = send({.url = "http://10.0.0.1/", .allow_private_target = false});
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, codes::forbidden);
  EXPECT_EQ(proxy.accepted(), 0U);
}

TEST_F(CurlClient, CancellationClosesTheConnectionAtOnce) {
  RawServer silent(time.context(), [](RawConnection& peer) -> asio::awaitable<void> {
    co_await peer.read_request();
    co_await peer.until_closed();
  });
  asio::cancellation_signal cancel;
  std::exception_ptr thrown;
  asio::co_spawn(
      time.context(), client->send({.method = "POST", .url = silent.url(), .body = "x"}, Deadline::never()),
      asio::bind_cancellation_slot(
          cancel.slot(), [&](std::exception_ptr error, const Result<ClientResponse>&) { thrown = error; }));
  run_until([&] { return silent.open() == 1; });
  settle();
  cancel.emit(asio::cancellation_type::terminal);
  run_until([&] { return thrown != nullptr && silent.open() == 0; });
  EXPECT_THROW(std::rethrow_exception(thrown), boost::system::system_error);
}

TEST_F(CurlClient, CancellationWhileManyWaitForAConnection) {
  make_client({.max_connections_per_host = 1});
  RawServer silent(time.context(),
                   [](RawConnection& peer) -> asio::awaitable<void> { co_await peer.until_closed(); });
  std::vector<std::unique_ptr<asio::cancellation_signal>> cancels;
  int ended = 0;
  for (int i = 0; i < 5; ++i) {
    auto& cancel = *cancels.emplace_back(std::make_unique<asio::cancellation_signal>());
    asio::co_spawn(time.context(), client->send({.url = silent.url()}, Deadline::never()),
                   asio::bind_cancellation_slot(cancel.slot(),
                                                [&](std::exception_ptr error, const Result<ClientResponse>&) {
                                                  ended += error ? 1 : 0;
                                                }));
  }
  run_until([&] { return silent.open() == 1; });
  for (const auto& cancel : cancels) cancel->emit(asio::cancellation_type::terminal);
  run_until([&] { return ended == 5 && silent.open() == 0; });
  EXPECT_EQ(silent.accepted(), 1U);
}

TEST_F(CurlClient, RequestsThatOutliveTheClientEndWithAnError) {
  RawServer silent(time.context(),
                   [](RawConnection& peer) -> asio::awaitable<void> { co_await peer.until_closed(); });
  std::optional<Result<ClientResponse>> got;
  asio::co_spawn(time.context(), client->send({.url = silent.url()}, Deadline::never()),
                 [&](std::exception_ptr, Result<ClientResponse> result) { got = std::move(result); });
  run_until([&] { return silent.open() == 1; });
  settle();
  client.reset();
  run_until([&] { return got.has_value() && silent.open() == 0; });
  ASSERT_FALSE(*got);
  EXPECT_EQ(got->error().code, codes::unknown_outcome);
}

TEST_F(CurlClient, RequestsThatTheLoopForgetsAreFreed) {
  auto other = std::make_unique<VirtualTime>();
  auto its_client = make_curl_client(other->context().get_executor(), *other, Log());
  asio::co_spawn(
      other->context(), its_client->send({.url = server.url()}, Deadline::never()),
      [](std::exception_ptr, const Result<ClientResponse>&) { FAIL() << "nobody runs that loop"; });
  other->context().poll_one();
  its_client.reset();
  other.reset();
}

}  // namespace
}  // namespace instantstart::net
