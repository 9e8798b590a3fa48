// The objects of one cluster, for what runs in it: controllers, the scheduler, kubelets. By the API's rules
// (defaults, validation, events for watches), without its rights; changes are durable with the world's next
// commit, as those of a handler.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sandbox/kubernetes/api/object_store.h"
#include "sandbox/kubernetes/api/object_writer.h"
#include "sandbox/kubernetes/api/served_types.h"

namespace instantstart::sandbox::kubernetes {

/// Loop thread only. To follow changes, subscribe to the ObjectStore.
class ClusterObjects {
 public:
  /// `manager` is the field manager: "kube-controller-manager".
  ClusterObjects(ObjectStore& store, ServedTypes& types, ObjectWriter& writer, std::string cluster,
                 std::string manager)
      : store_(store),
        types_(types),
        writer_(writer),
        cluster_(std::move(cluster)),
        manager_(std::move(manager)) {}

  const std::string& cluster() const { return cluster_; }
  /// nullptr when there is none; valid until it is changed.
  const json::object* get(std::string_view group, std::string_view resource, std::string_view namespace_name,
                          std::string_view name) const;
  /// An empty namespace is all of them.
  std::vector<const StoredObject*> list(std::string_view group, std::string_view resource,
                                        std::string_view namespace_name) const;
  /// The resource follows from apiVersion and kind.
  Outcome<json::object> create(json::object object);
  Outcome<json::object> update(json::object object);
  Outcome<json::object> update_status(json::object object);
  /// Server-side apply, forced.
  Outcome<json::object> apply(json::object object);
  Outcome<> remove(std::string_view group, std::string_view resource, std::string_view namespace_name,
                   std::string_view name, const DeleteOptions& options = {});

 private:
  Outcome<WriteTarget> target_of(const json::object& object, std::string_view subresource = "") const;

  ObjectStore& store_;
  ServedTypes& types_;
  ObjectWriter& writer_;
  std::string cluster_;
  std::string manager_;
};

}  // namespace instantstart::sandbox::kubernetes
