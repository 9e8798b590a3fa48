#include "sandbox/kubernetes/objects/decode_object.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <boost/json/parse.hpp>

#include "base/text.h"
#include "base/time.h"
#include "sandbox/kubernetes/objects/duplicate_keys.h"
#include "sandbox/kubernetes/objects/json_access.h"
#include "sandbox/kubernetes/objects/quantity.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr std::size_t k_max_depth = 128;
constexpr std::size_t k_max_problems = 32;

std::string go_kind(const json::value& value) {
  switch (value.kind()) {
    case json::kind::bool_: return "bool";
    case json::kind::string: return "string";
    case json::kind::array: return "array";
    case json::kind::object: return "object";
    case json::kind::null: return "null";
    case json::kind::double_: return "number " + to_text(value);
    default: return "number";
  }
}

std::string go_type(const Schema& schema) {
  switch (schema.kind) {
    case FieldKind::string: return schema.format == "byte" ? "[]uint8" : "string";
    case FieldKind::integer: return schema.format.empty() ? "int64" : schema.format;
    case FieldKind::number: return "float64";
    case FieldKind::boolean: return "bool";
    case FieldKind::list:
      return "[]" + (schema.element ? go_type(*schema.element) : std::string("interface {}"));
    case FieldKind::map:
      return "map[string]" + (schema.element ? go_type(*schema.element) : std::string("interface {}"));
    default: return schema.type_name.empty() ? "interface {}" : schema.type_name;
  }
}

bool has_kind(const Schema& schema, const json::value& value) {
  switch (schema.kind) {
    case FieldKind::object:
    case FieldKind::map: return value.is_object();
    case FieldKind::list: return value.is_array();
    case FieldKind::string: return value.is_string();
    case FieldKind::integer: {
      if (!is_integer(value)) return false;
      if (value.is_uint64()) return false;
      return schema.format != "int32" || (value.get_int64() >= INT32_MIN && value.get_int64() <= INT32_MAX);
    }
    case FieldKind::number: return value.is_number();
    case FieldKind::boolean: return value.is_bool();
    case FieldKind::int_or_string: return value.is_string() || is_integer(value);
    case FieldKind::quantity: return value.is_string() || value.is_number();
    case FieldKind::any: return true;
  }
  return true;
}

/// Walks a built-in object as Go's decoder does: nulls are absent, unknown fields are dropped and noted.
class Decoder {
 public:
  std::vector<std::string> unknown;
  std::string type_error;

  json::value decode(const Schema& schema, json::value value, const std::string& path,
                     std::string_view owner) {
    if (!type_error.empty() || schema.kind == FieldKind::any) return value;
    if (!has_kind(schema, value)) {
      type_error = fmt::format("json: cannot unmarshal {} into Go struct field {}.{} of type {}",
                               go_kind(value), owner.empty() ? "Object" : owner, path, go_type(schema));
      return value;
    }
    check_format(schema, value);
    if (auto* object = value.if_object()) return decode_object_fields(schema, std::move(*object), path);
    if (auto* array = value.if_array(); array && schema.element) {
      for (std::size_t i = 0; i < array->size(); ++i) {
        if ((*array)[i].is_null()) continue;
        (*array)[i] =
            decode(*schema.element, std::move((*array)[i]), path + "[" + std::to_string(i) + "]", owner);
      }
    }
    return value;
  }

 private:
  json::value decode_object_fields(const Schema& schema, json::object object, const std::string& path) {
    const auto dot = schema.type_name.rfind('.');
    const auto owner = dot == std::string::npos ? schema.type_name : schema.type_name.substr(dot + 1);
    json::object out;
    for (auto& [key, value] : object) {
      const auto below = path.empty() ? std::string(key) : path + "." + std::string(key);
      const auto* field = schema.property(key);
      if (!field) {
        if (unknown.size() < k_max_problems) unknown.push_back(below);
        continue;
      }
      if (!value.is_null()) out[key] = decode(*field, std::move(value), below, owner);
    }
    return out;
  }

  void check_format(const Schema& schema, json::value& value) {
    if (schema.kind == FieldKind::quantity) {
      const auto text = value.is_string() ? std::string(value.get_string()) : to_text(value);
      const auto quantity = Quantity::parse(text);
      if (!quantity) type_error = quantity.error().message;
      if (quantity && value.is_number()) value = quantity->to_text();
    }
    const auto* text = value.if_string();
    if (!text) return;
    if (schema.format == "date-time" && !text->empty() && !parse_rfc3339(*text)) {
      type_error =
          fmt::format("parsing time {} as \"2006-01-02T15:04:05Z07:00\": cannot parse", to_text(value));
    }
    if (schema.format == "byte" && !is_base64(*text)) type_error = "illegal base64 data";
  }

  static bool is_base64(std::string_view text) {
    if (text.size() % 4 != 0) return false;
    for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
    return std::ranges::all_of(text, [](unsigned char c) { return std::isalnum(c) || c == '+' || c == '/'; });
  }
};

