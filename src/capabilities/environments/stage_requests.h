// What an environment asks of each of its stages, as the stage's own action takes it. Pure.
#pragma once

#include "capabilities/environments/environments.h"
#include "domain/cluster_key.h"

namespace instantstart::capabilities {

ControlPlaneCreate control_plane_of(const EnvironmentCreate& request);
DependencyReconcile dependencies_of(const EnvironmentCreate& request, const domain::ClusterKey& cluster);
HyperpodCreate hyperpod_of(const EnvironmentCreate& request, const domain::ClusterKey& cluster);
StorageMount storage_of(const EnvironmentStorage& storage, const domain::ClusterKey& cluster);

/// The cluster of a subject "cluster/<key>". Error `internal` for any other.
Result<domain::ClusterKey> key_of_subject(std::string_view subject);

}  // namespace instantstart::capabilities
