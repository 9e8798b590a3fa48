// The table of error codes that the whole product shares: HTTP status (RFC 9110), title (RFC 9457) and
// whether a repeat may help. A code is part of the public contract: it may be added, never renamed.
#pragma once

#include <span>
#include <string_view>

namespace instantstart {

namespace codes {
inline constexpr std::string_view access_denied = "access_denied";
inline constexpr std::string_view bad_host = "bad_host";
inline constexpr std::string_view bad_origin = "bad_origin";
inline constexpr std::string_view bad_request = "bad_request";
inline constexpr std::string_view blocked = "blocked";
inline constexpr std::string_view body_too_large = "body_too_large";
inline constexpr std::string_view cancelled = "cancelled";
inline constexpr std::string_view capacity_unavailable = "capacity_unavailable";
inline constexpr std::string_view conflict = "conflict";
inline constexpr std::string_view confirm_required = "confirm_required";
inline constexpr std::string_view confirm_token_invalid = "confirm_token_invalid";
inline constexpr std::string_view connection_failed = "connection_failed";
inline constexpr std::string_view credentials_expired = "credentials_expired";
inline constexpr std::string_view credentials_invalid = "credentials_invalid";
inline constexpr std::string_view credentials_missing = "credentials_missing";
inline constexpr std::string_view deadline_exceeded = "deadline_exceeded";
inline constexpr std::string_view forbidden = "forbidden";
inline constexpr std::string_view internal = "internal";
inline constexpr std::string_view invalid_json = "invalid_json";
inline constexpr std::string_view invalid_request = "invalid_request";
inline constexpr std::string_view method_not_allowed = "method_not_allowed";
inline constexpr std::string_view name_taken = "name_taken";
inline constexpr std::string_view needs_input = "needs_input";
inline constexpr std::string_view not_acceptable = "not_acceptable";
inline constexpr std::string_view not_found = "not_found";
inline constexpr std::string_view operation_conflict = "operation_conflict";
inline constexpr std::string_view quota_exceeded = "quota_exceeded";
inline constexpr std::string_view rate_limited = "rate_limited";
inline constexpr std::string_view server_not_running = "server_not_running";
inline constexpr std::string_view state_unusable = "state_unusable";
inline constexpr std::string_view throttled = "throttled";
inline constexpr std::string_view token_reused = "token_reused";
inline constexpr std::string_view unauthenticated = "unauthenticated";
inline constexpr std::string_view unavailable = "unavailable";
inline constexpr std::string_view unknown_outcome = "unknown_outcome";
inline constexpr std::string_view unsupported_media_type = "unsupported_media_type";
inline constexpr std::string_view upstream_error = "upstream_error";
}  // namespace codes

struct ErrorCodeInfo {
  std::string_view code;
  int http_status;
  std::string_view title;
  bool retryable;
};

/// All codes, sorted by name.
std::span<const ErrorCodeInfo> error_codes();

/// The row of a code; a code without a row is answered as `internal` (status 500).
const ErrorCodeInfo& error_code_info(std::string_view code);

}  // namespace instantstart
