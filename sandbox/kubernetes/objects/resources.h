// What discovery says of resources: names, scope, verbs, subresources. Built-in ones as Kubernetes 1.36 lists
// them (api/discovery/aggregated_v2.json), custom ones from their definition.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace instantstart::sandbox::kubernetes {

struct SubresourceInfo {
  std::string name;                  ///< "status", "scale", "log", "eviction" …
  std::string group, version, kind;  ///< Of its body; group and version "" where they are the resource's own.
  std::vector<std::string> verbs;
};

struct ResourceInfo {
  std::string group, version;
  std::string plural, singular, kind, list_kind;
  bool namespaced = true;
  std::vector<std::string> short_names, categories, verbs;
  std::vector<SubresourceInfo> subresources;

  bool has_verb(std::string_view verb) const;
  const SubresourceInfo* subresource(std::string_view name) const;
  /// "apps/v1", "v1".
  std::string api_version() const;
};

/// Built-in resources of the served group versions, core first, groups in the order that clients prefer them.
const std::vector<ResourceInfo>& built_in_resources();

/// One a served version of a CustomResourceDefinition, in the definition's order. Fields that a valid
/// definition has are taken as given; `spec.names` defaults (singular, listKind) are filled in.
std::vector<ResourceInfo> custom_resources(const json::object& definition);

}  // namespace instantstart::sandbox::kubernetes
