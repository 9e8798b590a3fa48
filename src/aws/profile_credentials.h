// Access keys written in the shared files, and the kinds of profile that are known but not served.
#pragma once

#include <string>

#include "aws/credentials.h"
#include "aws/shared_config.h"
#include "base/result.h"

namespace instantstart::aws {

/// Keys of a section, nullopt when it has none. Error `credentials_invalid` when only one of the two is
/// there.
Result<std::optional<Credentials>> keys_of(const IniSection& section, std::string_view source);

/// The profile's section in the credentials file. The config outlives this.
class CredentialsFileKeys final : public CredentialsSource {
 public:
  CredentialsFileKeys(const SharedConfig& config, std::string profile)
      : config_(config), profile_(std::move(profile)) {}

  Task<std::optional<Credentials>> load(net::Deadline deadline) override;

 private:
  const SharedConfig& config_;
  std::string profile_;
};

/// The profile's section in the config file.
class ConfigFileKeys final : public CredentialsSource {
 public:
  ConfigFileKeys(const SharedConfig& config, std::string profile)
      : config_(config), profile_(std::move(profile)) {}

  Task<std::optional<Credentials>> load(net::Deadline deadline) override;

 private:
  const SharedConfig& config_;
  std::string profile_;
};

/// Refuses a profile that signs in by a way that is not supported here, instead of going on to other
/// credentials than the ones that the user meant. Error `credentials_invalid` names the way and how to get
/// by.
class UnsupportedProfile final : public CredentialsSource {
 public:
  enum class Way {
    single_sign_on,      ///< sso_account_id, sso_role_name (`aws sso login`)
    login,               ///< login_session (`aws login`)
    credential_process,  ///< A program that prints credentials.
  };

  UnsupportedProfile(const SharedConfig& config, std::string profile, Way way)
      : config_(config), profile_(std::move(profile)), way_(way) {}

  Task<std::optional<Credentials>> load(net::Deadline deadline) override;

 private:
  const SharedConfig& config_;
  std::string profile_;
  Way way_;
};

}  // namespace instantstart::aws
