#include "sandbox/kubernetes/api/lifecycle.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sandbox/kubernetes/api/definitions.h"
#include "sandbox/kubernetes/api/metadata.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr std::string_view k_timer = "kubernetes.clean";
constexpr milliseconds k_soon{20};

bool is_namespace(const ObjectKey& key) { return key.group.empty() && key.resource == "namespaces"; }
bool is_definition(const ObjectKey& key) {
  return key.group == "apiextensions.k8s.io" && key.resource == "customresourcedefinitions";
}

/// The server itself has something to do before the object can go.
bool is_servers_task(const ObjectKey& key, const json::object& object) {
  if (!is_deleting(object)) return false;
  return is_namespace(key) || has_finalizer(object, k_foreground_finalizer) ||
         has_finalizer(object, k_orphan_finalizer) || has_finalizer(object, k_definition_finalizer);
}

bool blocks(const json::object& dependent, std::string_view owner_uid) {
  return std::ranges::any_of(
      member_array(metadata_of(dependent), "ownerReferences"), [&](const json::value& value) {
        const auto* owner = value.if_object();
        const auto* flag = owner ? owner->if_contains("blockOwnerDeletion") : nullptr;
        return flag && *flag == json::value(true) && member_text(*owner, "uid") == owner_uid;
      });
}

json::object without_owner(json::object object, std::string_view owner_uid) {
  json::array owners;
  for (const auto& value : member_array(metadata_of(object), "ownerReferences")) {
    const auto* owner = value.if_object();
    if (!owner || member_text(*owner, "uid") != owner_uid) owners.push_back(value);
  }
  if (owners.empty()) {
    metadata_of(object).erase("ownerReferences");
  } else {
    metadata_of(object)["ownerReferences"] = std::move(owners);
  }
  return object;
}

}  // namespace

Lifecycle::Lifecycle(World& world, ObjectStore& store, ServedTypes& types, ObjectWriter& writer)
    : world_(world), store_(store), types_(types), writer_(writer) {
  world_.on_timer(std::string(k_timer), [this](const std::string& cluster) { clean(cluster); });
  store_.subscribe([this](const Change& change) { notice(change); });
}

void Lifecycle::notice(const Change& change) {
  const ObjectKey& key = change.key;
  bool something_to_do = is_servers_task(key, *change.object);
  if (change.kind == ChangeKind::deleted) {
    something_to_do = !store_.dependents(key.cluster, uid_of(*change.object)).empty();
  }
  // What went may have been the last that held a namespace, an owner or a definition.
  const bool may_release = change.kind == ChangeKind::deleted || is_deleting(*change.object);
  if (may_release && !something_to_do) {
    const json::object* space = store_.find({key.cluster, "", "namespaces", "", key.namespace_name});
    something_to_do = (space && is_deleting(*space)) || !owner_uids(*change.object).empty();
    if (!something_to_do && !key.group.empty()) {
      const json::object* definition =
          store_.find({key.cluster, "apiextensions.k8s.io", "customresourcedefinitions", "",
                       fmt::format("{}.{}", key.resource, key.group)});
      something_to_do = definition && is_deleting(*definition);
    }
  }
  if (something_to_do) world_.set_timer(k_timer, key.cluster, k_soon);
}

void Lifecycle::clean(const std::string& cluster) {
  if (!store_.find_cluster(cluster)) return;
  remove_orphans(cluster);
  finish_deletions(cluster);
}

void Lifecycle::remove(const ObjectKey& key) {
  const auto type = types_.find(key.cluster, key.group, "", key.resource);
  if (!type) {  // Its definition is gone already.
    store_.erase(key);
    return;
  }
  WriteTarget target{.cluster = key.cluster,
                     .type = type,
                     .namespace_name = key.namespace_name,
                     .name = key.name,
                     .field_manager = "kube-controller-manager"};
  // Fails only when it is gone meanwhile, which is what was wanted.
  std::ignore = writer_.remove(target, {.propagation = "Background"});
}

