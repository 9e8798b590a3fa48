#include "aws/metadata_json.h"

#include <fmt/core.h>

#include "base/error_codes.h"
#include "base/json.h"
#include "base/text.h"

namespace instantstart::aws {
namespace {

std::optional<std::string> text_of(const json::object& answer, std::string_view name) {
  const json::value* value = answer.if_contains(name);
  if (!value || !value->is_string()) return std::nullopt;
  return std::string(value->get_string().data(), value->get_string().size());
}

Error incomplete(const json::object& answer, std::string_view missing) {
  Error error{.code = std::string(codes::credentials_invalid),
              .message = fmt::format("the answer has no {}", missing)};
  const auto code = text_of(answer, "Code");
  const auto message = text_of(answer, "Message");
  if (code && message) {
    error.message += fmt::format(" ({}: {})", shortened(without_controls(*code), 100),
                                 shortened(without_controls(*message), 300));
  }
  return error;
}

}  // namespace

Result<Credentials> parse_metadata_credentials(std::string_view body) {
  const auto parsed = parse_json(body, {.max_bytes = 64 * 1024, .max_depth = 16});
  if (!parsed) return fail(codes::invalid_json, "the answer is not JSON");
  if (!parsed->is_object()) return fail(codes::credentials_invalid, "the answer is not a JSON object");
  const json::object& answer = parsed->get_object();

  Credentials credentials;
  const auto id = text_of(answer, "AccessKeyId");
  const auto secret = text_of(answer, "SecretAccessKey");
  const auto token = text_of(answer, "Token");
  const auto expiration = text_of(answer, "Expiration");
  if (!id) return fail(incomplete(answer, "AccessKeyId"));
  if (!secret) return fail(incomplete(answer, "SecretAccessKey"));
  if (!token) return fail(incomplete(answer, "Token"));
  if (!expiration) return fail(incomplete(answer, "Expiration"));
  const auto expiry = parse_rfc3339(*expiration);
  if (!expiry) return fail(codes::credentials_invalid, "its Expiration is not a time");
  return Credentials{.access_key_id = *id,
                     .secret_access_key = Secret(*secret),
                     .session_token = Secret(*token),
                     .expiry = *expiry,
                     .account_id = text_of(answer, "AccountId").value_or("")};
}

}  // namespace instantstart::aws
