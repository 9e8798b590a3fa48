#include "faces/mcp/json_rpc.h"

#include <utility>

namespace instantstart::faces {
namespace {

bool is_id(const json::value& value) { return value.is_string() || value.is_int64() || value.is_uint64(); }

std::unexpected<RpcFault> fault(const RpcId& id, int code, std::string message) {
  return std::unexpected(
      RpcFault{.id = id, .error = {.code = code, .message = std::move(message), .data = nullptr}});
}

RpcItem parse_item(const json::value& value) {
  const auto* object = value.if_object();
  if (!object) return fault(nullptr, rpc::invalid_request, "A message is a JSON object.");

  RpcMessage message;
  const auto* id = object->if_contains("id");
  if (id && is_id(*id)) message.id = *id;
  if (text_member(*object, "jsonrpc") != "2.0") {
    return fault(message.id, rpc::invalid_request, "The member 'jsonrpc' must be \"2.0\".");
  }
  if (id && !is_id(*id)) {
    return fault(nullptr, rpc::invalid_request, "The member 'id' must be a string or an integer.");
  }
  if (!object->contains("method")) {
    const bool answers = object->contains("result") != object->contains("error");
    if (!id || !answers) return fault(message.id, rpc::invalid_request, "The member 'method' is missing.");
    message.kind = RpcKind::response;
    message.failed = object->contains("error");
    if (const auto* result = object_member(*object, "result")) message.result = *result;
    return message;
  }
  const auto method = text_member(*object, "method");
  if (!method || method->empty() || method->size() > k_max_method_bytes) {
    return fault(message.id, rpc::invalid_request, "The member 'method' must be a short text.");
  }
  message.kind = id ? RpcKind::request : RpcKind::notification;
  message.method = *method;
  if (const auto* params = object->if_contains("params"); params && !params->is_null()) {
    if (!params->is_object()) {
      return fault(message.id, rpc::invalid_request, "The member 'params' must be an object.");
    }
    message.params = params->get_object();
  }
  return message;
}

}  // namespace

std::expected<RpcInput, RpcFault> parse_rpc(std::string_view text, JsonLimits limits) {
  const auto value = parse_json(text, limits);
  if (!value) return fault(nullptr, rpc::parse_error, value.error().message);
  if (!value->is_array()) {
    auto item = parse_item(*value);
    if (!item) return std::unexpected(std::move(item.error()));
    return std::move(*item);
  }
  const auto& items = value->get_array();
  if (items.empty() || items.size() > k_max_batch) {
    return fault(nullptr, rpc::invalid_request, "A batch holds 1 to 64 messages.");
  }
  std::vector<RpcItem> batch;
  batch.reserve(items.size());
  for (const auto& item : items) batch.push_back(parse_item(item));
  return batch;
}

json::object rpc_result(const RpcId& id, json::object result) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}};
}

json::object rpc_error(const RpcId& id, const RpcError& error) {
  json::object message{{"jsonrpc", "2.0"}};
  if (!id.is_null()) message["id"] = id;
  json::object body{{"code", error.code}, {"message", error.message}};
  if (!error.data.is_null()) body["data"] = error.data;
  message["error"] = std::move(body);
  return message;
}

json::object rpc_notification(std::string_view method, json::object params) {
  return {{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}};
}

const json::object* object_member(const json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value ? value->if_object() : nullptr;
}

std::optional<std::string_view> text_member(const json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  if (!value || !value->is_string()) return std::nullopt;
  return std::string_view(value->get_string());
}

}  // namespace instantstart::faces
