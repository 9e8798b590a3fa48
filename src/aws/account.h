// One account context: a profile's credentials, a region, endpoints, and the client that uses them.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "aws/caching_credentials.h"
#include "aws/client.h"
#include "aws/credentials_context.h"
#include "aws/eks_token.h"
#include "aws/environment.h"
#include "aws/sts_role_assumer.h"

namespace instantstart::aws {

struct AccountRequest {
  std::optional<std::string> profile = {};  ///< Else as the environment says.
  std::optional<std::string> region = {};   ///< Else as the environment and the profile say.
  std::string user_agent;                   ///< "instantstart/0.1.0"
};

/// Loop thread only. What it was opened with outlives it.
class Account {
 public:
  /// Reads the environment and the shared files; nothing is sent. Errors: `credentials_invalid`, or
  /// `invalid_request` when no region is set anywhere.
  static Result<std::unique_ptr<Account>> open(AccountRequest request, const Environment& environment,
                                               net::HttpClient& http, net::Timekeeper& time, Random& random,
                                               Log log);

  Client& client() { return client_; }
  CredentialsProvider& credentials() { return credentials_; }
  const std::string& region() const { return client_.region(); }

  /// A bearer token for an EKS cluster of this region.
  Task<EksToken> eks_token(std::string cluster_id, net::Deadline deadline);

 private:
  Account(ClientConfig config, std::optional<std::string> profile, const Environment& environment,
          net::HttpClient& http, net::Timekeeper& time, Random& random, Log log);

  StsRoleAssumer roles_;
  CachingCredentials credentials_;
  Client client_;
};

}  // namespace instantstart::aws
