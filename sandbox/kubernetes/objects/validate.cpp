#include "sandbox/kubernetes/objects/validate.h"

#include <algorithm>
#include <cctype>
#include <iterator>

#include <fmt/format.h>

#include "sandbox/kubernetes/objects/json_access.h"
#include "sandbox/kubernetes/objects/kind_rules.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr std::size_t k_annotations_size = 256 * 1024;  // apimachinery: TotalAnnotationSizeLimitB.
constexpr std::string_view k_immutable = "field is immutable";

using NameCheck = std::string (*)(std::string_view);

/// How a kind's names must look: ValidateXxxName of each kind; subdomains where nothing is said.
NameCheck name_check(const ObjectSchema& schema) {
  if (schema.group == "rbac.authorization.k8s.io" || schema.group == "authentication.k8s.io" ||
      schema.group == "authorization.k8s.io") {
    return check_path_segment;
  }
  if (schema.group.empty() && schema.kind == "Namespace") return check_dns1123_label;
  if (schema.group.empty() && schema.kind == "Service") return check_dns1035_label;
  if (schema.group == "events.k8s.io" || schema.kind == "Event") return check_path_segment;
  return check_dns1123_subdomain;
}

void check_labels(const json::object& metadata, StatusCauses& causes) {
  const auto* labels = object_at(metadata, "labels");
  if (!labels) return;
  for (const auto& [key, value] : *labels) {
    if (auto why = check_qualified_name(key); !why.empty()) {
      causes.push_back(field_invalid("metadata.labels", json::value(key), why));
    }
    const auto* text = value.if_string();
    if (auto why = check_label_value(text ? std::string_view(*text) : std::string_view()); !why.empty()) {
      causes.push_back(field_invalid("metadata.labels", value, why));
    }
  }
}