/// Objects none of whose owners is left.
void Lifecycle::remove_orphans(const std::string& cluster) {
  for (const auto& owner : store_.owners(cluster)) {
    if (store_.find_uid(cluster, owner)) continue;
    for (const auto& key : store_.dependents(cluster, owner)) {
      const json::object* dependent = store_.find(key);
      if (!dependent || is_deleting(*dependent)) continue;
      const auto owners = owner_uids(*dependent);
      const bool owned = std::ranges::any_of(
          owners, [&](const std::string& uid) { return store_.find_uid(cluster, uid).has_value(); });
      if (owned) {
        writer_.settle(key, without_owner(*dependent, owner));
      } else {
        remove(key);
      }
    }
  }
}

void Lifecycle::finish_deletions(const std::string& cluster) {
  std::vector<ObjectKey> tasks;
  for (const auto* object : store_.all(cluster)) {
    if (is_servers_task(object->key(), object->body)) tasks.push_back(object->key());
  }
  for (const auto& key : tasks) {
    const json::object* found = store_.find(key);
    if (!found) continue;
    if (has_finalizer(*found, k_orphan_finalizer)) {
      release_dependents(key, *found);
    } else if (has_finalizer(*found, k_foreground_finalizer)) {
      finish_foreground(key, *found);
    } else if (is_namespace(key)) {
      empty_namespace(key, *found);
    } else if (is_definition(key)) {
      remove_instances(key, *found);
    }
  }
}

void Lifecycle::release_dependents(const ObjectKey& key, json::object object) {
  const std::string uid(uid_of(object));
  for (const auto& dependent : store_.dependents(key.cluster, uid)) {
    if (const json::object* found = store_.find(dependent)) {
      writer_.settle(dependent, without_owner(*found, uid));
    }
  }
  remove_finalizer(object, k_orphan_finalizer);
  writer_.settle(key, std::move(object));
}

/// Dependents go first; those that block hold their owner.
void Lifecycle::finish_foreground(const ObjectKey& key, json::object object) {
  const std::string uid(uid_of(object));
  bool held = false;
  for (const auto& dependent : store_.dependents(key.cluster, uid)) {
    const json::object* found = store_.find(dependent);
    if (found && !is_deleting(*found)) remove(dependent);
    found = store_.find(dependent);
    held = held || (found && blocks(*found, uid));
  }
  if (held) return;
  remove_finalizer(object, k_foreground_finalizer);
  writer_.settle(key, std::move(object));
}

void Lifecycle::empty_namespace(const ObjectKey& key, json::object space) {
  bool empty = true;
  for (const auto& type : types_.all(key.cluster)) {
    if (!type->info.namespaced || !type->schema) continue;
    std::vector<ObjectKey> contents;
    for (const auto* object : store_.list(key.cluster, type->info.group, type->info.plural, key.name)) {
      contents.push_back(object->key());
    }
    for (const auto& content : contents) {
      const json::object* found = store_.find(content);
      if (found && !is_deleting(*found)) remove(content);
      empty = empty && !store_.find(content);
    }
  }
  if (!empty) return;
  if (auto* spec = space["spec"].if_object()) {
    json::array left;
    for (const auto& value : member_array(*spec, "finalizers")) {
      if (value != json::value("kubernetes")) left.push_back(value);
    }
    (*spec)["finalizers"] = std::move(left);
  }
  const json::object* now = store_.find(key);
  if (now && *now != space) writer_.settle(key, std::move(space));
}

void Lifecycle::remove_instances(const ObjectKey& key, json::object definition) {
  const json::object& spec = member_object(definition, "spec");
  const std::string group(member_text(spec, "group"));
  const std::string plural(member_text(member_object(spec, "names"), "plural"));
  std::vector<ObjectKey> instances;
  for (const auto* object : store_.list(key.cluster, group, plural, "")) instances.push_back(object->key());
  bool empty = true;
  for (const auto& instance : instances) {
    const json::object* found = store_.find(instance);
    if (found && !is_deleting(*found)) remove(instance);
    empty = empty && !store_.find(instance);
  }
  if (!empty) return;
  remove_finalizer(definition, k_definition_finalizer);
  writer_.settle(key, std::move(definition));
}

}  // namespace instantstart::sandbox::kubernetes
