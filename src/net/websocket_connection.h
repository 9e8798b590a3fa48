// A WebSocket on a connection of the server. Two coroutines run beside the handler: one reads frames, one
// sends what the protocol itself has to say, so that a handler may read or write whenever it likes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "net/connection_input.h"
#include "net/connection_stream.h"
#include "net/http_connection.h"
#include "net/signal.h"
#include "net/watchdog.h"
#include "net/websocket.h"
#include "net/websocket_frame.h"

namespace instantstart::net {

/// Loop thread only.
class WebSocketConnection final : public WebSocket {
 public:
  /// Everything given by reference outlives it. `cut` cancels the coroutine that runs serve().
  WebSocketConnection(ConnectionStream& stream, ConnectionInput& input, HttpServing& serving,
                      WebSocketUpgrade upgrade, std::function<void()> cut);

  /// Runs the handler and the closing handshake; must be awaited to its end, which cancellation hastens.
  /// Throws nothing. True when the closing handshake was sent, so that closing the socket loses nothing.
  asio::awaitable<bool> serve();

  /// The first one wins. Returns at once.
  void begin_close(WebSocketClose code, std::string_view reason);

  asio::awaitable<std::optional<WebSocketMessage>> read() override;
  asio::awaitable<bool> write_text(std::string text) override;
  asio::awaitable<bool> write_binary(std::string bytes) override;
  asio::awaitable<void> close(WebSocketClose code, std::string reason) override;

 private:
  asio::awaitable<void> read_frames();
  asio::awaitable<void> send_control();
  asio::awaitable<bool> send(WebSocketOpcode opcode, std::string payload);
  asio::awaitable<bool> send_pieces(WebSocketOpcode opcode, std::string_view payload);
  asio::awaitable<WebSocketClose> run_handler();
  asio::awaitable<void> wait_for_goodbye();
  void take_events();
  void take(WebSocketEvent event);
  void lose();
  bool is_over() const { return closing_ || lost_; }

  ConnectionStream& stream_;
  ConnectionInput& input_;
  HttpServing& serving_;
  WebSocketUpgrade upgrade_;
  WebSocketDecoder decoder_;
  Watchdog::Limit write_limit_;
  Watchdog::Limit handler_limit_;  ///< Runs once the socket is over.
  Signal changed_;                 ///< Something to look at for readers and those who wait for the end.
  Signal to_send_;                 ///< Something to do for send_control().
  Signal turn_;                    ///< A write ended.
  std::optional<WebSocketMessage> inbox_;
  std::optional<std::string> pong_;  ///< Only the latest ping needs an answer (RFC 6455 5.5.3).
  std::string goodbye_;              ///< The payload of our close frame.
  Deadline goodbye_limit_;           ///< For sending it and for the peer's.
  SteadyTime heard_;                 ///< When the peer last sent anything.
  bool pinged_ = false;              ///< Since then.
  bool writing_ = false;
  bool closing_ = false;      ///< Ours is to be sent or was.
  bool close_sent_ = false;   ///< Nothing is written any more.
  bool input_ended_ = false;  ///< The peer closed or broke the rules: nothing is read any more.
  bool lost_ = false;         ///< The connection can't be used any more.
};

}  // namespace instantstart::net
