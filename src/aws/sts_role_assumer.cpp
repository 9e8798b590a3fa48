#include "aws/sts_role_assumer.h"

#include "aws/arn.h"
#include "aws/shapes/sts.h"
#include "base/error_codes.h"

namespace instantstart::aws {
namespace {

template <class Output>
Result<Credentials> credentials_of(const Output& output) {
  if (!output.credentials || !output.credentials->access_key_id || !output.credentials->secret_access_key ||
      !output.credentials->session_token || !output.credentials->expiration) {
    return fail(codes::upstream_error, "STS answered without credentials");
  }
  const auto& given = *output.credentials;
  Credentials credentials{.access_key_id = *given.access_key_id,
                          .secret_access_key = Secret(*given.secret_access_key),
                          .session_token = Secret(*given.session_token),
                          .expiry = std::chrono::floor<milliseconds>(given.expiration->time)};
  if (output.assumed_role_user && output.assumed_role_user->arn) {
    if (const auto arn = parse_arn(*output.assumed_role_user->arn)) credentials.account_id = arn->account;
  }
  return credentials;
}

}  // namespace

Task<Credentials> StsRoleAssumer::assume_role(RoleRequest request, Credentials source,
                                              net::Deadline deadline) {
  FixedCredentials fixed(std::move(source));
  Client client(config_, fixed, http_, time_, random_, log_);
  sts::AssumeRoleRequest input;
  input.role_arn = std::move(request.role_arn);
  input.role_session_name = std::move(request.session_name);
  input.external_id = std::move(request.external_id);
  input.duration_seconds = request.duration_seconds;
  auto output = co_await client.call<sts::AssumeRole>(std::move(input), CallOptions{.deadline = deadline});
  if (!output) co_return fail(std::move(output.error()));
  co_return credentials_of(*output);
}

Task<Credentials> StsRoleAssumer::assume_role_with_web_identity(RoleRequest request, Secret token,
                                                                net::Deadline deadline) {
  FixedCredentials none({});
  Client client(config_, none, http_, time_, random_, log_);
  sts::AssumeRoleWithWebIdentityRequest input;
  input.role_arn = std::move(request.role_arn);
  input.role_session_name = std::move(request.session_name);
  input.web_identity_token = token.reveal();
  input.duration_seconds = request.duration_seconds;
  auto output = co_await client.call<sts::AssumeRoleWithWebIdentity>(std::move(input),
                                                                     CallOptions{.deadline = deadline});
  if (!output) co_return fail(std::move(output.error()));
  co_return credentials_of(*output);
}

}  // namespace instantstart::aws
