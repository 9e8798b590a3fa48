// JSON-RPC 2.0 messages as MCP uses them: ids are strings or integers, parameters are objects. Pure.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "base/json.h"

namespace instantstart::faces {

/// JSON-RPC 2.0 section 5.1, and the codes that MCP 2026-07-28 adds.
namespace rpc {
inline constexpr int parse_error = -32700;
inline constexpr int invalid_request = -32600;
inline constexpr int method_not_found = -32601;
inline constexpr int invalid_params = -32602;
inline constexpr int internal_error = -32603;
inline constexpr int resource_not_found = -32002;  ///< Revisions before 2026-07-28 only.
inline constexpr int header_mismatch = -32020;
inline constexpr int missing_capability = -32021;  ///< Of the client.
inline constexpr int unsupported_version = -32022;
}  // namespace rpc

struct RpcError {
  int code = rpc::internal_error;
  std::string message;
  json::value data = nullptr;  ///< null: none
};

/// A string or an integer; null where there is none.
using RpcId = json::value;

enum class RpcKind { request, notification, response };

struct RpcMessage {
  RpcKind kind = RpcKind::request;
  RpcId id = nullptr;        ///< Of requests and responses.
  std::string method;        ///< Of requests and notifications.
  json::object params;       ///< Empty when there were none.
  json::object result = {};  ///< Of responses; empty when it was an error.
  bool failed = false;       ///< A response that is an error.
};

/// What is wrong with a message, and its id where that could still be read.
struct RpcFault {
  RpcId id = nullptr;
  RpcError error;
};

using RpcItem = std::expected<RpcMessage, RpcFault>;

/// One message, or the items of a batch in order.
using RpcInput = std::variant<RpcMessage, std::vector<RpcItem>>;

/// More messages in one batch are refused.
inline constexpr std::size_t k_max_batch = 64;

/// Longer method names are refused before they are looked up.
inline constexpr std::size_t k_max_method_bytes = 128;

/// Bounded (`JsonLimits`) and strict. A fault is a `parse_error` or an `invalid_request`; those of single
/// items stand in their place of the batch.
std::expected<RpcInput, RpcFault> parse_rpc(std::string_view text, JsonLimits limits = {});

json::object rpc_result(const RpcId& id, json::object result);
/// Without an id when it is null: MCP knows no null ids.
json::object rpc_error(const RpcId& id, const RpcError& error);
json::object rpc_notification(std::string_view method, json::object params);

/// The member of an object, if it is there and of that kind.
const json::object* object_member(const json::object& object, std::string_view name);
std::optional<std::string_view> text_member(const json::object& object, std::string_view name);

}  // namespace instantstart::faces
