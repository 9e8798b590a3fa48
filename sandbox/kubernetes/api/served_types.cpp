#include "sandbox/kubernetes/api/served_types.h"

#include <utility>

#include <fmt/format.h>

#include "sandbox/kubernetes/api/metadata.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr std::string_view k_definitions = "customresourcedefinitions";
constexpr std::string_view k_extensions = "apiextensions.k8s.io";

std::string path_of(std::string_view group, std::string_view version, std::string_view resource) {
  return fmt::format("{}/{}/{}", group, version, resource);
}

bool is_established(const json::object& definition) {
  const json::object* condition = find_condition(definition, "Established");
  return condition && member_text(*condition, "status") == "True";
}

const json::object* version_named(const json::object& definition, std::string_view version) {
  for (const auto& value : member_array(member_object(definition, "spec"), "versions")) {
    const auto* found = value.if_object();
    if (found && member_text(*found, "name") == version) return found;
  }
  return nullptr;
}

std::string storage_version(const json::object& definition) {
  for (const auto& value : member_array(member_object(definition, "spec"), "versions")) {
    const auto* found = value.if_object();
    const auto* storage = found ? found->if_contains("storage") : nullptr;
    if (storage && *storage == json::value(true)) return std::string(member_text(*found, "name"));
  }
  return {};
}

}  // namespace

ServedTypes::ServedTypes(ObjectStore& store, SchemaSet built_in) : store_(store) {
  for (const auto& info : built_in_resources()) {
    auto type = std::make_shared<ServedType>();
    type->info = info;
    type->schema = built_in.find(info.group, info.version, info.kind);
    type->stored_api_version = info.api_version();
    built_in_.push_back(std::move(type));
  }
  store_.subscribe([this](const Change& change) {
    if (change.key.resource != k_definitions || change.key.group != k_extensions) return;
    if (const auto found = clusters_.find(change.key.cluster); found != clusters_.end()) {
      found->second.fresh = false;
    }
  });
}

ServedTypes::Cluster& ServedTypes::cluster_of(std::string_view cluster) {
  if (epoch_ != store_.epoch()) {
    clusters_.clear();
    epoch_ = store_.epoch();
  }
  auto found = clusters_.find(cluster);
  if (found == clusters_.end()) found = clusters_.try_emplace(std::string(cluster)).first;
  Cluster& made = found->second;
  if (made.fresh) return made;
  made.fresh = true;
  made.types = built_in_;
  made.by_path.clear();
  for (const auto* definition : store_.list(cluster, k_extensions, k_definitions, "")) {
    if (is_established(definition->body)) add_custom(made, definition->body);
  }
  for (const auto& type : made.types) {
    made.by_path.try_emplace(path_of(type->info.group, type->info.version, type->info.plural), type);
    made.by_path.try_emplace(path_of(type->info.group, "", type->info.plural), type);
  }
  return made;
}

void ServedTypes::add_custom(Cluster& cluster, const json::object& definition) {
  if (!cluster.custom) {
    auto set = SchemaSet::with_built_in();
    if (!set) return;  // It was unpacked at the start; now there is no memory for more.
    cluster.custom.emplace(std::move(*set));
  }
  // Compiling a schema costs; its spec is the same while the generation is.
  const std::string name(name_of(definition));
  const auto* generation = metadata_of(definition).if_contains("generation");
  const std::string state =
      fmt::format("{} {}", uid_of(definition), generation ? to_text(*generation) : std::string());
  if (cluster.read[name] != state) {
    if (!cluster.custom->put_custom(definition)) return;
    cluster.read[name] = state;
  }
  for (auto& info : custom_resources(definition)) {
    const json::object* version = version_named(definition, info.version);
    auto schema = cluster.custom->find(info.group, info.version, info.kind);
    if (!version || !schema) continue;
    auto type = std::make_shared<ServedType>();
    type->stored_api_version = fmt::format("{}/{}", info.group, storage_version(definition));
    type->info = std::move(info);
    type->schema = std::move(schema);
    type->definition = name;
    type->scale = member_object(member_object(*version, "subresources"), "scale");
    cluster.types.push_back(std::move(type));
  }
}

ServedTypePtr ServedTypes::find(std::string_view cluster, std::string_view group, std::string_view version,
                                std::string_view resource) {
  const Cluster& types = cluster_of(cluster);
  const auto found = types.by_path.find(path_of(group, version, resource));
  return found == types.by_path.end() ? nullptr : found->second;
}

ServedTypePtr ServedTypes::find_kind(std::string_view cluster, std::string_view api_version,
                                     std::string_view kind) {
  const auto [group, version] = split_api_version(api_version);
  for (const auto& type : cluster_of(cluster).types) {
    if (type->info.kind == kind && type->info.group == group && type->info.version == version) return type;
  }
  return nullptr;
}

const std::vector<ServedTypePtr>& ServedTypes::all(std::string_view cluster) {
  return cluster_of(cluster).types;
}

void ServedTypes::forget(std::string_view cluster) {
  if (const auto found = clusters_.find(cluster); found != clusters_.end()) clusters_.erase(found);
}

}  // namespace instantstart::sandbox::kubernetes
