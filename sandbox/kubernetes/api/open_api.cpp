#include "sandbox/kubernetes/api/open_api.h"

#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/text.h"
#include "sandbox/kubernetes/api/metadata.h"
#include "sandbox/kubernetes/objects/openapi.h"

namespace instantstart::sandbox::kubernetes {
namespace {

/// More of them are clusters with many definitions that change; what was made first is made again.
constexpr std::size_t k_most_kept = 200;

std::string path_of(std::string_view group, std::string_view version) {
  return group.empty() ? fmt::format("api/{}", version) : fmt::format("apis/{}/{}", group, version);
}

void use_definitions(json::value& value) {
  constexpr std::string_view k_v3 = "#/components/schemas/";
  if (auto* items = value.if_array()) {
    for (auto& item : *items) use_definitions(item);
  } else if (auto* object = value.if_object()) {
    for (auto& member : *object) {
      auto* text = member.key() == "$ref" ? member.value().if_string() : nullptr;
      if (text && std::string_view(*text).starts_with(k_v3)) {
        member.value() = fmt::format("#/definitions/{}", std::string_view(*text).substr(k_v3.size()));
      } else {
        use_definitions(member.value());
      }
    }
  }
}

}  // namespace

std::string OpenApi::hash_of(std::string_view cluster, std::string_view group, std::string_view version) {
  std::string made_of = path_of(group, version);
  for (const auto& type : types_.all(cluster)) {
    if (!type->custom() || type->info.group != group || type->info.version != version) continue;
    const json::object* definition = store_.find(
        {std::string(cluster), "apiextensions.k8s.io", "customresourcedefinitions", "", type->definition});
    if (definition) made_of += fmt::format(" {}@{}", uid_of(*definition), version_of(*definition));
  }
  const Sha256 sum = sha256(made_of);
  return to_hex(sum);
}

json::object OpenApi::index(std::string_view cluster, std::string_view prefix) {
  json::object paths;
  for (const auto& type : types_.all(cluster)) {
    const std::string path = path_of(type->info.group, type->info.version);
    if (paths.contains(path)) continue;
    paths[path] = json::object{
        {"serverRelativeURL", fmt::format("{}/openapi/v3/{}?hash={}", prefix, path,
                                          hash_of(cluster, type->info.group, type->info.version))}};
  }
  return {{"paths", std::move(paths)}};
}

Result<json::object> OpenApi::make(std::string_view cluster, std::string_view group,
                                   std::string_view version) {
  std::vector<ResourceInfo> resources;
  std::vector<const json::object*> definitions;
  for (const auto& type : types_.all(cluster)) {
    if (type->info.group != group || type->info.version != version) continue;
    resources.push_back(type->info);
    if (!type->custom()) continue;
    const json::object* definition = store_.find(
        {std::string(cluster), "apiextensions.k8s.io", "customresourcedefinitions", "", type->definition});
    if (definition) definitions.push_back(definition);
  }
  return openapi_v3_document(group, version, resources, definitions);
}

Result<const OpenApiDocument*> OpenApi::document(std::string_view cluster, std::string_view path) {
  for (const auto& type : types_.all(cluster)) {
    const ResourceInfo& info = type->info;
    if (path_of(info.group, info.version) != path) continue;
    std::string hash = hash_of(cluster, info.group, info.version);
    if (const auto found = kept_.find(hash); found != kept_.end()) return &found->second;
    auto made = make(cluster, info.group, info.version);
    if (!made) return std::unexpected(std::move(made.error()));
    if (kept_.size() >= k_most_kept) kept_.clear();
    return &kept_.emplace(hash, OpenApiDocument{to_text(*made), hash}).first->second;
  }
  return nullptr;
}

Result<std::string> OpenApi::version_2(std::string_view cluster) {
  json::object definitions;
  std::set<std::string> done;
  for (const auto& type : types_.all(cluster)) {
    if (!done.insert(path_of(type->info.group, type->info.version)).second) continue;
    auto made = make(cluster, type->info.group, type->info.version);
    if (!made) return std::unexpected(std::move(made.error()));
    for (const auto& member : member_object(member_object(*made, "components"), "schemas")) {
      json::value schema = member.value();
      use_definitions(schema);
      definitions[member.key()] = std::move(schema);
    }
  }
  return to_text(json::object{{"swagger", "2.0"},
                              {"info", json::object{{"title", "Kubernetes"}, {"version", "v1"}}},
                              {"paths", json::object{}},
                              {"definitions", std::move(definitions)}});
}

}  // namespace instantstart::sandbox::kubernetes
