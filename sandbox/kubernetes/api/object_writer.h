// Every change of an object by the rules of the API: what a create, update, patch or delete makes of it. The
// doors above (rest.h for HTTP, cluster_objects.h for controllers) decide who may.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/core/world.h"
#include "sandbox/kubernetes/api/object_store.h"
#include "sandbox/kubernetes/api/served_types.h"
#include "sandbox/kubernetes/objects/decode_object.h"
#include "sandbox/kubernetes/objects/status.h"

namespace instantstart::sandbox::kubernetes {

/// Which object is meant, and how the change was asked for.
struct WriteTarget {
  std::string cluster;
  ServedTypePtr type;
  std::string namespace_name = {};
  std::string name = {};         ///< Empty for a create.
  std::string subresource = {};  ///< "", "status", "scale" …: whose fields are written.
  std::string field_manager = {};
  FieldValidation validation = FieldValidation::warn;
  bool dry_run = false;
  bool force = false;  ///< Of server-side apply.

  ObjectKey key() const { return type->key(cluster, namespace_name, name); }
};

struct Written {
  json::object object;
  std::vector<std::string> warnings = {};
  bool created = false;
};

enum class PatchKind { json, merge, strategic, apply };

/// meta/v1 DeleteOptions.
struct DeleteOptions {
  std::optional<std::int64_t> grace_seconds = {};
  std::string propagation = {};  ///< "Background", "Foreground", "Orphan"; empty: the kind's default.
  std::string uid = {};          ///< Preconditions.
  std::string resource_version = {};
  bool dry_run = false;
};

struct Deleted {
  json::object object;  ///< As it is now, or was.
  bool gone = false;    ///< Else it waits: for finalizers, its kubelet, its contents.
};

/// Loop thread only. Changes are durable with the world's next commit.
class ObjectWriter {
 public:
  /// `root_ca_pem` is what every namespace's kube-root-ca.crt holds.
  ObjectWriter(World& world, ObjectStore& store, ServedTypes& types, std::string root_ca_pem)
      : world_(world), store_(store), types_(types), root_ca_pem_(std::move(root_ca_pem)) {}

  Outcome<Written> create(const WriteTarget& target, std::string_view body);
  Outcome<Written> create(const WriteTarget& target, json::object object);
  Outcome<Written> update(const WriteTarget& target, std::string_view body);
  Outcome<Written> update(const WriteTarget& target, json::object object);
  Outcome<Written> patch(const WriteTarget& target, PatchKind kind, std::string_view body);
  Outcome<Deleted> remove(const WriteTarget& target, const DeleteOptions& options);

  /// Below the rules, for the server's own housekeeping: puts the object, or erases it when nothing holds it.
  void settle(const ObjectKey& key, json::object object);

 private:
  Outcome<Written> create_decoded(const WriteTarget& target, DecodedObject decoded);
  Outcome<Written> update_decoded(const WriteTarget& target, const json::object& before,
                                  DecodedObject decoded);
  Outcome<Written> apply(const WriteTarget& target, std::string_view body);
  Outcome<json::object> patched(const WriteTarget& target, PatchKind kind, const json::object& before,
                                const json::value& patch);
  Outcome<> admit_new(const WriteTarget& target, const json::object& object) const;
  Outcome<json::object> with_identity(const WriteTarget& target, json::object object);
  Outcome<json::object> named(const WriteTarget& target, json::object object);
  Written store_new(const WriteTarget& target, json::object object, std::vector<std::string> warnings);
  Outcome<> check_versions(const WriteTarget& target, const json::object& before,
                           const json::object& after) const;
  Outcome<Written> rewrite(const WriteTarget& target, const json::object& before, json::object after,
                           std::vector<std::string> warnings);
  /// A change was made and isn't a dry run: what hangs on it.
  void after_write(const ObjectKey& key, const json::object& object, bool created);
  void furnish_namespace(const std::string& cluster, const std::string& name);

  World& world_;
  ObjectStore& store_;
  ServedTypes& types_;
  std::string root_ca_pem_;
};

/// RFC 3339 with whole seconds, as metav1.Time is written.
std::string api_time(WallTime time);

}  // namespace instantstart::sandbox::kubernetes
