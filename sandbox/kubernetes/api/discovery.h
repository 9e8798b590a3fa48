// What a server says of itself: its version and the resources that it serves, in the old form (a document a
// group version) and the aggregated one.
#pragma once

#include <string>
#include <string_view>

#include "sandbox/kubernetes/api/object_store.h"
#include "sandbox/kubernetes/api/served_types.h"

namespace instantstart::sandbox::kubernetes {

/// /version: "v1.34.2-eks-…".
json::object version_info(const OpenCluster& cluster);

/// /api
json::object core_versions();
/// /apis
json::object group_list(const std::vector<ServedTypePtr>& types);
/// /apis/GROUP; empty when there is no such group.
json::object group_of(const std::vector<ServedTypePtr>& types, std::string_view group);
/// /api/v1, /apis/GROUP/VERSION; empty when it isn't served.
json::object resource_list(const std::vector<ServedTypePtr>& types, std::string_view group,
                           std::string_view version);
/// apidiscovery.k8s.io/v2: of the core group, or of all others.
json::object aggregated(const std::vector<ServedTypePtr>& types, bool core);

}  // namespace instantstart::sandbox::kubernetes
