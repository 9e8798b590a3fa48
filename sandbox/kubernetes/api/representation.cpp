#include "sandbox/kubernetes/api/representation.h"

#include <array>
#include <map>
#include <utility>

#include "base/text.h"
#include "sandbox/kubernetes/api/metadata.h"
#include "sandbox/kubernetes/api/refusals.h"

namespace instantstart::sandbox::kubernetes {
namespace {

std::string media_parameter(const std::vector<std::string_view>& parts, std::string_view name) {
  for (const auto part : parts) {
    const auto equals = part.find('=');
    if (equals != std::string_view::npos && trim(part.substr(0, equals)) == name) {
      return std::string(trim(part.substr(equals + 1)));
    }
  }
  return {};
}

std::optional<Representation> acceptable(std::string_view one) {
  const auto parts = split(one, ';');
  const auto type = trim(parts.front());
  if (type != "application/json" && type != "*/*" && type != "application/*") return std::nullopt;
  const std::string as = media_parameter(parts, "as");
  if (as.empty()) return Representation{};
  const std::string version = media_parameter(parts, "v");
  if (media_parameter(parts, "g") != "meta.k8s.io" || version != "v1") return std::nullopt;
  if (as == "Table") return Representation{.form = Form::table, .api_version = "meta.k8s.io/v1"};
  if (as == "PartialObjectMetadata" || as == "PartialObjectMetadataList") {
    return Representation{.form = Form::metadata, .api_version = "meta.k8s.io/v1"};
  }
  return std::nullopt;
}

}  // namespace

Outcome<Representation> negotiate(std::string_view accept) {
  if (trim(accept).empty()) return Representation{};
  for (const auto one : split(accept, ',')) {
    if (auto found = acceptable(trim(one))) return *found;
  }
  return refuse(not_acceptable());
}

Renderer::Renderer(const ObjectStore& store, std::string_view cluster, ServedTypePtr type,
                   Representation representation, std::string_view include_object)
    : type_(std::move(type)), representation_(std::move(representation)) {
  if (representation_.form != Form::table) return;
  if (include_object == "None") include_ = RowObject::none;
  if (include_object == "Object") include_ = RowObject::object;
  const json::object* definition = type_->custom()
                                       ? store.find({std::string(cluster), "apiextensions.k8s.io",
                                                     "customresourcedefinitions", "", type_->definition})
                                       : nullptr;
  columns_ = definition ? custom_table_columns(*definition, type_->info.version)
                        : table_columns(type_->info.group, type_->info.kind);
}

json::object Renderer::table(std::span<const json::object* const> objects, WallTime now) const {
  return make_table({.columns = columns_,
                     .group = type_->info.group,
                     .kind = type_->info.kind,
                     .include = include_,
                     .now = now},
                    objects);
}

json::object Renderer::partial(const json::object& object) const {
  return {{"kind", "PartialObjectMetadata"},
          {"apiVersion", representation_.api_version},
          {"metadata", metadata_of(object)}};
}

json::object Renderer::one(const json::object& object, WallTime now) const {
  if (representation_.form == Form::metadata) return partial(object);
  if (representation_.form == Form::table) {
    const std::array<const json::object*, 1> rows{&object};
    json::object shown = table(rows, now);
    shown["metadata"] = json::object{{"resourceVersion", version_of(object)}};
    return shown;
  }
  json::object shown{{"kind", type_->info.kind}, {"apiVersion", type_->info.api_version()}};
  for (const auto& member : object) shown.insert_or_assign(member.key(), member.value());
  shown["kind"] = type_->info.kind;
  shown["apiVersion"] = type_->info.api_version();
  return shown;
}

std::string Renderer::list(std::span<const json::object* const> objects, const json::object& metadata,
                           WallTime now) const {
  if (representation_.form == Form::table) {
    json::object shown = table(objects, now);
    shown["metadata"] = metadata;
    return to_text(shown);
  }
  const bool partial_list = representation_.form == Form::metadata;
  const json::object head{
      {"kind", partial_list ? "PartialObjectMetadataList" : type_->info.list_kind},
      {"apiVersion", partial_list ? representation_.api_version : type_->info.api_version()},
      {"metadata", metadata}};
  std::string text = to_text(head);
  text.pop_back();
  text += ",\"items\":[";
  bool first = true;
  for (const auto* object : objects) {
    if (!first) text += ',';
    first = false;
    // Most are kept in the version that is asked for, and then the text is theirs.
    const bool as_kept = !partial_list && member_text(*object, "apiVersion") == type_->info.api_version();
    text += as_kept ? to_text(*object) : to_text(one(*object, now));
  }
  text += "]}";
  return text;
}

json::object Renderer::event(const json::object& object, WallTime now, bool first) const {
  json::object shown = one(object, now);
  if (representation_.form == Form::table && !first) shown["columnDefinitions"] = nullptr;
  return shown;
}

json::object Renderer::bookmark(std::int64_t version, bool end_of_initial_events) const {
  json::object metadata{{"resourceVersion", std::to_string(version)}, {"creationTimestamp", nullptr}};
  if (end_of_initial_events) {
    metadata["annotations"] = json::object{{"k8s.io/initial-events-end", "true"}};
  }
  if (representation_.form == Form::table) {
    return {{"kind", "Table"},
            {"apiVersion", representation_.api_version},
            {"metadata", json::object{{"resourceVersion", std::to_string(version)}}},
            {"columnDefinitions", nullptr},
            {"rows", json::array{json::object{{"cells", json::array{}},
                                              {"object", json::object{{"kind", "PartialObjectMetadata"},
                                                                      {"apiVersion", "meta.k8s.io/v1"},
                                                                      {"metadata", std::move(metadata)}}}}}}};
  }
  const bool partial_form = representation_.form == Form::metadata;
  return {{"kind", partial_form ? std::string("PartialObjectMetadata") : type_->info.kind},
          {"apiVersion", partial_form ? representation_.api_version : type_->info.api_version()},
          {"metadata", std::move(metadata)}};
}

}  // namespace instantstart::sandbox::kubernetes
