#include "sandbox/gateway/authentication.h"

#include "base/digest.h"

namespace instantstart::sandbox {
namespace {

std::unexpected<AuthRefusal> refuse(AuthProblem problem, std::string message) {
  return std::unexpected(AuthRefusal{problem, std::move(message)});
}

std::expected<void, AuthRefusal> check_token(const AccessKey& key, const SignatureClaim& claim,
                                             WallTime now) {
  if (!equal_in_constant_time(key.session_token.value_or(""), claim.session_token.value_or(""))) {
    return refuse(AuthProblem::unknown_key, "The security token included in the request is invalid.");
  }
  if (key.expired(now)) {
    return refuse(AuthProblem::expired_token, "The security token included in the request is expired");
  }
  return {};
}

}  // namespace

std::expected<Identity, AuthRefusal> authenticate(const net::Request& request,
                                                  const std::optional<SignatureClaim>& claim,
                                                  const aws::ServiceInfo& service,
                                                  const aws::OperationInfo* operation, const AccessKeys& keys,
                                                  WallTime now) {
  if (!claim) {
    if (operation && operation->unsigned_request) return Identity{};
    return refuse(AuthProblem::missing, "Request is missing Authentication Token");
  }
  const AccessKey* key = keys.find(claim->access_key_id);
  if (!key) return refuse(AuthProblem::unknown_key, "The security token included in the request is invalid.");
  const auto rules =
      service.protocol == aws::Protocol::rest_xml ? SignatureRules::s3 : SignatureRules::common;
  if (auto good = check_token(*key, *claim, now); !good) return std::unexpected(good.error());
  if (auto good = check_time(*claim, rules, now); !good) return std::unexpected(good.error());
  if (auto good = check_signature(request, *claim, rules, key->secret); !good) {
    return std::unexpected(good.error());
  }
  return Identity{
      .access_key_id = key->id, .principal_arn = key->principal_arn, .principal_id = key->principal_id};
}

}  // namespace instantstart::sandbox
