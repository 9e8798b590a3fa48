// Credentials from the endpoint that ECS, EKS Pod Identity or another agent on the machine gives a container.
// https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html
#pragma once

#include <string>
#include <string_view>

#include "aws/credentials.h"
#include "aws/credentials_context.h"
#include "base/result.h"

namespace instantstart::aws {

/// AWS_CONTAINER_CREDENTIALS_RELATIVE_URI at 169.254.170.2, else AWS_CONTAINER_CREDENTIALS_FULL_URI; the
/// authorization from AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE (read anew each time, it is rotated), else
/// AWS_CONTAINER_AUTHORIZATION_TOKEN. Two seconds for an answer, three tries a second apart.
class ContainerCredentials final : public CredentialsSource {
 public:
  explicit ContainerCredentials(CredentialsContext context) : context_(std::move(context)) {}

  Task<std::optional<Credentials>> load(net::Deadline deadline) override;

 private:
  Task<Credentials> fetch(net::ClientRequest request, net::Deadline deadline);

  CredentialsContext context_;
};

/// https goes anywhere; http only to loopback and to the addresses that AWS gave this purpose, so that a
/// variable that somebody else set can't send the token away in clear. Error `credentials_invalid`.
Result<> check_container_url(std::string_view url);

/// The answer of a container endpoint. Errors `credentials_invalid`: not JSON, a member missing.
Result<Credentials> parse_container_answer(std::string_view body);

}  // namespace instantstart::aws
