#include "net/websocket_frame.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "base/utf8.h"

namespace instantstart::net {

namespace {

using Kind = WebSocketEvent::Kind;

constexpr std::size_t k_control_bytes = 125;  // RFC 6455 5.5.
constexpr std::uint8_t k_size_16 = 126;       // RFC 6455 5.2: the size follows in 2 bytes …
constexpr std::uint8_t k_size_64 = 127;       // … or in 8.
constexpr std::size_t k_mask_bytes = 4;

WebSocketEvent violation(WebSocketClose code, std::string why) {
  return {.kind = Kind::violation, .data = std::move(why), .code = code};
}

WebSocketEvent broken_rule(std::string why) {
  return violation(WebSocketClose::protocol_error, std::move(why));
}

bool is_control(WebSocketOpcode opcode) { return (static_cast<std::uint8_t>(opcode) & 0x8) != 0; }

bool is_known(std::uint8_t opcode) { return opcode <= 0x2 || (opcode >= 0x8 && opcode <= 0xA); }

std::uint64_t big_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char c : bytes) value = (value << 8) | static_cast<std::uint8_t>(c);
  return value;
}

void append_big_endian(std::string& out, std::uint64_t value, int bytes) {
  for (int i = bytes - 1; i >= 0; --i) out += static_cast<char>(value >> (8 * i));
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const auto next = first_code_point(text);
    if (!next.valid) return false;
    text.remove_prefix(next.bytes);
  }
  return true;
}

/// RFC 6455 7.4: what a peer may send. 1004 to 1006 and 1015 stand for what was not sent.
bool is_close_code(std::uint64_t code) {
  return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) || (code >= 3000 && code <= 4999);
}

WebSocketEvent read_close(std::string payload) {
  if (payload.empty()) return {.kind = Kind::close};
  if (payload.size() == 1) return broken_rule("A close frame has no status of one byte.");
  const std::uint64_t code = big_endian(std::string_view(payload).substr(0, 2));
  if (!is_close_code(code)) return broken_rule("The close status is not one to be sent.");
  payload.erase(0, 2);
  if (!is_utf8(payload)) {
    return violation(WebSocketClose::invalid_text, "The reason to close is not UTF-8.");
  }
  return {.kind = Kind::close, .data = std::move(payload), .code = static_cast<WebSocketClose>(code)};
}

}  // namespace

WebSocketDecoder::Step WebSocketDecoder::feed(std::string_view bytes) {
  Step step;
  while (!step.event) {
    const auto rest = bytes.substr(step.taken);
    if (violated_) return {.taken = bytes.size()};
    if (!frame_) {
      std::size_t taken = 0;
      step.event = begin_frame(rest, taken);
      step.taken += taken;
      if (!step.event && !frame_) return step;
    } else {
      step.taken += take_payload(rest);
    }
    if (!step.event && frame_) {
      if (frame_->taken < frame_->size) {
        if (step.taken == bytes.size()) return step;
        continue;
      }
      step.event = end_frame();
    }
  }
  violated_ = step.event->kind == Kind::violation;
  return step;
}

std::optional<WebSocketEvent> WebSocketDecoder::check_start(WebSocketOpcode opcode, bool final,
                                                            std::uint8_t size) const {
  if (is_control(opcode)) {
    if (!final) return broken_rule("A control frame is fragmented.");
    if (size > k_control_bytes) return broken_rule("A control frame is longer than 125 bytes.");
    return std::nullopt;
  }
  if (opcode == WebSocketOpcode::continuation && !in_message_) {
    return broken_rule("There is no message to continue.");
  }
  if (opcode != WebSocketOpcode::continuation && in_message_) {
    return broken_rule("A message begins inside another.");
  }
  return std::nullopt;
}

