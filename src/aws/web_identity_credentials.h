// A role for an OpenID Connect token in a file: IAM roles for service accounts, CI systems. The file is read
// for every refresh, since whoever wrote it replaces it.
#pragma once

#include <string>

#include "aws/credentials.h"
#include "aws/credentials_context.h"
#include "aws/shared_config.h"

namespace instantstart::aws {

class WebIdentityCredentials final : public CredentialsSource {
 public:
  /// AWS_WEB_IDENTITY_TOKEN_FILE, AWS_ROLE_ARN and AWS_ROLE_SESSION_NAME go, each by itself, before the
  /// profile's `web_identity_token_file`, `role_arn` and `role_session_name`; with `profile_only` they do not
  /// count.
  WebIdentityCredentials(CredentialsContext context, const SharedConfig& config, std::string profile,
                         bool profile_only)
      : context_(std::move(context)),
        config_(config),
        profile_(std::move(profile)),
        profile_only_(profile_only) {}

  Task<std::optional<Credentials>> load(net::Deadline deadline) override;

 private:
  std::optional<std::string> value(std::string_view variable, std::string_view name) const;

  CredentialsContext context_;
  const SharedConfig& config_;
  std::string profile_;
  bool profile_only_;
};

/// "instantstart-session-1764531329"
std::string default_session_name(WallTime now);

}  // namespace instantstart::aws
