// The HyperPod cluster of a managed cluster: create, look at, delete; its groups and nodes as SageMaker lists
// them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "aws/accounts.h"
#include "base/describe.h"
#include "capabilities/network/network.h"
#include "contract/action.h"
#include "domain/cluster_key.h"
#include "domain/kms_key.h"
#include "domain/names.h"
#include "fleet/fleet.h"
#include "kube/eks_clusters.h"

namespace instantstart::capabilities {

/// SageMaker's rule for names of clusters and groups: 1–63 letters, digits and inner hyphens.
struct HyperpodName : Text<HyperpodName> {};
struct GroupName : Text<GroupName> {};
struct TrainingPlanArn : Text<TrainingPlanArn> {};
/// An EC2 instance id, or a node's logical id.
struct NodeId : Text<NodeId> {};

enum class CapacityType { on_demand, spot, training_plan };
enum class InterfaceMode { efa, efa_only };
enum class TaintEffect { no_schedule, prefer_no_schedule, no_execute };

struct Taint {
  std::string key;
  std::optional<std::string> value;
  TaintEffect effect = TaintEffect::no_schedule;
};

/// An instance group, with all that is settled when it is made.
struct InstanceGroup {
  GroupName name{{"workers"}};
  domain::InstanceType instance_type;
  std::int64_t count = 1;
  std::optional<std::int64_t> min_count;
  std::optional<CapacityType> capacity;
  std::optional<TrainingPlanArn> training_plan_arn;
  std::optional<domain::ZoneName> zone;
  std::optional<std::int64_t> volume_gib;
  std::optional<domain::KmsKeyArn> volume_kms_key;
  std::optional<bool> deep_health_checks;
  std::optional<InterfaceMode> interface_mode;
  std::optional<std::int64_t> threads_per_core;
  std::optional<std::map<std::string, std::string>> labels;
  std::optional<std::vector<Taint>> taints;
};

struct HyperpodCreate {
  domain::ClusterReference cluster;
  std::optional<HyperpodName> name;
  InstanceGroup group;
};

struct HyperpodGet {
  domain::ClusterReference cluster;
};

struct HyperpodDelete {
  domain::ClusterReference cluster;
};

/// Why something failed, joined from all that AWS says of it.
struct FailureView {
  std::string
      cause;  ///< "capacity", "quota", "permissions", "lifecycle", "network", "dependencies", "unknown"
  std::string message;
  std::optional<std::string> instance_id;
  std::optional<std::string> log_group;
  std::optional<std::string> logs;  ///< "present", "absent" or "unreadable"
  std::vector<std::string> evidence;
  std::vector<std::string> checks;  ///< What to look at next, in order.
};

struct GroupView {
  std::string name;
  std::optional<std::string> instance_type;
  std::string status;
  std::int64_t target = 0;
  std::int64_t current = 0;
  std::optional<std::int64_t> min_count;
  CapacityType capacity = CapacityType::on_demand;
  std::optional<std::string> training_plan_arn;
  std::optional<std::string> interface_mode;
  std::vector<std::string> subnet_ids;  ///< The group's own, else the cluster's.
  std::vector<std::string> deep_health_checks;
  std::optional<std::string> image_version;
  std::vector<std::string> drift;  ///< Where the nodes are not yet what is wanted.
};

struct HyperpodView {
  std::string name;
  std::string arn;
  std::string status;
  std::optional<std::string> created_at;
  std::string orchestrator;  ///< "eks" or "slurm"
  std::optional<std::string> node_recovery;
  std::optional<std::string> provisioning;
  bool ours = false;  ///< Made here, as its tags say.
  std::vector<GroupView> groups;
  std::optional<FailureView> failure;
};

struct HyperpodGetAnswer {
  std::string cluster;                 ///< By key.
  std::vector<HyperpodView> hyperpod;  ///< None while it has none; EKS may carry several.
};

struct GroupList {
  domain::ClusterReference cluster;
};
struct GroupListAnswer {
  std::string cluster;
  std::vector<GroupView> groups;
  std::optional<std::string> next_cursor;
};

struct NodeList {
  domain::ClusterReference cluster;
  std::optional<GroupName> group;
};

struct NodeView {
  std::optional<std::string> instance_id;  ///< Absent while it is being provisioned.
  std::optional<std::string> logical_id;
  std::string group;
  std::string status;
  std::optional<std::string> message;
  std::optional<std::string> instance_type;
  std::optional<std::string> launched_at;
  std::optional<std::string> kubernetes_name;
  std::optional<std::string> image_version;
};
struct NodeListAnswer {
  std::string cluster;
  std::vector<NodeView> nodes;
  std::optional<std::string> next_cursor;
};

struct NodeGet {
  domain::ClusterReference cluster;
  NodeId node;
};
struct NodeGetAnswer {
  std::string cluster;
  NodeView node;
  std::optional<std::string> private_ip;
  std::optional<std::string> zone;
  std::optional<std::string> zone_id;
  std::optional<std::string> capacity_type;
  std::optional<std::string> interface_mode;
  std::optional<std::string> desired_image_id;
  std::optional<std::string> current_image_id;
  std::vector<std::string> subnet_ids;
};

Type describe(HyperpodName*);
Type describe(GroupName*);
Type describe(TrainingPlanArn*);
Type describe(NodeId*);
Type describe(CapacityType*);
Type describe(InterfaceMode*);
Type describe(TaintEffect*);
Type describe(Taint*);
Type describe(InstanceGroup*);
Type describe(HyperpodCreate*);
Type describe(HyperpodGet*);
Type describe(HyperpodDelete*);
Type describe(FailureView*);
Type describe(GroupView*);
Type describe(HyperpodView*);
Type describe(HyperpodGetAnswer*);
Type describe(GroupList*);
Type describe(GroupListAnswer*);
Type describe(NodeList*);
Type describe(NodeView*);
Type describe(NodeListAnswer*);
Type describe(NodeGet*);
Type describe(NodeGetAnswer*);

inline constexpr std::string_view k_hyperpod_create = "hyperpod_create";
inline constexpr std::string_view k_hyperpod_delete = "hyperpod_delete";

/// The plans, for operations that run these as a part. Nothing is changed.
Task<contract::Plan> plan_hyperpod_create(aws::Accounts& accounts, fleet::Fleet& fleet,
                                          kube::EksClusters& clusters, contract::Caller caller,
                                          HyperpodCreate request);
Task<contract::Plan> plan_hyperpod_delete(aws::Accounts& accounts, fleet::Fleet& fleet,
                                          contract::Caller caller, HyperpodDelete request);

/// A plan's warning that says that dependencies must come first.
inline constexpr std::string_view k_dependencies_missing =
    "HyperPod's dependencies are not in place, and SageMaker refuses to create the cluster without them: use "
    "dependency_reconcile first.";

/// What can be checked of a request before its EKS cluster is there: names, instance type, zones, quotas,
/// training plan, permissions. Its `cluster` is a key. Answers warnings; errors as those of the plan.
Task<std::vector<std::string>> check_hyperpod_create(aws::Accounts& accounts, contract::Caller caller,
                                                     std::optional<domain::Profile> profile,
                                                     std::optional<ExistingVpc> vpc, HyperpodCreate request);

}  // namespace instantstart::capabilities
