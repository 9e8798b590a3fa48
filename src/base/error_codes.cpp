#include "base/error_codes.h"

#include <algorithm>
#include <array>

namespace instantstart {
namespace {

constexpr auto k_codes = std::to_array<ErrorCodeInfo>({
    {codes::access_denied, 403, "AWS or Kubernetes refused the call", false},
    {"ambiguous", 409, "The name means several things", false},
    {codes::bad_host, 421, "This host name is not served here", false},
    {codes::bad_origin, 403, "Requests from this origin are refused", false},
    {codes::bad_request, 400, "The request is malformed", false},
    {codes::blocked, 409, "The step can't go on until something else changes", false},
    {codes::body_too_large, 413, "The body is larger than the limit", false},
    {codes::cancelled, 409, "The operation was cancelled", false},
    {codes::capacity_unavailable, 503, "AWS has no capacity of this kind left here", true},
    {codes::confirm_required, 409, "The plan needs a confirmation", false},
    {codes::confirm_token_invalid, 409, "The confirmation doesn't fit this request", false},
    {codes::conflict, 409, "The state changed meanwhile", true},
    {codes::connection_failed, 502, "The peer could not be reached", true},
    {codes::credentials_expired, 502, "The AWS credentials have expired", false},
    {codes::credentials_invalid, 502, "The AWS credentials, or their configuration, can't be used", false},
    {codes::credentials_missing, 502, "There are no AWS credentials", false},
    {codes::deadline_exceeded, 504, "The deadline passed", true},
    {codes::forbidden, 403, "The caller's role does not allow this", false},
    {codes::internal, 500, "Internal error", false},
    {codes::invalid_json, 400, "The body is not valid JSON", false},
    {codes::invalid_request, 422, "The request breaks one or more rules", false},
    {codes::method_not_allowed, 405, "The path exists, but not with this method", false},
    {codes::name_taken, 409, "Something else has this name", false},
    {codes::needs_input, 409, "A decision is needed", false},
    {codes::not_acceptable, 406, "No such representation", false},
    {codes::not_found, 404, "Not found", false},
    {codes::operation_conflict, 409, "Another operation works on this", true},
    {codes::quota_exceeded, 409, "A quota of the AWS account is used up", false},
    {codes::rate_limited, 429, "Too many requests", true},
    {codes::server_not_running, 503, "The server is not running", true},
    {codes::state_unusable, 500, "The state directory can't be used", false},
    {codes::throttled, 503, "AWS asks for fewer calls", true},
    {codes::token_reused, 409, "The client token was used with other values", false},
    {codes::unauthenticated, 401, "No valid login or token", false},
    {codes::unavailable, 503, "Temporarily unavailable", true},
    {codes::unknown_outcome, 502, "It is not known whether the call ran", false},
    {codes::unsupported_media_type, 415, "Only application/json is read here", false},
    {codes::upstream_error, 502, "AWS or Kubernetes answered with an error", false},
});

static_assert(std::ranges::is_sorted(k_codes, {}, &ErrorCodeInfo::code));

}  // namespace

std::span<const ErrorCodeInfo> error_codes() { return k_codes; }

const ErrorCodeInfo& error_code_info(std::string_view code) {
  const auto found = std::ranges::lower_bound(k_codes, code, {}, &ErrorCodeInfo::code);
  if (found != k_codes.end() && found->code == code) return *found;
  return *std::ranges::lower_bound(k_codes, codes::internal, {}, &ErrorCodeInfo::code);
}

}  // namespace instantstart
