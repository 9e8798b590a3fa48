// The clean-up that kube-controller-manager and the API server do after a deletion: dependents of owners that
// are gone, foreground and orphaning deletion, contents of namespaces, objects of removed definitions.
#pragma once

#include <string>
#include <string_view>

#include "sandbox/core/world.h"
#include "sandbox/kubernetes/api/object_store.h"
#include "sandbox/kubernetes/api/object_writer.h"
#include "sandbox/kubernetes/api/served_types.h"

namespace instantstart::sandbox::kubernetes {

inline constexpr std::string_view k_foreground_finalizer = "foregroundDeletion";
inline constexpr std::string_view k_orphan_finalizer = "orphan";

/// Runs by a durable timer of the world, soon after a change that may have left something behind; so it goes
/// on after a restart.
class Lifecycle {
 public:
  Lifecycle(World& world, ObjectStore& store, ServedTypes& types, ObjectWriter& writer);

  /// One round over a cluster; what it removes may lead to another.
  void clean(const std::string& cluster);

 private:
  void notice(const Change& change);
  void remove_orphans(const std::string& cluster);
  void finish_deletions(const std::string& cluster);
  void finish_foreground(const ObjectKey& key, json::object object);
  void release_dependents(const ObjectKey& key, json::object object);
  void empty_namespace(const ObjectKey& key, json::object space);
  void remove_instances(const ObjectKey& key, json::object definition);
  void remove(const ObjectKey& key);

  World& world_;
  ObjectStore& store_;
  ServedTypes& types_;
  ObjectWriter& writer_;
};

}  // namespace instantstart::sandbox::kubernetes
