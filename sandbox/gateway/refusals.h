// The words in which each service refuses a caller or a call, so that clients react as they do to AWS.
#pragma once

#include "aws/shapes/shape.h"
#include "sandbox/core/faults.h"
#include "sandbox/core/service.h"
#include "sandbox/gateway/signature.h"

namespace instantstart::sandbox {

/// A caller who isn't believed.
AwsFault refuse_caller(const aws::ServiceInfo& service, const AuthRefusal& refusal);

/// What a rule of the fault plan makes the service answer: kinds error, throttle, server_error,
/// expired_credentials and access_denied.
AwsFault planned_answer(const aws::OperationInfo& operation, const FaultRule& rule, const Call& call);

}  // namespace instantstart::sandbox
