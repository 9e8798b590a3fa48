#include "sandbox/kubernetes/objects/openapi.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "sandbox/kubernetes/objects/json_access.h"
#include "sandbox/kubernetes/objects/packed_text.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr std::string_view k_reference = "#/components/schemas/";
constexpr std::string_view k_object_meta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

void collect_references(const json::value& node, std::set<std::string>& names) {
  if (const auto* object = node.if_object()) {
    for (const auto& [key, value] : *object) {
      const auto* text = value.if_string();
      if (key == "$ref" && text && text->starts_with(k_reference))
        names.emplace(text->subview(k_reference.size()));
      collect_references(value, names);
    }
  }
  if (const auto* array = node.if_array()) {
    for (const auto& item : *array) collect_references(item, names);
  }
}

/// `name` and all that it refers to.
void take_closure(const json::object& definitions, const std::string& name, json::object& schemas) {
  const auto* definition = at(definitions, name);
  if (!definition || schemas.contains(name)) return;
  schemas[name] = *definition;
  std::set<std::string> names;
  collect_references(*definition, names);
  for (const auto& below : names) take_closure(definitions, below, schemas);
}

bool is_of(const json::value& definition, std::string_view group, std::string_view version) {
  const auto* kinds =
      definition.is_object() ? array_at(definition.get_object(), "x-kubernetes-group-version-kind") : nullptr;
  return kinds && std::ranges::any_of(*kinds, [&](const json::value& item) {
           return text_at(item.as_object(), "group") == group &&
                  text_at(item.as_object(), "version") == version;
         });
}

json::object kind_of(std::string_view group, std::string_view version, std::string_view kind) {
  return {{"group", group}, {"kind", kind}, {"version", version}};
}

json::value parameter(std::string_view name, std::string_view type, std::string_view in = "query") {
  json::object out{
      {"in", in}, {"name", name}, {"schema", json::object{{"type", type}, {"uniqueItems", true}}}};
  if (in == "path") out["required"] = true;
  return out;
}

json::object operation(std::string_view verb, const ResourceInfo& resource) {
  const auto action = verb == "create"             ? "post"
                      : verb == "update"           ? "put"
                      : verb == "delete"           ? "delete"
                      : verb == "deletecollection" ? "deletecollection"
                                                   : verb;
  json::object out{
      {"x-kubernetes-action", action},
      {"x-kubernetes-group-version-kind", kind_of(resource.group, resource.version, resource.kind)}};
  json::array parameters;
  if (verb == "create" || verb == "update" || verb == "patch") {
    // Clients look for these two to learn whether the server can do it.
    for (const auto name : {"dryRun", "fieldManager", "fieldValidation"})
      parameters.push_back(parameter(name, "string"));
  }
  if (verb == "patch") parameters.push_back(parameter("force", "boolean"));
  if (verb == "delete") parameters.push_back(parameter("dryRun", "string"));
  if (!parameters.empty()) out["parameters"] = std::move(parameters);
  out["responses"] = json::object{{"200", json::object{{"description", "OK"}}}};
  return out;
}

void add_operations(json::object& item, const ResourceInfo& resource,
                    std::initializer_list<std::pair<std::string_view, std::string_view>> rows) {
  for (const auto& [method, verb] : rows) {
    if (resource.has_verb(verb)) item[method] = operation(verb, resource);
  }
}

void add_paths(json::object& paths, const ResourceInfo& resource) {
  auto base = resource.group.empty() ? "/api/" + resource.version
                                     : fmt::format("/apis/{}/{}", resource.group, resource.version);
  json::array parameters;
  if (resource.namespaced) {
    base += "/namespaces/{namespace}";
    parameters.push_back(parameter("namespace", "string", "path"));
  }
  const auto collection_path = base + "/" + resource.plural;
  json::object collection;
  add_operations(collection, resource, {{"get", "list"}, {"post", "create"}, {"delete", "deletecollection"}});
  if (!parameters.empty()) collection["parameters"] = parameters;
  paths[collection_path] = std::move(collection);
  json::object one;
  add_operations(one, resource,
                 {{"get", "get"}, {"put", "update"}, {"patch", "patch"}, {"delete", "delete"}});
  if (one.empty()) return;
  parameters.push_back(parameter("name", "string", "path"));
  one["parameters"] = parameters;
  paths[collection_path + "/{name}"] = std::move(one);
}

/// "com.example.v1.Job" of group example.com, as apiextensions names it.
std::string custom_name(const ResourceInfo& resource) {
  std::string reversed;
  std::string_view rest = resource.group;
  while (!rest.empty()) {
    const auto dot = rest.rfind('.');
    const auto part = dot == std::string_view::npos ? rest : rest.substr(dot + 1);
    reversed += std::string(part) + ".";
    rest = dot == std::string_view::npos ? std::string_view() : rest.substr(0, dot);
  }
  return reversed + resource.version + "." + resource.kind;
}

void add_custom_schema(json::object& schemas, const json::object& all, const ResourceInfo& resource,
                       const json::object& root) {
  json::object schema = root;
  auto& properties = object_made_at(schema, "properties");
  properties["apiVersion"] = json::object{{"type", "string"}};
  properties["kind"] = json::object{{"type", "string"}};
  properties["metadata"] = json::object{
      {"allOf", json::array{json::object{{"$ref", std::string(k_reference) + std::string(k_object_meta)}}}}};
  schema["x-kubernetes-group-version-kind"] =
      json::array{kind_of(resource.group, resource.version, resource.kind)};
  schemas[custom_name(resource)] = std::move(schema);
  take_closure(all, std::string(k_object_meta), schemas);
}

void add_custom_schemas(json::object& schemas, const json::object& all, std::string_view version,
                        const json::object& definition) {
  const auto* spec = object_at(definition, "spec");
  const auto* versions = spec ? array_at(*spec, "versions") : nullptr;
  for (const auto& resource : custom_resources(definition)) {
    if (resource.version != version || !versions) continue;
    for (const auto& item : *versions) {
      const auto* object = item.if_object();
      const auto* holder =
          object && text_at(*object, "name") == version ? object_at(*object, "schema") : nullptr;
      const auto* root = holder ? object_at(*holder, "openAPIV3Schema") : nullptr;
      if (root) add_custom_schema(schemas, all, resource, *root);
    }
  }
}

}  // namespace

Result<json::object> openapi_v3_document(std::string_view group, std::string_view version,
                                         std::span<const ResourceInfo> resources,
                                         std::span<const json::object* const> definitions) {
  const auto text = unpack(packed_documents());
  if (!text) return fail(text.error());
  const auto parsed = parse_json(*text, {.max_bytes = text->size(), .max_depth = 64});
  if (!parsed) return fail(parsed.error());
  if (!parsed->is_object()) return fail(codes::internal, "The types of Kubernetes' objects are damaged.");
  const auto& all = parsed->get_object();

  json::object schemas;
  for (const auto& [name, definition] : all) {
    if (is_of(definition, group, version)) take_closure(all, std::string(name), schemas);
  }
  for (const auto* definition : definitions) add_custom_schemas(schemas, all, version, *definition);
  json::object paths;
  for (const auto& resource : resources) {
    if (resource.group == group && resource.version == version) add_paths(paths, resource);
  }
  return json::object{{"openapi", "3.0.0"},
                      {"info", json::object{{"title", "Kubernetes"}, {"version", "v1.36.0"}}},
                      {"paths", std::move(paths)},
                      {"components", json::object{{"schemas", std::move(schemas)}}}};
}

}  // namespace instantstart::sandbox::kubernetes
