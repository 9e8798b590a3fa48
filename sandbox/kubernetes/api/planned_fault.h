// What the fault plan makes the API server answer, and what the audit keeps of a call.
#pragma once

#include <optional>

#include "sandbox/core/audit.h"
#include "sandbox/core/faults.h"
#include "sandbox/kubernetes/api/api_call.h"

namespace instantstart::sandbox::kubernetes {

/// The call as data, for rules and the audit. Bodies that hold secrets are left out.
json::object request_record(const ApiCall& call);

/// nullopt for kinds that carry the call out.
std::optional<Status> planned_refusal(const FaultRule& rule, const ApiCall& call);

}  // namespace instantstart::sandbox::kubernetes
