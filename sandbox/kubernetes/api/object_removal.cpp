// Deletion: preconditions, grace, finalizers, propagation.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sandbox/kubernetes/api/admission.h"
#include "sandbox/kubernetes/api/definitions.h"
#include "sandbox/kubernetes/api/lifecycle.h"
#include "sandbox/kubernetes/api/metadata.h"
#include "sandbox/kubernetes/api/object_writer.h"
#include "sandbox/kubernetes/api/refusals.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr std::int64_t k_default_grace = 30;

bool is(const ServedType& type, std::string_view group, std::string_view plural) {
  return type.info.group == group && type.info.plural == plural;
}

/// Only pods that a kubelet may run are given time.
std::int64_t grace_of(const ServedType& type, const json::object& object, const DeleteOptions& options) {
  if (!is(type, "", "pods")) return 0;
  const json::object& spec = member_object(object, "spec");
  const auto phase = member_text(member_object(object, "status"), "phase");
  if (member_text(spec, "nodeName").empty() || phase == "Succeeded" || phase == "Failed") return 0;
  if (options.grace_seconds) return std::max<std::int64_t>(0, *options.grace_seconds);
  const auto* given = spec.if_contains("terminationGracePeriodSeconds");
  return given && given->is_int64() ? given->get_int64() : k_default_grace;
}

void set_propagation(const ServedType& type, const DeleteOptions& options, json::object& object) {
  std::string policy = options.propagation;
  if (policy.empty() && is(type, "batch", "jobs")) policy = "Orphan";  // batch/v1 keeps its old default.
  auto finalizers = finalizers_of(object);
  if (!policy.empty()) {
    std::erase(finalizers, k_foreground_finalizer);
    std::erase(finalizers, k_orphan_finalizer);
  }
  if (policy == "Foreground") finalizers.emplace_back(k_foreground_finalizer);
  if (policy == "Orphan") finalizers.emplace_back(k_orphan_finalizer);
  set_finalizers(object, finalizers);
}

Outcome<> check_preconditions(const WriteTarget& target, const json::object& object,
                              const DeleteOptions& options) {
  const ResourceInfo& info = target.type->info;
  if (!options.uid.empty() && options.uid != uid_of(object)) {
    return refuse(conflict(info.group, info.plural, target.name,
                           fmt::format("Precondition failed: UID in precondition: {}, UID in object meta: {}",
                                       options.uid, uid_of(object))));
  }
  if (!options.resource_version.empty() && options.resource_version != version_of(object)) {
    return refuse(conflict(info.group, info.plural, target.name,
                           fmt::format("Precondition failed: ResourceVersion in precondition: {}, "
                                       "ResourceVersion in object meta: {}",
                                       options.resource_version, version_of(object))));
  }
  return {};
}

std::int64_t remaining_grace(const json::object& object) {
  const auto* grace = metadata_of(object).if_contains("deletionGracePeriodSeconds");
  return grace && grace->is_int64() ? grace->get_int64() : 0;
}

bool is_held(const ObjectKey& key, const json::object& object) {
  if (!finalizers_of(object).empty() || remaining_grace(object) > 0) return true;
  const bool is_namespace = key.group.empty() && key.resource == "namespaces";
  return is_namespace && !member_array(member_object(object, "spec"), "finalizers").empty();
}

}  // namespace

Outcome<Deleted> ObjectWriter::remove(const WriteTarget& target, const DeleteOptions& options) {
  const ServedType& type = *target.type;
  const ObjectKey key = target.key();
  const json::object* stored = store_.find(key);
  if (!stored) return refuse(not_found(type.info.group, type.info.plural, target.name));
  if (auto fine = check_preconditions(target, *stored, options); !fine) return std::unexpected(fine.error());
  const bool is_namespace = is(type, "", "namespaces");
  if (is_namespace && is_immortal_namespace(target.name)) {
    return refuse(forbidden("", "namespaces", target.name, "this namespace may not be deleted"));
  }
  json::object object = *stored;
  set_propagation(type, options, object);
  const std::int64_t grace = grace_of(type, object, options);
  json::object& metadata = metadata_of(object);
  const bool begun = is_deleting(*stored);
  if (!begun) {
    metadata["deletionTimestamp"] = api_time(world_.now() + seconds(grace));
    metadata["deletionGracePeriodSeconds"] = grace;
    if (const auto* count = metadata.if_contains("generation"); count && count->is_int64()) {
      metadata["generation"] = count->get_int64() + 1;
    }
  } else if (options.grace_seconds && grace < remaining_grace(*stored)) {
    metadata["deletionTimestamp"] = api_time(world_.now() + seconds(grace));
    metadata["deletionGracePeriodSeconds"] = grace;
  }
  if (is_namespace) object["status"] = json::object{{"phase", "Terminating"}};
  if (is(type, "apiextensions.k8s.io", "customresourcedefinitions")) {
    object = with_definition_status(store_, target.cluster, std::move(object), world_.now());
  }
  const bool held = is_held(key, object);
  Deleted deleted{.object = object, .gone = !held};
  if (options.dry_run) return deleted;
  if (held && *stored == object) return deleted;
  settle(key, std::move(object));
  if (const json::object* kept = store_.find(key)) deleted.object = *kept;
  return deleted;
}

void ObjectWriter::settle(const ObjectKey& key, json::object object) {
  if (is_deleting(object) && !is_held(key, object)) {
    store_.erase(key);
  } else {
    store_.put(key, std::move(object));
  }
}

}  // namespace instantstart::sandbox::kubernetes