std::optional<WebSocketEvent> WebSocketDecoder::begin_frame(std::string_view bytes, std::size_t& taken) {
  if (bytes.size() < 2) return std::nullopt;
  const auto first = static_cast<std::uint8_t>(bytes[0]);
  const auto second = static_cast<std::uint8_t>(bytes[1]);
  if ((first & 0x70) != 0) return broken_rule("A reserved bit is set, and no extension was agreed on.");
  if (!is_known(first & 0x0F)) return broken_rule("The opcode is not known.");
  if ((second & 0x80) == 0) return broken_rule("A frame of a client must be masked.");
  Frame frame{.opcode = static_cast<WebSocketOpcode>(first & 0x0F), .final = (first & 0x80) != 0};
  const std::uint8_t small = second & 0x7F;
  if (auto wrong = check_start(frame.opcode, frame.final, small)) return wrong;

  const std::size_t size_bytes = small == k_size_16 ? 2 : small == k_size_64 ? 8 : 0;
  const std::size_t head = 2 + size_bytes + k_mask_bytes;
  if (bytes.size() < head) return std::nullopt;
  frame.size = size_bytes == 0 ? small : big_endian(bytes.substr(2, size_bytes));
  if ((size_bytes == 2 && frame.size < k_size_16) || (size_bytes == 8 && frame.size <= 0xFFFF)) {
    return broken_rule("The size of a frame is not in its shortest form.");
  }
  if (frame.size >> 63 != 0) return broken_rule("The size of a frame has its first bit set.");
  if (!is_control(frame.opcode) && frame.size > message_bytes_ - message_.size()) {
    return violation(WebSocketClose::too_large, "The message is too large.");
  }
  bytes.copy(frame.mask.data(), k_mask_bytes, 2 + size_bytes);
  if (frame.opcode == WebSocketOpcode::text || frame.opcode == WebSocketOpcode::binary) {
    in_message_ = true;
    text_ = frame.opcode == WebSocketOpcode::text;
  }
  frame_ = frame;
  taken = head;
  return std::nullopt;
}

std::size_t WebSocketDecoder::take_payload(std::string_view bytes) {
  std::string& target = is_control(frame_->opcode) ? control_ : message_;
  const std::size_t count =
      static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), frame_->size - frame_->taken));
  const std::size_t before = target.size();
  target += bytes.substr(0, count);
  for (std::size_t i = 0; i < count; ++i) {
    target[before + i] ^= frame_->mask[(frame_->taken + i) % k_mask_bytes];
  }
  frame_->taken += count;
  return count;
}

std::optional<WebSocketEvent> WebSocketDecoder::end_frame() {
  const Frame frame = *std::exchange(frame_, std::nullopt);
  if (!is_control(frame.opcode)) return frame.final ? end_message() : std::nullopt;
  std::string payload = std::exchange(control_, {});
  if (frame.opcode == WebSocketOpcode::close) return read_close(std::move(payload));
  return WebSocketEvent{.kind = frame.opcode == WebSocketOpcode::ping ? Kind::ping : Kind::pong,
                        .data = std::move(payload)};
}

std::optional<WebSocketEvent> WebSocketDecoder::end_message() {
  in_message_ = false;
  WebSocketEvent event{.kind = Kind::message, .text = text_, .data = std::exchange(message_, {})};
  if (text_ && !is_utf8(event.data)) {
    return violation(WebSocketClose::invalid_text, "A text is not UTF-8.");
  }
  return event;
}

std::string websocket_frame_head(WebSocketOpcode opcode, std::size_t size) {
  std::string head(1, static_cast<char>(0x80 | static_cast<std::uint8_t>(opcode)));
  if (size < k_size_16) {
    append_big_endian(head, size, 1);
  } else if (size <= 0xFFFF) {
    append_big_endian(head, k_size_16, 1);
    append_big_endian(head, size, 2);
  } else {
    append_big_endian(head, k_size_64, 1);
    append_big_endian(head, size, 8);
  }
  return head;
}

std::string websocket_close_payload(WebSocketClose code, std::string_view reason) {
  std::string payload;
  if (code == WebSocketClose::no_status) return payload;
  append_big_endian(payload, static_cast<std::uint16_t>(code), 2);
  payload += shortened(reason, k_control_bytes - 2);
  return payload;
}

}  // namespace instantstart::net
