#include "faces/mcp/bridge_message.h"

#include <algorithm>

#include "base/decode.h"
#include "base/error_codes.h"
#include "contract/problem.h"
#include "faces/mcp/mcp.h"
#include "faces/mcp/modern_request.h"

namespace instantstart::faces {
namespace {

void add_id(BridgeCall& call, const RpcItem& item) {
  if (item && item->kind == RpcKind::request) call.ids.push_back(item->id);
  if (!item && !item.error().id.is_null()) call.ids.push_back(item.error().id);
}

json::object message_of(const RpcMessage& message) {
  json::object object{{"jsonrpc", "2.0"}};
  if (!message.id.is_null()) object["id"] = message.id;
  object["method"] = message.method;
  if (!message.params.empty()) object["params"] = message.params;
  return object;
}

bool names_version(const RpcMessage& message) {
  const auto* meta = object_member(message.params, "_meta");
  return meta && meta->contains(k_version_key);
}

net::Headers mirrored_headers(const RpcMessage& message) {
  net::Headers headers;
  const auto* meta = object_member(message.params, "_meta");
  const auto version = meta ? text_member(*meta, k_version_key) : std::nullopt;
  if (version) headers.add(std::string(k_version_header), encode_mirrored(*version));
  headers.add(std::string(k_method_header), encode_mirrored(message.method));
  if (const auto name = mirrored_name(message)) {
    headers.add(std::string(k_name_header), encode_mirrored(*name));
  }
  return headers;
}

BridgeCall call_of_batch(const std::vector<RpcItem>& batch) {
  BridgeCall call;
  json::array items;
  for (const auto& item : batch) {
    add_id(call, item);
    if (item) items.push_back(message_of(*item));
  }
  call.body = to_text(items);
  return call;
}

}  // namespace

std::optional<BridgeCall> to_call(const RpcInput& input) {
  BridgeCall call;
  if (const auto* batch = std::get_if<std::vector<RpcItem>>(&input)) {
    call = call_of_batch(*batch);
  } else {
    const auto& message = std::get<RpcMessage>(input);
    if (message.kind != RpcKind::request) return std::nullopt;
    call.body = to_text(message_of(message));
    call.ids.push_back(message.id);
    call.modern = names_version(message);
    call.opens_session = !call.modern && message.method == "initialize";
    if (call.modern) call.headers = mirrored_headers(message);
  }
  return call.ids.empty() ? std::nullopt : std::optional(std::move(call));
}

net::ClientRequest to_request(const BridgeTarget& target, const BridgeCall& call,
                              const std::optional<BridgeSession>& session) {
  net::ClientRequest request{.method = "POST",
                             .url = target.url + std::string(k_mcp_path),
                             .headers = {{"Authorization", "Bearer " + target.token},
                                         {"Content-Type", "application/json"},
                                         {"Accept", "application/json, text/event-stream"},
                                         {std::string(k_transport_header), "stdio"}},
                             .body = call.body,
                             .use_proxy = false};
  for (const auto& [name, value] : call.headers) request.headers.add(name, value);
  if (session && !call.modern && !call.opens_session) {
    request.headers.add(std::string(k_session_header), session->id);
    request.headers.add(std::string(k_version_header), session->revision);
  }
  return request;
}

std::vector<json::object> answers_of(int status, std::string_view body, const BridgeCall& call) {
  const auto value = parse_json(body, {.max_bytes = body.size()});
  std::vector<json::object> answers;
  if (value && value->is_object() && value->get_object().contains("jsonrpc")) {
    answers.push_back(value->get_object());
    // A refusal of the transport can't always say which request it is about; here it is known.
    if (!answers.back().contains("id") && call.ids.size() == 1) answers.back()["id"] = call.ids.front();
    return answers;
  }
  if (value && value->is_array()) {
    for (const auto& item : value->get_array()) {
      if (item.is_object()) answers.push_back(item.get_object());
    }
    return answers;
  }
  const auto problem = value ? decode<contract::Problem>(*value) : fail(codes::upstream_error, "");
  if (problem) return errors_for(call, contract::to_error(*problem));
  return errors_for(call, {.code = std::string(codes::upstream_error),
                           .message = "The server answered with status " + std::to_string(status) +
                                      " and no message that MCP knows."});
}

std::vector<json::object> errors_for(const BridgeCall& call, const Error& error) {
  std::vector<json::object> answers;
  const auto problem = contract::to_problem(error, "");
  for (const auto& id : call.ids) {
    answers.push_back(
        rpc_error(id, {.code = rpc::internal_error, .message = problem.detail, .data = encode(problem)}));
  }
  return answers;
}

RpcId cancelled_id(const RpcInput& input) {
  const auto* message = std::get_if<RpcMessage>(&input);
  if (!message || message->method != "notifications/cancelled") return nullptr;
  const auto* id = message->params.if_contains("requestId");
  return id ? *id : RpcId(nullptr);
}

}  // namespace instantstart::faces
