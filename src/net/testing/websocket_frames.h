// WebSocket frames as a client sends them, and what a server's frames hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace instantstart::net {

struct ClientFrame {
  std::uint8_t opcode = 1;
  std::string payload;
  bool final = true;
  bool masked = true;
  std::uint8_t reserved = 0;  ///< 0x40, 0x20, 0x10.
};

/// In the shortest form of its size.
std::string client_frame(const ClientFrame& frame);
/// The payload of a close frame.
std::string close_payload(std::uint16_t code, std::string_view reason = "");

struct ServerFrame {
  std::uint8_t opcode = 0;
  bool final = false;
  bool masked = false;
  std::string payload;
  std::size_t size = 0;  ///< Of the whole frame.

  /// Of a close frame; 0 when there is none.
  std::uint16_t code() const;
};

/// The first frame; nullopt when it is not complete.
std::optional<ServerFrame> read_server_frame(std::string_view bytes);

/// A request for a WebSocket with the key of RFC 6455 1.3.
std::string websocket_request(std::string_view target = "/", std::string_view more_headers = "");

}  // namespace instantstart::net
