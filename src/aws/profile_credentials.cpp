#include "aws/profile_credentials.h"

#include <fmt/core.h>

#include "base/error_codes.h"

namespace instantstart::aws {
namespace {

Result<std::optional<Credentials>> keys_of(const IniFile& file, std::string_view profile,
                                           std::string_view source) {
  const auto found = file.find(profile);
  if (found == file.end()) return std::nullopt;
  auto keys = keys_of(found->second, source);
  if (!keys) return fail(within(fmt::format("Profile '{}'", profile), std::move(keys.error())));
  return keys;
}

std::unexpected<Error> refuse(std::string_view profile, std::string_view way) {
  return fail(
      codes::credentials_invalid,
      fmt::format("Profile '{0}' gets its credentials by {1}, which is not supported here. `aws configure "
                  "export-credentials --profile {0} --format env` turns them into ones that are",
                  profile, way));
}

Result<std::optional<Credentials>> check(const IniSection& section, std::string_view profile,
                                         UnsupportedProfile::Way way) {
  using enum UnsupportedProfile::Way;
  switch (way) {
    case single_sign_on:
      if (section.contains("sso_account_id") || section.contains("sso_role_name")) {
        return refuse(profile, "IAM Identity Center (sso_account_id, sso_role_name)");
      }
      break;
    case login:
      if (section.contains("login_session")) return refuse(profile, "`aws login` (login_session)");
      break;
    case credential_process:
      if (section.contains("credential_process")) return refuse(profile, "a program (credential_process)");
      break;
  }
  return std::nullopt;
}

}  // namespace

Result<std::optional<Credentials>> keys_of(const IniSection& section, std::string_view source) {
  const std::string* id = section.find("aws_access_key_id");
  if (!id) return std::nullopt;
  const std::string* secret = section.find("aws_secret_access_key");
  if (!secret)
    return fail(codes::credentials_invalid, "it has aws_access_key_id, but no aws_secret_access_key");
  Credentials credentials{
      .access_key_id = *id, .secret_access_key = Secret(*secret), .source = std::string(source)};
  const std::string* token = section.find("aws_security_token");
  if (!token) token = section.find("aws_session_token");
  if (token) credentials.session_token = Secret(*token);
  if (const std::string* account = section.find("aws_account_id")) credentials.account_id = *account;
  return credentials;
}

Task<std::optional<Credentials>> CredentialsFileKeys::load(net::Deadline) {
  co_return keys_of(config_.credentials_file, profile_, "shared-credentials-file");
}

Task<std::optional<Credentials>> ConfigFileKeys::load(net::Deadline) {
  co_return keys_of(config_.config_profiles, profile_, "config-file");
}

Task<std::optional<Credentials>> UnsupportedProfile::load(net::Deadline) {
  co_return check(config_.profile(profile_), profile_, way_);
}

}  // namespace instantstart::aws
