// What the client says when the peer lies, stalls or breaks off: above all, whether the request may have run.
#include <string>
#include <vector>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "net/testing/client_fixture.h"

namespace instantstart::net {
namespace {

class CurlClientFailure : public ClientFixture {
 protected:
  /// A server that reads one request a connection, writes `reply` and breaks off.
  RawServer::Script once(std::string reply, bool in_order = true) {
    return [this, reply = std::move(reply), in_order](RawConnection& peer) -> asio::awaitable<void> {
      keep(co_await peer.read_request());
      co_await peer.write(reply);
      in_order ? peer.close() : peer.reset();
    };
  }

  /// A server that answers the first request of the first connection, reads the second to its end and breaks
  /// off; further connections are answered.
  RawServer::Script dies_on_reuse(bool in_order) {
    return [this, in_order](RawConnection& peer) -> asio::awaitable<void> {
      keep(co_await peer.read_request());
      co_await peer.write(answer("hello"));
      const bool first = requests.size() == 1;
      keep(co_await peer.read_request());
      if (first) in_order ? peer.close() : peer.reset();
    };
  }

  RawServer::Script silent() {
    return [this](RawConnection& peer) -> asio::awaitable<void> {
      keep(co_await peer.read_request());
      co_await peer.until_closed();
    };
  }

  /// What the peer saw, without the reads that ended empty.
  void keep(std::string request) {
    if (!request.empty()) requests.push_back(std::move(request));
  }

  Error failure(ClientRequest request, Deadline deadline = Deadline::never()) {
    auto got = send(std::move(request), deadline);
    if (got) throw std::runtime_error(fmt::format("was answered with {}", got->status));
    return got.error();
  }

  /// Starts a request, waits for `moment`, and lets its deadline pass then.
  Error failure_at_deadline(ClientRequest request, const std::function<bool()>& moment) {
    std::optional<Result<ClientResponse>> got;
    asio::co_spawn(time.context(), client->send(std::move(request), Deadline::in(time, seconds(10))),
                   [&](std::exception_ptr, Result<ClientResponse> result) { got = std::move(result); });
    run_until(moment);
    settle();
    EXPECT_FALSE(got.has_value());
    time.run_for(seconds(10));
    run_until([&] { return got.has_value(); });
    if (*got) throw std::runtime_error("was answered");
    return got->error();
  }

