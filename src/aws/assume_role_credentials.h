// A profile with `role_arn`: the role is assumed with the credentials of `source_profile`, which may itself
// be such a profile, or of `credential_source` (Environment, Ec2InstanceMetadata, EcsContainer).
#pragma once

#include <string>
#include <vector>

#include "aws/credentials.h"
#include "aws/credentials_context.h"
#include "aws/shared_config.h"

namespace instantstart::aws {

class AssumeRoleCredentials final : public CredentialsSource {
 public:
  /// The config outlives this.
  AssumeRoleCredentials(CredentialsContext context, const SharedConfig& config, std::string profile)
      : context_(std::move(context)), config_(config), profile_(std::move(profile)) {}

  /// Errors beside those of STS, all `credentials_invalid`: no source or two, one that does not exist or has
  /// no credentials, a loop, a role that wants an MFA code (nobody is there to type one).
  Task<std::optional<Credentials>> load(net::Deadline deadline) override;

 private:
  Task<Credentials> from_profile(std::string profile, net::Deadline deadline);
  Task<Credentials> from_named_source(std::string name, std::string profile, net::Deadline deadline);

  CredentialsContext context_;
  const SharedConfig& config_;
  std::string profile_;
};

/// One role to assume, with where the credentials for it come from: what a chain of profiles means, checked
/// before any call is made.
struct RoleLink {
  std::string profile;
  std::string role_arn;
  std::optional<std::string> session_name;
  std::optional<std::string> external_id;
  std::optional<std::int64_t> duration_seconds;
};

struct RoleChain {
  std::vector<RoleLink> links;    ///< In the order of the calls: the wanted role is the last.
  std::string source_profile;     ///< Whose own credentials the first call is made with; or
  std::string credential_source;  ///< the named source they come from.
};

/// Pure. nullopt when the profile has no role to assume in this way. Errors as above.
Result<std::optional<RoleChain>> role_chain(const SharedConfig& config, std::string_view profile);

}  // namespace instantstart::aws
