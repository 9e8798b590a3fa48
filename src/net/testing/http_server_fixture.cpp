#include "net/testing/http_server_fixture.h"

#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <boost/asio/co_spawn.hpp>

namespace instantstart::net {

namespace {

Response refused(int status, std::string_view reason) {
  return {.status = status,
          .headers = {{"Content-Type", "text/plain"}},
          .body = fmt::format("refused: {}", reason)};
}

std::size_t content_length(const std::string& head) {
  constexpr std::string_view k_name = "\r\nContent-Length: ";
  const std::size_t at = head.find(k_name);
  return at == std::string::npos ? 0 : std::strtoul(head.c_str() + at + k_name.size(), nullptr, 10);
}

}  // namespace

void HttpServerFixture::TearDown() {
  if (!server || stopped) return;
  begin_stop(Deadline{time.steady()});
  EXPECT_TRUE(turn_until([this] { return stopped; }));
}

void HttpServerFixture::start(HttpHandler handler, HttpServerOptions options) {
  Log log(time, LogLevel::debug, [this](std::string_view line) { log_lines.emplace_back(line); });
  server = std::make_unique<HttpServer>(time.context().get_executor(), time, std::move(log),
                                        std::move(options), std::move(handler), refused);
  const auto listening = server->listen();
  if (!listening) throw std::runtime_error(listening.error().message);
  settle();
}

void HttpServerFixture::begin_stop(Deadline deadline) {
  asio::co_spawn(time.context(), server->stop(deadline), [this](const std::exception_ptr& failure) {
    EXPECT_FALSE(failure);
    stopped = true;
  });
}

bool HttpServerFixture::turn_until(const std::function<bool()>& done) {
  using RealClock = std::chrono::steady_clock;
  const auto give_up = RealClock::now() + std::chrono::seconds(10);
  while (!done()) {
    if (RealClock::now() > give_up) return false;
    time.context().restart();
    time.context().run_one_for(milliseconds(1));
  }
  return true;
}

void HttpServerFixture::settle() {
  std::size_t ran = 1;
  while (ran > 0) {
    time.context().restart();
    ran = time.context().run_one_for(milliseconds(5));
  }
}

void HttpServerFixture::send(RawClient& client, std::string_view bytes) {
  EXPECT_TRUE(turn_until([&] {
    bytes.remove_prefix(client.send(bytes));
    return bytes.empty();
  }));
}

RawResponse HttpServerFixture::next_response(RawClient& client, bool head_only) {
  RawResponse response;
  std::size_t head = 0;
  std::size_t body = 0;
  const auto complete = [&] {
    client.look();
    const std::size_t end = client.received().find("\r\n\r\n");
    if (end == std::string::npos) return client.ended() || client.broken();
    head = end + 4;
    body = head_only ? 0 : content_length(client.received().substr(0, head));
    return client.received().size() >= head + body || client.ended() || client.broken();
  };
  EXPECT_TRUE(turn_until(complete)) << client.received();
  response.head = client.received().substr(0, head);
  response.body = client.received().substr(head, body);
  if (response.head.size() > 12) response.status = std::atoi(response.head.c_str() + 9);
  client.forget(head + body);
  return response;
}

RawResponse HttpServerFixture::exchange(RawClient& client, std::string_view bytes) {
  send(client, bytes);
  return next_response(client);
}

bool HttpServerFixture::closed(RawClient& client) {
  return turn_until([&] {
    client.look();
    return client.ended() || client.broken();
  });
}

std::string HttpServerFixture::rest(RawClient& client) {
  EXPECT_TRUE(closed(client)) << client.received();
  std::string all = client.received();
  client.forget(all.size());
  return all;
}

asio::awaitable<Response> HttpServerFixture::echo(Request request) {
  co_return Response{.body = fmt::format("{} {}\n{}", request.method, request.target, request.body)};
}

asio::awaitable<Response> HttpServerFixture::gated(Request request) {
  events.push_back("begin " + request.target);
  try {
    while (!gate_open) co_await gate.wait(Deadline::never());
  } catch (...) {
    events.push_back("cancelled " + request.target);
    throw;
  }
  events.push_back("end " + request.target);
  co_return Response{.body = request.target};
}

}  // namespace instantstart::net
