// The server's part of a CustomResourceDefinition: accepted names, conditions, stored versions, and the
// finalizer under which its objects are removed first.
#pragma once

#include <string_view>

#include "base/time.h"
#include "sandbox/kubernetes/api/object_store.h"

namespace instantstart::sandbox::kubernetes {

inline constexpr std::string_view k_definition_finalizer = "customresourcecleanup.apiextensions.k8s.io";

/// The definition with the status that it deserves in this cluster. One that is established stays so.
json::object with_definition_status(const ObjectStore& store, std::string_view cluster,
                                    json::object definition, WallTime now);

}  // namespace instantstart::sandbox::kubernetes
