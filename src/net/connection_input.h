// What came in on a connection and is not used yet. While a handler runs it reads ahead, only to notice that
// the peer went away; what it reads then waits for the next request. An idle connection holds no buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <boost/asio/awaitable.hpp>

#include "net/connection_stream.h"

namespace instantstart::net {

/// Loop thread only. The stream and `scratch` (shared by all connections of a loop) outlive it.
class ConnectionInput {
 public:
  /// `on_gone` is called once, from the loop, when the peer closed or broke the connection while it was
  /// watched. A peer that closed only its sending side looks the same and counts as gone, as in Go's
  /// net/http; but when it had sent another request before, it is believed to wait for the answers.
  ConnectionInput(ConnectionStream& stream, std::span<char> scratch, std::function<void()> on_gone);
  ~ConnectionInput();
  ConnectionInput(const ConnectionInput&) = delete;
  ConnectionInput& operator=(const ConnectionInput&) = delete;

  std::string_view bytes() const { return std::string_view(buffer_).substr(begin_); }
  void consume(std::size_t count);

  /// Waits for more bytes. False when there will be none: the peer closed, the connection broke, or the wait
  /// was cancelled.
  asio::awaitable<bool> more();

  void watch();
  void unwatch();  ///< Cancels what is under way on the socket.

 private:
  ReadOutcome read_available();
  void arm();
  void on_readable();

  ConnectionStream& stream_;
  std::span<char> scratch_;
  std::function<void()> on_gone_;
  std::string buffer_;
  std::size_t begin_ = 0;
  bool ended_ = false;
  std::uint64_t watch_ = 0;  ///< Odd while watching; a late wait of an earlier watch has another number.
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace instantstart::net
