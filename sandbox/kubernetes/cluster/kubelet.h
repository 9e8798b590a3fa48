// The kubelets of all nodes: pods that are bound to a node run there, step by step, and say so in their
// status.
//
// Everything that takes time is a durable timer; everything known is in a record. So a pod goes on where it
// was when the sandbox starts again.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "sandbox/kubernetes/cluster/container_logs.h"
#include "sandbox/kubernetes/cluster/controller.h"
#include "sandbox/kubernetes/cluster/pod_control.h"
#include "sandbox/kubernetes/cluster/pod_files.h"
#include "sandbox/kubernetes/cluster/pod_run.h"
#include "sandbox/kubernetes/cluster/programs.h"

namespace instantstart::sandbox::kubernetes {

struct AddressCounter {
  std::int64_t last = 0;
};
Type describe(AddressCounter*);

class Kubelet final : public Controller, public PodControl {
 public:
  Kubelet(ControllerParts parts, const ProgramCatalog& programs, ContainerLogs& logs);

  /// Whose buckets pods mount; must outlive this. Without one no bucket is there.
  void set_buckets(BucketStore& buckets) { buckets_ = &buckets; }

  void notice(const Change& change) override;
  void forget() override;

  // -- machines
  void add_node(const std::string& cluster, const std::string& node, NodeRecord record);
  void remove_node(const std::string& cluster, const std::string& node);
  const NodeRecord* find_node(std::string_view cluster, std::string_view node) const;
  void edit_node(std::string_view cluster, std::string_view node,
                 const std::function<void(NodeRecord&)>& change);
  /// Answers again: what ran begins anew.
  void restart_node(const std::string& cluster, const std::string& node);

  // -- from outside
  Result<> break_pod(const PodFault& fault) override;
  void rouse(std::string_view cluster, std::string_view pod_uid) override;

  // -- for logs and requests
  const PodRun* find_run(std::string_view cluster, std::string_view uid) const;
  /// Of a running container; nullptr when it doesn't run.
  std::shared_ptr<Program> program_of(const PodRun& run, const ContainerRun& container,
                                      const json::object& pod);

 private:
  void sync(const ObjectKey& key) override;
  void on_timer(const std::string& key);
  void set_timer(const PodRun& run, std::string_view what, std::string_view container, milliseconds after);
  void cancel_timers(const PodRun& run);
  bool is_reachable(const PodRun& run) const;

  // -- a pod
  void begin(const ObjectKey& key, const json::object& pod);
  void mount(PodRun& run, const json::object& pod);
  void advance(PodRun& run, const json::object& pod);
  static void begin_anew(PodRun& run, const json::object& pod);
  void settle_end(PodRun& run, const json::object& pod);
  void terminate(PodRun& run, const json::object& pod);
  void finish_termination(PodRun& run, const json::object& pod);
  void remove_pod(const PodRun& run);
  void drop(const std::string& cluster, const std::string& uid);
  void save(const PodRun& run, const json::object& pod);
  void note(const PodRun& run, const json::object& pod, std::string_view type, std::string_view reason,
            std::string message, std::string_view container = "");
  std::string next_address(const std::string& cluster);

  // -- a container
  /// What its program is shown while it is asked something.
  struct Shown {
    ObjectStore& store;
    ContainerView view;
    PodFiles files;
    WallTime now;
    bool due;
    ProgramSite site() { return {store, view, now, &files, due}; }
  };
  std::optional<Shown> shown_to(const PodRun& run, const ContainerRun& container, const json::object& pod,
                                Writing writing) const;
  void pull(PodRun& run, ContainerRun& container, const json::object& pod);
  void pulled(PodRun& run, ContainerRun& container, const json::object& pod);
  void start(PodRun& run, ContainerRun& container, const json::object& pod);
  void plan_step(const PodRun& run, const ContainerRun& container, const json::object& pod);
  void take_step(PodRun& run, ContainerRun& container, const json::object& pod);
  void begin_probes(PodRun& run, ContainerRun& container, const json::object& pod);
  void ask_probes(const PodRun& run, const ContainerRun& container, const json::object& pod);
  void begin_probe(const PodRun& run, const ContainerRun& container, std::string_view kind,
                   const json::object& probe);
  void probe(PodRun& run, ContainerRun& container, const json::object& pod, std::string_view kind);
  /// Why a probe fails; nullopt when it doesn't.
  std::optional<std::string> probe_failure(const PodRun& run, const ContainerRun& container,
                                           const json::object& pod, const json::object& probe);
  void kill(PodRun& run, ContainerRun& container, const json::object& pod, std::string_view kind);
  void exited(PodRun& run, ContainerRun& container, const json::object& pod, std::int64_t exit_code);
  void stop(PodRun& run, ContainerRun& container, const json::object& pod, std::int64_t exit_code);
  void restart(PodRun& run, ContainerRun& container, const json::object& pod);

  const ProgramCatalog& programs_;
  ContainerLogs& logs_;
  BucketStore* buckets_ = nullptr;
  Collection<PodRun> runs_;
  Collection<NodeRecord> nodes_;
  Collection<AddressCounter> counters_;
  std::map<std::string, std::shared_ptr<Program>> made_;  ///< By run and attempt; made again when missing.
  std::map<ObjectKey, std::string> uids_;                 ///< Of pods that were seen, to clean up after them.
};

}  // namespace instantstart::sandbox::kubernetes
