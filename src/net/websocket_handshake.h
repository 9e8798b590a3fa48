// The opening handshake of a WebSocket (RFC 6455 4), the server's side. Pure: no socket, no clock.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "net/http.h"
#include "net/http_request_parser.h"

namespace instantstart::net {

/// What a client that asks for a WebSocket sent.
struct WebSocketOffer {
  std::string key;                        ///< Sec-WebSocket-Key.
  std::vector<std::string> subprotocols;  ///< In the client's order of preference; often none.
};

/// Refusals: 426 for a request that does not ask for a WebSocket, or for one of another version than 13; 400
/// for one that asks wrongly.
std::expected<WebSocketOffer, RequestRefusal> read_websocket_offer(const Request& request);

/// Sec-WebSocket-Accept for a key.
std::string websocket_accept(std::string_view key);

/// The whole answer, with the empty line at its end. `subprotocol` is one of the offer's, or "".
std::string websocket_switch_head(const WebSocketOffer& offer, std::string_view subprotocol);

}  // namespace instantstart::net
