#include "net/websocket_handshake.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/text.h"
#include "net/http_characters.h"

namespace instantstart::net {

namespace {

constexpr std::string_view k_guid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";  // RFC 6455 1.3.
constexpr std::size_t k_key_bytes = 16;
constexpr std::size_t k_sha1_bytes = 20;

/// The elements of a comma-separated list that may be spread over several fields (RFC 9110 5.6.1).
std::vector<std::string> elements_of(const Headers& headers, std::string_view name) {
  std::vector<std::string> all;
  for (const auto& [field, value] : headers) {
    if (to_lower(field) != to_lower(name)) continue;
    for (const auto element : split(value, ',')) {
      if (!trim(element).empty()) all.emplace_back(trim(element));
    }
  }
  return all;
}

bool lists(const Headers& headers, std::string_view name, std::string_view token) {
  return std::ranges::any_of(elements_of(headers, name),
                             [&](const auto& element) { return to_lower(element) == token; });
}

std::unexpected<RequestRefusal> refuse(int status, std::string_view reason) {
  return std::unexpected(RequestRefusal{.status = status, .reason = reason});
}

}  // namespace

std::expected<WebSocketOffer, RequestRefusal> read_websocket_offer(const Request& request) {
  const Headers& headers = request.headers;
  if (!lists(headers, "Upgrade", "websocket")) return refuse(426, "This is for WebSockets only.");
  if (!lists(headers, "Connection", "upgrade")) return refuse(400, "Connection must list \"upgrade\".");
  if (request.method != "GET") return refuse(400, "A WebSocket is asked for by GET.");
  if (!request.body.empty()) return refuse(400, "The request for a WebSocket has no body.");
  if (headers.count("Sec-WebSocket-Version") != 1 || headers.get("Sec-WebSocket-Version") != "13") {
    return refuse(426, "The WebSocket version known here is 13.");
  }
  WebSocketOffer offer{.key = std::string(headers.get("Sec-WebSocket-Key"))};
  const auto decoded = from_base64(offer.key);
  if (headers.count("Sec-WebSocket-Key") != 1 || !decoded || decoded->size() != k_key_bytes) {
    return refuse(400, "Sec-WebSocket-Key must be 16 bytes as base64.");
  }
  offer.subprotocols = elements_of(headers, "Sec-WebSocket-Protocol");
  const auto is_token = [](const auto& name) { return std::ranges::all_of(name, is_token_char); };
  if (!std::ranges::all_of(offer.subprotocols, is_token)) {
    return refuse(400, "A subprotocol is not a token.");
  }
  return offer;
}

std::string websocket_accept(std::string_view key) {
  const std::string text = fmt::format("{}{}", key, k_guid);
  std::array<unsigned char, k_sha1_bytes> digest{};
  // The RFC's choice; nothing secret depends on it. It cannot fail: the buffer fits and SHA-1 is built in.
  EVP_Digest(text.data(), text.size(), digest.data(), nullptr, EVP_sha1(), nullptr);
  return to_base64(as_text(digest));
}

std::string websocket_switch_head(const WebSocketOffer& offer, std::string_view subprotocol) {
  return fmt::format(
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Accept: {}\r\n{}{}{}\r\n",
      websocket_accept(offer.key), subprotocol.empty() ? "" : "Sec-WebSocket-Protocol: ", subprotocol,
      subprotocol.empty() ? "" : "\r\n");
}

}  // namespace instantstart::net
