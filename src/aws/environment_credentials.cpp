#include "aws/environment_credentials.h"

#include "base/error_codes.h"

namespace instantstart::aws {
namespace {

Result<std::optional<Credentials>> read(const Environment& environment) {
  Credentials credentials{.access_key_id = environment.variable_or_empty("AWS_ACCESS_KEY_ID"),
                          .secret_access_key = Secret(environment.variable_or_empty("AWS_SECRET_ACCESS_KEY")),
                          .source = "env",
                          .account_id = environment.variable_or_empty("AWS_ACCOUNT_ID")};
  if (credentials.access_key_id.empty()) return std::nullopt;
  if (credentials.secret_access_key.empty()) {
    return fail(codes::credentials_invalid, "AWS_ACCESS_KEY_ID is set, but AWS_SECRET_ACCESS_KEY is not");
  }
  std::string token = environment.variable_or_empty("AWS_SECURITY_TOKEN");
  if (token.empty()) token = environment.variable_or_empty("AWS_SESSION_TOKEN");
  credentials.session_token = Secret(std::move(token));
  if (const auto text = environment.variable_or_empty("AWS_CREDENTIAL_EXPIRATION"); !text.empty()) {
    const auto expiry = parse_rfc3339(text);
    if (!expiry) return fail(codes::credentials_invalid, "AWS_CREDENTIAL_EXPIRATION is not an RFC 3339 time");
    credentials.expiry = *expiry;
  }
  return credentials;
}

}  // namespace

Task<std::optional<Credentials>> EnvironmentCredentials::load(net::Deadline) { co_return read(environment_); }

}  // namespace instantstart::aws
