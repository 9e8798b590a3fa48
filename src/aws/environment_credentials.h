// AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SECURITY_TOKEN or AWS_SESSION_TOKEN,
// AWS_CREDENTIAL_EXPIRATION.
#pragma once

#include "aws/credentials.h"
#include "aws/environment.h"

namespace instantstart::aws {

class EnvironmentCredentials final : public CredentialsSource {
 public:
  explicit EnvironmentCredentials(const Environment& environment) : environment_(environment) {}

  Task<std::optional<Credentials>> load(net::Deadline deadline) override;

 private:
  const Environment& environment_;
};

}  // namespace instantstart::aws
