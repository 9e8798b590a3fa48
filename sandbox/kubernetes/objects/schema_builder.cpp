#include "sandbox/kubernetes/objects/schema_builder.h"

#include <algorithm>

#include "sandbox/kubernetes/objects/json_access.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr std::string_view k_reference = "#/components/schemas/";
constexpr int k_max_depth =
    60;  // Deeper than any real type; a definition from outside must not exhaust the stack.

std::optional<double> number_at(const json::object& node, std::string_view key) {
  const auto* value = at(node, key);
  if (!value || !value->is_number()) return std::nullopt;
  return value->to_number<double>();
}

std::optional<std::int64_t> count_at(const json::object& node, std::string_view key) {
  const auto* value = at(node, key);
  if (!value || !is_integer(*value)) return std::nullopt;
  return integer_at(node, key);
}

std::vector<std::string> texts_at(const json::object& node, std::string_view key) {
  std::vector<std::string> out;
  if (const auto* list = array_at(node, key)) {
    for (const auto& item : *list) {
      if (const auto* text = item.if_string()) out.emplace_back(*text);
    }
  }
  return out;
}

/// The definition that a node stands for: {"$ref"} or {"allOf":[{"$ref"}], …}.
std::string referred(const json::object& node) {
  auto reference = text_at(node, "$ref");
  if (reference.empty()) {
    const auto* all = array_at(node, "allOf");
    if (all && all->size() == 1 && all->front().is_object())
      reference = text_at(all->front().get_object(), "$ref");
  }
  return reference.starts_with(k_reference) ? reference.substr(k_reference.size()) : std::string();
}

bool is_leaf(const json::object& node) {
  return !node.contains("properties") && !node.contains("items") && !node.contains("additionalProperties") &&
         !node.contains("$ref") && !node.contains("allOf") && !node.contains("anyOf") &&
         !node.contains("oneOf");
}

}  // namespace

const Schema* SchemaBuilder::definition(std::string_view name) {
  if (const auto found = nodes_.named.find(name); found != nodes_.named.end()) return found->second;
  auto& schema = nodes_.nodes.emplace_back();
  // Known before it is filled: types may contain themselves.
  nodes_.named.emplace(name, &schema);
  // "io.k8s.api.core.v1.PodSpec" is v1.PodSpec in Go's words.
  const auto kind_dot = name.rfind('.');
  const auto package_dot = kind_dot == std::string_view::npos ? kind_dot : name.rfind('.', kind_dot - 1);
  schema.type_name = name.substr(package_dot == std::string_view::npos ? 0 : package_dot + 1);
  if (const auto* node = object_at(*definitions_, name)) fill(schema, *node, {});
  return &schema;
}

const Schema* SchemaBuilder::custom_root(const json::object& node, const std::string& field) {
  auto& schema = nodes_.nodes.emplace_back();
  fill(schema, node, {field});
  if (schema.kind != FieldKind::object) {
    if (problems_.empty() && text_at(node, "type") != "object") {
      problems_.push_back(
          field_invalid(field + ".type", json::value(text_at(node, "type")), "must be object at the root"));
    }
    schema.kind = FieldKind::object;
  }
  add_resource_fields(schema);
  return &schema;
}

const Schema* SchemaBuilder::text_schema() {
  static const json::object node{{"type", "string"}};
  return build(node, {});
}

void SchemaBuilder::add_resource_fields(Schema& schema) {
  std::erase_if(schema.properties, [](const Property& property) {
    return property.name == "apiVersion" || property.name == "kind" || property.name == "metadata";
  });
  schema.properties.push_back({"apiVersion", text_schema()});
  schema.properties.push_back({"kind", text_schema()});
  schema.properties.push_back({"metadata", object_meta_});
  std::ranges::sort(schema.properties, {}, &Property::name);
}

const Schema* SchemaBuilder::build(const json::object& node, const Place& place) {
  if (!custom()) {
    if (const auto name = referred(node); !name.empty()) return definition(name);
  }
  if (++depth_ > k_max_depth) {
    problems_.push_back(field_forbidden(place.field, "is nested too deeply"));
    --depth_;
    return text_schema();
  }
  std::string key;
  if (is_leaf(node) && !place.value_rule) {
    key = to_canonical_text(json::value(node));
    if (const auto found = nodes_.leaves.find(key); found != nodes_.leaves.end() && problems_.empty()) {
      --depth_;
      return found->second;
    }
  }
  auto& schema = nodes_.nodes.emplace_back();
  fill(schema, node, place);
  if (!key.empty()) nodes_.leaves.emplace(std::move(key), &schema);
  --depth_;
  return &schema;
}

void SchemaBuilder::fill(Schema& schema, const json::object& node, const Place& place) {
  schema.format = text_at(node, "format");
  schema.nullable = flag_at(node, "nullable");
  schema.preserve_unknown = flag_at(node, "x-kubernetes-preserve-unknown-fields");
  schema.embedded_resource = flag_at(node, "x-kubernetes-embedded-resource");
  schema.required = texts_at(node, "required");
  if (const auto* value = at(node, "default")) schema.default_value = *value;
  fill_kind(schema, node, place);
  fill_fields(schema, node, place);
  fill_merging(schema, node);
  fill_limits(schema, node, place);
  if (custom()) fill_value_rules(schema, node, place);
  if (schema.embedded_resource && custom() && schema.kind == FieldKind::object) add_resource_fields(schema);
}

