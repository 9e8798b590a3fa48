#include "capabilities/overview/overview.h"

namespace instantstart::capabilities {

Type describe(OverviewGet*) {
  return object_type<OverviewGet>("OverviewGet", "Whose identity is shown.",
                                  {field<&OverviewGet::region>("region", "Else the environment's."),
                                   field<&OverviewGet::profile>("profile", "Else the environment's.")});
}

Type describe(IdentityView*) {
  return object_type<IdentityView>(
      "IdentityView", "Whose credentials AWS is called with.",
      {field<&IdentityView::account>("account", "Twelve digits."),
       field<&IdentityView::arn>("arn", "The principal."),
       field<&IdentityView::expires_at>("expires_at", "When the credentials end; absent: they don't."),
       field<&IdentityView::problem>("problem", "Why AWS can't be called.")});
}

Type describe(AcceleratorCount*) {
  return object_type<AcceleratorCount>(
      "AcceleratorCount", "GPUs or Neuron devices by state.",
      {field<&AcceleratorCount::in_use>("in_use", "Asked for by pods on a node."),
       field<&AcceleratorCount::idle>("idle", "Free, on ready nodes."),
       field<&AcceleratorCount::unavailable>("unavailable", "On nodes that are not ready or take no pods.")});
}

Type describe(WorkloadCount*) {
  return object_type<WorkloadCount>(
      "WorkloadCount", "Workloads by state.",
      {field<&WorkloadCount::ready>("ready", "Running; of deployments those with all replicas."),
       field<&WorkloadCount::starting>("starting", "Not there yet."),
       field<&WorkloadCount::failed>("failed", "Jobs that failed."),
       field<&WorkloadCount::ended>("ended", "Jobs that succeeded.")});
}

Type describe(ClusterLook*) {
  return object_type<ClusterLook>(
      "ClusterLook", "One cluster in numbers.",
      {field<&ClusterLook::cluster>("cluster", "Its tag."), field<&ClusterLook::nodes>("nodes", "All nodes."),
       field<&ClusterLook::nodes_ready>("nodes_ready", "Ready ones."),
       field<&ClusterLook::gpus>("gpus", "GPUs or Neuron devices by state."),
       field<&ClusterLook::jobs>("jobs", "Training jobs by state."),
       field<&ClusterLook::deployments>("deployments", "Served models by state."),
       field<&ClusterLook::problem>("problem", "Why it could not be looked at.")});
}

Type describe(RunningOperation*) {
  return object_type<RunningOperation>(
      "RunningOperation", "An operation that has not ended.",
      {field<&RunningOperation::id>("id", "Its id."), field<&RunningOperation::kind>("kind", "What it does."),
       field<&RunningOperation::subject>("subject", "On what."),
       field<&RunningOperation::state>("state", "Where it stands.")});
}

Type describe(OverviewAnswer*) {
  return object_type<OverviewAnswer>(
      "OverviewAnswer", "All that is managed here in one look.",
      {field<&OverviewAnswer::identity>("identity", "Who AWS takes this server for."),
       field<&OverviewAnswer::selected>("selected", "The caller's cluster, by key."),
       field<&OverviewAnswer::clusters>("clusters", "The clusters, at most 10."),
       field<&OverviewAnswer::more_clusters>("more_clusters",
                                             "Clusters that are not shown: see cluster_list."),
       field<&OverviewAnswer::operations>("operations", "Unfinished ones, at most 5."),
       field<&OverviewAnswer::alarms>("alarms", "What needs somebody."),
       field<&OverviewAnswer::next>("next", "What to do next.")});
}

}  // namespace instantstart::capabilities
