// From a line of standard input to a request for /mcp, and from a refusal to errors that the host can show.
// Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "faces/mcp/json_rpc.h"
#include "faces/mcp/stdio_bridge.h"
#include "net/http_client.h"

namespace instantstart::faces {

/// The session that a handshake has opened.
struct BridgeSession {
  std::string id;
  std::string revision;
};

/// One line that goes to the server.
struct BridgeCall {
  std::string body;
  std::vector<RpcId> ids;  ///< Of the requests in it; each is owed an answer.
  bool modern = false;
  bool opens_session = false;  ///< `initialize`
  net::Headers headers;        ///< Those that repeat the body (2026-07-28).
};

/// nullopt for what nobody waits for: notifications and answers.
std::optional<BridgeCall> to_call(const RpcInput& input);

net::ClientRequest to_request(const BridgeTarget& target, const BridgeCall& call,
                              const std::optional<BridgeSession>& session);

/// The answers of a body: JSON-RPC as it is; anything else, such as problem details of the front door,
/// becomes an error for each id.
std::vector<json::object> answers_of(int status, std::string_view body, const BridgeCall& call);

/// The same error for each id.
std::vector<json::object> errors_for(const BridgeCall& call, const Error& error);

/// `requestId` of notifications/cancelled; null for anything else.
RpcId cancelled_id(const RpcInput& input);

}  // namespace instantstart::faces
