// What runs inside the simulated clusters: controllers, the scheduler, nodes with their kubelets, programs
// and logs.
//
//   ClusterRuntime runtime(world);
//   auto servers = ApiServers::make({…, .logs = runtime.logs(), .proxy = runtime.proxy(), …});
//   runtime.attach(**servers);   // both before world.load()
#pragma once

#include <functional>
#include <memory>

#include "sandbox/core/node_host.h"
#include "sandbox/core/world.h"
#include "sandbox/kubernetes/api/api_servers.h"
#include "sandbox/kubernetes/api/node_access.h"
#include "sandbox/kubernetes/cluster/bucket_store.h"
#include "sandbox/kubernetes/cluster/controller.h"
#include "sandbox/kubernetes/cluster/pod_control.h"
#include "sandbox/kubernetes/cluster/programs.h"

namespace instantstart::sandbox::kubernetes {

/// Loop thread only. Made before the API servers, which refer to it and go first.
class ClusterRuntime {
 public:
  explicit ClusterRuntime(World& world);
  ~ClusterRuntime();
  ClusterRuntime(const ClusterRuntime&) = delete;
  ClusterRuntime& operator=(const ClusterRuntime&) = delete;

  PodLogs& logs();
  PodProxy& proxy();
  /// For HyperPod, whose instances become nodes.
  NodeHost& nodes();
  /// Add recognisers before the world is loaded.
  ProgramCatalog& programs();

  /// Programs of pods, to break and to rouse them.
  PodControl& pods();
  /// A controller of a room above; made at once. Before `attach`.
  void add_controller(const std::function<std::unique_ptr<Controller>(ControllerParts)>& make);

  /// Once, before the world is loaded.
  void attach(ApiServers& servers);
  /// Who is told that a user asks for a reboot or a replacement of a node; must outlive this. May be absent.
  void set_node_watcher(NodeWatcher& watcher);
  /// The buckets that pods mount; must outlive this. May be absent: then no bucket is there.
  void set_buckets(BucketStore& buckets);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace instantstart::sandbox::kubernetes
