// ~/.aws/config and ~/.aws/credentials read together, with the chosen profile.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "aws/environment.h"
#include "aws/ini_file.h"
#include "base/result.h"

namespace instantstart::aws {

struct SharedConfig {
  /// The chosen profile: asked for by the caller, else AWS_DEFAULT_PROFILE, AWS_PROFILE (botocore's order),
  /// "default".
  std::string profile_name;
  /// The caller asked for it, so keys in the environment do not go before it.
  bool profile_asked = false;

  IniFile profiles;      ///< By name; the credentials file's values lie over the config file's.
  IniFile services;      ///< `[services NAME]`
  IniFile sso_sessions;  ///< `[sso-session NAME]`

  IniFile config_profiles;   ///< Only those of the config file.
  IniFile credentials_file;  ///< The sections of the credentials file, as they are.

  const IniSection& profile() const { return profile(profile_name); }
  /// Empty when there is no such profile.
  const IniSection& profile(std::string_view name) const;
};

/// Missing files are empty ones. Error `credentials_invalid`: a file that can't be parsed, or a profile that
/// was asked for (by the caller or the environment) and does not exist.
Result<SharedConfig> load_shared_config(const Environment& environment,
                                        std::optional<std::string> profile = std::nullopt);

/// A setting by its environment variable, else by its name in the chosen profile. An empty variable counts.
std::optional<std::string> setting(const Environment& environment, const SharedConfig& config,
                                   std::string_view variable, std::string_view name);

/// "true" in any case is true; all else is false (botocore's `ensure_boolean`).
bool is_true(std::string_view text);

}  // namespace instantstart::aws