void SchemaBuilder::fill_kind(Schema& schema, const json::object& node, const Place& place) {
  const auto type = text_at(node, "type");
  if (flag_at(node, "x-kubernetes-int-or-string") || schema.format == "int-or-string") {
    schema.kind = FieldKind::int_or_string;
  } else if (schema.format == "quantity" && !custom()) {
    schema.kind = FieldKind::quantity;
  } else if (type == "object") {
    const bool has_fields = node.contains("properties");
    const bool is_map = !has_fields && node.contains("additionalProperties");
    schema.kind = is_map ? FieldKind::map : FieldKind::object;
    // RawExtension and FieldsV1 have no fields in OpenAPI and hold anything.
    if (!custom() && !has_fields && !is_map) schema.kind = FieldKind::any;
  } else if (type == "array") {
    schema.kind = FieldKind::list;
  } else if (type == "string") {
    schema.kind = FieldKind::string;
  } else if (type == "integer") {
    schema.kind = FieldKind::integer;
  } else if (type == "number") {
    schema.kind = FieldKind::number;
  } else if (type == "boolean") {
    schema.kind = FieldKind::boolean;
  } else if (!type.empty()) {
    problems_.push_back(field_not_supported(place.field + ".type", json::value(type),
                                            {"array", "boolean", "integer", "number", "object", "string"}));
  } else if (node.contains("properties")) {
    schema.kind = FieldKind::object;
  }
  if (custom() && type.empty() && !place.value_rule && schema.kind != FieldKind::int_or_string &&
      !schema.preserve_unknown) {
    problems_.push_back(
        field_required(place.field + ".type", "must not be empty for specified object fields"));
  }
}

void SchemaBuilder::fill_fields(Schema& schema, const json::object& node, const Place& place) {
  if (const auto* properties = object_at(node, "properties")) {
    for (const auto& [name, child] : *properties) {
      if (!child.is_object()) continue;
      const Place below{place.field + ".properties[" + std::string(name) + "]", place.value_rule};
      const bool required = std::ranges::find(schema.required, name) != schema.required.end();
      schema.properties.push_back({std::string(name), build(child.get_object(), below), required});
    }
    std::ranges::sort(schema.properties, {}, &Property::name);
  }
  if (const auto* element = object_at(node, "additionalProperties")) {
    schema.element = build(*element, {place.field + ".additionalProperties", place.value_rule});
  } else if (flag_at(node, "additionalProperties")) {
    schema.preserve_unknown = true;
  }
  if (const auto* items = object_at(node, "items")) {
    schema.element = build(*items, {place.field + ".items", place.value_rule});
  } else if (schema.kind == FieldKind::list && custom() && !place.value_rule) {
    problems_.push_back(field_required(place.field + ".items", "must be specified"));
  }
}

void SchemaBuilder::fill_merging(Schema& schema, const json::object& node) {
  schema.atomic_map = text_at(node, "x-kubernetes-map-type") == "atomic";
  const auto list_type = text_at(node, "x-kubernetes-list-type");
  if (list_type == "set") schema.list_type = ListType::set;
  if (list_type == "map") schema.list_type = ListType::map;
  schema.list_map_keys = texts_at(node, "x-kubernetes-list-map-keys");
  schema.patch_merge_key = text_at(node, "x-kubernetes-patch-merge-key");
  const auto strategy = text_at(node, "x-kubernetes-patch-strategy");
  schema.patch_merge = strategy.find("merge") != std::string::npos;
  schema.patch_retain_keys = strategy.find("retainKeys") != std::string::npos;
}

void SchemaBuilder::fill_limits(Schema& schema, const json::object& node, const Place& place) {
  if (const auto* values = array_at(node, "enum")) schema.enum_values.assign(values->begin(), values->end());
  schema.minimum = number_at(node, "minimum");
  schema.maximum = number_at(node, "maximum");
  schema.exclusive_minimum = flag_at(node, "exclusiveMinimum");
  schema.exclusive_maximum = flag_at(node, "exclusiveMaximum");
  schema.multiple_of = number_at(node, "multipleOf");
  schema.min_length = count_at(node, "minLength");
  schema.max_length = count_at(node, "maxLength");
  schema.min_items = count_at(node, "minItems");
  schema.max_items = count_at(node, "maxItems");
  schema.min_properties = count_at(node, "minProperties");
  schema.max_properties = count_at(node, "maxProperties");
  schema.unique_items = flag_at(node, "uniqueItems");
  if (const auto pattern = text_at(node, "pattern"); !pattern.empty()) {
    auto compiled = UntrustedPattern::compile(pattern);
    if (compiled) {
      schema.pattern = std::move(*compiled);
    } else {
      problems_.push_back(
          field_invalid(place.field + ".pattern", json::value(pattern),
                        "must be a valid regular expression, but isn't: " + compiled.error().message));
    }
  }
}

void SchemaBuilder::fill_value_rules(Schema& schema, const json::object& node, const Place& place) {
  const auto rules = [&](std::string_view key) {
    std::vector<const Schema*> out;
    if (const auto* list = array_at(node, key)) {
      for (std::size_t i = 0; i < list->size(); ++i) {
        const auto field = place.field + "." + std::string(key) + "[" + std::to_string(i) + "]";
        if ((*list)[i].is_object()) out.push_back(build((*list)[i].get_object(), {field, true}));
      }
    }
    return out;
  };
  schema.all_of = rules("allOf");
  schema.any_of = rules("anyOf");
  schema.one_of = rules("oneOf");
  if (const auto* rule = object_at(node, "not")) schema.not_of = build(*rule, {place.field + ".not", true});
}

}  // namespace instantstart::sandbox::kubernetes
