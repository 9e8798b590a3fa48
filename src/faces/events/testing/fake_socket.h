// A WebSocket without a network: a test says what the peer says, and decides when it takes what is written.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "net/signal.h"
#include "net/task.h"
#include "net/websocket.h"

namespace instantstart::faces::testing {

/// Loop thread only.
class FakeSocket final : public net::WebSocket {
 public:
  explicit FakeSocket(net::Timekeeper& time) : changed_(time) {}

  // The peer's side.
  void say(std::string text) { hear({.text = true, .data = std::move(text)}); }
  void say_binary(std::string bytes) { hear({.text = false, .data = std::move(bytes)}); }
  void hold(bool held) {  ///< While held, nothing is taken.
    held_ = held;
    changed_.notify();
  }
  void go_away() {
    over_ = true;
    changed_.notify();
  }
  std::vector<net::WebSocketMessage> told;  ///< What was taken, in order.
  std::optional<net::WebSocketClose> closed;
  std::string reason;

  asio::awaitable<std::optional<net::WebSocketMessage>> read() override {
    while (heard_.empty() && !over_) co_await changed_.wait(net::Deadline::never());
    if (over_) co_return std::nullopt;
    auto message = std::move(heard_.front());
    heard_.pop_front();
    co_return message;
  }
  asio::awaitable<bool> write_text(std::string text) override {
    return write({.text = true, .data = std::move(text)});
  }
  asio::awaitable<bool> write_binary(std::string bytes) override {
    return write({.text = false, .data = std::move(bytes)});
  }
  asio::awaitable<void> close(net::WebSocketClose code, std::string why) override {
    if (!over_) {
      closed = code;
      reason = std::move(why);
    }
    go_away();
    co_return;
  }

 private:
  void hear(net::WebSocketMessage message) {
    heard_.push_back(std::move(message));
    changed_.notify();
  }
  asio::awaitable<bool> write(net::WebSocketMessage message) {
    while (held_ && !over_) co_await changed_.wait(net::Deadline::never());
    if (over_) co_return false;
    told.push_back(std::move(message));
    co_return true;
  }

  std::deque<net::WebSocketMessage> heard_;
  bool held_ = false;
  bool over_ = false;
  net::Signal changed_;
};

}  // namespace instantstart::faces::testing
