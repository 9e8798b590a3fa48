// The MCP face over Streamable HTTP, at /mcp: the actions of the table as tools for agents, in every released
// revision of the protocol that has this transport.
//
// 2026-07-28 is without sessions: each POST carries its version and capabilities. Older revisions begin with
// `initialize`, which opens a session. Both live on one path; each message says by itself which it is.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "faces/mcp/methods.h"
#include "faces/mcp/sessions.h"
#include "net/http.h"

namespace instantstart::faces {

inline constexpr std::string_view k_mcp_path = "/mcp";
inline constexpr std::string_view k_session_header = "Mcp-Session-Id";
/// Sent by our own bridge with the value "stdio". A client behind it may speak 2024-11-05, which has no
/// Streamable HTTP.
inline constexpr std::string_view k_transport_header = "InstantStart-Transport";

/// Loop thread only.
class McpFace {
 public:
  /// All that is given must outlive this.
  McpFace(const contract::ActionTable& actions, access::Dispatcher& dispatcher, net::Timekeeper& time,
          Random& random, Log log, std::string_view server_version, Extension* extension = nullptr);

  /// An admitted and authenticated request.
  asio::awaitable<net::Response> handle(net::Request request, contract::Caller caller);

 private:
  asio::awaitable<net::Response> post(net::Request request, contract::Caller caller);
  asio::awaitable<net::Response> post_modern(net::Request request, contract::Caller caller,
                                             RpcMessage message);
  asio::awaitable<net::Response> post_in_session(net::Request request, contract::Caller caller,
                                                 RpcInput input);
  asio::awaitable<net::Response> answer_batch(McpCaller caller, std::vector<RpcItem> batch);
  asio::awaitable<net::Response> answer_one(McpCaller caller, RpcMessage message, bool may_stream);
  asio::awaitable<net::Response> answer_by_extension(McpCaller caller, RpcMessage message, bool may_stream);
  /// The rest of an answer whose connection ended: GET with Last-Event-ID.
  net::Response resume(const net::Request& request, const contract::Caller& caller);
  void take_reply(const RpcMessage& message, const std::string& session);
  std::shared_ptr<Exchange> find_exchange(std::string_view id, std::string_view session) const;
  net::Response initialize(const net::Request& request, const contract::Caller& caller,
                           const RpcMessage& message);
  net::Response end_session(const net::Request& request, const contract::Caller& caller);

  struct OpenExchange {
    std::weak_ptr<Exchange> exchange;
    std::string session;
  };

  Methods methods_;
  Sessions sessions_;
  Random& random_;
  std::map<std::string, OpenExchange, std::less<>> exchanges_;  ///< By id; of handshake sessions.
};

}  // namespace instantstart::faces
