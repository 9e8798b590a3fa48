#include "net/testing/websocket_frames.h"

#include <fmt/format.h>

namespace instantstart::net {

namespace {

constexpr std::string_view k_mask = "\x11\x22\x33\x44";

std::string big_endian(std::uint64_t value, int bytes) {
  std::string out;
  for (int i = bytes - 1; i >= 0; --i) out += static_cast<char>(value >> (8 * i));
  return out;
}

std::uint64_t number(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char c : bytes) value = (value << 8) | static_cast<std::uint8_t>(c);
  return value;
}

}  // namespace

std::string client_frame(const ClientFrame& frame) {
  std::string bytes(1, static_cast<char>((frame.final ? 0x80 : 0) | frame.reserved | frame.opcode));
  const std::size_t size = frame.payload.size();
  const std::uint64_t mask_bit = frame.masked ? 0x80 : 0;
  if (size < 126) {
    bytes += big_endian(mask_bit | size, 1);
  } else if (size < 65'536) {
    bytes += big_endian(mask_bit | 126, 1) + big_endian(size, 2);
  } else {
    bytes += big_endian(mask_bit | 127, 1) + big_endian(size, 8);
  }
  if (!frame.masked) return bytes + frame.payload;
  bytes += k_mask;
  for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(frame.payload[i] ^ k_mask[i % 4]);
  return bytes;
}

std::string close_payload(std::uint16_t code, std::string_view reason) {
  return big_endian(code, 2).append(reason);
}

std::uint16_t ServerFrame::code() const {
  return payload.size() < 2 ? 0 : static_cast<std::uint16_t>(number(payload.substr(0, 2)));
}

std::optional<ServerFrame> read_server_frame(std::string_view bytes) {
  if (bytes.size() < 2) return std::nullopt;
  const auto first = static_cast<std::uint8_t>(bytes[0]);
  const auto second = static_cast<std::uint8_t>(bytes[1]);
  ServerFrame frame{.opcode = static_cast<std::uint8_t>(first & 0x0F),
                    .final = (first & 0x80) != 0,
                    .masked = (second & 0x80) != 0};
  const int small = second & 0x7F;
  const std::size_t size_bytes = small == 126 ? 2 : small == 127 ? 8 : 0;
  const std::size_t head = 2 + size_bytes;
  if (bytes.size() < head) return std::nullopt;
  const std::uint64_t size =
      size_bytes == 0 ? static_cast<std::uint64_t>(small) : number(bytes.substr(2, size_bytes));
  if (bytes.size() - head < size) return std::nullopt;
  frame.payload = bytes.substr(head, size);
  frame.size = head + size;
  return frame;
}

std::string websocket_request(std::string_view target, std::string_view more_headers) {
  return fmt::format(
      "GET {} HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n"
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{}\r\n",
      target, more_headers);
}

}  // namespace instantstart::net
