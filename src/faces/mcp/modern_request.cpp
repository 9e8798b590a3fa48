#include "faces/mcp/modern_request.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/digest.h"
#include "base/text.h"
#include "faces/mcp/revision.h"

namespace instantstart::faces {
namespace {

constexpr std::string_view k_prefix = "=?base64?";
constexpr std::string_view k_suffix = "?=";

std::optional<std::string_view> version_of(const RpcMessage& message) {
  const auto* meta = object_member(message.params, "_meta");
  return meta ? text_member(*meta, k_version_key) : std::nullopt;
}

RpcError mismatch(std::string_view header, std::string_view what) {
  return {.code = rpc::header_mismatch,
          .message = fmt::format("Header mismatch: {} {}", header, what),
          .data = nullptr};
}

std::optional<RpcError> mirror_fault(const net::Headers& headers, std::string_view name,
                                     std::string_view expected, std::string_view source) {
  if (headers.count(name) == 0) return mismatch(name, "is missing");
  if (headers.count(name) > 1) return mismatch(name, "is given more than once");
  const auto value = decode_mirrored(headers.get(name));
  if (!value || *value != expected) return mismatch(name, fmt::format("does not match {}", source));
  return std::nullopt;
}

std::optional<RpcError> meta_fault(const RpcMessage& message) {
  const auto bad = [](std::string text) {
    return RpcError{.code = rpc::invalid_params, .message = std::move(text), .data = nullptr};
  };
  const auto* meta = object_member(message.params, "_meta");
  if (!meta) {
    return bad(
        fmt::format("params._meta must be an object with {} and {}.", k_version_key, k_capabilities_key));
  }
  if (!text_member(*meta, k_version_key)) return bad(fmt::format("_meta.{} must be a text.", k_version_key));
  if (!object_member(*meta, k_capabilities_key)) {
    return bad(fmt::format("_meta.{} must be an object.", k_capabilities_key));
  }
  if (const auto* token = meta->if_contains("progressToken")) {
    if (!token->is_string() && !token->is_int64() && !token->is_uint64()) {
      return bad("_meta.progressToken must be a text or an integer.");
    }
  }
  return std::nullopt;
}

}  // namespace

bool names_modern_version(const net::Headers& headers) {
  const std::string_view header = trim(headers.get(k_version_header));
  if (header.empty()) return false;
  const auto revision = find_revision(header);
  return !revision || is_modern(*revision);
}

bool is_modern_post(const net::Headers& headers, const RpcMessage& message) {
  const auto* meta = object_member(message.params, "_meta");
  return (meta && meta->contains(k_version_key)) || names_modern_version(headers);
}

std::optional<RpcError> modern_fault(const net::Headers& headers, const RpcMessage& message) {
  if (auto fault = meta_fault(message)) return fault;
  const std::string version(*version_of(message));
  if (auto fault = mirror_fault(headers, k_version_header, version, "_meta")) return fault;
  if (auto fault = mirror_fault(headers, k_method_header, message.method, "method")) return fault;
  if (const auto name = mirrored_name(message)) {
    const std::string_view source = message.method == "resources/read" ? "params.uri" : "params.name";
    if (auto fault = mirror_fault(headers, k_name_header, *name, source)) return fault;
  }
  if (version == k_modern_revision) return std::nullopt;
  return RpcError{.code = rpc::unsupported_version,
                  .message = "Unsupported protocol version",
                  .data = json::object{{"supported", {k_modern_revision}}, {"requested", version}}};
}

std::optional<std::string> mirrored_name(const RpcMessage& message) {
  const auto member = [&message](std::string_view name) -> std::optional<std::string> {
    const auto text = text_member(message.params, name);
    return text ? std::optional(std::string(*text)) : std::nullopt;
  };
  if (message.method == "tools/call" || message.method == "prompts/get") return member("name");
  if (message.method == "resources/read") return member("uri");
  return std::nullopt;
}

std::optional<std::string> decode_mirrored(std::string_view header) {
  const std::string_view value = trim(header);
  const bool encoded = value.size() >= k_prefix.size() + k_suffix.size() && value.starts_with(k_prefix) &&
                       value.ends_with(k_suffix);
  if (!encoded) return std::string(value);
  return from_base64(value.substr(k_prefix.size(), value.size() - k_prefix.size() - k_suffix.size()));
}

std::string encode_mirrored(std::string_view value) {
  const bool printable = std::ranges::all_of(value, [](char c) { return c >= ' ' && c <= '~'; });
  const bool plain = printable && trim(value) == value && !value.starts_with(k_prefix);
  if (plain) return std::string(value);
  return fmt::format("{}{}{}", k_prefix, to_base64(value), k_suffix);
}

}  // namespace instantstart::faces
