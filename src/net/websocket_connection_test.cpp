// A WebSocket of the server, with a client that sends raw frames.
#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include "net/testing/http_server_fixture.h"
#include "net/testing/test_certificate.h"
#include "net/testing/websocket_frames.h"

namespace instantstart::net {
namespace {

using SocketHandler = std::function<asio::awaitable<void>(WebSocket&)>;

asio::awaitable<void> echo_messages(WebSocket& socket) {
  while (true) {
    auto message = co_await socket.read();
    if (!message) co_return;
    auto write = message->text ? socket.write_text(std::move(message->data))
                               : socket.write_binary(std::move(message->data));
    const bool written = co_await std::move(write);
    if (!written) co_return;
  }
}

class WebSocketTest : public HttpServerFixture {
 protected:
  /// Every request becomes a WebSocket with this handler.
  void start_socket(SocketHandler handler, WebSocketUpgrade upgrade = {}, HttpServerOptions options = {}) {
    upgrade.handler = std::move(handler);
    start([upgrade](Request) -> asio::awaitable<Response> { co_return Response{.websocket = upgrade}; },
          std::move(options));
  }

  RawClient open(std::string_view more_headers = "") {
    auto client = connect();
    const auto answer = exchange(client, websocket_request("/ws", more_headers));
    EXPECT_EQ(answer.status, 101) << answer.head;
    return client;
  }

  std::optional<ServerFrame> next_frame(RawClient& client) {
    std::optional<ServerFrame> frame;
    turn_until([&] {
      client.look();
      frame = read_server_frame(client.received());
      return frame.has_value() || client.ended() || client.broken();
    });
    if (frame) client.forget(frame->size);
    return frame;
  }

  void expect_frame(RawClient& client, int opcode, std::string_view payload) {
    const auto frame = next_frame(client);
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->opcode, opcode);
    EXPECT_EQ(frame->payload, payload);
    EXPECT_TRUE(frame->final);
    EXPECT_FALSE(frame->masked);
  }

  void expect_close(RawClient& client, int code) {
    const auto frame = next_frame(client);
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->opcode, 8);
    EXPECT_EQ(frame->code(), code) << frame->payload;
  }

  /// Notes how the handler ended.
  SocketHandler noted(SocketHandler handler) {
    return [this, handler = std::move(handler)](WebSocket& socket) -> asio::awaitable<void> {
      try {
        co_await handler(socket);
        events.push_back("returned");
      } catch (...) {
        events.push_back("threw");
        throw;
      }
    };
  }
  bool happened(const std::string& event) const { return std::ranges::count(events, event) > 0; }
  bool quiet(RawClient& client) {
    settle();
    client.look();
    return client.received().empty() && !client.ended() && !client.broken();
  }
};

TEST_F(WebSocketTest, MessagesGoBothWays) {
  start_socket(noted(echo_messages));
  auto client = open();
  send(client, client_frame({.payload = "hello"}));
  expect_frame(client, 1, "hello");
  send(client, client_frame({.opcode = 2, .payload = std::string("\0\xFF", 2)}));
  expect_frame(client, 2, std::string_view("\0\xFF", 2));
  send(client, client_frame({.payload = "a", .final = false}) + client_frame({.opcode = 0, .payload = "b"}) +
                   client_frame({.payload = "c"}));
  expect_frame(client, 1, "ab");
  expect_frame(client, 1, "c");
}

TEST_F(WebSocketTest, MessagesThatComeWithTheRequestAreNotLost) {
  start_socket(echo_messages);
  auto client = connect();
  EXPECT_EQ(exchange(client, websocket_request() + client_frame({.payload = "early"})).status, 101);
  expect_frame(client, 1, "early");
}

TEST_F(WebSocketTest, LargeMessagesPass) {
  start_socket(echo_messages, {.message_bytes = 3'000'000});
  auto client = open();
  const std::string large(2'000'000, 'x');
  send(client, client_frame({.opcode = 2, .payload = large}));
  const auto frame = next_frame(client);
  ASSERT_TRUE(frame);
  EXPECT_TRUE(frame->payload == large);
}

TEST_F(WebSocketTest, AnEndOfThePeersIsAnswered) {
  start_socket(noted(echo_messages));
  auto client = open();
  send(client, client_frame({.opcode = 8, .payload = close_payload(4001, "bye")}));
  expect_close(client, 4001);
  EXPECT_TRUE(closed(client));
  EXPECT_FALSE(client.broken());
  EXPECT_TRUE(happened("returned"));
  auto wordless = open();
  send(wordless, client_frame({.opcode = 8}));
  expect_frame(wordless, 8, "");
  EXPECT_TRUE(closed(wordless));
}

