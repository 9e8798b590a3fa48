// The rules of built-in kinds beyond their types. Internal to this room: use validate.h.
#pragma once

#include <string>

#include "base/json.h"
#include "sandbox/kubernetes/objects/schema.h"
#include "sandbox/kubernetes/objects/status.h"

namespace instantstart::sandbox::kubernetes {

/// What a built-in object must have. `object` is defaulted.
StatusCauses check_kind(const ObjectSchema& schema, const json::object& object);
/// What must stay of a built-in object.
StatusCauses check_kind_update(const ObjectSchema& schema, const json::object& before,
                               const json::object& after);

/// A pod spec at `field`; `restart_policies` are the ones that its owner allows.
void check_pod_spec(const json::object& spec, const std::string& field,
                    const std::vector<std::string>& restart_policies, StatusCauses& causes);
/// The few fields of a running pod that may change, all others may not.
void check_pod_update(const json::object& before, const json::object& after, StatusCauses& causes);

}  // namespace instantstart::sandbox::kubernetes
