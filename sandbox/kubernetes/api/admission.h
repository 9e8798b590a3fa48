// What the server itself puts into an object beyond its type's defaults: the initial status of each kind,
// addresses of Services, selectors of Jobs, and what the admission plugins of an EKS cluster add.
#pragma once

#include <string_view>

#include "base/random.h"
#include "sandbox/kubernetes/api/object_store.h"
#include "sandbox/kubernetes/api/served_types.h"
#include "sandbox/kubernetes/objects/status.h"

namespace instantstart::sandbox::kubernetes {

struct AdmissionParts {
  const ObjectStore& store;
  Random& random;
};

/// For a new object that has its metadata and defaults. Refuses what can't be completed: an unknown priority
/// class, an address that is taken.
Outcome<json::object> admit_create(AdmissionParts parts, std::string_view cluster, const ServedType& type,
                                   json::object object);
/// For a change of the main resource: what a kind keeps of its own.
Outcome<json::object> admit_update(AdmissionParts parts, std::string_view cluster, const ServedType& type,
                                   const json::object& before, json::object object);

/// Kinds whose metadata.generation counts changes of the spec.
bool counts_generations(const ServedType& type);

/// Namespace without which a cluster is none.
bool is_immortal_namespace(std::string_view name);

}  // namespace instantstart::sandbox::kubernetes
