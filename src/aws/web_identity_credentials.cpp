#include "aws/web_identity_credentials.h"

#include <fmt/core.h>

#include "base/error_codes.h"

namespace instantstart::aws {

std::string default_session_name(WallTime now) {
  return fmt::format("instantstart-session-{}",
                     std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count());
}

std::optional<std::string> WebIdentityCredentials::value(std::string_view variable,
                                                         std::string_view name) const {
  if (!profile_only_) {
    if (auto set = context_.environment.variable(variable)) return set;
  }
  const std::string* set = config_.profile(profile_).find(name);
  return set ? std::optional(*set) : std::nullopt;
}

Task<std::optional<Credentials>> WebIdentityCredentials::load(net::Deadline deadline) {
  const std::string path = value("AWS_WEB_IDENTITY_TOKEN_FILE", "web_identity_token_file").value_or("");
  if (path.empty()) co_return std::nullopt;
  RoleRequest request{.role_arn = value("AWS_ROLE_ARN", "role_arn").value_or(""),
                      .session_name = value("AWS_ROLE_SESSION_NAME", "role_session_name").value_or("")};
  if (request.role_arn.empty()) {
    co_return fail(codes::credentials_invalid,
                   "A web identity token file is configured, but no role ARN with it");
  }
  if (request.session_name.empty()) request.session_name = default_session_name(context_.time.wall());

  auto token = context_.environment.read_file(path);
  if (!token) co_return fail(std::move(token.error()));
  if (!*token) {
    co_return fail(codes::credentials_invalid, fmt::format("There is no web identity token file {}", path));
  }
  auto credentials = co_await context_.roles.assume_role_with_web_identity(
      std::move(request), Secret(std::move(**token)), deadline);
  if (!credentials) co_return fail(within("Assume role with web identity", std::move(credentials.error())));
  credentials->source = "assume-role-with-web-identity";
  co_return std::move(*credentials);
}

}  // namespace instantstart::aws
