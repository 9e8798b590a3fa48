#include "sandbox/gateway/refusals.h"

#include <fmt/format.h>

namespace instantstart::sandbox {
namespace {

constexpr std::string_view k_invalid_token = "The security token included in the request is invalid.";
constexpr std::string_view k_expired_token = "The security token included in the request is expired";

/// As botocore's users see them in reports; EC2: "Error codes for the Amazon EC2 API"; S3: "Error responses".
struct Codes {
  std::string_view missing;
  std::string_view incomplete;
  std::string_view unknown_key;
  std::string_view expired_token;
  std::string_view mismatch;
  std::string_view skew;
  std::string_view access_denied;
  std::string_view throttling;
  std::string_view server_error;
  int auth_status;
  int throttling_status;
};

constexpr Codes k_query{.missing = "MissingAuthenticationToken",
                        .incomplete = "IncompleteSignature",
                        .unknown_key = "InvalidClientTokenId",
                        .expired_token = "ExpiredToken",
                        .mismatch = "SignatureDoesNotMatch",
                        .skew = "SignatureDoesNotMatch",
                        .access_denied = "AccessDenied",
                        .throttling = "Throttling",
                        .server_error = "InternalFailure",
                        .auth_status = 403,
                        .throttling_status = 400};

constexpr Codes k_ec2{.missing = "MissingAuthenticationToken",
                      .incomplete = "IncompleteSignature",
                      .unknown_key = "AuthFailure",
                      .expired_token = "RequestExpired",
                      .mismatch = "AuthFailure",
                      .skew = "RequestExpired",
                      .access_denied = "UnauthorizedOperation",
                      .throttling = "RequestLimitExceeded",
                      .server_error = "InternalError",
                      .auth_status = 401,
                      .throttling_status = 503};

constexpr Codes k_json{.missing = "MissingAuthenticationTokenException",
                       .incomplete = "IncompleteSignatureException",
                       .unknown_key = "UnrecognizedClientException",
                       .expired_token = "ExpiredTokenException",
                       .mismatch = "InvalidSignatureException",
                       .skew = "InvalidSignatureException",
                       .access_denied = "AccessDeniedException",
                       .throttling = "ThrottlingException",
                       .server_error = "InternalFailure",
                       .auth_status = 400,
                       .throttling_status = 400};

constexpr Codes k_rest_json{.missing = "MissingAuthenticationTokenException",
                            .incomplete = "IncompleteSignatureException",
                            .unknown_key = "UnrecognizedClientException",
                            .expired_token = "ExpiredTokenException",
                            .mismatch = "InvalidSignatureException",
                            .skew = "InvalidSignatureException",
                            .access_denied = "AccessDeniedException",
                            .throttling = "ThrottlingException",
                            .server_error = "InternalFailure",
                            .auth_status = 403,
                            .throttling_status = 429};

constexpr Codes k_s3{.missing = "AccessDenied",
                     .incomplete = "AuthorizationHeaderMalformed",
                     .unknown_key = "InvalidAccessKeyId",
                     .expired_token = "ExpiredToken",
                     .mismatch = "SignatureDoesNotMatch",
                     .skew = "RequestTimeTooSkewed",
                     .access_denied = "AccessDenied",
                     .throttling = "SlowDown",
                     .server_error = "InternalError",
                     .auth_status = 403,
                     .throttling_status = 503};

const Codes& codes_of(const aws::ServiceInfo& service) {
  switch (service.protocol) {
    case aws::Protocol::query: return k_query;
    case aws::Protocol::ec2: return k_ec2;
    case aws::Protocol::json: return k_json;
    case aws::Protocol::rest_json: return k_rest_json;
    case aws::Protocol::rest_xml: break;
  }
  return k_s3;
}

AwsFault made(std::string_view code, std::string_view message, int status) {
  return {.code = std::string(code), .message = std::string(message), .http_status = status};
}

AwsFault unknown_key(const aws::ServiceInfo& service, const Codes& codes) {
  if (service.protocol == aws::Protocol::ec2) {
    return made(codes.unknown_key, "AWS was not able to validate the provided access credentials",
                codes.auth_status);
  }
  if (service.protocol == aws::Protocol::rest_xml) {
    return made(codes.unknown_key, "The AWS Access Key Id you provided does not exist in our records.",
                codes.auth_status);
  }
  return made(codes.unknown_key, k_invalid_token, codes.auth_status);
}

AwsFault expired_token(const aws::ServiceInfo& service, const Codes& codes) {
  if (service.protocol == aws::Protocol::ec2) return made(codes.expired_token, "Request has expired.", 400);
  if (service.protocol == aws::Protocol::rest_xml) {
    return made(codes.expired_token, "The provided token has expired.", 400);
  }
  return made(codes.expired_token, k_expired_token, codes.auth_status);
}

AwsFault time_skewed(const aws::ServiceInfo& service, const Codes& codes, const AuthRefusal& refusal) {
  if (service.protocol == aws::Protocol::ec2) return made(codes.skew, "Request has expired.", 400);
  if (service.protocol == aws::Protocol::rest_xml) {
    return made(codes.skew, "The difference between the request time and the current time is too large.",
                codes.auth_status);
  }
  return made(codes.skew, refusal.message, codes.auth_status);
}

/// The modelled throttling error where the service has one (TooManyRequestsException of Service Quotas).
AwsFault throttled(const aws::OperationInfo& operation, const Codes& codes) {
  for (const auto* error : operation.errors) {
    if (error->code == "TooManyRequestsException" || error->throttling) {
      return made(error->code, "Rate exceeded", error->http_status);
    }
  }
  return made(codes.throttling,
              operation.service->protocol == aws::Protocol::rest_xml ? "Please reduce your request rate."
                                                                     : "Rate exceeded",
              codes.throttling_status);
}

AwsFault access_denied(const aws::OperationInfo& operation, const Codes& codes, const Call& call) {
  const aws::ServiceInfo& service = *operation.service;
  if (service.protocol == aws::Protocol::rest_xml) return made(codes.access_denied, "Access Denied", 403);
  if (service.protocol == aws::Protocol::ec2) {
    return made(codes.access_denied,
                fmt::format("You are not authorized to perform this operation. User: {} is not authorized to "
                            "perform: ec2:{} because no identity-based policy allows the ec2:{} action",
                            call.principal_arn, operation.name, operation.name),
                403);
  }
  return made(codes.access_denied,
              fmt::format("User: {} is not authorized to perform: {}:{} because no identity-based policy "
                          "allows the {}:{} action",
                          call.principal_arn, service.signing_name, operation.name, service.signing_name,
                          operation.name),
              service.protocol == aws::Protocol::json ? 400 : 403);
}

}  // namespace

AwsFault refuse_caller(const aws::ServiceInfo& service, const AuthRefusal& refusal) {
  const Codes& codes = codes_of(service);
  switch (refusal.problem) {
    case AuthProblem::missing:
      return made(codes.missing, refusal.message, service.protocol == aws::Protocol::json ? 400 : 403);
    case AuthProblem::incomplete:
      return made(codes.incomplete, refusal.message,
                  service.protocol == aws::Protocol::rest_json ? 403 : 400);
    case AuthProblem::not_supported: return made("NotImplemented", refusal.message, 501);
    case AuthProblem::unknown_key: return unknown_key(service, codes);
    case AuthProblem::expired_token: return expired_token(service, codes);
    case AuthProblem::too_old:
    case AuthProblem::in_the_future: return time_skewed(service, codes, refusal);
    case AuthProblem::url_expired: return made("AccessDenied", refusal.message, 403);
    case AuthProblem::wrong_payload:
      if (service.protocol != aws::Protocol::rest_xml) break;
      return made("XAmzContentSHA256Mismatch", refusal.message, 400);
    case AuthProblem::unsigned_header:
      if (service.protocol != aws::Protocol::rest_xml) break;
      return made("AccessDenied", refusal.message, 403);
    case AuthProblem::mismatch: break;
  }
  if (service.protocol == aws::Protocol::ec2) return unknown_key(service, codes);  // One answer for both.
  return made(codes.mismatch, refusal.message, codes.auth_status);
}

AwsFault planned_answer(const aws::OperationInfo& operation, const FaultRule& rule, const Call& call) {
  const aws::ServiceInfo& service = *operation.service;
  const Codes& codes = codes_of(service);
  AwsFault answer;
  switch (rule.kind) {
    case FaultKind::throttle: answer = throttled(operation, codes); break;
    case FaultKind::server_error:
      answer = made(codes.server_error, "We encountered an internal error. Please try again.", 500);
      break;
    case FaultKind::expired_credentials: answer = expired_token(service, codes); break;
    case FaultKind::access_denied: answer = access_denied(operation, codes, call); break;
    default: answer = made("", "The fault plan says so.", 0); break;
  }
  if (rule.code) answer.code = *rule.code;
  if (rule.message) answer.message = *rule.message;
  if (rule.status) answer.http_status = *rule.status;
  return answer;
}

}  // namespace instantstart::sandbox
