#include "capabilities/environments/stage_requests.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/error_codes.h"
#include "capabilities/dependencies/component.h"

namespace instantstart::capabilities {
namespace {

domain::ClusterReference reference_to(const domain::ClusterKey& cluster) {
  return {{domain::to_text(cluster)}};
}

}  // namespace

ControlPlaneCreate control_plane_of(const EnvironmentCreate& request) {
  return {.name = request.name,
          .region = request.region,
          .profile = request.profile,
          .tag = request.tag,
          .kubernetes_version = request.kubernetes_version,
          .vpc_cidr = request.vpc_cidr,
          .avoid_cidrs = request.avoid_cidrs,
          .zones = request.zones,
          .nat = request.nat,
          .vpc = request.vpc,
          .endpoint_access = request.endpoint_access,
          .public_access_cidrs = request.public_access_cidrs,
          .administrators = request.administrators};
}

DependencyReconcile dependencies_of(const EnvironmentCreate& request, const domain::ClusterKey& cluster) {
  DependencyReconcile asked{.cluster = reference_to(cluster), .components = request.components};
  if (!asked.components) return asked;
  // SageMaker refuses to create a HyperPod cluster without these, whatever else is wanted.
  for (const auto& component : components()) {
    const ComponentName name{{std::string(component.name)}};
    const bool named = std::ranges::count(*asked.components, name.value, &ComponentName::value) > 0;
    if (component.how == How::objects && !named) asked.components->push_back(name);
  }
  return asked;
}

HyperpodCreate hyperpod_of(const EnvironmentCreate& request, const domain::ClusterKey& cluster) {
  return {.cluster = reference_to(cluster), .name = request.hyperpod_name, .group = request.group};
}

StorageMount storage_of(const EnvironmentStorage& storage, const domain::ClusterKey& cluster) {
  return {.cluster = reference_to(cluster),
          .name = storage.name,
          .bucket = storage.bucket,
          .create = storage.create,
          .prefix = storage.prefix,
          .space = storage.space,
          .path = storage.path,
          .read_only = storage.read_only,
          .uid = storage.uid,
          .gid = storage.gid,
          .kms_key = storage.kms_key};
}

Result<domain::ClusterKey> key_of_subject(std::string_view subject) {
  constexpr std::string_view k_kind = "cluster/";
  if (subject.starts_with(k_kind)) {
    if (auto key = domain::parse_cluster_key(subject.substr(k_kind.size()))) return key;
  }
  return fail(codes::internal, fmt::format("'{}' is not the subject of a cluster.", subject));
}

}  // namespace instantstart::capabilities
