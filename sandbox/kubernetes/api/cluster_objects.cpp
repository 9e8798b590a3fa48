#include "sandbox/kubernetes/api/cluster_objects.h"

#include <utility>

#include <fmt/format.h>

#include "sandbox/kubernetes/api/metadata.h"
#include "sandbox/kubernetes/api/refusals.h"

namespace instantstart::sandbox::kubernetes {
namespace {

Outcome<json::object> object_of(Outcome<Written> written) {
  if (!written) return std::unexpected(std::move(written.error()));
  return std::move(written->object);
}

}  // namespace

const json::object* ClusterObjects::get(std::string_view group, std::string_view resource,
                                        std::string_view namespace_name, std::string_view name) const {
  return store_.find(
      {cluster_, std::string(group), std::string(resource), std::string(namespace_name), std::string(name)});
}

std::vector<const StoredObject*> ClusterObjects::list(std::string_view group, std::string_view resource,
                                                      std::string_view namespace_name) const {
  return store_.list(cluster_, group, resource, namespace_name);
}

Outcome<WriteTarget> ClusterObjects::target_of(const json::object& object,
                                               std::string_view subresource) const {
  auto type = types_.find_kind(cluster_, member_text(object, "apiVersion"), member_text(object, "kind"));
  if (!type || !type->schema) {
    return refuse(bad_request(
        fmt::format("no kind {} of {}", member_text(object, "kind"), member_text(object, "apiVersion"))));
  }
  const bool namespaced = type->info.namespaced;
  return WriteTarget{.cluster = cluster_,
                     .type = std::move(type),
                     .namespace_name = std::string(namespaced ? namespace_of(object) : std::string_view()),
                     .name = std::string(name_of(object)),
                     .subresource = std::string(subresource),
                     .field_manager = manager_,
                     .validation = FieldValidation::strict};
}

Outcome<json::object> ClusterObjects::create(json::object object) {
  auto target = target_of(object);
  if (!target) return std::unexpected(std::move(target.error()));
  return object_of(writer_.create(*target, std::move(object)));
}

Outcome<json::object> ClusterObjects::update(json::object object) {
  auto target = target_of(object);
  if (!target) return std::unexpected(std::move(target.error()));
  return object_of(writer_.update(*target, std::move(object)));
}

Outcome<json::object> ClusterObjects::update_status(json::object object) {
  auto target = target_of(object, "status");
  if (!target) return std::unexpected(std::move(target.error()));
  return object_of(writer_.update(*target, std::move(object)));
}

Outcome<json::object> ClusterObjects::apply(json::object object) {
  auto target = target_of(object);
  if (!target) return std::unexpected(std::move(target.error()));
  target->force = true;
  return object_of(writer_.patch(*target, PatchKind::apply, to_text(object)));
}

Outcome<> ClusterObjects::remove(std::string_view group, std::string_view resource,
                                 std::string_view namespace_name, std::string_view name,
                                 const DeleteOptions& options) {
  auto type = types_.find(cluster_, group, "", resource);
  if (!type) return refuse(not_found(group, resource, name));
  const WriteTarget target{.cluster = cluster_,
                           .type = std::move(type),
                           .namespace_name = std::string(namespace_name),
                           .name = std::string(name),
                           .field_manager = manager_};
  auto removed = writer_.remove(target, options);
  if (!removed) return std::unexpected(std::move(removed.error()));
  return {};
}

}  // namespace instantstart::sandbox::kubernetes
