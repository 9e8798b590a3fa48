#include "tests/mcp_fixtures/call.h"

#include "faces/mcp/modern_request.h"

namespace instantstart::mcp_fixtures {

json::object text_block(std::string text) { return {{"type", "text"}, {"text", std::move(text)}}; }

json::object image_block() { return {{"type", "image"}, {"data", k_png}, {"mimeType", "image/png"}}; }

json::object resource_block(std::string_view uri, std::string_view mime_type, std::string text) {
  return {{"type", "resource"},
          {"resource", json::object{{"uri", uri}, {"mimeType", mime_type}, {"text", std::move(text)}}}};
}

json::object content(json::array blocks) { return {{"content", std::move(blocks)}}; }

json::object text_content(std::string text) { return content(json::array{text_block(std::move(text))}); }

faces::RpcError fault(int code, std::string message, json::value data) {
  return {.code = code, .message = std::move(message), .data = std::move(data)};
}

std::string argument(const faces::RpcMessage& request, std::string_view name) {
  const auto* arguments = faces::object_member(request.params, "arguments");
  const auto text = arguments ? faces::text_member(*arguments, name) : std::nullopt;
  return std::string(text.value_or(""));
}

const json::value* meta(const faces::RpcMessage& request, std::string_view name) {
  const auto* members = faces::object_member(request.params, "_meta");
  return members ? members->if_contains(name) : nullptr;
}

bool client_can(const faces::RpcMessage& request, std::string_view capability) {
  const auto* capabilities = meta(request, faces::k_capabilities_key);
  return capabilities && capabilities->is_object() && capabilities->get_object().contains(capability);
}

}  // namespace instantstart::mcp_fixtures
