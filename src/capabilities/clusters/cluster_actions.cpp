#include <utility>

#include "capabilities/clusters/cluster_queries.h"
#include "capabilities/clusters/clusters.h"
#include "capabilities/clusters/compute_subnet.h"
#include "capabilities/clusters/hyperpod_steps.h"

namespace instantstart::capabilities {
namespace {

using contract::Action;
using contract::Caller;
using contract::PageOptions;
using Actions = std::vector<Action>;

std::vector<std::string> errors_of(std::vector<std::string> more) {
  for (const char* code :
       {"access_denied", "ambiguous", "connection_failed", "credentials_expired", "credentials_invalid",
        "credentials_missing", "not_found", "throttled", "upstream_error"}) {
    more.emplace_back(code);
  }
  return more;
}

void add_cluster_reads(Actions& actions, aws::Accounts* accounts, fleet::Fleet* fleet,
                       kube::EksClusters* clusters) {
  actions.push_back(contract::read_action<ClusterList, ClusterListAnswer>(
      {.name = "cluster_list",
       .path = "/clusters",
       .summary = "The clusters that are managed here.",
       .doc = "By key, from our own records: nothing is asked of AWS. cluster_get tells how one is, and "
              "cluster_discover what else there is. It changes nothing.",
       .paged = true},
      [fleet](Caller, ClusterList, PageOptions page) { return list_clusters(*fleet, std::move(page)); }));
  actions.push_back(contract::read_action<ClusterGet, ClusterGetAnswer>(
      {.name = "cluster_get",
       .path = "/clusters/{cluster}",
       .summary = "One cluster with its stages, HyperPod cluster, versions and drift.",
       .doc =
           "Looks at the stack, EKS, the dependencies and HyperPod now. A stage that could not be looked at "
           "is unknown and says why. It changes nothing.",
       .errors = errors_of({}),
       .example = {{"cluster", "demo"}}},
      [accounts, fleet, clusters](Caller caller, ClusterGet request) {
        return get_cluster(*accounts, *fleet, *clusters, std::move(caller), std::move(request));
      }));
  actions.push_back(contract::read_action<ClusterDiscover, ClusterDiscoverAnswer>(
      {.name = "cluster_discover",
       .path = "/discovered-clusters",
       .summary = "Every EKS and HyperPod cluster of the account and region.",
       .doc =
           "Managed here or not. HyperPod clusters on Slurm are named as such; they can't be managed here. "
           "Use cluster_import to take one in. It changes nothing.",
       .errors = errors_of({}),
       .example = {{"region", "us-west-2"}}},
      [accounts, fleet](Caller caller, ClusterDiscover request) {
        return discover_clusters(*accounts, *fleet, std::move(caller), std::move(request));
      }));
}

void add_cluster_changes(Actions& actions, aws::Accounts* accounts, fleet::Fleet* fleet) {
  actions.push_back(contract::change_action<ClusterImport>(
      {.name = "cluster_import",
       .path = "/clusters",
       .summary = "Manage an EKS cluster that exists already.",
       .doc =
           "It reads, and keeps a record here; nothing in AWS is changed, unless access_entry asks to make "
           "the caller an administrator of the cluster. Nothing that others made becomes ours by it.",
       .status_action = "operation_get",
       .operation_kind = std::string(k_cluster_import),
       .errors = errors_of({"name_taken"}),
       .example = {{"name", "demo"}, {"region", "us-west-2"}}},
      [accounts, fleet](Caller caller, ClusterImport request) {
        return plan_cluster_import(*accounts, *fleet, std::move(caller), std::move(request));
      }));
  actions.push_back(contract::local_action<ClusterForget, ClusterForgetAnswer>(
      {.name = "cluster_forget",
       .path = "/clusters/{cluster}",
       .summary = "Manage a cluster here no longer; nothing is removed in AWS.",
       .doc = "Only our record goes. cluster_import takes the cluster in again, and what was made for it is "
              "known by its tags.",
       .method = "DELETE",
       .status_action = "cluster_list",
       .names_cluster = true,
       .errors = {"ambiguous", "not_found"},
       .example = {{"cluster", "demo"}}},
      [fleet](Caller caller, ClusterForget request) {
        return forget_cluster(*fleet, std::move(caller), std::move(request));
      }));
}

void add_hyperpod_rows(Actions& actions, aws::Accounts* accounts, fleet::Fleet* fleet,
                       kube::EksClusters* clusters) {
  actions.push_back(contract::read_action<HyperpodGet, HyperpodGetAnswer>(
      {.name = "hyperpod_get",
       .path = "/clusters/{cluster}/hyperpod",
       .summary = "The HyperPod cluster of a cluster, and why it failed where it did.",
       .doc =
           "Status, groups with wanted and present instances, and one cause joined from the failure "
           "message, the events and the log of the lifecycle script, with what to look at next. It changes "
           "nothing.",
       .errors = errors_of({}),
       .example = {{"cluster", "demo"}}},
      [accounts, fleet](Caller caller, HyperpodGet request) {
        return get_hyperpod(*accounts, *fleet, std::move(caller), std::move(request));
      }));
  actions.push_back(contract::change_action<HyperpodCreate>(
      {.name = "hyperpod_create",
       .path = "/clusters/{cluster}/hyperpod",
       .summary = "Create the HyperPod cluster with its first instance group.",
       .doc =
           "Makes the subnet for nodes, the role of the instances, the bucket of the lifecycle script and "
           "the cluster, with automatic node recovery and continuous provisioning. Quotas, zones, training "
           "plan, security group and permissions are checked first, also in a dry run. Run "
           "dependency_reconcile before. Asked again with the same values it changes nothing. It is done "
           "when all nodes are there.",
       .status_action = "operation_get",
       .operation_kind = std::string(k_hyperpod_create),
       .errors = errors_of({"blocked", "capacity_unavailable", "name_taken", "quota_exceeded"}),
       .example = {{"cluster", "demo"},
                   {"group", {{"name", "workers"}, {"instance_type", "p5.48xlarge"}, {"count", 2}}}}},
      [accounts, fleet, clusters](Caller caller, HyperpodCreate request) {
        return plan_hyperpod_create(*accounts, *fleet, *clusters, std::move(caller), std::move(request));
      }));
  actions.push_back(contract::change_action<HyperpodDelete>(
      {.name = "hyperpod_delete",
       .path = "/clusters/{cluster}/hyperpod",
       .summary = "Delete the HyperPod cluster with all its nodes.",
       .doc = "Nodes and what is on their disks are lost. The role, the bucket of lifecycle scripts and the "
              "subnets for nodes that were made here go too; what others made stays. The EKS cluster stays.",
       .effect = contract::Effect::destroy,
       .method = "DELETE",
       .status_action = "operation_get",
       .operation_kind = std::string(k_hyperpod_delete),
       .errors = errors_of({"blocked"}),
       .example = {{"cluster", "demo"}}},
      [accounts, fleet](Caller caller, HyperpodDelete request) {
        return plan_hyperpod_delete(*accounts, *fleet, std::move(caller), std::move(request));
      }));
}

void add_group_and_node_reads(Actions& actions, aws::Accounts* accounts, fleet::Fleet* fleet) {
  actions.push_back(contract::read_action<GroupList, GroupListAnswer>(
      {.name = "group_list",
       .path = "/clusters/{cluster}/groups",
       .summary = "The instance groups of a cluster, wanted and present.",
       .doc =
           "Counts, capacity type, interfaces, subnets, status and drift, as SageMaker says now. It changes "
           "nothing.",
       .paged = true,
       .errors = errors_of({}),
       .example = {{"cluster", "demo"}}},
      [accounts, fleet](Caller caller, GroupList request, PageOptions page) {
        return list_groups(*accounts, *fleet, std::move(caller), std::move(request), std::move(page));
      }));
  actions.push_back(contract::read_action<NodeList, NodeListAnswer>(
      {.name = "node_list",
       .path = "/clusters/{cluster}/nodes",
       .summary = "The nodes of a cluster, also those that are still being provisioned.",
       .doc = "By group and id, as SageMaker says now. A node without instance_id has none yet. It changes "
              "nothing.",
       .paged = true,
       .errors = errors_of({}),
       .example = {{"cluster", "demo"}, {"group", "workers"}}},
      [accounts, fleet](Caller caller, NodeList request, PageOptions page) {
        return list_nodes(*accounts, *fleet, std::move(caller), std::move(request), std::move(page));
      }));
  actions.push_back(contract::read_action<NodeGet, NodeGetAnswer>(
      {.name = "node_get",
       .path = "/clusters/{cluster}/nodes/{node}",
       .summary = "One node: status, address, zone, capacity, images.",
       .doc = "By instance id, or by logical id while it has no instance. It changes nothing.",
       .errors = errors_of({}),
       .example = {{"cluster", "demo"}, {"node", "i-0123456789abcdef0"}}},
      [accounts, fleet](Caller caller, NodeGet request) {
        return get_node(*accounts, *fleet, std::move(caller), std::move(request));
      }));
}

}  // namespace

std::vector<contract::Action> cluster_actions(aws::Accounts* accounts, fleet::Fleet* fleet,
                                              kube::EksClusters* clusters) {
  Actions actions;
  add_cluster_reads(actions, accounts, fleet, clusters);
  add_cluster_changes(actions, accounts, fleet);
  add_hyperpod_rows(actions, accounts, fleet, clusters);
  add_group_and_node_reads(actions, accounts, fleet);
  return actions;
}

void add_cluster_kinds(operations::KindRegistry& kinds, aws::Accounts& accounts) {
  kinds.add(operations::OperationKind{.name = std::string(k_cluster_import)});
  kinds.add(operations::OperationKind{.name = std::string(k_hyperpod_create)});
  kinds.add(operations::OperationKind{.name = std::string(k_hyperpod_delete), .removes = true});
  kinds.add(compute_subnet_step(accounts));
  kinds.add(compute_subnet_removal_step(accounts));
  kinds.add(execution_role_step(accounts));
  kinds.add(execution_role_removal_step(accounts));
  kinds.add(lifecycle_step(accounts));
  kinds.add(lifecycle_removal_step(accounts));
  kinds.add(hyperpod_step(accounts));
  kinds.add(hyperpod_deletion_step(accounts));
  kinds.add(access_entry_step(accounts));
}

}  // namespace instantstart::capabilities
