#include "aws/errors.h"

#include <algorithm>
#include <array>
#include <initializer_list>

#include <fmt/core.h>

#include "aws/retries.h"
#include "base/error_codes.h"
#include "base/text.h"

namespace instantstart::aws {
namespace {

struct Row {
  std::string_view aws;
  std::string_view ours;
};

/// Codes that the general rules below would not get right. Sorted.
constexpr auto k_rows = std::to_array<Row>({
    {"301", codes::invalid_request},
    {"403", codes::access_denied},
    {"404", codes::not_found},
    {"412", codes::conflict},
    {"AccessDenied", codes::access_denied},
    {"AccessDeniedException", codes::access_denied},
    {"AuthFailure", codes::credentials_invalid},
    {"AuthorizationHeaderMalformed", codes::invalid_request},
    {"BucketNotEmpty", codes::conflict},
    {"ClientException", codes::invalid_request},
    {"ConcurrentModification", codes::conflict},
    {"DeleteConflict", codes::conflict},
    {"DependencyViolation", codes::conflict},
    {"EntityTemporarilyUnmodifiable", codes::conflict},
    {"ExpiredToken", codes::credentials_expired},
    {"ExpiredTokenException", codes::credentials_expired},
    {"IDPCommunicationError", codes::unavailable},
    {"IllegalLocationConstraintException", codes::invalid_request},
    {"IncompleteSignature", codes::credentials_invalid},
    {"InsufficientCapabilitiesException", codes::invalid_request},
    {"InsufficientCapacityException", codes::capacity_unavailable},
    {"InsufficientFreeAddressesInSubnet", codes::conflict},
    {"InvalidAccessKeyId", codes::credentials_invalid},
    {"InvalidChangeSetStatus", codes::conflict},
    {"InvalidClientTokenId", codes::credentials_invalid},
    {"InvalidIdentityToken", codes::credentials_invalid},
    {"InvalidRequestException", codes::conflict},  // EKS: "invalid given the state of the cluster"
    {"InvalidSignatureException", codes::credentials_invalid},
    {"MissingAuthenticationToken", codes::credentials_invalid},
    {"MissingAuthenticationTokenException", codes::credentials_invalid},
    {"NoSuchResourceException", codes::not_found},
    {"NotAuthorized", codes::access_denied},
    {"OperationAborted", codes::conflict},
    {"OperationAbortedException", codes::conflict},
    {"OperationInProgressException", codes::conflict},
    {"OperationNotPermitted", codes::conflict},
    {"OptInRequired", codes::access_denied},
    {"PermanentRedirect", codes::invalid_request},
    {"PreconditionFailed", codes::conflict},
    {"RequestExpired", codes::credentials_expired},
    {"RequestInTheFuture", codes::credentials_invalid},
    {"RequestTimeTooSkewed", codes::credentials_invalid},
    {"Resource.AlreadyAssociated", codes::conflict},
    {"ServiceQuotaExceededException", codes::quota_exceeded},
    {"SignatureDoesNotMatch", codes::credentials_invalid},
    {"SubscriptionRequiredException", codes::access_denied},
    {"TokenAlreadyExistsException", codes::token_reused},
    {"TokenRefreshRequired", codes::credentials_expired},
    {"TooManyBuckets", codes::quota_exceeded},
    {"UnauthorizedException", codes::access_denied},
    {"UnauthorizedOperation", codes::access_denied},
    {"UnmodifiableEntity", codes::conflict},
    {"UnrecognizedClientException", codes::credentials_invalid},
    {"UnsupportedAvailabilityZoneException",
     codes::capacity_unavailable},  // EKS: no room for a control plane
    {"UnsupportedOperation", codes::invalid_request},
});
static_assert(std::ranges::is_sorted(k_rows, {}, &Row::aws));

bool ends_with_any(std::string_view text, std::initializer_list<std::string_view> ends) {
  return std::ranges::any_of(ends, [&](std::string_view end) { return text.ends_with(end); });
}

bool begins_with_any(std::string_view text, std::initializer_list<std::string_view> begins) {
  return std::ranges::any_of(begins, [&](std::string_view begin) { return text.starts_with(begin); });
}

/// Some services give one code to what is several things, and only the sentence tells them apart.
std::string_view by_message(const OperationInfo& operation, const ServiceError& error) {
  const std::string_view service = operation.service->name;
  const std::string_view message = error.message;
  const bool validation = error.code == "ValidationError" || error.code == "ValidationException";
  // CloudFormation, of a stack or change set; SageMaker, of jobs and endpoints.
  if (service == "cloudformation" && validation && message.contains("does not exist"))
    return codes::not_found;
  if (service == "sagemaker" && validation && begins_with_any(message, {"Could not find", "Cannot find"})) {
    return codes::not_found;
  }
  // CloudFormation, of a stack in the middle of something: "is in UPDATE_IN_PROGRESS state and can not be
  // updated".
  if (service == "cloudformation" && validation && message.contains("_IN_PROGRESS state"))
    return codes::conflict;
  return "";
}

/// The endings and beginnings that AWS's services share, most telling first.
std::string_view by_form(const OperationInfo& operation, std::string_view code) {
  // "in use" means the name when something is created, and the thing when it is changed or deleted.
  const bool creates = begins_with_any(operation.name, {"Create", "Put", "Register", "Allocate"});
  if (ends_with_any(code, {"NotFound", "NotFoundException", "NotFoundFault"}) || code.starts_with("NoSuch")) {
    return codes::not_found;
  }
  if (ends_with_any(code, {"AlreadyExists", "AlreadyExistsException", "AlreadyExist", ".Duplicate",
                           "AlreadyOwnedByYou"})) {
    return codes::name_taken;
  }
  if (code.starts_with("IdempotentParameterMismatch")) return codes::token_reused;
  if (code.contains("Insufficient") && code.ends_with("Capacity")) return codes::capacity_unavailable;
  if (ends_with_any(code,
                    {"LimitExceeded", "LimitExceededException", "QuotaExceeded", "QuotaExceededException"})) {
    return codes::quota_exceeded;
  }
  if (ends_with_any(code, {"InUse", "InUseException"})) return creates ? codes::name_taken : codes::conflict;
  if (ends_with_any(code, {"Conflict", "ConflictException", "IncorrectState", "InvalidStateException",
                           "InvalidState", ".InvalidStatus"})) {
    return codes::conflict;
  }
  if (begins_with_any(code, {"Invalid", "Malformed", "Missing", "Unknown", "Validation", "Unsupported"})) {
    return codes::invalid_request;
  }
  return "";
}

std::string_view by_status(int status) {
  if (status == 401 || status == 403) return codes::access_denied;
  if (status == 404) return codes::not_found;
  if (status == 409 || status == 412) return codes::conflict;
  return status >= 500 ? codes::unavailable : codes::upstream_error;
}

/// A refused signature is answered with the text that should have been signed, session token and all.
std::string_view without_signed_text(std::string_view message) {
  return message.substr(0, message.find("The Canonical String for this request"));
}

std::string_view stripped(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' '))
    text.remove_suffix(1);
  return text;
}

