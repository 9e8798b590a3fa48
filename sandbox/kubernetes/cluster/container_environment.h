// What a container gets from its pod: environment, arguments, and what must exist before it can be started.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "sandbox/kubernetes/cluster/bucket_store.h"
#include "sandbox/kubernetes/cluster/cluster_access.h"
#include "sandbox/kubernetes/cluster/pod_run.h"
#include "sandbox/kubernetes/cluster/programs.h"

namespace instantstart::sandbox::kubernetes {

/// The container's object in the spec; nullptr when there is none.
const json::object* find_container(const json::object& pod, std::string_view name);

/// Error: the words of CreateContainerConfigError (`configmap "a" not found`).
std::expected<ContainerView, std::string> container_view(const ClusterAccess& access, const PodRun& run,
                                                         const json::object& pod,
                                                         const ContainerRun& container);

/// Why the pod's volumes can't be mounted yet (FailedMount); nullopt when they can.
std::optional<std::string> mount_problem(const ClusterAccess& access, const BucketStore* buckets,
                                         const PodRun& run, const json::object& pod);

}  // namespace instantstart::sandbox::kubernetes