TEST_F(WebSocketTest, AHandlerThatReturnsSaysGoodbyeAndWaitsForThePeers) {
  start_socket([](WebSocket& socket) -> asio::awaitable<void> { co_await socket.write_text("last"); });
  auto client = open();
  expect_frame(client, 1, "last");
  expect_close(client, 1000);
  EXPECT_TRUE(quiet(client));
  send(client,
       client_frame({.payload = "too late"}) + client_frame({.opcode = 8, .payload = close_payload(1000)}));
  EXPECT_TRUE(closed(client));
  EXPECT_FALSE(client.broken());
}

TEST_F(WebSocketTest, APeerThatDoesNotSayGoodbyeIsLeft) {
  start_socket([](WebSocket&) -> asio::awaitable<void> { co_return; });
  auto client = open();
  expect_close(client, 1000);
  time.run_for(seconds(6));
  EXPECT_TRUE(closed(client));
}

TEST_F(WebSocketTest, AHandlerMayCloseWithItsOwnCode) {
  start_socket([](WebSocket& socket) -> asio::awaitable<void> {
    co_await socket.close(WebSocketClose::policy_violation, "rights were taken");
    const bool written = co_await socket.write_text("never");
    EXPECT_FALSE(written);
    const auto message = co_await socket.read();
    EXPECT_FALSE(message);
  });
  auto client = open();
  expect_frame(client, 8, close_payload(1008, "rights were taken"));
  send(client, client_frame({.opcode = 8, .payload = close_payload(1008)}));
  EXPECT_TRUE(closed(client));
  EXPECT_TRUE(client.received().empty());
}

TEST_F(WebSocketTest, AHandlerThatThrowsClosesWith1011) {
  start_socket([](WebSocket&) -> asio::awaitable<void> {
    throw std::runtime_error("broken");
    co_return;
  });
  auto client = open();
  expect_close(client, 1011);
  EXPECT_EQ(log_lines.size(), 1U);
}

