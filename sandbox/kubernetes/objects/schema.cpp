#include "sandbox/kubernetes/objects/schema.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/error_codes.h"
#include "sandbox/kubernetes/objects/json_access.h"
#include "sandbox/kubernetes/objects/packed_text.h"
#include "sandbox/kubernetes/objects/resources.h"
#include "sandbox/kubernetes/objects/schema_builder.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr std::string_view k_object_meta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

using TypeName = std::tuple<std::string, std::string, std::string>;  // Group, version, kind.
using Types = std::map<TypeName, std::shared_ptr<const ObjectSchema>, std::less<>>;

/// What discovery knows of a built-in kind, where it is a resource.
void add_resource_facts(ObjectSchema& schema) {
  for (const auto& resource : built_in_resources()) {
    if (resource.group != schema.group || resource.version != schema.version || resource.kind != schema.kind)
      continue;
    schema.namespaced = resource.namespaced;
    schema.has_status = resource.subresource("status") != nullptr;
  }
}

}  // namespace

const Schema* Schema::property(std::string_view name) const {
  const auto found = std::ranges::lower_bound(properties, name, {}, &Property::name);
  if (found != properties.end() && found->name == name) return found->schema;
  return kind == FieldKind::object || kind == FieldKind::map ? element : nullptr;
}

bool Schema::is_required(std::string_view name) const {
  return std::ranges::find(required, name) != required.end();
}

std::string ObjectSchema::api_version() const { return group.empty() ? version : group + "/" + version; }

std::pair<std::string, std::string> split_api_version(std::string_view api_version) {
  const auto slash = api_version.find('/');
  if (slash == std::string_view::npos) return {"", std::string(api_version)};
  return {std::string(api_version.substr(0, slash)), std::string(api_version.substr(slash + 1))};
}

struct SchemaSet::Types {
  kubernetes::Types built_in;
  std::map<std::string, kubernetes::Types, std::less<>> custom;  ///< By the definition's name.
  std::shared_ptr<const SchemaNodes> nodes;
  const Schema* object_meta = nullptr;
};

SchemaSet::SchemaSet(std::unique_ptr<Types> types) : types_(std::move(types)) {}
SchemaSet::SchemaSet(SchemaSet&&) noexcept = default;
SchemaSet& SchemaSet::operator=(SchemaSet&&) noexcept = default;
SchemaSet::~SchemaSet() = default;

Result<SchemaSet> SchemaSet::with_built_in() {
  auto text = unpack(packed_types());
  if (!text) return fail(std::move(text.error()));
  const auto parsed = parse_json(*text, {.max_bytes = text->size(), .max_depth = 64});
  if (!parsed) return fail(parsed.error());
  if (!parsed->is_object()) return fail(codes::internal, "The types of Kubernetes' objects are damaged.");

  auto nodes = std::make_shared<SchemaNodes>();
  auto types = std::make_unique<Types>();
  SchemaBuilder builder(*nodes, parsed->get_object());
  types->object_meta = builder.definition(k_object_meta);
  for (const auto& [name, definition] : parsed->get_object()) {
    const auto* kinds = definition.is_object()
                            ? array_at(definition.get_object(), "x-kubernetes-group-version-kind")
                            : nullptr;
    if (!kinds) continue;
    for (const auto& item : *kinds) {
      if (!item.is_object()) continue;
      auto schema = std::make_shared<ObjectSchema>();
      schema->group = text_at(item.get_object(), "group");
      schema->version = text_at(item.get_object(), "version");
      schema->kind = text_at(item.get_object(), "kind");
      schema->root = builder.definition(name);
      schema->owner = nodes;
      add_resource_facts(*schema);
      types->built_in[{schema->group, schema->version, schema->kind}] = schema;
    }
  }
  nodes->leaves.clear();
  types->nodes = nodes;
  return SchemaSet(std::move(types));
}

std::shared_ptr<const ObjectSchema> SchemaSet::find(std::string_view group, std::string_view version,
                                                    std::string_view kind) const {
  const TypeName name{group, version, kind};
  if (const auto found = types_->built_in.find(name); found != types_->built_in.end()) return found->second;
  for (const auto& [definition, types] : types_->custom) {
    if (const auto found = types.find(name); found != types.end()) return found->second;
  }
  return nullptr;
}

Outcome<> SchemaSet::put_custom(const json::object& definition) {
  const auto definition_name = metadata_text(definition, "name");
  const auto* spec = object_at(definition, "spec");
  const auto* versions = spec ? array_at(*spec, "versions") : nullptr;
  kubernetes::Types built;
  StatusCauses problems;
  const auto resources = custom_resources(definition);
  for (std::size_t i = 0; versions && i < versions->size(); ++i) {
    if (!(*versions)[i].is_object()) continue;
    const auto& version = (*versions)[i].get_object();
    const auto resource = std::ranges::find(resources, text_at(version, "name"), &ResourceInfo::version);
    if (resource == resources.end()) continue;
    const auto field = "spec.versions[" + std::to_string(i) + "].schema.openAPIV3Schema";
    const auto* validation = object_at(version, "schema");
    const auto* root = validation ? object_at(*validation, "openAPIV3Schema") : nullptr;
    if (!root) {
      problems.push_back(field_required(field, "schemas are required"));
      continue;
    }
    auto nodes = std::make_shared<SchemaNodes>();
    nodes->below = types_->nodes;
    SchemaBuilder builder(*nodes, types_->object_meta);
    auto schema = std::make_shared<ObjectSchema>();
    schema->group = resource->group;
    schema->version = resource->version;
    schema->kind = resource->kind;
    schema->custom = true;
    schema->namespaced = resource->namespaced;
    schema->has_status = resource->subresource("status") != nullptr;
    schema->root = builder.custom_root(*root, field);
    schema->owner = nodes;
    problems.insert(problems.end(), builder.problems().begin(), builder.problems().end());
    built[{schema->group, schema->version, schema->kind}] = schema;
  }
  if (!problems.empty()) {
    return refuse(
        invalid("apiextensions.k8s.io", "CustomResourceDefinition", definition_name, std::move(problems)));
  }
  types_->custom.insert_or_assign(definition_name, std::move(built));
  return {};
}

void SchemaSet::remove_custom(std::string_view definition_name) {
  const auto found = types_->custom.find(definition_name);
  if (found != types_->custom.end()) types_->custom.erase(found);
}

}  // namespace instantstart::sandbox::kubernetes
