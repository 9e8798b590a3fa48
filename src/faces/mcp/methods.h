// What MCP's methods answer, whatever carries them: the handshake, discovery, tools and resources as views of
// the action table. Results get what their revision wants around them here too.
#pragma once

#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "access/dispatcher.h"
#include "base/log.h"
#include "contract/action.h"
#include "faces/mcp/extension.h"
#include "faces/mcp/json_rpc.h"
#include "faces/mcp/revision.h"
#include "faces/mcp/tools.h"
#include "net/http.h"
#include "net/time.h"

namespace instantstart::faces {

/// "instantstart://operations/{id}" is operation_get's answer.
inline constexpr std::string_view k_operation_uri = "instantstart://operations/";
inline constexpr std::string_view k_error_codes_uri = "instantstart://error-codes";

/// A call that waits for something to change, and whose caller wants to hear of progress.
struct WaitingCall {
  const contract::Action* action = nullptr;
  json::object arguments;
  seconds wait{0};
  json::value progress_token;
};

/// Loop thread only. What it is given must outlive it.
class Methods {
 public:
  Methods(const contract::ActionTable& actions, access::Dispatcher& dispatcher, net::Timekeeper& time,
          Log log, std::string_view server_version, Extension* extension = nullptr);

  /// The answer to a handshake, in this revision.
  json::object initialize_result(Revision revision) const;

  /// Everything but `initialize`. Errors are those of the protocol; what the model can mend is a result with
  /// isError.
  asio::awaitable<McpOutcome> answer(McpCaller caller, RpcMessage request);

  /// Whether the extension answers this one, and its answer, which may speak on the way.
  bool extension_takes(const McpCaller& caller, const RpcMessage& request) const;
  asio::awaitable<McpOutcome> answer_by_extension(McpCaller caller, RpcMessage request, Exchange& exchange);

  /// nullopt when the request is to be answered at once, or is wrong.
  std::optional<WaitingCall> waiting_call(const McpCaller& caller, const RpcMessage& request) const;
  /// Answers a waiting call piece by piece: a body of server-sent events, the last of them the result.
  std::unique_ptr<net::BodyStream> stream(McpCaller caller, RpcId id, WaitingCall call);

  /// One call of an action, as the result of a tool call.
  asio::awaitable<json::object> call_tool(McpCaller caller, const contract::Action& action,
                                          json::object arguments);
  access::Dispatcher& dispatcher() { return dispatcher_; }
  net::Timekeeper& time() { return time_; }
  /// The result of an action's answer, cleaned and bounded.
  json::object shown(const McpCaller& caller, const contract::Action& action, json::value body,
                     std::size_t max_bytes) const;
  /// What the revision wants of every result: its type, and who answers.
  json::object finished(Revision revision, json::object result) const;

 private:
  json::object server_info() const;
  json::object capabilities(Revision revision) const;
  json::object discovery() const;
  McpOutcome list_tools(const McpCaller& caller, const RpcMessage& request) const;
  McpOutcome list_resources(const RpcMessage& request) const;
  McpOutcome list_templates(const RpcMessage& request) const;
  asio::awaitable<McpOutcome> call(McpCaller caller, RpcMessage request);
  asio::awaitable<McpOutcome> read_resource(McpCaller caller, RpcMessage request);

  access::Dispatcher& dispatcher_;
  net::Timekeeper& time_;
  Log log_;
  std::string version_;
  Tools tools_;
  Extension* extension_;
};

}  // namespace instantstart::faces