TEST_F(WebSocketTest, BrokenRulesCloseWithTheirCodes) {
  start_socket(noted(echo_messages), {.message_bytes = 1'000});
  const std::vector<std::pair<std::string, int>> wrong = {
      {client_frame({.payload = "a", .masked = false}), 1002},
      {client_frame({.opcode = 3}), 1002},
      {client_frame({.opcode = 8, .payload = close_payload(1005)}), 1002},
      {client_frame({.payload = std::string(1'001, 'x')}), 1009},
      {client_frame({.payload = "\xFF"}), 1007}};
  for (const auto& [bytes, code] : wrong) {
    auto client = open();
    send(client, bytes + std::string(100'000, 'x'));
    expect_close(client, code);
    EXPECT_TRUE(closed(client));
    EXPECT_FALSE(client.broken()) << "the close frame must not be lost to a reset";
  }
  EXPECT_EQ(std::ranges::count(events, "returned"), 5);
}

TEST_F(WebSocketTest, PingsAreAnsweredWhileTheHandlerIsBusy) {
  start_socket([this](WebSocket&) -> asio::awaitable<void> { co_await gate.wait(Deadline::never()); });
  auto client = open();
  send(client, client_frame({.opcode = 9, .payload = "1"}));
  expect_frame(client, 10, "1");
  send(client, client_frame({.opcode = 9, .payload = "2"}) + client_frame({.opcode = 9, .payload = "3"}));
  expect_frame(client, 10, "3");
}

TEST_F(WebSocketTest, ASilentPeerIsPingedAndThenLeft) {
  start_socket(noted(echo_messages));
  auto client = open();
  settle();
  time.run_for(seconds(29));
  EXPECT_TRUE(quiet(client));
  time.run_for(seconds(2));
  expect_frame(client, 9, "");
  time.run_for(seconds(43));
  EXPECT_TRUE(quiet(client));
  time.run_for(seconds(2));
  EXPECT_TRUE(closed(client));
  EXPECT_TRUE(happened("returned"));
}

TEST_F(WebSocketTest, APeerThatAnswersPingsStays) {
  start_socket(noted(echo_messages));
  auto client = open();
  for (int i = 0; i < 10; ++i) {
    settle();
    time.run_for(seconds(31));
    expect_frame(client, 9, "");
    send(client, client_frame({.opcode = 10}));
  }
  send(client, client_frame({.payload = "still here"}));
  expect_frame(client, 1, "still here");
}

TEST_F(WebSocketTest, AHandlerThatDoesNotReadHoldsThePeerBack) {
  start_socket([this](WebSocket& socket) -> asio::awaitable<void> {
    while (!gate_open) co_await gate.wait(Deadline::never());
    co_await echo_messages(socket);
  });
  auto client = open();
  const auto piece = client_frame({.opcode = 2, .payload = std::string(60'000, 'x')});
  std::size_t sent = 0;
  bool moved = true;
  while (moved && sent < 1'000 * piece.size()) {  // Until the kernel's buffers are full.
    const std::size_t count = client.send(std::string_view(piece).substr(sent % piece.size()));
    settle();
    sent += count;
    moved = count > 0;
  }
  EXPECT_LT(sent, 1'000 * piece.size());
  time.run_for(std::chrono::hours(1));
  settle();
  client.look();
  EXPECT_FALSE(client.ended() || client.broken()) << "it is not its silence";
  client.forget(client.received().size());  // A ping, perhaps.
  gate_open = true;
  gate.notify();
  EXPECT_TRUE(next_frame(client));
}

TEST_F(WebSocketTest, AWriterWaitsForThePeerAndIsCutAfterTheWriteTimeout) {
  int written = 0;
  start_socket(noted([&](WebSocket& socket) -> asio::awaitable<void> {
    while (true) {
      const bool good = co_await socket.write_binary(std::string(60'000, 'x'));
      if (!good) co_return;
      ++written;
    }
  }));
  auto client = open();
  settle();
  const int at_first = written;
  EXPECT_LT(at_first, 1'000);
  client.look(8'000'000);
  settle();
  EXPECT_GT(written, at_first);
  EXPECT_TRUE(events.empty());
  time.run_for(seconds(61));
  EXPECT_TRUE(turn_until([this] { return happened("returned"); }));
  EXPECT_TRUE(turn_until([&] {
    client.look(8'000'000);
    client.forget(client.received().size());
    return client.ended() || client.broken();
  }));
}

TEST_F(WebSocketTest, WritesOfSeveralCoroutinesDoNotMix) {
  start_socket([this](WebSocket& socket) -> asio::awaitable<void> {
    int open_writers = 2;
    for (const char letter : {'a', 'b'}) {
      auto write = [](WebSocket& to, char what, int& left) -> asio::awaitable<void> {
        for (int i = 0; i < 20; ++i) co_await to.write_text(std::string(300'000, what));
        --left;
      };
      asio::co_spawn(time.context(), write(socket, letter, open_writers),
                     [this](const std::exception_ptr&) { gate.notify(); });
    }
    while (open_writers > 0) co_await gate.wait(Deadline::never());
  });
  auto client = open();
  for (int i = 0; i < 40; ++i) {
    const auto frame = next_frame(client);
    ASSERT_TRUE(frame);
    ASSERT_EQ(frame->payload.size(), 300'000U);
    ASSERT_EQ(frame->payload.find_first_not_of(frame->payload.front()), std::string::npos);
  }
  expect_close(client, 1000);
}

TEST_F(WebSocketTest, WhenThePeerVanishesTheReaderSeesTheEnd) {
  start_socket(noted(echo_messages));
  auto client = open();
  settle();
  client.reset();
  EXPECT_TRUE(turn_until([this] { return happened("returned"); }));
  EXPECT_TRUE(log_lines.empty());
}

TEST_F(WebSocketTest, AHandlerThatWaitsForSomethingElseIsCancelledAWhileLater) {
  start_socket(noted([this](WebSocket&) -> asio::awaitable<void> { co_await gate.wait(Deadline::never()); }));
  auto client = open();
  client.close();
  settle();
  EXPECT_TRUE(events.empty());
  time.run_for(seconds(11));
  EXPECT_TRUE(turn_until([this] { return happened("threw"); }));
  EXPECT_TRUE(log_lines.empty());
}

TEST_F(WebSocketTest, StopSaysThatItGoesAway) {
  start_socket(noted(echo_messages));
  auto polite = open();
  auto silent = open();
  settle();
  begin_stop(Deadline::in(time, seconds(60)));
  expect_close(polite, 1001);
  expect_close(silent, 1001);
  EXPECT_TRUE(turn_until([this] { return std::ranges::count(events, "returned") == 2; }));
  send(polite, client_frame({.opcode = 8, .payload = close_payload(1001)}));
  EXPECT_TRUE(closed(polite));
  EXPECT_FALSE(stopped);
  time.run_for(seconds(8));
  EXPECT_TRUE(closed(silent));
  EXPECT_TRUE(turn_until([this] { return stopped; }));
}

TEST_F(WebSocketTest, AtItsDeadlineStopCutsThem) {
  start_socket(noted([this](WebSocket&) -> asio::awaitable<void> { co_await gate.wait(Deadline::never()); }));
  auto client = open();
  settle();
  begin_stop(Deadline::in(time, seconds(1)));
  time.run_for(seconds(2));
  EXPECT_TRUE(turn_until([this] { return stopped; }));
  EXPECT_TRUE(happened("threw"));
  EXPECT_TRUE(closed(client));
}

TEST_F(WebSocketTest, ASubprotocolIsAgreedOn) {
  start_socket(echo_messages, {.subprotocol = "instantstart.v1"});
  auto client = connect();
  const auto answer =
      exchange(client, websocket_request("/", "Sec-WebSocket-Protocol: other, instantstart.v1\r\n"));
  EXPECT_EQ(answer.status, 101);
  EXPECT_TRUE(answer.has("Sec-WebSocket-Protocol: instantstart.v1\r\n"));
  EXPECT_TRUE(answer.has("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"));
  EXPECT_FALSE(answer.has("Content-Length"));
  auto other = connect();
  EXPECT_EQ(exchange(other, websocket_request()).status, 500) << "not one that was not offered";
}

TEST_F(WebSocketTest, OtherRequestsAreRefused) {
  start_socket(echo_messages);
  auto plain = connect();
  const auto answer = exchange(plain, "GET /ws HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(answer.status, 426);
  EXPECT_TRUE(answer.has("Upgrade: websocket\r\n"));
  EXPECT_TRUE(answer.has("Sec-WebSocket-Version: 13\r\n"));
  EXPECT_TRUE(closed(plain));
  auto wrong = connect();
  EXPECT_EQ(exchange(wrong,
                     "GET /ws HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: upgrade\r\n"
                     "Sec-WebSocket-Version: 13\r\n\r\n")
                .status,
            400);
  EXPECT_TRUE(closed(wrong));
}

TEST_F(WebSocketTest, ItWorksOverTls) {
  const TestAuthority authority;
  start_socket(noted(echo_messages), {}, {.tls = authority.issue({"IP:127.0.0.1"})});
  asio::ssl::context trust(asio::ssl::context::tls_client);
  trust.add_certificate_authority(asio::buffer(authority.certificate_pem()));
  asio::ssl::stream<asio::ip::tcp::socket> client(time.context(), trust);
  client.set_verify_mode(asio::ssl::verify_peer);
  std::string received;
  const auto talk = [](auto& stream, std::uint16_t port, std::string& got) -> asio::awaitable<void> {
    const asio::ip::tcp::endpoint server_at(asio::ip::address_v4::loopback(), port);
    co_await stream.next_layer().async_connect(server_at, asio::use_awaitable);
    co_await stream.async_handshake(asio::ssl::stream_base::client, asio::use_awaitable);
    const std::string bytes = websocket_request() +
                              client_frame({.opcode = 2, .payload = std::string(60'000, 'x')}) +
                              client_frame({.opcode = 8, .payload = close_payload(1000)});
    co_await asio::async_write(stream, asio::buffer(bytes), asio::use_awaitable);
    std::string piece(16'384, '\0');
    while (true) {
      const std::size_t size = co_await stream.async_read_some(asio::buffer(piece), asio::use_awaitable);
      got += piece.substr(0, size);
    }
  };
  std::exception_ptr failure;
  asio::co_spawn(time.context(), talk(client, server->port(), received),
                 [&](const std::exception_ptr& error) { failure = error; });
  ASSERT_TRUE(turn_until([&] { return failure != nullptr; }));
  try {
    std::rethrow_exception(failure);
  } catch (const boost::system::system_error& error) {
    EXPECT_EQ(error.code(), asio::error::eof) << error.what() << ": an end with a close_notify";
  }
  const auto head = received.find("\r\n\r\n") + 4;
  const auto message = read_server_frame(std::string_view(received).substr(head));
  ASSERT_TRUE(message);
  EXPECT_EQ(message->payload.size(), 60'000U);
  const auto goodbye = read_server_frame(std::string_view(received).substr(head + message->size));
  ASSERT_TRUE(goodbye);
  EXPECT_EQ(goodbye->code(), 1000);
  EXPECT_TRUE(happened("returned"));
}

}  // namespace
}  // namespace instantstart::net
