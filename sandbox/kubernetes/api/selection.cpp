#include "sandbox/kubernetes/api/selection.h"

#include <utility>

namespace instantstart::sandbox::kubernetes {

Outcome<Selection> Selection::read(std::string_view cluster, const ServedType& type, const RequestInfo& info,
                                   const Parameters& parameters) {
  Selection selection;
  selection.cluster_ = cluster;
  selection.group_ = type.info.group;
  selection.resource_ = type.info.plural;
  if (type.info.namespaced) selection.namespace_name_ = info.namespace_name;
  auto labels = LabelSelector::parse(parameters.get("labelSelector"));
  if (!labels) return std::unexpected(std::move(labels.error()));
  auto fields = FieldSelector::parse(parameters.get("fieldSelector"), type.info.group, type.info.kind);
  if (!fields) return std::unexpected(std::move(fields.error()));
  selection.labels_ = std::move(*labels);
  selection.fields_ = std::move(*fields);
  return selection;
}

bool Selection::covers(const ObjectKey& key) const {
  return key.resource == resource_ && key.group == group_ &&
         (namespace_name_.empty() || key.namespace_name == namespace_name_);
}

bool Selection::selects(const json::object& object) const {
  return labels_.matches_object(object) && fields_.matches(object);
}

std::vector<const json::object*> Selection::find(const ObjectStore& store) const {
  std::vector<const json::object*> found;
  for (const auto* object : store.list(cluster_, group_, resource_, namespace_name_)) {
    if (selects(object->body)) found.push_back(&object->body);
  }
  return found;
}

}  // namespace instantstart::sandbox::kubernetes
