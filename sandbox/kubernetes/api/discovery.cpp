#include "sandbox/kubernetes/api/discovery.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/text.h"

namespace instantstart::sandbox::kubernetes {
namespace {

json::array texts(const std::vector<std::string>& values) {
  json::array array;
  for (const auto& value : values) array.emplace_back(value);
  return array;
}

struct GroupVersions {
  std::string group;
  std::vector<std::string> versions;  ///< Preferred first.
};

/// In the order of the types; the core group is left out.
std::vector<GroupVersions> groups_of(const std::vector<ServedTypePtr>& types) {
  std::vector<GroupVersions> groups;
  for (const auto& type : types) {
    if (type->info.group.empty()) continue;
    auto found = std::ranges::find(groups, type->info.group, &GroupVersions::group);
    if (found == groups.end()) found = groups.insert(groups.end(), {type->info.group, {}});
    if (std::ranges::find(found->versions, type->info.version) == found->versions.end()) {
      found->versions.push_back(type->info.version);
    }
  }
  return groups;
}

json::object group_json(const GroupVersions& group, bool alone) {
  json::array versions;
  for (const auto& version : group.versions) {
    versions.emplace_back(
        json::object{{"groupVersion", fmt::format("{}/{}", group.group, version)}, {"version", version}});
  }
  json::object shown;
  if (alone) shown = {{"kind", "APIGroup"}, {"apiVersion", "v1"}};
  shown["name"] = group.group;
  shown["preferredVersion"] = versions.front();
  shown["versions"] = std::move(versions);
  return shown;
}

std::string storage_hash(const ResourceInfo& info) {
  return to_base64(as_text(sha256(fmt::format("{}/{}/{}", info.group, info.version, info.kind))))
      .substr(0, 12);
}

json::array resource_json(const ServedType& type) {
  const ResourceInfo& info = type.info;
  json::object main{{"name", info.plural},
                    {"singularName", info.singular},
                    {"namespaced", info.namespaced},
                    {"kind", info.kind},
                    {"verbs", texts(info.verbs)}};
  if (!info.short_names.empty()) main["shortNames"] = texts(info.short_names);
  if (!info.categories.empty()) main["categories"] = texts(info.categories);
  if (type.schema && info.has_verb("list")) main["storageVersionHash"] = storage_hash(info);
  json::array all{std::move(main)};
  for (const auto& sub : info.subresources) {
    json::object one{{"name", fmt::format("{}/{}", info.plural, sub.name)},
                     {"singularName", ""},
                     {"namespaced", info.namespaced},
                     {"kind", sub.kind},
                     {"verbs", texts(sub.verbs)}};
    if (!sub.version.empty()) {
      one["group"] = sub.group;
      one["version"] = sub.version;
    }
    all.emplace_back(std::move(one));
  }
  return all;
}

json::object response_kind(const ResourceInfo& info, const SubresourceInfo* sub) {
  const bool own = !sub || sub->version.empty();
  return {{"group", own ? info.group : sub->group},
          {"version", own ? info.version : sub->version},
          {"kind", sub ? sub->kind : info.kind}};
}

json::object aggregated_resource(const ServedType& type) {
  const ResourceInfo& info = type.info;
  json::object shown{{"resource", info.plural},
                     {"responseKind", response_kind(info, nullptr)},
                     {"scope", info.namespaced ? "Namespaced" : "Cluster"},
                     {"singularResource", info.singular},
                     {"verbs", texts(info.verbs)}};
  if (!info.short_names.empty()) shown["shortNames"] = texts(info.short_names);
  if (!info.categories.empty()) shown["categories"] = texts(info.categories);
  json::array subresources;
  for (const auto& sub : info.subresources) {
    subresources.emplace_back(json::object{
        {"subresource", sub.name}, {"responseKind", response_kind(info, &sub)}, {"verbs", texts(sub.verbs)}});
  }
  if (!subresources.empty()) shown["subresources"] = std::move(subresources);
  return shown;
}

}  // namespace

json::object version_info(const OpenCluster& cluster) {
  const auto parts = split(cluster.kubernetes_version, '.');
  const std::string minor(parts.size() > 1 ? parts[1] : std::string_view("34"));
  const std::string git = fmt::format("v{}.2-eks-113cf36", cluster.kubernetes_version);
  return {{"major", parts.front()},   {"minor", minor},
          {"gitVersion", git},        {"gitCommit", "0000000000000000000000000000000000000000"},
          {"gitTreeState", "clean"},  {"buildDate", "2026-01-01T00:00:00Z"},
          {"goVersion", "go1.24.9"},  {"compiler", "gc"},
          {"platform", "linux/amd64"}};
}

json::object core_versions() {
  return {{"kind", "APIVersions"},
          {"versions", json::array{"v1"}},
          {"serverAddressByClientCIDRs", json::array{}}};
}

json::object group_list(const std::vector<ServedTypePtr>& types) {
  json::array groups;
  for (const auto& group : groups_of(types)) groups.emplace_back(group_json(group, false));
  return {{"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", std::move(groups)}};
}

json::object group_of(const std::vector<ServedTypePtr>& types, std::string_view group) {
  const auto groups = groups_of(types);
  const auto found = std::ranges::find(groups, group, &GroupVersions::group);
  return found == groups.end() ? json::object{} : group_json(*found, true);
}

json::object resource_list(const std::vector<ServedTypePtr>& types, std::string_view group,
                           std::string_view version) {
  json::array resources;
  for (const auto& type : types) {
    if (type->info.group != group || type->info.version != version) continue;
    for (auto& one : resource_json(*type)) resources.push_back(std::move(one));
  }
  if (resources.empty()) return {};
  const std::string group_version =
      group.empty() ? std::string(version) : fmt::format("{}/{}", group, version);
  return {{"kind", "APIResourceList"},
          {"apiVersion", "v1"},
          {"groupVersion", group_version},
          {"resources", std::move(resources)}};
}

json::object aggregated(const std::vector<ServedTypePtr>& types, bool core) {
  const std::vector<GroupVersions> groups =
      core ? std::vector<GroupVersions>{{"", {"v1"}}} : groups_of(types);
  json::array items;
  for (const auto& group : groups) {
    json::array versions;
    for (const auto& version : group.versions) {
      json::array resources;
      for (const auto& type : types) {
        if (type->info.group == group.group && type->info.version == version)
          resources.emplace_back(aggregated_resource(*type));
      }
      versions.emplace_back(
          json::object{{"version", version}, {"resources", std::move(resources)}, {"freshness", "Current"}});
    }
    json::object metadata{{"creationTimestamp", nullptr}};
    if (!group.group.empty()) metadata["name"] = group.group;
    items.emplace_back(json::object{{"metadata", std::move(metadata)}, {"versions", std::move(versions)}});
  }
  return {{"kind", "APIGroupDiscoveryList"},
          {"apiVersion", "apidiscovery.k8s.io/v2"},
          {"metadata", json::object{}},
          {"items", std::move(items)}};
}

}  // namespace instantstart::sandbox::kubernetes
