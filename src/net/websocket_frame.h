// WebSocket frames (RFC 6455 5): the server's side of reading and writing them. Pure: no socket, no clock.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "net/websocket.h"

namespace instantstart::net {

enum class WebSocketOpcode : std::uint8_t {
  continuation = 0x0,
  text = 0x1,
  binary = 0x2,
  close = 0x8,
  ping = 0x9,
  pong = 0xA,
};

struct WebSocketEvent {
  enum class Kind {
    message,
    ping,
    pong,
    close,      ///< The peer's goodbye; `code` is `no_status` when it gave none.
    violation,  ///< The peer breaks the rules; `code` is what to close with. Nothing follows.
  };

  Kind kind = Kind::message;
  bool text = false;  ///< Of a message.
  std::string data;   ///< A message, a ping's or pong's payload, or a reason.
  WebSocketClose code = WebSocketClose::no_status;

  bool operator==(const WebSocketEvent&) const = default;
};

/// Puts messages together from what a client sends. A message takes no more memory than has arrived of it.
class WebSocketDecoder {
 public:
  explicit WebSocketDecoder(std::size_t message_bytes) : message_bytes_(message_bytes) {}

  struct Step {
    std::size_t taken = 0;
    std::optional<WebSocketEvent> event;
  };

  /// Takes bytes from the front up to the end of the first event. What it did not take must be fed again:
  /// with more behind it (at most 13 bytes are left then), or for the next event. After a violation it takes
  /// and drops everything.
  Step feed(std::string_view bytes);

 private:
  struct Frame {
    WebSocketOpcode opcode = WebSocketOpcode::continuation;
    bool final = false;
    std::array<char, 4> mask{};
    std::uint64_t size = 0;
    std::uint64_t taken = 0;
  };

  std::optional<WebSocketEvent> begin_frame(std::string_view bytes, std::size_t& taken);
  std::optional<WebSocketEvent> check_start(WebSocketOpcode opcode, bool final, std::uint8_t size) const;
  std::size_t take_payload(std::string_view bytes);
  std::optional<WebSocketEvent> end_frame();
  std::optional<WebSocketEvent> end_message();

  std::size_t message_bytes_;
  std::optional<Frame> frame_;
  std::string control_;
  std::string message_;
  bool in_message_ = false;
  bool text_ = false;
  bool violated_ = false;
};

/// The head of an unmasked frame that is a whole message, or a control frame (at most 125 bytes).
std::string websocket_frame_head(WebSocketOpcode opcode, std::size_t size);

/// Empty for `no_status`; the reason is cut between code points to 123 bytes.
std::string websocket_close_payload(WebSocketClose code, std::string_view reason);

}  // namespace instantstart::net
