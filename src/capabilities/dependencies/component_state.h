// From what was seen of a component to what is said of it. Pure.
#pragma once

#include <optional>

#include "capabilities/dependencies/component.h"
#include "capabilities/dependencies/component_seen.h"
#include "capabilities/dependencies/dependencies.h"
#include "kube/helm_release.h"

namespace instantstart::capabilities {

/// The release, if it is one of the HyperPod chart and has the component switched on: then it is not ours to
/// change.
const kube::HelmRelease* keeper_of(const Component& component,
                                   const std::optional<kube::HelmRelease>& release);

DependencyView view_of(const Component& component, const ComponentSeen& seen,
                       const kube::HelmRelease* keeper);

/// What we would have to do to an object.
enum class ObjectNeed {
  nothing,
  make,
  change,
  leave,  ///< Not ours, and as we would have it.
  taken,  ///< Not ours, and different.
};
ObjectNeed need_of(const ObjectSeen& object);

}  // namespace instantstart::capabilities
