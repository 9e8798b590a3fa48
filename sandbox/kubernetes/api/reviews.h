// Questions about rights and identities: objects that are answered, not kept.
#pragma once

#include "sandbox/kubernetes/api/api_call.h"
#include "sandbox/kubernetes/api/authenticator.h"
#include "sandbox/kubernetes/api/authorizer.h"

namespace instantstart::sandbox::kubernetes {

bool is_review(const RequestInfo& info);

/// The review with its status. The call was authorized as any create.
Outcome<json::object> answer_review(const ApiCall& call, json::object review, const Authorizer& authorizer,
                                    const Authenticator& authenticator);

}  // namespace instantstart::sandbox::kubernetes
