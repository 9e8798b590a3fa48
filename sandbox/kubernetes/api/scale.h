// The scale subresource: autoscaling/v1 Scale as another view of an object.
#pragma once

#include "sandbox/kubernetes/api/object_writer.h"
#include "sandbox/kubernetes/api/served_types.h"
#include "sandbox/kubernetes/objects/status.h"

namespace instantstart::sandbox::kubernetes {

json::object scale_of(const ServedType& type, const json::object& object);
/// The object with the replicas that the Scale wants. 422 when it wants none or less.
Outcome<json::object> with_scale(const ServedType& type, json::object object, const json::object& scale);
/// A JSON or merge patch; a strategic one is the same for a Scale.
Outcome<json::object> patch_scale(PatchKind kind, json::object scale, std::string_view patch);

}  // namespace instantstart::sandbox::kubernetes
