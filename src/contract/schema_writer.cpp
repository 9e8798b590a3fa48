#include "contract/schema_writer.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "base/decode.h"
#include "contract/type_faults.h"

namespace instantstart::contract {
namespace {

bool contains(const std::vector<const Type*>& types, const Type& type) {
  return std::ranges::find(types, &type) != types.end();
}

/// Whole numbers are written without fraction or exponent.
json::value number(double value) {
  constexpr double k_exact = 9007199254740992.0;  // 2^53
  if (std::trunc(value) == value && std::abs(value) <= k_exact) return static_cast<std::int64_t>(value);
  return value;
}

/// The words for the bounds of a kind.
std::pair<std::string_view, std::string_view> bound_words(Kind kind) {
  switch (kind) {
    case Kind::string: return {"minLength", "maxLength"};
    case Kind::array: return {"minItems", "maxItems"};
    case Kind::map: return {"minProperties", "maxProperties"};
    default: return {"minimum", "maximum"};
  }
}

bool is_secret(const Member& member) { return member.field->options.secret || member.field->type().secret; }

void add_tag(json::object& object, std::string_view tag, json::object tag_schema) {
  json::object properties{{tag, std::move(tag_schema)}};
  for (const auto& property : object["properties"].get_object()) properties.insert(property);
  object["properties"] = std::move(properties);
  json::array required{tag};
  if (const auto* others = object.if_contains("required")) {
    for (const auto& name : others->get_array()) required.push_back(name);
  }
  object["required"] = std::move(required);
}

}  // namespace

SchemaWriter::SchemaWriter(SchemaOptions options, std::string reference_prefix,
                           std::function<bool(const Type&)> stands_apart)
    : options_(options), prefix_(std::move(reference_prefix)), stands_apart_(std::move(stands_apart)) {}

json::object SchemaWriter::reference(const Type& type) {
  if (options_.flat || !stands_apart_(type)) return schema(type);
  if (!contains(defined_, type)) {
    defined_.push_back(&type);
    json::object definition = schema(type);
    definitions_[type.name] = std::move(definition);
  }
  return {{"$ref", prefix_ + std::string(type.name)}};
}

json::object SchemaWriter::schema(const Type& type) {
  // Only flat schemas get here again with the same type: a reference would have broken the circle.
  if (options_.flat && is_named(type) && contains(open_, type)) return {{"type", "object"}};
  open_.push_back(&type);
  json::object result = written(type);
  open_.pop_back();
  add_doc(result, type, type.doc);
  add_examples(result, type, type.examples);
  if (type.secret) result["writeOnly"] = true;
  return result;
}

json::object SchemaWriter::written(const Type& type) {
  json::object result;
  switch (type.kind) {
    case Kind::boolean: return {{"type", "boolean"}};
    case Kind::integer:
      result["type"] = "integer";
      if (!options_.terse && !(type.rule.min && type.rule.max)) result["format"] = "int64";
      // The bounds of an unnamed type are those of a C++ integer.
      if (!options_.terse || !type.name.empty()) add_rule(result, type.kind, type.rule);
      return result;
    case Kind::number: result["type"] = "number"; break;
    case Kind::string: result["type"] = "string"; break;
    case Kind::enumeration: return enumeration(type);
    case Kind::array:
      result["type"] = "array";
      result["items"] = reference(type.element());
      break;
    case Kind::map:
      result["type"] = "object";
      result["additionalProperties"] = reference(type.element());
      break;
    case Kind::object: return object_of(members_of(type));
    case Kind::variant: return options_.flat ? flat_variant(type) : variant(type);
    case Kind::any:
      if (!type.name.empty()) result["type"] = "object";
      return result;
  }
  add_rule(result, type.kind, type.rule);
  return result;
}

json::object SchemaWriter::object_of(const std::vector<Member>& members) {
  json::object properties;
  json::array required;
  for (const auto& each : members) {
    properties[each.field->name] = member(each);
    if (each.field->required()) required.emplace_back(each.field->name);
  }
  json::object result{{"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) result["required"] = std::move(required);
  result["additionalProperties"] = false;
  return result;
}

json::object SchemaWriter::member(const Member& member) {
  const Field& field = *member.field;
  const Type& type = field.type();
  json::object result = reference(type);
  add_rule(result, type.kind, field.options.rule);
  add_doc(result, type, field.doc);
  if (is_secret(member)) {
    result["writeOnly"] = true;
    return result;
  }
  if (field.options.defaulted) {
    if (const void* value = field.peek(member.owner->access.defaults()))
      result["default"] = encode_from(type, value);
  }
  add_examples(result, type, field.options.examples);
  return result;
}

json::object SchemaWriter::enumeration(const Type& type) {
  json::array names;
  for (const auto& value : type.values) names.emplace_back(value.name);
  return {{"type", "string"}, {"enum", std::move(names)}};
}

json::object SchemaWriter::variant(const Type& type) {
  json::array alternatives;
  for (const auto& [tag, alternative_type] : type.alternatives) {
    alternatives.push_back(alternative(type, tag, alternative_type()));
  }
  return {{"type", "object"}, {"oneOf", std::move(alternatives)}};
}

/// Alternatives stand in place, since the tag is a member that their own type doesn't have.
json::object SchemaWriter::alternative(const Type& variant, std::string_view tag, const Type& type) {
  json::object result = object_of(members_of(type));
  add_tag(result, variant.tag, {{"type", "string"}, {"const", tag}});
  add_doc(result, type, type.doc);
  if (!options_.terse) result["title"] = type.name;
  return result;
}

json::object SchemaWriter::flat_variant(const Type& type) {
  std::vector<Member> members;
  json::array tags;
  std::string doc;
  for (const auto& [tag, alternative_of] : type.alternatives) {
    const Type& alternative_type = alternative_of();
    tags.emplace_back(tag);
    doc += fmt::format("{}`{}`: {}", doc.empty() ? "" : " ", tag, alternative_type.doc);
    for (const auto& each : members_of(alternative_type)) {
      const auto same_name = [&](const Member& other) { return other.field->name == each.field->name; };
      if (std::ranges::none_of(members, same_name)) members.push_back(each);
    }
  }
  json::object result = object_of(members);
  result.erase("required");  // which members are depends on the tag
  json::object tag_schema{{"type", "string"}, {"enum", std::move(tags)}};
  if (!options_.terse) tag_schema["description"] = doc;
  add_tag(result, type.tag, std::move(tag_schema));
  return result;
}

void SchemaWriter::add_doc(json::object& schema, const Type& type, std::string_view doc) const {
  if (options_.terse || doc.empty()) return;
  std::string text(doc);
  // A reference leads to the docs of the values; in place there is nowhere else for them.
  if (!schema.contains("$ref")) {
    for (const auto& value : type.values) text += fmt::format("\n* `{}`: {}", value.name, value.doc);
  }
  schema["description"] = text;
}

void SchemaWriter::add_examples(json::object& schema, const Type& type,
                                const std::vector<std::string_view>& examples) const {
  if (options_.terse || examples.empty()) return;
  json::array values;
  for (const auto text : examples) {
    if (auto value = example_value(type, text)) values.push_back(std::move(*value));
  }
  schema["examples"] = std::move(values);
}

void SchemaWriter::add_rule(json::object& schema, Kind kind, const Rule& rule) const {
  const auto [least, most] = bound_words(kind);
  const auto bound = [&schema](std::string_view word) -> std::optional<double> {
    const auto* found = schema.if_contains(word);
    return found ? std::optional(found->to_number<double>()) : std::nullopt;
  };
  if (rule.min) schema[least] = number(std::max(*rule.min, bound(least).value_or(*rule.min)));
  if (rule.max) schema[most] = number(std::min(*rule.max, bound(most).value_or(*rule.max)));
  if (!rule.format.empty()) schema["format"] = rule.format;
  if (!rule.pattern) return;
  const std::string_view expression = rule.pattern->expression();
  if (schema.contains("pattern") && !options_.flat) {
    schema["allOf"] = json::array{json::object{{"pattern", expression}}};
  } else {
    schema["pattern"] = expression;
  }
}

}  // namespace instantstart::contract
