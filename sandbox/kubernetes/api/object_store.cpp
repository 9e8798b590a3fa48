#include "sandbox/kubernetes/api/object_store.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sandbox/kubernetes/api/metadata.h"
#include "sandbox/kubernetes/api/refusals.h"

namespace instantstart::sandbox::kubernetes {
namespace {

std::string prefix_of(std::string_view cluster, std::string_view group, std::string_view resource,
                      std::string_view namespace_name) {
  std::string prefix = fmt::format("{}/{}/", cluster, qualified(resource, group));
  if (!namespace_name.empty()) prefix += fmt::format("{}/", namespace_name);
  return prefix;
}

}  // namespace

std::string ObjectKey::id() const {
  return fmt::format("{}/{}/{}/{}", cluster, qualified(resource, group), namespace_name, name);
}

Type describe(StoredObject*) {
  using S = StoredObject;
  return object_type<S>("StoredObject", "An object of a cluster.",
                        {field<&S::cluster>("cluster", "Its id."), field<&S::group>("group", "API group."),
                         field<&S::resource>("resource", "Plural."),
                         field<&S::namespace_name>("namespace", "Empty for objects of the cluster."),
                         field<&S::name>("name", "Its name."), field<&S::body>("body", "The object.")});
}

Type describe(OpenCluster*) {
  using C = OpenCluster;
  return object_type<C>("OpenCluster", "A cluster whose API answers.",
                        {field<&C::region>("region", "Its region."), field<&C::name>("name", "Its name."),
                         field<&C::arn>("arn", "Its ARN."),
                         field<&C::kubernetes_version>("kubernetes_version", "Minor version."),
                         field<&C::service_cidr>("service_cidr", "Of Services."),
                         field<&C::oidc_issuer>("oidc_issuer", "Of its service accounts."),
                         field<&C::resource_version>("resource_version", "The last one."),
                         field<&C::addons>("addons", "Applied add-ons.", {.defaulted = true})});
}

ObjectStore::ObjectStore(World& world)
    : clusters_(world, "kubernetes.cluster"), objects_(world, "kubernetes.object"), changed_(world.time()) {
  world.on_new_account([this] { forget(); });
}

void ObjectStore::forget() {
  histories_.clear();
  indexes_.clear();
  ++epoch_;
  changed_.notify();
}

void ObjectStore::open(const ControlPlaneRef& cluster) {
  if (clusters_.contains(cluster.id)) return;
  clusters_.put(cluster.id, OpenCluster{.region = cluster.region,
                                        .name = cluster.name,
                                        .arn = cluster.arn,
                                        .kubernetes_version = cluster.kubernetes_version,
                                        .service_cidr = cluster.service_cidr,
                                        .oidc_issuer = cluster.oidc_issuer});
}

void ObjectStore::close(std::string_view cluster) {
  std::vector<std::string> ids;
  for (const auto& [id, object] : objects_.starting_with(fmt::format("{}/", cluster))) ids.push_back(id);
  for (const auto& id : ids) objects_.erase(id);
  if (const auto found = histories_.find(cluster); found != histories_.end()) histories_.erase(found);
  if (const auto found = indexes_.find(cluster); found != indexes_.end()) indexes_.erase(found);
  clusters_.erase(cluster);
  changed_.notify();
}

void ObjectStore::set_addons(std::string_view cluster, std::vector<std::string> addons) {
  clusters_.edit(cluster, [&](OpenCluster& open) { open.addons = std::move(addons); });
}

const json::object* ObjectStore::find(const ObjectKey& key) const {
  const StoredObject* stored = objects_.find(key.id());
  return stored ? &stored->body : nullptr;
}

std::vector<const StoredObject*> ObjectStore::list(std::string_view cluster, std::string_view group,
                                                   std::string_view resource,
                                                   std::string_view namespace_name) const {
  std::vector<const StoredObject*> found;
  for (const auto& [id, object] : objects_.starting_with(prefix_of(cluster, group, resource, namespace_name)))
    found.push_back(&object);
  return found;
}

bool ObjectStore::any(std::string_view cluster, std::string_view group, std::string_view resource,
                      std::string_view namespace_name) const {
  return !objects_.starting_with(prefix_of(cluster, group, resource, namespace_name)).empty();
}

std::vector<const StoredObject*> ObjectStore::all(std::string_view cluster) const {
  std::vector<const StoredObject*> found;
  for (const auto& [id, object] : objects_.starting_with(fmt::format("{}/", cluster)))
    found.push_back(&object);
  return found;
}

std::int64_t ObjectStore::next_version(const std::string& cluster) {
  std::int64_t next = 0;
  clusters_.edit(cluster, [&](OpenCluster& open) { next = ++open.resource_version; });
  return next;
}

const json::object& ObjectStore::put(const ObjectKey& key, json::object body) {
  Index& index = index_of(key.cluster);
  const std::string id = key.id();
  Change change{.version = next_version(key.cluster), .key = key};
  metadata_of(body)["resourceVersion"] = std::to_string(change.version);
  change.object = std::make_shared<const json::object>(body);
  if (const StoredObject* earlier = objects_.find(id)) {
    change.kind = ChangeKind::modified;
    change.before = std::make_shared<const json::object>(earlier->body);
    remove_from(index, key, earlier->body);
  }
  add_to(index, key, body);
  objects_.put(
      id, StoredObject{key.cluster, key.group, key.resource, key.namespace_name, key.name, std::move(body)});
  record(std::move(change));
  return objects_.find(id)->body;
}

void ObjectStore::erase(const ObjectKey& key) {
  const std::string id = key.id();
  const StoredObject* stored = objects_.find(id);
  if (!stored) return;
  Change change{.version = next_version(key.cluster), .kind = ChangeKind::deleted, .key = key};
  change.before = std::make_shared<const json::object>(stored->body);
  json::object last = stored->body;
  metadata_of(last)["resourceVersion"] = std::to_string(change.version);
  change.object = std::make_shared<const json::object>(std::move(last));
  remove_from(index_of(key.cluster), key, stored->body);
  objects_.erase(id);
  record(std::move(change));
}

void ObjectStore::record(Change change) {
  History& history = histories_[change.key.cluster];
  if (history.changes.empty()) history.begins_after = change.version - 1;
  history.changes.push_back(std::move(change));
  if (history.changes.size() > k_history_length) {
    history.begins_after = history.changes.front().version;
    history.dropped = true;
    history.changes.pop_front();
  }
  for (const auto& seen : subscribers_) seen(history.changes.back());
  changed_.notify();
}

std::int64_t ObjectStore::version(std::string_view cluster) const {
  const OpenCluster* open = clusters_.find(cluster);
  return open ? open->resource_version : 0;
}

std::int64_t ObjectStore::oldest_version(std::string_view cluster) const {
  const auto found = histories_.find(cluster);
  return found == histories_.end() ? version(cluster) : found->second.begins_after;
}

bool ObjectStore::has_dropped(std::string_view cluster) const {
  const auto found = histories_.find(cluster);
  return found != histories_.end() && found->second.dropped;
}

std::vector<Change> ObjectStore::changes_after(std::string_view cluster, std::int64_t version,
                                               std::size_t limit) const {
  std::vector<Change> changes;
  const auto found = histories_.find(cluster);
  if (found == histories_.end()) return changes;
  const auto& all = found->second.changes;
  for (auto next = std::ranges::upper_bound(all, version, {}, &Change::version);
       next != all.end() && changes.size() < limit; ++next) {
    changes.push_back(*next);
  }
  return changes;
}

ObjectStore::Index& ObjectStore::index_of(std::string_view cluster) {
  if (const auto found = indexes_.find(cluster); found != indexes_.end()) return found->second;
  Index& index = indexes_[std::string(cluster)];
  for (const StoredObject* object : all(cluster)) add_to(index, object->key(), object->body);
  return index;
}

void ObjectStore::add_to(Index& index, const ObjectKey& key, const json::object& body) {
  index.by_uid.insert_or_assign(std::string(uid_of(body)), key);
  for (const auto& owner : owner_uids(body)) index.by_owner[owner].insert(key);
}

void ObjectStore::remove_from(Index& index, const ObjectKey& key, const json::object& body) {
  if (const auto found = index.by_uid.find(uid_of(body)); found != index.by_uid.end())
    index.by_uid.erase(found);
  for (const auto& owner : owner_uids(body)) {
    const auto found = index.by_owner.find(owner);
    if (found == index.by_owner.end()) continue;
    found->second.erase(key);
    if (found->second.empty()) index.by_owner.erase(found);
  }
}

std::optional<ObjectKey> ObjectStore::find_uid(std::string_view cluster, std::string_view uid) {
  const Index& index = index_of(cluster);
  const auto found = index.by_uid.find(uid);
  return found == index.by_uid.end() ? std::nullopt : std::optional(found->second);
}

std::vector<ObjectKey> ObjectStore::dependents(std::string_view cluster, std::string_view owner_uid) {
  const Index& index = index_of(cluster);
  const auto found = index.by_owner.find(owner_uid);
  if (found == index.by_owner.end()) return {};
  return {found->second.begin(), found->second.end()};
}

std::vector<std::string> ObjectStore::owners(std::string_view cluster) {
  std::vector<std::string> uids;
  for (const auto& [uid, keys] : index_of(cluster).by_owner) uids.push_back(uid);
  return uids;
}

}  // namespace instantstart::sandbox::kubernetes
