#include "sandbox/kubernetes/cluster/pod_control.h"

#include <fmt/format.h>

#include "base/error_codes.h"
#include "sandbox/kubernetes/api/metadata.h"
#include "sandbox/kubernetes/cluster/kubelet.h"
#include "sandbox/kubernetes/cluster/workload.h"

namespace instantstart::sandbox::kubernetes {
namespace {

/// The one that is named, or else the first that is no init container, which runs.
ContainerRun* running_container(PodRun& run, const std::optional<std::string>& name) {
  for (auto& container : run.containers) {
    if (container.state != ContainerState::running) continue;
    if (name ? container.name == *name : !container.init) return &container;
  }
  return nullptr;
}

}  // namespace

Type describe(PodFaultKind*) {
  using K = PodFaultKind;
  return enum_type<K>("PodFaultKind", "What goes wrong in a pod.",
                      {{K::crash, {"crash", "A container ends."}},
                       {K::silence, {"silence", "A container's program hangs until it is started again."}}});
}

Type describe(PodFault*) {
  using F = PodFault;
  return object_type<F>(
      "PodFault", "Breaks a container of a pod.",
      {field<&F::cluster>("cluster", "Name or id of the EKS cluster."),
       field<&F::namespace_name>("namespace", "Of the pod.", {.defaulted = true}),
       field<&F::pod>("pod", "Name of the pod."),
       field<&F::container>("container", "Without it, the first that runs."),
       field<&F::kind>("kind", "What goes wrong."),
       field<&F::exit_code>("exit_code", "Of a crash.", {.defaulted = true, .rule = {.min = 0, .max = 255}}),
       field<&F::lines>("lines", "Printed before.", {.defaulted = true, .rule = {.max = 1000}})});
}

Result<> Kubelet::break_pod(const PodFault& fault) {
  const ObjectKey key{fault.cluster, "", "pods", fault.namespace_name, fault.pod};
  const json::object* found = access().find(key);
  if (!found) return fail(codes::not_found, "There is no such pod.");
  const json::object pod = *found;
  const PodRun* known = find_run(fault.cluster, uid_of(pod));
  if (!known || known->stage != PodStage::running || !is_reachable(*known)) {
    return fail(codes::conflict, "The pod does not run.");
  }
  PodRun run = *known;
  ContainerRun* container = running_container(run, fault.container);
  if (!container) return fail(codes::conflict, "No such container runs in the pod.");
  logs_.append({run.cluster, run.uid, container->name, container->attempt}, fault.lines);
  if (fault.kind == PodFaultKind::silence) {
    container->silent = true;
    if (!container->starting_up) ask_probes(run, *container, pod);
    access().world().cancel_timer("kubernetes.pod",
                                  fmt::format("{}|{}|step|{}", run.cluster, run.uid, container->name));
  } else {
    exited(run, *container, pod, fault.exit_code);
    advance(run, pod);
  }
  save(run, pod);
  return {};
}

void Kubelet::rouse(std::string_view cluster, std::string_view pod_uid) {
  const PodRun* known = find_run(cluster, pod_uid);
  if (!known || known->stage != PodStage::running || !is_reachable(*known)) return;
  PodRun run = *known;
  const json::object* found = access().find({run.cluster, "", "pods", run.namespace_name, run.name});
  if (!found || uid_of(*found) != run.uid) return;
  const json::object pod = *found;
  for (auto& container : run.containers) {
    if (container.state != ContainerState::running) continue;
    container.silent = false;
    plan_step(run, container, pod);
  }
  save(run, pod);
}

}  // namespace instantstart::sandbox::kubernetes
