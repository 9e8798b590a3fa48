// The envelope of a 2026-07-28 request: what `_meta` must hold, and the headers that must repeat it. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "faces/mcp/json_rpc.h"
#include "net/http.h"

namespace instantstart::faces {

inline constexpr std::string_view k_version_key = "io.modelcontextprotocol/protocolVersion";
inline constexpr std::string_view k_capabilities_key = "io.modelcontextprotocol/clientCapabilities";
inline constexpr std::string_view k_server_info_key = "io.modelcontextprotocol/serverInfo";

inline constexpr std::string_view k_version_header = "MCP-Protocol-Version";
inline constexpr std::string_view k_method_header = "Mcp-Method";
inline constexpr std::string_view k_name_header = "Mcp-Name";

/// A POST is modern when its `_meta` names a version, or its version header names one that has no handshake.
bool is_modern_post(const net::Headers& headers, const RpcMessage& message);
/// By the header alone, for methods without a body.
bool names_modern_version(const net::Headers& headers);

/// nullopt when the envelope is sound: in the order `_meta` (-32602), headers (-32020), version (-32022).
std::optional<RpcError> modern_fault(const net::Headers& headers, const RpcMessage& message);

/// What the header Mcp-Name must repeat; nullopt for methods that don't have it.
std::optional<std::string> mirrored_name(const RpcMessage& message);

/// A mirrored header value: blanks around it don't count, `=?base64?…?=` is decoded. nullopt for bad base64.
std::optional<std::string> decode_mirrored(std::string_view header);
/// The way back: as it is where a header can carry it.
std::string encode_mirrored(std::string_view value);

}  // namespace instantstart::faces
