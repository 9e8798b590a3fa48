// What a cluster serves: built-in resources and those of its CustomResourceDefinitions.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/kubernetes/api/object_store.h"
#include "sandbox/kubernetes/objects/resources.h"
#include "sandbox/kubernetes/objects/schema.h"

namespace instantstart::sandbox::kubernetes {

/// One resource in one version.
struct ServedType {
  ResourceInfo info;
  std::shared_ptr<const ObjectSchema> schema;  ///< Null: it has no objects, only reviews are created.
  std::string stored_api_version;              ///< What is kept says this apiVersion.
  std::string definition;                      ///< Name of its CustomResourceDefinition; empty: built in.
  json::object scale;                          ///< `subresources.scale` of the definition.

  bool custom() const { return !definition.empty(); }
  ObjectKey key(std::string_view cluster, std::string_view namespace_name, std::string_view name) const {
    return {std::string(cluster), info.group, info.plural,
            info.namespaced ? std::string(namespace_name) : std::string(), std::string(name)};
  }
};
using ServedTypePtr = std::shared_ptr<const ServedType>;

/// Follows the definitions in the store. Loop thread only.
class ServedTypes {
 public:
  ServedTypes(ObjectStore& store, SchemaSet built_in);

  /// Null when it isn't served. An empty version is the preferred one.
  ServedTypePtr find(std::string_view cluster, std::string_view group, std::string_view version,
                     std::string_view resource);
  /// By kind, for owners and bindings.
  ServedTypePtr find_kind(std::string_view cluster, std::string_view api_version, std::string_view kind);
  /// In discovery's order; every version.
  const std::vector<ServedTypePtr>& all(std::string_view cluster);
  /// The cluster is gone.
  void forget(std::string_view cluster);

 private:
  struct Cluster {
    bool fresh = false;
    std::vector<ServedTypePtr> types;
    std::map<std::string, ServedTypePtr, std::less<>> by_path;  ///< "apps/v1/deployments"
    std::optional<SchemaSet> custom;                            ///< Made with the first definition.
    std::map<std::string, std::string, std::less<>> read;       ///< Definition to its uid and generation.
  };
  Cluster& cluster_of(std::string_view cluster);
  void add_custom(Cluster& cluster, const json::object& definition);

  ObjectStore& store_;
  std::vector<ServedTypePtr> built_in_;
  std::map<std::string, Cluster, std::less<>> clusters_;
  std::uint64_t epoch_ = 0;
};

}  // namespace instantstart::sandbox::kubernetes
