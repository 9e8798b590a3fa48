#include "sandbox/kubernetes/api/scale.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "sandbox/kubernetes/api/metadata.h"
#include "sandbox/kubernetes/api/refusals.h"
#include "sandbox/kubernetes/objects/patch.h"
#include "sandbox/kubernetes/objects/selectors.h"

namespace instantstart::sandbox::kubernetes {
namespace {

/// ".spec.replicas" → its pieces.
std::vector<std::string_view> pieces_of(std::string_view path) {
  std::vector<std::string_view> pieces;
  for (const auto piece : split(path, '.')) {
    if (!piece.empty()) pieces.push_back(piece);
  }
  return pieces;
}

const json::value* value_at(const json::object& object, std::string_view path) {
  const json::object* place = &object;
  const json::value* value = nullptr;
  for (const auto piece : pieces_of(path)) {
    if (!place) return nullptr;
    value = place->if_contains(piece);
    place = value ? value->if_object() : nullptr;
  }
  return value;
}

std::string_view path_or(const ServedType& type, std::string_view member, std::string_view built_in) {
  return type.custom() ? member_text(type.scale, member) : built_in;
}

std::string selector_text(const ServedType& type, const json::object& object) {
  if (type.custom()) {
    const auto path = member_text(type.scale, "labelSelectorPath");
    const auto* value = path.empty() ? nullptr : value_at(object, path);
    return value && value->is_string() ? std::string(value->get_string()) : std::string();
  }
  const auto* selector = value_at(object, ".spec.selector");
  if (!selector || !selector->is_object()) return {};
  if (type.info.plural == "replicationcontrollers") {
    return LabelSelector::from_map(selector->get_object()).to_text();
  }
  const auto parsed = LabelSelector::from_object(*selector);
  return parsed ? parsed->to_text() : std::string();
}

}  // namespace

json::object scale_of(const ServedType& type, const json::object& object) {
  json::object metadata;
  for (const auto member : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
    if (const auto* value = metadata_of(object).if_contains(member)) metadata[member] = *value;
  }
  const auto* wanted = value_at(object, path_or(type, "specReplicasPath", ".spec.replicas"));
  const auto* current = value_at(object, path_or(type, "statusReplicasPath", ".status.replicas"));
  json::object spec;
  if (wanted && wanted->is_int64()) spec["replicas"] = *wanted;
  json::object status{{"replicas", current && current->is_int64() ? *current : json::value(0)}};
  if (std::string selector = selector_text(type, object); !selector.empty()) {
    status["selector"] = std::move(selector);
  }
  return {{"kind", "Scale"},
          {"apiVersion", "autoscaling/v1"},
          {"metadata", std::move(metadata)},
          {"spec", std::move(spec)},
          {"status", std::move(status)}};
}

Outcome<json::object> patch_scale(PatchKind kind, json::object scale, std::string_view patch) {
  auto parsed = parse_body(patch);
  if (!parsed) return std::unexpected(std::move(parsed.error()));
  json::value result;
  if (kind == PatchKind::json) {
    auto made = json_patch(std::move(scale), parsed->value);
    if (!made) return std::unexpected(std::move(made.error()));
    result = std::move(*made);
  } else {
    result = merge_patch(std::move(scale), parsed->value);
  }
  if (!result.is_object()) return refuse(bad_request("the patch leaves no object"));
  return std::move(result.get_object());
}

Outcome<json::object> with_scale(const ServedType& type, json::object object, const json::object& scale) {
  const auto* given = member_object(scale, "spec").if_contains("replicas");
  const json::value replicas = given ? *given : json::value(0);
  if (!replicas.is_int64() || replicas.get_int64() < 0) {
    return refuse(invalid("autoscaling", "Scale", name_of(object),
                          {field_invalid("spec.replicas", replicas, "must be greater than or equal to 0")}));
  }
  const auto pieces = pieces_of(path_or(type, "specReplicasPath", ".spec.replicas"));
  if (pieces.empty()) return refuse(internal_fault("the definition has no specReplicasPath"));
  json::object* place = &object;
  for (std::size_t i = 0; i + 1 < pieces.size(); ++i) {
    json::value& next = (*place)[pieces[i]];
    place = next.is_object() ? &next.get_object() : &next.emplace_object();
  }
  (*place)[pieces.back()] = replicas;
  if (const auto version = version_of(scale); !version.empty()) {
    metadata_of(object)["resourceVersion"] = version;
  }
  return object;
}

}  // namespace instantstart::sandbox::kubernetes
