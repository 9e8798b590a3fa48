// What every part of the runtime works with: the objects, durable timers, and the wake-up of the controllers.
#pragma once

#include <string>
#include <string_view>

#include "sandbox/core/world.h"
#include "sandbox/kubernetes/api/api_servers.h"

namespace instantstart::sandbox::kubernetes {

inline constexpr std::string_view k_controller_manager = "kube-controller-manager";
inline constexpr std::string_view k_scheduler = "kube-scheduler";
inline constexpr std::string_view k_kubelet = "kubelet";

/// "CLUSTER|group|resource|namespace|name", the key of a timer of an object. None of the parts has a bar.
std::string timer_key(const ObjectKey& key);
/// Of a text made by timer_key.
ObjectKey key_of_timer(std::string_view text);

/// Loop thread only. Made before the API servers, which it is attached to before anything is asked of it.
class ClusterAccess {
 public:
  explicit ClusterAccess(World& world) : world_(world) {}

  void attach(ApiServers& servers) { servers_ = &servers; }
  bool attached() const { return servers_ != nullptr; }
  World& world() const { return world_; }
  ObjectStore& store() const { return servers_->store(); }
  ClusterObjects objects(const std::string& cluster, std::string_view manager) const {
    return servers_->objects(cluster, std::string(manager));
  }
  const json::object* find(const ObjectKey& key) const { return store().find(key); }
  /// RFC 3339, whole seconds.
  std::string now_text() const { return api_time(world_.now()); }
  /// How long ago in simulated time: the scale shortens what controllers wait for.
  milliseconds since(std::string_view rfc3339) const;

 private:
  World& world_;
  ApiServers* servers_ = nullptr;
};

}  // namespace instantstart::sandbox::kubernetes
