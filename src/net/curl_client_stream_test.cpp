// Bodies that are read while they come: order, ends, back-pressure, cancellation.
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

using Stream = HttpClient::Stream;

constexpr const char* k_chunked_head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-A: b\r\n\r\n";

class CurlClientStream : public ClientFixture {
 protected:
  Stream open(ClientRequest request) {
    auto got = run(client->open(std::move(request), Deadline::never()));
    if (!got) throw std::runtime_error(got.error().message);
    return std::move(*got);
  }

  std::optional<std::string> next(Stream& stream) { return run(stream.body->next()); }

  std::string rest(Stream& stream) {
    std::string all;
    while (auto piece = next(stream)) all += *piece;
    return all;
  }

  /// Writes `reply` and leaves the connection open.
  static RawServer::Script write_and_wait(std::string reply) {
    return [reply = std::move(reply)](RawConnection& peer) -> asio::awaitable<void> {
      co_await peer.read_request();
      co_await peer.write(reply);
      co_await peer.until_closed();
    };
  }

  /// Writes `reply` and breaks off.
  static RawServer::Script write_and_end(std::string reply, bool in_order) {
    return [reply = std::move(reply), in_order](RawConnection& peer) -> asio::awaitable<void> {
      co_await peer.read_request();
      co_await peer.write(reply);
      in_order ? peer.close() : peer.reset();
    };
  }
};

TEST_F(CurlClientStream, TheHeadComesBeforeTheBody) {
  RawServer server(time.context(), write_and_wait(k_chunked_head));
  const auto stream = open({.url = server.url()});
  EXPECT_EQ(stream.status, 200);
  EXPECT_EQ(stream.headers.get("x-a"), "b");
}

TEST_F(CurlClientStream, APieceComesWithoutWaitingForTheNext) {
  RawServer server(time.context(), write_and_wait(std::string(k_chunked_head) + "3\r\none\r\n"));
  auto stream = open({.url = server.url()});
  EXPECT_EQ(next(stream), "one");
  EXPECT_FALSE(stream.body->error());
}

TEST_F(CurlClientStream, AProperEndHasNoError) {
  for (const std::string& reply : {std::string(k_chunked_head) + "3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n",
                                   answer("onetwo"), std::string("HTTP/1.0 200 OK\r\n\r\nonetwo")}) {
    RawServer server(time.context(), write_and_end(reply, true));
    auto stream = open({.url = server.url()});
    EXPECT_EQ(rest(stream), "onetwo");
    EXPECT_FALSE(stream.body->error());
    EXPECT_EQ(next(stream), std::nullopt) << "asked again, it has still ended";
  }
}

TEST_F(CurlClientStream, ABrokenStreamGivesWhatCameAndThenWhy) {
  for (const bool in_order : {true, false}) {
    RawServer server(time.context(), write_and_end(std::string(k_chunked_head) + "3\r\none\r\n", in_order));
    auto stream = open({.url = server.url()});
    EXPECT_EQ(next(stream), "one");
    EXPECT_EQ(next(stream), std::nullopt);
    ASSERT_TRUE(stream.body->error());
    EXPECT_EQ(stream.body->error()->code, codes::unknown_outcome);
    EXPECT_EQ(stream.body->error()->detail.at("status"), 200);
  }
}

TEST_F(CurlClientStream, AnAnswerWithoutABodyEnds) {
  for (const char* reply :
       {"HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"}) {
    RawServer server(time.context(), write_and_wait(reply));
    auto stream = open({.url = server.url()});
    EXPECT_EQ(next(stream), std::nullopt);
    EXPECT_FALSE(stream.body->error());
  }
}

TEST_F(CurlClientStream, AnErrorAnswerIsAStreamToo) {
  RawServer server(time.context(), write_and_wait("HTTP/1.1 410 Gone\r\nContent-Length: 7\r\n\r\nexpired"));
  auto stream = open({.url = server.url()});
  EXPECT_EQ(stream.status, 410);
  EXPECT_EQ(rest(stream), "expired");
}

TEST_F(CurlClientStream, WithoutAHeadThereIsNoStream) {
  const auto refused = run(client->open(
      {.url = fmt::format("http://127.0.0.1:{}/", unused_port(time.context()))}, Deadline::never()));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, codes::connection_failed);
  RawServer server(time.context(), write_and_end("HTTP/1.1 200 OK\r\n", true));
  const auto broken = run(client->open({.url = server.url()}, Deadline::never()));
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().code, codes::unknown_outcome);
}

TEST_F(CurlClientStream, TheDeadlineCoversTheHeadOnly) {
  RawServer mute(time.context(), write_and_wait(""));
  std::optional<Result<Stream>> got;
  asio::co_spawn(time.context(), client->open({.url = mute.url()}, Deadline::in(time, seconds(5))),
                 [&](std::exception_ptr, Result<Stream> result) { got = std::move(result); });
  run_until([&] { return mute.open() == 1; });
  settle();
  time.run_for(seconds(5));
  run_until([&] { return got.has_value() && mute.open() == 0; });
  ASSERT_FALSE(*got);
  EXPECT_EQ(got->error().code, codes::deadline_exceeded);

  RawServer server(time.context(), write_and_wait(std::string(k_chunked_head) + "3\r\none\r\n"));
  auto late = run(client->open({.url = server.url()}, Deadline::in(time, seconds(5))));
  ASSERT_TRUE(late);
  time.run_for(seconds(3600));
  EXPECT_EQ(next(*late), "one");
}

