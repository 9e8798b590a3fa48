// The objects of all clusters: durable records with one count of versions a cluster, indexes, and a bounded
// history that watches read from. It knows no rules; object_writer.h does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "base/describe.h"
#include "net/signal.h"
#include "sandbox/core/control_planes.h"
#include "sandbox/core/world.h"

namespace instantstart::sandbox::kubernetes {

/// Where an object is kept, whatever version it is asked for in.
struct ObjectKey {
  std::string cluster;
  std::string group;           ///< "" is the core group.
  std::string resource;        ///< "deployments"
  std::string namespace_name;  ///< Empty for objects of the cluster.
  std::string name;

  /// "CLUSTER/deployments.apps/default/web"
  std::string id() const;
  auto operator<=>(const ObjectKey&) const = default;
};

struct StoredObject {
  std::string cluster;
  std::string group;
  std::string resource;
  std::string namespace_name;
  std::string name;
  json::object body;

  ObjectKey key() const { return {cluster, group, resource, namespace_name, name}; }
};
Type describe(StoredObject*);

/// A cluster whose API answers.
struct OpenCluster {
  std::string region;
  std::string name;
  std::string arn;
  std::string kubernetes_version;
  std::string service_cidr;
  std::string oidc_issuer;
  std::int64_t resource_version = 0;
  std::vector<std::string> addons;  ///< Names, sorted.
};
Type describe(OpenCluster*);

enum class ChangeKind { added, modified, deleted };

/// One change of one object.
struct Change {
  std::int64_t version = 0;
  ChangeKind kind = ChangeKind::added;
  ObjectKey key;
  std::shared_ptr<const json::object> object;  ///< Of a deletion: as it was, with the deletion's version.
  std::shared_ptr<const json::object> before;  ///< nullptr for a new object.
};

/// So many changes of a cluster are kept for watches; who reads slower starts again with a list.
inline constexpr std::size_t k_history_length = 8192;

/// Loop thread only. Changes become durable with the world's next commit.
class ObjectStore {
 public:
  explicit ObjectStore(World& world);

  // -- clusters
  void open(const ControlPlaneRef& cluster);
  void close(std::string_view cluster);
  const OpenCluster* find_cluster(std::string_view cluster) const { return clusters_.find(cluster); }
  const Collection<OpenCluster>& clusters() const { return clusters_; }
  void set_addons(std::string_view cluster, std::vector<std::string> addons);

  // -- objects
  /// Valid until that object is put or erased.
  const json::object* find(const ObjectKey& key) const;
  /// By namespace and name. An empty namespace is all of them.
  std::vector<const StoredObject*> list(std::string_view cluster, std::string_view group,
                                        std::string_view resource, std::string_view namespace_name) const;
  bool any(std::string_view cluster, std::string_view group, std::string_view resource,
           std::string_view namespace_name) const;
  /// Everything of a cluster.
  std::vector<const StoredObject*> all(std::string_view cluster) const;
  /// Stamps the next resourceVersion and keeps it; returns it as kept.
  const json::object& put(const ObjectKey& key, json::object body);
  void erase(const ObjectKey& key);

  // -- indexes
  std::optional<ObjectKey> find_uid(std::string_view cluster, std::string_view uid);
  /// Objects that name this owner.
  std::vector<ObjectKey> dependents(std::string_view cluster, std::string_view owner_uid);
  /// Uids that are named as owners.
  std::vector<std::string> owners(std::string_view cluster);

  // -- history
  std::int64_t version(std::string_view cluster) const;
  /// Changes after a version are known when it is at least this.
  std::int64_t oldest_version(std::string_view cluster) const;
  /// The history is full: what it doesn't reach back to happened since the start, at least in part.
  bool has_dropped(std::string_view cluster) const;
  /// Those after `version`, oldest first, at most `limit`.
  std::vector<Change> changes_after(std::string_view cluster, std::int64_t version, std::size_t limit) const;
  /// Notified at every change, the end of a cluster, and a reset.
  net::Signal& changed() { return changed_; }
  /// Called at once for every change, inside the call that makes it: it must not change objects itself.
  void subscribe(std::function<void(const Change&)> seen) { subscribers_.push_back(std::move(seen)); }
  /// Grows when the world is reset: what was watched before is gone.
  std::uint64_t epoch() const { return epoch_; }

 private:
  struct History {
    std::deque<Change> changes;
    std::int64_t begins_after = 0;
    bool dropped = false;
  };
  struct Index {
    std::map<std::string, ObjectKey, std::less<>> by_uid;
    std::map<std::string, std::set<ObjectKey>, std::less<>> by_owner;
  };

  std::int64_t next_version(const std::string& cluster);
  void record(Change change);
  Index& index_of(std::string_view cluster);
  static void add_to(Index& index, const ObjectKey& key, const json::object& body);
  static void remove_from(Index& index, const ObjectKey& key, const json::object& body);
  void forget();

  Collection<OpenCluster> clusters_;
  Collection<StoredObject> objects_;
  std::map<std::string, History, std::less<>> histories_;
  std::map<std::string, Index, std::less<>> indexes_;  ///< Made when first asked for, after a start.
  std::vector<std::function<void(const Change&)>> subscribers_;
  net::Signal changed_;
  std::uint64_t epoch_ = 0;
};

}  // namespace instantstart::sandbox::kubernetes
