// A WebSocket as the handler of one sees it (RFC 6455). Pings, pongs and the closing handshake happen inside;
// extensions are not offered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include <boost/asio/awaitable.hpp>

#include "base/time.h"

namespace instantstart::net {

namespace asio = boost::asio;

struct WebSocketMessage {
  bool text = true;  ///< Valid UTF-8; otherwise any bytes.
  std::string data;

  bool operator==(const WebSocketMessage&) const = default;
};

/// RFC 6455 7.4.1 and the IANA registry. An application's own codes are 4000 to 4999.
enum class WebSocketClose : std::uint16_t {
  normal = 1000,
  going_away = 1001,
  protocol_error = 1002,
  unsupported_data = 1003,
  no_status = 1005,  ///< Never sent: the peer gave none.
  invalid_text = 1007,
  policy_violation = 1008,
  too_large = 1009,
  internal_error = 1011,
  try_again_later = 1013,
};

/// Loop thread only; it lives until the handler returns. One coroutine may read while others write.
///
/// The socket is over when either side began to close it, the peer went away, was silent for too long, or did
/// not take what was written within the server's write timeout. Then `read` gives nullopt and writes give
/// false; a handler that has not returned ten seconds later is cancelled.
class WebSocket {
 public:
  virtual ~WebSocket() = default;

  /// The next message; nullopt when the socket is over. While nobody reads, the peer is held back. A read
  /// that was cancelled loses nothing.
  virtual asio::awaitable<std::optional<WebSocketMessage>> read() = 0;

  /// Returns when the message is with the kernel, so whoever awaits it writes no faster than the peer reads.
  /// Several writes take turns. False when the socket is over. Text must be UTF-8. Cancelling a write ends
  /// the connection, since half a message may have left.
  virtual asio::awaitable<bool> write_text(std::string text) = 0;
  virtual asio::awaitable<bool> write_binary(std::string bytes) = 0;

  /// Says goodbye and waits a few seconds for the peer's. The reason is cut to 123 bytes (RFC 6455 5.5). A
  /// handler that just returns closes with `normal`; one that throws, with `internal_error`.
  virtual asio::awaitable<void> close(WebSocketClose code, std::string reason) = 0;
};

/// What a Response says to make a WebSocket of its connection.
struct WebSocketUpgrade {
  /// Runs instead of the sending of a body. What it uses must live until the server's stop() has returned.
  std::function<asio::awaitable<void>(WebSocket&)> handler;
  std::string subprotocol = {};           ///< One that the client offered, or "".
  std::size_t message_bytes = 64 * 1024;  ///< Of one incoming message; a larger one is answered by 1009.
  milliseconds ping_after{30'000};        ///< Of silence.
  milliseconds idle_timeout{75'000};      ///< Of silence, ping or not: then the connection is cut.
};

}  // namespace instantstart::net