void check_annotations(const json::object& metadata, StatusCauses& causes) {
  const auto* annotations = object_at(metadata, "annotations");
  if (!annotations) return;
  std::size_t size = 0;
  for (const auto& [key, value] : *annotations) {
    // Annotation keys are checked in lower case.
    std::string lower(key);
    std::ranges::transform(lower, lower.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (auto why = check_qualified_name(lower); !why.empty()) {
      causes.push_back(field_invalid("metadata.annotations", json::value(key), why));
    }
    size += key.size() + (value.is_string() ? value.get_string().size() : 0);
  }
  if (size > k_annotations_size) {
    causes.push_back(field_too_long("metadata.annotations", static_cast<std::int64_t>(k_annotations_size)));
  }
}

void check_owners(const json::object& metadata, StatusCauses& causes) {
  const auto* owners = array_at(metadata, "ownerReferences");
  bool has_controller = false;
  for (std::size_t i = 0; owners && i < owners->size(); ++i) {
    const auto field = fmt::format("metadata.ownerReferences[{}]", i);
    const auto* owner = (*owners)[i].if_object();
    if (!owner) continue;
    for (const auto key : {"apiVersion", "kind", "name", "uid"}) {
      if (text_at(*owner, key).empty())
        causes.push_back(field_invalid(field + "." + key, json::value(""), "must not be empty"));
    }
    if (!flag_at(*owner, "controller")) continue;
    if (has_controller) {
      causes.push_back(field_invalid("metadata.ownerReferences", json::value(*owners),
                                     "Only one reference can have Controller set to true"));
    }
    has_controller = true;
  }
}

void check_finalizers(const json::object& metadata, StatusCauses& causes) {
  const auto* finalizers = array_at(metadata, "finalizers");
  for (std::size_t i = 0; finalizers && i < finalizers->size(); ++i) {
    const auto* text = (*finalizers)[i].if_string();
    const auto why = check_qualified_name(text ? std::string_view(*text) : std::string_view());
    if (!why.empty())
      causes.push_back(field_invalid(fmt::format("metadata.finalizers[{}]", i), (*finalizers)[i], why));
  }
}

void check_metadata(const ObjectSchema& schema, const json::object& object, StatusCauses& causes) {
  static const json::object none;
  const auto* found = object_at(object, "metadata");
  const auto& metadata = found ? *found : none;
  const auto name = text_at(metadata, "name");
  if (name.empty()) {
    causes.push_back(field_required("metadata.name", "name or generateName is required"));
  } else if (auto why = name_check(schema)(name); !why.empty()) {
    causes.push_back(field_invalid("metadata.name", json::value(name), why));
  }
  const auto space = text_at(metadata, "namespace");
  if (schema.namespaced && space.empty()) causes.push_back(field_required("metadata.namespace"));
  if (!schema.namespaced && !space.empty()) {
    causes.push_back(field_forbidden("metadata.namespace", "not allowed on this type"));
  }
  if (auto why = space.empty() ? std::string() : check_dns1123_label(space); !why.empty()) {
    causes.push_back(field_invalid("metadata.namespace", json::value(space), why));
  }
  check_labels(metadata, causes);
  check_annotations(metadata, causes);
  check_owners(metadata, causes);
  check_finalizers(metadata, causes);
}

void check_metadata_update(const json::object& before, const json::object& after, StatusCauses& causes) {
  static const json::object none;
  const auto* old = object_at(before, "metadata");
  const auto* fresh = object_at(after, "metadata");
  for (const auto key :
       {"name", "namespace", "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"}) {
    const auto* was = at(old ? *old : none, key);
    const auto* is = at(fresh ? *fresh : none, key);
    // What a client leaves out is filled in from what is stored.
    const bool same = !is || is->is_null() || (was ? *was == *is : is_zero(*is));
    if (!same) causes.push_back(field_invalid(fmt::format("metadata.{}", key), *is, k_immutable));
  }
}

void append(StatusCauses& causes, StatusCauses more) { std::ranges::move(more, std::back_inserter(causes)); }

/// Values of built-in types that only a few words may be. Types were settled when it was decoded.
void check_enums(const Schema& schema, const json::value& value, const std::string& field,
                 StatusCauses& causes) {
  if (const auto* object = value.if_object()) {
    for (const auto& [key, item] : *object) {
      const auto* below = schema.property(key);
      const auto path = field.empty() ? std::string(key) : field + "." + std::string(key);
      if (below) check_enums(*below, item, path, causes);
    }
  }
  if (const auto* array = value.if_array(); array && schema.element) {
    for (std::size_t i = 0; i < array->size(); ++i) {
      check_enums(*schema.element, (*array)[i], fmt::format("{}[{}]", field, i), causes);
    }
  }
  const bool closed = !schema.enum_values.empty() && value.is_string() && !value.get_string().empty();
  if (closed && std::ranges::find(schema.enum_values, value) == schema.enum_values.end()) {
    std::vector<std::string> allowed;
    for (const auto& item : schema.enum_values)
      allowed.emplace_back(item.is_string() ? std::string_view(item.get_string()) : "");
    causes.push_back(field_not_supported(field, value, allowed));
  }
}

StatusCauses check_custom(const ObjectSchema& schema, const json::object& object) {
  // metadata has its own rules, and its type was checked when it was decoded.
  json::object body = object;
  body.erase("metadata");
  auto causes = validate_value(*schema.root, json::value(std::move(body)), "");
  std::erase_if(causes, [](const StatusCause& cause) { return cause.field == "metadata"; });
  return causes;
}

}  // namespace

StatusCauses validate_create(const ObjectSchema& schema, const json::object& object) {
  StatusCauses causes;
  check_metadata(schema, object, causes);
  if (schema.custom) {
    append(causes, check_custom(schema, object));
  } else {
    append(causes, check_kind(schema, object));
    StatusCauses enums;
    check_enums(*schema.root, json::value(object), "", enums);
    for (auto& cause : enums) {
      // A kind's own rule says it in better words.
      const bool said =
          std::ranges::any_of(causes, [&](const StatusCause& other) { return other.field == cause.field; });
      if (!said) causes.push_back(std::move(cause));
    }
  }
  return causes;
}

StatusCauses validate_update(const ObjectSchema& schema, const json::object& before,
                             const json::object& after) {
  StatusCauses causes;
  check_metadata_update(before, after, causes);
  if (!schema.custom) append(causes, check_kind_update(schema, before, after));
  for (auto& cause : validate_create(schema, after)) {
    const bool said =
        std::ranges::any_of(causes, [&](const StatusCause& other) { return other.field == cause.field; });
    if (!said) causes.push_back(std::move(cause));
  }
  return causes;
}

StatusCauses validate_status_update(const ObjectSchema& schema, const json::object& before,
                                    const json::object& after) {
  StatusCauses causes;
  check_metadata_update(before, after, causes);
  check_metadata(schema, after, causes);
  if (schema.custom) append(causes, check_custom(schema, after));
  return causes;
}

}  // namespace instantstart::sandbox::kubernetes
