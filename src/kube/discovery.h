// Which kinds a server serves, under which versions and names. Kept, and asked for again when something
// unknown is looked for: a CustomResourceDefinition may have come meanwhile.
// https://kubernetes.io/docs/concepts/overview/kubernetes-api/#aggregated-discovery
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/connection.h"
#include "kube/resource_type.h"
#include "net/signal.h"

namespace instantstart::kube {

/// All types of a server: the core group first, groups in the server's order, the preferred version of a
/// group before its others.
class ResourceCatalog {
 public:
  void add(ResourceType type) { types_.push_back(std::move(type)); }
  const std::vector<ResourceType>& types() const { return types_; }

  /// nullptr when it is not served.
  const ResourceType* find(const GroupVersionKind& gvk) const;
  /// In the version that the server prefers among those that have this kind.
  const ResourceType* preferred(std::string_view group, std::string_view kind) const;

  /// As a person says it to kubectl: "pods", "pod", "po", "Pod", "deployments.apps", "deployments.v1.apps";
  /// without regard to case. Error `not_found`, with the nearest spelling.
  Result<ResourceType> spelled(std::string_view text) const;

 private:
  std::vector<ResourceType> types_;
};

/// APIGroupDiscoveryList (apidiscovery.k8s.io/v2 and v2beta1). Total: what is malformed is left out.
std::vector<ResourceType> parse_aggregated_discovery(const json::object& list);

/// APIResourceList of one group and version. Total.
std::vector<ResourceType> parse_resource_list(const json::object& list);

/// The group-versions of an APIGroupList or APIVersions, "apps/v1" or "v1", preferred ones first in each
/// group.
std::vector<std::string> parse_group_versions(const json::object& list);

/// Loop thread only. The connection outlives it.
class Discovery {
 public:
  /// What was not found is looked for again at the server, but not sooner than this after the last time.
  static constexpr seconds k_least_age{5};

  explicit Discovery(Connection& connection) : connection_(connection), refreshed_(connection.time()) {}

  /// Errors of all: `not_found`, and those of Connection::send.
  Task<ResourceType> find(GroupVersionKind gvk, net::Deadline deadline);
  Task<ResourceType> preferred(std::string group, std::string kind, net::Deadline deadline);
  Task<ResourceType> spelled(std::string text, net::Deadline deadline);

  /// Asks the server anew. Whoever asks at the same time shares the answer.
  Task<> refresh(net::Deadline deadline);
  /// As of the last refresh.
  const ResourceCatalog& catalog() const { return catalog_; }

 private:
  using Lookup = std::function<Result<ResourceType>(const ResourceCatalog&)>;
  Task<ResourceType> look(Lookup lookup, net::Deadline deadline);
  Task<ResourceCatalog> fetch(net::Deadline deadline);
  /// Types of "/api" or "/apis".
  Task<std::vector<ResourceType>> fetch_root(std::string root, net::Deadline deadline);

  Connection& connection_;
  ResourceCatalog catalog_;
  std::optional<SteadyTime> asked_at_;
  bool refreshing_ = false;
  net::Signal refreshed_;
};

}  // namespace instantstart::kube