  std::vector<std::string> requests;
};

void expect_error(const Error& error, std::string_view code, bool sent) {
  EXPECT_EQ(error.code, code) << error.message;
  EXPECT_EQ(error.detail.at("sent"), sent) << error.message;
}

TEST_F(CurlClientFailure, ARefusedConnectionSentNothing) {
  const auto error = failure({.url = fmt::format("http://127.0.0.1:{}/", unused_port(time.context()))});
  expect_error(error, codes::connection_failed, false);
  EXPECT_EQ(error.detail.at("reason"), "connect");
  EXPECT_TRUE(error.retryable);
}

TEST_F(CurlClientFailure, AnUnknownNameSentNothing) {
  const auto error =
      failure({.method = "POST", .url = "http://no-such-name.invalid/path?secret", .body = "x"});
  expect_error(error, codes::connection_failed, false);
  EXPECT_EQ(error.detail.at("reason"), "name");
  EXPECT_EQ(error.message.find("secret"), std::string::npos);
}

TEST_F(CurlClientFailure, APeerThatNeverAnswersTheHandshakeSentNothing) {
  RawServer mute(time.context(),
                 [](RawConnection& peer) -> asio::awaitable<void> { co_await peer.until_closed(); });
  const auto url = fmt::format("https://127.0.0.1:{}/", mute.port());
  const auto error =
      failure({.method = "POST", .url = url, .body = "x", .connect_timeout = milliseconds(50)});
  expect_error(error, codes::connection_failed, false);
  EXPECT_EQ(error.detail.at("reason"), "timeout");
  run_until([&] { return mute.open() == 0; });
}

TEST_F(CurlClientFailure, AClosedConnectionWithoutAnAnswerIsUnknown) {
  for (const bool in_order : {true, false}) {
    RawServer server(time.context(), once("", in_order));
    const auto error = failure({.method = "POST", .url = server.url(), .body = "x"});
    expect_error(error, codes::unknown_outcome, true);
    EXPECT_FALSE(error.retryable);
    EXPECT_FALSE(error.detail.contains("status"));
    EXPECT_EQ(server.accepted(), 1U);
  }
}

TEST_F(CurlClientFailure, AnAnswerThatBreaksOffIsUnknown) {
  for (const char* reply : {"HTTP/1.1 ", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n",
                            "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 2"}) {
    RawServer server(time.context(), once(reply));
    const auto error = failure({.url = server.url()});
    expect_error(error, codes::unknown_outcome, true);
    EXPECT_FALSE(error.detail.contains("status")) << reply;
  }
}

TEST_F(CurlClientFailure, ABodyThatBreaksOffIsUnknownAndItsStatusKnown) {
  for (const char* reply : {"HTTP/1.1 201 Created\r\nContent-Length: 5\r\n\r\n",
                            "HTTP/1.1 201 Created\r\nContent-Length: 5\r\n\r\nabcd",
                            "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n",
                            "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
                            "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n",
                            "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nab\r\n"}) {
    for (const bool in_order : {true, false}) {
      RawServer server(time.context(), once(reply, in_order));
      const auto error = failure({.method = "POST", .url = server.url(), .body = "x"});
      expect_error(error, codes::unknown_outcome, true);
      EXPECT_EQ(error.detail.at("status"), 201) << reply;
    }
  }
}

TEST_F(CurlClientFailure, ARequestThatChangesThingsNeverLeavesTwice) {
  for (const char* method : {"POST", "PUT", "PATCH", "DELETE"}) {
    for (const bool in_order : {true, false}) {
      for (const std::size_t size : {std::size_t{0}, std::size_t{10}, std::size_t{300'000}}) {
        requests.clear();
        RawServer server(time.context(), dies_on_reuse(in_order));
        ASSERT_TRUE(send({.url = server.url()}));
        const auto error =
            failure({.method = method, .url = server.url("/change"), .body = std::string(size, 'x')});
        expect_error(error, codes::unknown_outcome, true);
        settle();
        EXPECT_EQ(requests.size(), 2U) << method << size;
        EXPECT_EQ(server.accepted(), 1U) << "the connection was used again, and no other was opened";
      }
    }
  }
}

TEST_F(CurlClientFailure, ABodyCutOffOnAReusedConnectionIsNotSentAgain) {
  RawServer server(time.context(), [this](RawConnection& peer) -> asio::awaitable<void> {
    keep(co_await peer.read_request());
    co_await peer.write(answer());
    keep(co_await peer.read_exactly(100'000));
    peer.reset();
  });
  ASSERT_TRUE(send({.url = server.url()}));
  const auto error =
      failure({.method = "POST", .url = server.url(), .body = std::string(8 * 1024 * 1024, 'x')});
  expect_error(error, codes::unknown_outcome, true);
  settle();
  EXPECT_EQ(server.accepted(), 1U);
}

TEST_F(CurlClientFailure, AReadIsSentAgainWhenAReusedConnectionDies) {
  for (const ClientRequest& request : {ClientRequest{.method = "GET"}, ClientRequest{.method = "HEAD"},
                                       ClientRequest{.method = "POST", .body = "x", .idempotent = true}}) {
    requests.clear();
    RawServer server(time.context(), dies_on_reuse(true));
    ASSERT_TRUE(send({.url = server.url()}));
    ClientRequest again = request;
    again.url = server.url("/read");
    const auto got = send(again);
    ASSERT_TRUE(got) << got.error().message;
    EXPECT_EQ(requests.size(), 3U);
    EXPECT_EQ(requests.at(1), requests.at(2));
    EXPECT_EQ(server.accepted(), 2U);
  }
}

TEST_F(CurlClientFailure, AReadThatCouldNotBeSentAgainWasSentAllTheSame) {
  std::unique_ptr<RawServer> server;
  server = std::make_unique<RawServer>(time.context(), [&](RawConnection& peer) -> asio::awaitable<void> {
    co_await peer.read_request();
    co_await peer.write(answer());
    co_await peer.read_request();
    server->stop_listening();
  });
  ASSERT_TRUE(send({.url = server->url()}));
  expect_error(failure({.url = server->url()}), codes::unknown_outcome, true);
}

TEST_F(CurlClientFailure, AnIdleConnectionThatTheServerClosedIsNotUsed) {
  RawServer server(time.context(), once(answer()));
  ASSERT_TRUE(send({.url = server.url()}));
  settle();
  ASSERT_TRUE(send({.method = "POST", .url = server.url(), .body = "x"}));
  EXPECT_EQ(requests.size(), 2U);
}

TEST_F(CurlClientFailure, AnEarlyAnswerToALargeBodyIsNotAFailedConnection) {
  RawServer server(time.context(), [](RawConnection& peer) -> asio::awaitable<void> {
    co_await peer.read_through("\r\n\r\n");
    co_await peer.write("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
  });
  const auto got = send({.method = "POST", .url = server.url(), .body = std::string(4 * 1024 * 1024, 'x')});
  if (got) {
    EXPECT_EQ(got->status, 413);
  } else {
    expect_error(got.error(), codes::unknown_outcome, true);
  }
}

TEST_F(CurlClientFailure, BytesAfterTheAnswerAreNotTheNextAnswer) {
  RawServer server(time.context(), [this](RawConnection& peer) -> asio::awaitable<void> {
    while (true) {
      auto request = co_await peer.read_request();
      if (request.empty()) co_return;
      requests.push_back(std::move(request));
      co_await peer.write(answer("one") + "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfalse");
    }
  });
  for (int i = 0; i < 3; ++i) {
    const auto got = send({.url = server.url()});
    ASSERT_TRUE(got) << got.error().message;
    EXPECT_EQ(got->body, "one");
  }
  EXPECT_EQ(server.accepted(), 3U);
}

TEST_F(CurlClientFailure, TheDeadlinePassesWhileTheServerThinks) {
  RawServer server(time.context(), silent());
  const auto error = failure_at_deadline({.method = "POST", .url = server.url(), .body = "x"},
                                         [&] { return requests.size() == 1; });
  expect_error(error, codes::deadline_exceeded, true);
  EXPECT_FALSE(error.retryable);
  run_until([&] { return server.open() == 0; });
}

TEST_F(CurlClientFailure, TheDeadlinePassesInTheMiddleOfTheBody) {
  RawServer server(time.context(), [this](RawConnection& peer) -> asio::awaitable<void> {
    keep(co_await peer.read_request());
    co_await peer.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab");
    co_await peer.until_closed();
  });
  const auto error = failure_at_deadline({.url = server.url()}, [&] { return requests.size() == 1; });
  expect_error(error, codes::deadline_exceeded, true);
  EXPECT_TRUE(error.retryable) << "it was a read";
}

TEST_F(CurlClientFailure, TheDeadlinePassesBeforeTheHandshake) {
  RawServer mute(time.context(),
                 [](RawConnection& peer) -> asio::awaitable<void> { co_await peer.until_closed(); });
  const auto url = fmt::format("https://127.0.0.1:{}/", mute.port());
  const auto error = failure_at_deadline({.method = "POST", .url = url, .connect_timeout = seconds(100)},
                                         [&] { return mute.open() == 1; });
  expect_error(error, codes::deadline_exceeded, false);
  EXPECT_TRUE(error.retryable);
  run_until([&] { return mute.open() == 0; });
}

TEST_F(CurlClientFailure, TheDeadlinePassesWhileWaitingForAConnection) {
  make_client({.max_connections_per_host = 1});
  RawServer server(time.context(), silent());
  bool first_ended = false;
  asio::co_spawn(time.context(), client->send({.url = server.url()}, Deadline::in(time, seconds(60))),
                 [&](std::exception_ptr, const Result<ClientResponse>&) { first_ended = true; });
  const auto error =
      failure_at_deadline({.method = "POST", .url = server.url()}, [&] { return requests.size() == 1; });
  expect_error(error, codes::deadline_exceeded, false);
  time.run_for(seconds(60));
  run_until([&] { return first_ended; });
  EXPECT_EQ(server.accepted(), 1U);
}

TEST_F(CurlClientFailure, ADeadlineThatHasPassedSendsNothing) {
  RawServer server(time.context(), always(answer(), requests));
  ASSERT_TRUE(send({.url = server.url()}));
  expect_error(failure({.url = server.url("/late")}, Deadline{time.steady()}), codes::deadline_exceeded,
               false);
  settle();
  EXPECT_EQ(requests.size(), 1U) << "not even on the connection that is there";
}

TEST_F(CurlClientFailure, AnAnswerLargerThanAllowedIsCutOff) {
  const std::string chunk = "400\r\n" + std::string(1024, 'x') + "\r\n";
  for (const auto& reply :
       {answer(std::string(1001, 'x')), "HTTP/1.1 200 OK\r\n\r\n" + std::string(1001, 'x'),
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk + chunk}) {
    RawServer server(time.context(), once(reply));
    const auto error = failure({.method = "POST", .url = server.url(), .max_response_bytes = 1000});
    expect_error(error, codes::upstream_error, true);
    EXPECT_EQ(error.detail.at("status"), 200);
    EXPECT_EQ(error.detail.at("limit"), 1000);
  }
  RawServer server(time.context(), once(answer(std::string(1000, 'x'))));
  EXPECT_TRUE(send({.url = server.url(), .max_response_bytes = 1000}));
}

TEST_F(CurlClientFailure, AnAnnouncedSizeIsRefusedBeforeTheBodyComes) {
  RawServer server(time.context(), [](RawConnection& peer) -> asio::awaitable<void> {
    co_await peer.read_request();
    co_await peer.write("HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n");
    co_await peer.until_closed();
  });
  expect_error(failure({.url = server.url(), .max_response_bytes = 1000}), codes::upstream_error, true);
}

TEST_F(CurlClientFailure, AHeaderLargerThanAllowedIsCutOff) {
  std::string many = "HTTP/1.1 200 OK\r\n";
  for (int i = 0; i < 400; ++i) many += fmt::format("X-{}: {}\r\n", i, std::string(1000, 'x'));
  const auto endless_hints = [](RawConnection& peer) -> asio::awaitable<void> {
    co_await peer.read_request();
    bool more = true;
    while (more) more = co_await peer.write("HTTP/1.1 103 Early Hints\r\nA: b\r\n\r\n");
  };
  for (const auto& script : {once(many), RawServer::Script(endless_hints)}) {
    RawServer server(time.context(), script);
    expect_error(failure({.url = server.url()}), codes::upstream_error, true);
  }
}

TEST_F(CurlClientFailure, AnAnswerThatIsNotHttpSaysSo) {
  for (const char* reply :
       {"SSH-2.0-OpenSSH_9.2\r\n\r\n", "HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "\x15\x03\x01\x00\x02\x02\x16",
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"}) {
    RawServer server(time.context(), once(reply));
    expect_error(failure({.method = "POST", .url = server.url(), .body = "x"}), codes::upstream_error, true);
  }
}

TEST_F(CurlClientFailure, WhatIsRefusedIsNeverTried) {
  RawServer server(time.context(), silent());
  for (const ClientRequest& request :
       {ClientRequest{.url = "file:///etc/passwd"}, ClientRequest{.url = server.url("/a b")},
        ClientRequest{.url = server.url("/a\r\nX-Injected: 1")},
        ClientRequest{.method = "BREW", .url = server.url()},
        ClientRequest{.url = server.url(), .headers = {{"X", "1\r\nX-Injected: 1"}}},
        ClientRequest{.url = "http://127.0.0.1:99999/"}}) {
    expect_error(failure(request), codes::invalid_request, false);
  }
  settle();
  EXPECT_EQ(server.accepted(), 0U);
}

}  // namespace
}  // namespace instantstart::net