/// Unknown fields of a custom object. metadata is Kubernetes' own type, and always has its fields.
class Pruner {
 public:
  std::vector<std::string> unknown;

  json::value prune(const Schema& schema, json::value value, const std::string& path) {
    if (auto* object = value.if_object()) {
      if (schema.kind != FieldKind::object && schema.kind != FieldKind::map) {
        return value;
      }
      json::object out;
      for (auto& [key, item] : *object) {
        const auto below = path.empty() ? std::string(key) : path + "." + std::string(key);
        if (const auto* field = schema.property(key)) {
          out[key] = prune(*field, std::move(item), below);
        } else if (schema.preserve_unknown) {
          out[key] = std::move(item);
        } else if (unknown.size() < k_max_problems) {
          unknown.push_back(below);
        }
      }
      return out;
    }
    if (auto* array = value.if_array(); array && schema.element) {
      for (std::size_t i = 0; i < array->size(); ++i) {
        (*array)[i] = prune(*schema.element, std::move((*array)[i]), path + "[" + std::to_string(i) + "]");
      }
    }
    return value;
  }
};

std::string quoted_field(std::string_view what, const std::string& path) {
  return fmt::format("{} field \"{}\"", what, path);
}

Status can_not_handle(const ObjectSchema& schema, std::string_view why) {
  return bad_request(fmt::format("{} in version \"{}\" cannot be handled as a {}: {}", schema.kind,
                                 schema.version, schema.kind, why));
}

}  // namespace

Outcome<FieldValidation> parse_field_validation(std::string_view text) {
  if (text.empty() || text == "Warn") return FieldValidation::warn;
  if (text == "Ignore") return FieldValidation::ignore;
  if (text == "Strict") return FieldValidation::strict;
  return refuse(
      invalid("meta.k8s.io", "CreateOptions", "",
              {field_not_supported("fieldValidation", json::value(text), {"", "Ignore", "Strict", "Warn"})}));
}

Outcome<JsonWithDuplicates> parse_body(std::string_view text) {
  if (text.size() > k_max_body) {
    Status status;
    status.code = 413;
    status.reason = "RequestEntityTooLarge";
    status.message = fmt::format("limit is {}", k_max_body);
    return refuse(std::move(status));
  }
  json::parse_options options;
  options.max_depth = k_max_depth;
  boost::system::error_code problem;
  auto value = json::parse(json::string_view(text.data(), text.size()), problem, {}, options);
  if (problem)
    return refuse(bad_request("couldn't get version/kind; json parse error: " + problem.message()));
  return JsonWithDuplicates{std::move(value), duplicate_keys(text)};
}

Outcome<DecodedObject> decode_object(std::string_view text, const ObjectSchema& schema,
                                     FieldValidation validation) {
  auto body = parse_body(text);
  if (!body) return refuse(std::move(body.error()));
  if (!body->value.is_object()) {
    return refuse(bad_request(fmt::format(
        "couldn't get version/kind; json parse error: json: cannot unmarshal {} into Go value of type struct",
        go_kind(body->value))));
  }
  return check_fields(std::move(body->value.get_object()), schema, validation, std::move(body->duplicates));
}

Outcome<DecodedObject> check_fields(json::object object, const ObjectSchema& schema,
                                    FieldValidation validation, std::vector<std::string> duplicates) {
  DecodedObject out;
  std::vector<std::string> problems;
  for (const auto& path : duplicates) problems.push_back(quoted_field("duplicate", path));
  if (schema.custom) {
    // Only metadata is decoded into a Go type; the rest waits for the schema's own validation.
    if (const auto* metadata = at(object, "metadata"); metadata && !metadata->is_null()) {
      Decoder decoder;
      auto decoded = decoder.decode(*schema.root->property("metadata"), *metadata, "metadata", schema.kind);
      if (!decoder.type_error.empty()) return refuse(can_not_handle(schema, decoder.type_error));
      for (const auto& path : decoder.unknown) problems.push_back(quoted_field("unknown", path));
      object["metadata"] = std::move(decoded);
    }
    Pruner pruner;
    pruner.prune(*schema.root, json::value(object), "");
    for (const auto& path : pruner.unknown) problems.push_back(quoted_field("unknown", path));
    out.object = std::move(object);
  } else {
    Decoder decoder;
    auto value = decoder.decode(*schema.root, std::move(object), "", schema.kind);
    if (!decoder.type_error.empty()) return refuse(can_not_handle(schema, decoder.type_error));
    for (const auto& path : decoder.unknown) problems.push_back(quoted_field("unknown", path));
    out.object = std::move(value.get_object());
  }
  if (validation == FieldValidation::strict && !problems.empty()) {
    return refuse(can_not_handle(schema, "strict decoding error: " + join(problems, ", ")));
  }
  if (validation == FieldValidation::warn) out.warnings = std::move(problems);
  return out;
}

json::object prune(json::object object, const ObjectSchema& schema) {
  Pruner pruner;
  return std::move(pruner.prune(*schema.root, std::move(object), "").get_object());
}

}  // namespace instantstart::sandbox::kubernetes