boost::json::object detail_of(const OperationInfo& operation, const ServiceError& error) {
  boost::json::object detail{{"service", operation.service->name}, {"operation", operation.name}};
  if (!error.code.empty()) detail["aws_code"] = error.code;
  if (!error.request_id.empty()) detail["request_id"] = error.request_id;
  if (error.status != 0) detail["http_status"] = error.status;
  return detail;
}

}  // namespace

std::string_view classify_error(const OperationInfo& operation, const ServiceError& error) {
  const Failure failure{.status = error.status, .code = error.code};
  if (classify(operation, failure) == FailureClass::throttling) return codes::throttled;
  if (const auto ours = by_message(operation, error); !ours.empty()) return ours;
  const auto row = std::ranges::lower_bound(k_rows, std::string_view(error.code), {}, &Row::aws);
  if (row != k_rows.end() && row->aws == error.code) return row->ours;
  // A fault of the service stays one, whatever it is called: "InvalidState" with a 500 is no reason to blame
  // the caller.
  if (error.status >= 500 && !error.code.contains("Capacity")) return codes::unavailable;
  if (const auto ours = by_form(operation, error.code); !ours.empty()) return ours;
  return by_status(error.status);
}

Error to_error(const OperationInfo& operation, const ServiceError& error) {
  const auto code = classify_error(operation, error);
  std::string text = shortened(without_controls(stripped(without_signed_text(error.message))), 1000);
  if (text.empty()) text = fmt::format("AWS answered with HTTP status {}", error.status);
  Error result{.code = std::string(code),
               .message = error.code.empty() ? fmt::format("{}: {}", operation.name, text)
                                             : fmt::format("{}: {} ({})", operation.name, text,
                                                           shortened(without_controls(error.code), 100))};
  result.retryable = error_code_info(code).retryable;
  result.detail = detail_of(operation, error);
  return result;
}

Error unknown_outcome(const OperationInfo& operation, const ServiceError& error, std::string_view reason) {
  Error result{
      .code = std::string(codes::unknown_outcome),
      .message = fmt::format("{}: it is not known whether the call ran: {}", operation.name, reason)};
  result.detail = detail_of(operation, error);
  return result;
}

Error about_call(const OperationInfo& operation, Error error) {
  error.detail["service"] = operation.service->name;
  error.detail["operation"] = operation.name;
  return within(operation.name, std::move(error));
}

}  // namespace instantstart::aws
