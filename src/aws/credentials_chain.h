// All places where credentials may be, in botocore's order, and which of them this account context uses.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "aws/credentials.h"
#include "aws/credentials_context.h"
#include "aws/shared_config.h"

namespace instantstart::aws {

/// environment, role of a profile, then those of `profile_sources`, container, instance. With a profile that
/// the caller asked for, the environment's keys are left out.
///
/// Different from botocore: AWS_CREDENTIAL_FILE, /etc/boto.cfg and ~/.boto (of its predecessors) are not
/// read; single sign-on, `aws login` and credential_process are refused by name where botocore would use
/// them.
std::vector<std::unique_ptr<CredentialsSource>> credential_sources(CredentialsContext context,
                                                                   const SharedConfig& config);

/// What one profile holds: web identity, single sign-on (refused), the credentials file's keys, `aws login`
/// and credential_process (refused), the config file's keys. The config outlives them.
std::vector<std::unique_ptr<CredentialsSource>> profile_sources(CredentialsContext context,
                                                                const SharedConfig& config,
                                                                std::string profile, bool profile_only);

/// Asks the sources in order; the first that has credentials is asked from then on, until its credentials are
/// refused: then the files are read again and the search begins anew.
class CredentialsChain final : public CredentialsProvider {
 public:
  /// Without a profile: the one of the environment, else "default".
  explicit CredentialsChain(CredentialsContext context, std::optional<std::string> profile = std::nullopt)
      : context_(std::move(context)), profile_(std::move(profile)) {}

  Task<Credentials> get(net::Deadline deadline) override;
  void refused(const Credentials& credentials) override;

 private:
  struct Search {
    SharedConfig config;
    std::vector<std::unique_ptr<CredentialsSource>> sources;
    CredentialsSource* found = nullptr;
  };

  Result<std::shared_ptr<Search>> search();

  CredentialsContext context_;
  std::optional<std::string> profile_;
  std::shared_ptr<Search> search_;  ///< Shared with the calls that use it while it is replaced.
};

}  // namespace instantstart::aws
