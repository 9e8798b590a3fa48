#include "faces/events/testing/events_fixture.h"

#include <numeric>
#include <utility>

#include <fmt/core.h>
#include <boost/asio/co_spawn.hpp>

#include "base/json.h"
#include "net/testing/websocket_frames.h"

namespace instantstart::faces::testing {

std::vector<json::object> Client::frames(std::string_view type) const {
  std::vector<json::object> found;
  for (const auto& message : socket.told) {
    if (!message.text) continue;
    auto frame = parse_json(message.data).value().as_object();
    if (frame.at("type").as_string() == type) found.push_back(std::move(frame));
  }
  return found;
}

std::vector<std::int64_t> Client::sequences(std::string_view topic) const {
  std::vector<std::int64_t> found;
  for (const auto& frame : frames("events")) {
    if (frame.at("topic").as_string() != topic) continue;
    for (const auto& event : frame.at("events").as_array()) found.push_back(event.at("sequence").as_int64());
    EXPECT_EQ(frame.at("cursor").as_int64(), found.back());
  }
  return found;
}

std::vector<std::string> Client::errors() const {
  std::vector<std::string> found;
  for (const auto& frame : frames("error")) found.emplace_back(frame.at("problem").at("code").as_string());
  return found;
}

std::string Client::bytes(std::uint32_t channel) const {
  std::string all;
  for (const auto& message : socket.told) {
    if (message.text) continue;
    EXPECT_LE(message.data.size(), k_binary_frame_bytes);
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < k_binary_head_bytes; ++i) {
      number = (number << 8) | static_cast<unsigned char>(message.data.at(i));
    }
    if (number == channel) all += message.data.substr(k_binary_head_bytes);
  }
  return all;
}

EventsFixture::~EventsFixture() {
  for (const auto& client : clients_) {
    client->socket.go_away();
    EXPECT_TRUE(house_.time.run_until([&] { return client->ended; })) << "a socket never ended";
  }
  if (!face_) return;
  bool stopped = false;
  asio::co_spawn(house_.time.context(), face_->stop(), [&](const std::exception_ptr&) { stopped = true; });
  house_.time.run_until([&] { return stopped; });
}

void EventsFixture::begin(EventsOptions options, contract::Role role) {
  role_ = role;
  token_ = house_.wait(house_.credentials.issue_token({.id = "ann", .role = role}, "test")).value();
  face_ = std::make_unique<EventsFace>(house_.time.context().get_executor(), house_.time, Log(),
                                       house_.engine, house_.credentials, options);
  ASSERT_TRUE(house_.wait(face_->start()));
}

net::Request EventsFixture::request(net::Headers more) const {
  net::Headers headers{{"Host", "localhost"},
                       {"Upgrade", "websocket"},
                       {"Connection", "Upgrade"},
                       {"Sec-WebSocket-Version", "13"},
                       {"Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="}};
  for (const auto& [name, value] : more) headers.add(name, value);
  return {.method = "GET", .target = "/ws", .headers = std::move(headers)};
}

net::Response EventsFixture::ask(net::Request asked) {
  return house_.wait(face_->handle(std::move(asked), house_.caller(role_)));
}

Client& EventsFixture::connect() {
  auto response = ask(
      request({{"Authorization", "Bearer " + token_}, {"Sec-WebSocket-Protocol", "other, instantstart.v1"}}));
  EXPECT_TRUE(response.websocket) << response.status;
  EXPECT_EQ(response.websocket->subprotocol, "instantstart.v1");
  Client& client = *clients_.emplace_back(std::make_unique<Client>(house_.time));
  // As the server does it, the handler lives as long as the socket.
  const auto handler = std::make_shared<net::WebSocketUpgrade>(std::move(*response.websocket));
  asio::co_spawn(house_.time.context(), handler->handler(client.socket),
                 [&client, handler](const std::exception_ptr& broken) {
                   EXPECT_FALSE(broken);
                   client.ended = true;
                 });
  return client;
}

std::string EventsFixture::happen() {
  contract::Plan plan;
  plan.kind = "book_print";
  plan.subject = fmt::format("shelf/{}", ++shelves_);
  plan.summary = "Print a book.";
  plan.steps.push_back({.id = "plates", .kind = "plates_make", .title = "Make plates"});
  const auto started =
      house_.wait(house_.engine.start({.plan = std::move(plan), .input = {}, .principal = "ann"}));
  EXPECT_TRUE(started) << started.error().message;
  const std::string id = started ? started->operation_id : "";
  EXPECT_EQ(house_.wait(house_.engine.get(id, seconds(60)))->state, operations::OperationState::succeeded);
  return id;
}

Client& EventsFixture::follow(std::string_view topic, std::optional<std::int64_t> cursor,
                              std::int64_t credit) {
  Client& client = connect();
  json::object frame{{"type", "subscribe"}, {"channel", 1}, {"topic", topic}, {"credit", credit}};
  if (cursor) frame["cursor"] = *cursor;
  client.socket.say(to_text(frame));
  settle();
  return client;
}

std::vector<std::int64_t> numbers(std::int64_t first, std::int64_t last) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(last - first + 1));
  std::iota(all.begin(), all.end(), first);
  return all;
}

}  // namespace instantstart::faces::testing
