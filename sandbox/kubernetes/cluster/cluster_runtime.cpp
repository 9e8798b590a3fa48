#include "sandbox/kubernetes/cluster/cluster_runtime.h"

#include "sandbox/kubernetes/cluster/container_logs.h"
#include "sandbox/kubernetes/cluster/controller.h"
#include "sandbox/kubernetes/cluster/daemon_sets.h"
#include "sandbox/kubernetes/cluster/deployments.h"
#include "sandbox/kubernetes/cluster/disruption_budgets.h"
#include "sandbox/kubernetes/cluster/jobs.h"
#include "sandbox/kubernetes/cluster/kubelet.h"
#include "sandbox/kubernetes/cluster/node_lifecycle.h"
#include "sandbox/kubernetes/cluster/nodes.h"
#include "sandbox/kubernetes/cluster/pod_access.h"
#include "sandbox/kubernetes/cluster/replica_sets.h"
#include "sandbox/kubernetes/cluster/scheduler.h"
#include "sandbox/kubernetes/cluster/service_endpoints.h"
#include "sandbox/kubernetes/cluster/stateful_sets.h"
#include "sandbox/kubernetes/cluster/volumes.h"

namespace instantstart::sandbox::kubernetes {

struct ClusterRuntime::Parts {
  explicit Parts(World& world)
      : access(world),
        events(access),
        later(world),
        loop(access, later),
        logs(world),
        kubelet(shared(), programs, logs),
        deployments(shared()),
        replica_sets(shared()),
        daemon_sets(shared()),
        stateful_sets(shared()),
        jobs(shared()),
        volumes(shared()),
        scheduler(shared()),
        endpoints(shared()),
        budgets(shared()),
        node_lifecycle(shared(), kubelet),
        nodes(access, events, kubelet),
        log_reader(access, kubelet, logs),
        requests(access, kubelet, logs) {
    for (Controller* controller : std::initializer_list<Controller*>{
             &deployments, &replica_sets, &daemon_sets, &stateful_sets, &jobs, &volumes, &scheduler,
             &node_lifecycle, &kubelet, &endpoints, &budgets}) {
      loop.add(*controller);
    }
  }

  ControllerParts shared() { return {access, events, later}; }

  ClusterAccess access;
  EventRecorder events;
  Later later;
  ControllerLoop loop;
  ProgramCatalog programs;
  ContainerLogs logs;
  Kubelet kubelet;
  Deployments deployments;
  ReplicaSets replica_sets;
  DaemonSets daemon_sets;
  StatefulSets stateful_sets;
  Jobs jobs;
  Volumes volumes;
  Scheduler scheduler;
  ServiceEndpoints endpoints;
  DisruptionBudgets budgets;
  NodeLifecycle node_lifecycle;
  Nodes nodes;
  PodLogReader log_reader;
  PodRequests requests;
  std::vector<std::unique_ptr<Controller>> more;
};

ClusterRuntime::ClusterRuntime(World& world) : parts_(std::make_unique<Parts>(world)) {}
ClusterRuntime::~ClusterRuntime() = default;

PodLogs& ClusterRuntime::logs() { return parts_->log_reader; }
PodProxy& ClusterRuntime::proxy() { return parts_->requests; }
NodeHost& ClusterRuntime::nodes() { return parts_->nodes; }
ProgramCatalog& ClusterRuntime::programs() { return parts_->programs; }
PodControl& ClusterRuntime::pods() { return parts_->kubelet; }

void ClusterRuntime::add_controller(const std::function<std::unique_ptr<Controller>(ControllerParts)>& make) {
  parts_->more.push_back(make(parts_->shared()));
  parts_->loop.add(*parts_->more.back());
}

void ClusterRuntime::attach(ApiServers& servers) {
  parts_->access.attach(servers);
  parts_->loop.start();
}

void ClusterRuntime::set_node_watcher(NodeWatcher& watcher) { parts_->node_lifecycle.set_watcher(&watcher); }
void ClusterRuntime::set_buckets(BucketStore& buckets) { parts_->kubelet.set_buckets(buckets); }

}  // namespace instantstart::sandbox::kubernetes
