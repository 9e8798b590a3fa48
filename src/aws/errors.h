// AWS's error codes in our words. The only place that knows AWS's spellings of "not found": the rest of the
// product asks for our codes.
#pragma once

#include <string>
#include <string_view>

#include "aws/protocols/service_error.h"
#include "aws/shapes/shape.h"
#include "base/error.h"

namespace instantstart::aws {

/// Our code: access_denied, capacity_unavailable, conflict, credentials_expired, credentials_invalid,
/// invalid_request, name_taken, not_found, quota_exceeded, throttled, token_reused, unavailable, or
/// upstream_error for what is none of these.
std::string_view classify_error(const OperationInfo& operation, const ServiceError& error);

/// With detail {service, operation, aws_code, request_id, http_status}, and AWS's message without control
/// characters.
Error to_error(const OperationInfo& operation, const ServiceError& error);

/// The error for a call of which nobody knows whether it ran: code `unknown_outcome`, the same detail as far
/// as it is known.
Error unknown_outcome(const OperationInfo& operation, const ServiceError& error, std::string_view reason);

/// `detail` for an error that did not come from AWS: {service, operation}.
Error about_call(const OperationInfo& operation, Error error);

}  // namespace instantstart::aws
