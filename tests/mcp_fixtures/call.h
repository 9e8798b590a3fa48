// One call of a fixture, and the shapes that fixtures answer in.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "faces/mcp/extension.h"
#include "net/time.h"
#include "tests/mcp_fixtures/listeners.h"

namespace instantstart::mcp_fixtures {

/// A red pixel, and a silent sample.
inline constexpr std::string_view k_png =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
inline constexpr std::string_view k_wav = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQIAAAAAAA==";

struct Call {
  const faces::McpCaller& caller;
  const faces::RpcMessage& request;
  faces::Exchange& exchange;
  net::Timekeeper& time;
  Listeners& listeners;
  std::string_view key;  ///< Signs states that clients carry.
};

json::object text_block(std::string text);
json::object image_block();
json::object resource_block(std::string_view uri, std::string_view mime_type, std::string text);
/// The result of a tool call with these blocks.
json::object content(json::array blocks);
json::object text_content(std::string text);
faces::RpcError fault(int code, std::string message, json::value data = nullptr);

/// An argument of the call; empty when it isn't there or no text.
std::string argument(const faces::RpcMessage& request, std::string_view name);
/// The member of `_meta`, if there is one.
const json::value* meta(const faces::RpcMessage& request, std::string_view name);
/// What this request says that its client can do (2026-07-28).
bool client_can(const faces::RpcMessage& request, std::string_view capability);

}  // namespace instantstart::mcp_fixtures