TEST_F(CurlClientStream, ASlowReaderHoldsTheServerBack) {
  constexpr std::size_t k_total = 64 * 1024 * 1024;
  const std::string piece(64 * 1024, 'x');
  std::size_t written = 0;
  RawServer server(time.context(), [&](RawConnection& peer) -> asio::awaitable<void> {
    co_await peer.read_request();
    co_await peer.write("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(k_total) + "\r\n\r\n");
    while (written < k_total) {
      const bool good = co_await peer.write(piece);
      if (!good) co_return;
      written += piece.size();
    }
  });
  auto stream = open({.url = server.url()});
  settle();
  const std::size_t at_first = written;
  EXPECT_LT(at_first, k_total / 2) << "the server should block on its full socket";
  std::size_t received = next(stream)->size();
  EXPECT_LE(received, std::size_t{512 * 1024}) << "little more than the stream's buffer is kept";
  settle();
  EXPECT_LT(written, k_total);
  while (const auto more = next(stream)) received += more->size();
  EXPECT_EQ(received, k_total);
  EXPECT_EQ(written, k_total);
  EXPECT_FALSE(stream.body->error());
}

TEST_F(CurlClientStream, EveryByteComesThroughPauses) {
  std::string body(6 * 1024 * 1024 + 12345, '\0');
  for (std::size_t i = 0; i < body.size(); ++i) body[i] = static_cast<char>(i * 7 + i / 977);
  RawServer server(time.context(), write_and_end(answer(body), true));
  auto stream = open({.url = server.url()});
  std::string all;
  for (int i = 0; i < 5; ++i) {
    settle();
    all += next(stream).value_or("");
  }
  all += rest(stream);
  EXPECT_TRUE(all == body);
  EXPECT_FALSE(stream.body->error());
}

TEST_F(CurlClientStream, LettingGoOfAStreamClosesItsConnection) {
  RawServer server(time.context(), write_and_wait(std::string(k_chunked_head) + "3\r\none\r\n"));
  {
    auto stream = open({.url = server.url()});
    EXPECT_EQ(next(stream), "one");
    EXPECT_EQ(server.open(), 1U);
  }
  run_until([&] { return server.open() == 0; });
}

TEST_F(CurlClientStream, LettingGoOfAStreamThatIsHeldBackClosesItsConnection) {
  RawServer server(time.context(), write_and_end(answer(std::string(32 * 1024 * 1024, 'x')), true));
  {
    auto stream = open({.url = server.url()});
    settle();
    EXPECT_EQ(server.open(), 1U);
  }
  run_until([&] { return server.open() == 0; });
}

TEST_F(CurlClientStream, AWaitThatIsCancelledLosesNothing) {
  bool go_on = false;
  RawServer server(time.context(), [&](RawConnection& peer) -> asio::awaitable<void> {
    co_await peer.read_request();
    co_await peer.write(k_chunked_head);
    while (!go_on) co_await asio::post(asio::use_awaitable);
    co_await peer.write("3\r\none\r\n0\r\n\r\n");
  });
  auto stream = open({.url = server.url()});
  asio::cancellation_signal cancel;
  std::exception_ptr thrown;
  asio::co_spawn(time.context(), stream.body->next(),
                 asio::bind_cancellation_slot(
                     cancel.slot(),
                     [&](std::exception_ptr error, const std::optional<std::string>&) { thrown = error; }));
  for (int i = 0; i < 10; ++i) time.context().poll_one();
  cancel.emit(asio::cancellation_type::terminal);
  run_until([&] { return thrown != nullptr; });
  go_on = true;
  EXPECT_EQ(rest(stream), "one");
  EXPECT_FALSE(stream.body->error());
}

TEST_F(CurlClientStream, ASilentStreamEndsAfterTheIdleTimeout) {
  make_client({.idle_stream_timeout = seconds(30)});
  RawServer server(time.context(), write_and_wait(std::string(k_chunked_head) + "3\r\none\r\n"));
  auto stream = open({.url = server.url()});
  time.run_for(seconds(100));  // Nobody waits, so nothing is silent.
  EXPECT_EQ(next(stream), "one");
  std::optional<std::optional<std::string>> end;
  asio::co_spawn(time.context(), stream.body->next(),
                 [&](std::exception_ptr, std::optional<std::string> piece) { end = std::move(piece); });
  time.run_for(seconds(29));
  EXPECT_FALSE(end.has_value());
  time.run_for(seconds(1));
  run_until([&] { return end.has_value() && server.open() == 0; });
  EXPECT_EQ(*end, std::nullopt);
  ASSERT_TRUE(stream.body->error());
  EXPECT_EQ(stream.body->error()->code, codes::deadline_exceeded);
}

TEST_F(CurlClientStream, StreamsDoNotUseUpTheConnectionsOfCalls) {
  make_client({.max_connections_per_host = 1});
  RawServer server(time.context(), [](RawConnection& peer) -> asio::awaitable<void> {
    const auto request = co_await peer.read_request();
    co_await peer.write(request.starts_with("GET /watch") ? std::string(k_chunked_head) : answer("called"));
    co_await peer.until_closed();
  });
  std::vector<Stream> streams;
  for (int i = 0; i < 5; ++i) streams.push_back(open({.url = server.url("/watch")}));
  EXPECT_EQ(server.open(), 5U);
  const auto got = send({.url = server.url("/call")});
  ASSERT_TRUE(got);
  EXPECT_EQ(got->body, "called");
}

TEST_F(CurlClientStream, AStreamThatOutlivesTheClientEndsWithAnError) {
  RawServer server(time.context(), write_and_wait(std::string(k_chunked_head) + "3\r\none\r\n"));
  auto stream = open({.url = server.url()});
  run_until([&] { return server.open() == 1; });
  settle();
  client.reset();
  EXPECT_EQ(next(stream), "one");
  EXPECT_EQ(next(stream), std::nullopt);
  EXPECT_TRUE(stream.body->error());
}

}  // namespace
}  // namespace instantstart::net
