// A Kubernetes minor version as EKS names it, "1.33". Patch versions are EKS's own affair.
#pragma once

#include <cstdint>
#include <string>

#include "base/describe.h"

namespace instantstart::domain {

struct KubernetesVersion : Text<KubernetesVersion> {};

/// The minor number of a valid version: 33 for "1.33".
std::int64_t minor_of(const KubernetesVersion& version);

/// Whether EKS may bring a control plane from one to the other in one update: to the next minor version,
/// never back (EKS user guide, "Update existing cluster to new Kubernetes version").
bool may_update(const KubernetesVersion& from, const KubernetesVersion& to);

Type describe(KubernetesVersion*);

}  // namespace instantstart::domain
