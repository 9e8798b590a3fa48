// What HyperPod remembers. Records are AWS's own output shapes; what clients don't see stands beside them.
// Counts and states of groups are worked out from their nodes when they are shown.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aws/shapes/sagemaker.h"
#include "base/describe.h"
#include "sandbox/core/internal_calls.h"
#include "sandbox/core/node_host.h"
#include "sandbox/core/world.h"
#include "sandbox/services/ec2/network.h"
#include "sandbox/services/eks/eks.h"
#include "sandbox/services/iam/iam.h"
#include "sandbox/services/logs/log_writer.h"
#include "sandbox/services/s3/s3.h"
#include "sandbox/services/service_quotas/quotas.h"

namespace instantstart::sandbox::sagemaker {

namespace api = aws::sagemaker;

/// The clouds' other parts that HyperPod works with. All must outlive the service.
struct Neighbours {
  iam::Iam& iam;
  ec2::Network& network;
  eks::Eks& eks;
  s3::S3& s3;
  logs::LogWriter& logs;
  const Quotas& quotas;
  InternalCalls& calls;  ///< Must know EKS and IAM.
  NodeHost& nodes;
};

/// What DescribeCluster doesn't show of a cluster.
struct ClusterInternals {
  std::string region;
  std::string name;
  std::string id;              ///< "abc123def456": the end of the ARN.
  std::string eks_cluster_id;  ///< control_planes.h
  std::string kubernetes_version;
  bool set_up = false;  ///< Its nodes were asked for.
  bool rolls_back_creation = false;
  std::int64_t events = 0;                          ///< How many it had.
  std::optional<std::string> failure_message = {};  ///< Its creation is going to fail with this.
};
Type describe(ClusterInternals*);

/// What DescribeCluster doesn't show of a group.
struct GroupInternals {
  bool ready = false;  ///< It was InService once.
  bool deleting = false;
  bool failed = false;                           ///< Its least count was not reached in time.
  bool degraded = false;                         ///< An instance could not be had lately.
  std::string operation_id;                      ///< Of its latest change.
  std::optional<std::string> failure_code = {};  ///< Instances can't be had, for this reason.
  std::optional<std::string> failure_message = {};
};
Type describe(GroupInternals*);

enum class NodePhase {
  requested,   ///< There is no instance yet.
  starting,    ///< The instance boots.
  lifecycle,   ///< It runs the lifecycle script.
  deep_check,  ///< It is a node; deep health checks run.
  running,
  draining,  ///< Its pods are evicted before a reboot or a replacement.
  rebooting,
  updating,  ///< Gets another image.
  stopping,
  failed,  ///< It is lost, and nothing is going to repair it.
};
Type describe(NodePhase*);

/// What DescribeClusterNode doesn't show of a node.
struct NodeInternals {
  std::string cluster_key;
  std::string group;
  NodePhase phase = NodePhase::requested;
  bool joined = false;  ///< It is a node of Kubernetes.
  std::string subnet_id = {};
  std::vector<std::string> interfaces = {};  ///< The customer's ENI, then those for EFA.
  std::string fault = {};                    ///< "hang", "xid", "spot_interruption", "lost"
  std::string recovery = {};                 ///< "reboot" or "replace", once decided.
  std::int64_t looks = 0;                    ///< How often it was found to be not drained yet.
  std::string next_version = {};             ///< Of the image that an update puts on it.
  std::vector<std::string> zones = {};       ///< Where it may be; empty: anywhere.
  std::vector<std::string> types = {};       ///< What it may be, most wanted first.
};
Type describe(NodeInternals*);

/// An update of images under way.
struct SoftwareUpdate {
  std::map<std::string, std::string> versions;  ///< Wanted, by group.
  std::string image_id;
  std::int64_t batch_count = 0;  ///< Instances at once; 0: by batch_percent.
  std::int64_t batch_percent = 100;
  std::int64_t wait_seconds = 0;  ///< Between batches.
};
Type describe(SoftwareUpdate*);

struct TagSet {
  std::map<std::string, std::string> tags;
};
Type describe(TagSet*);

/// A client token of BatchAddClusterNodes, and what was answered.
struct TokenUse {
  std::string parameters;  ///< Digest of the request.
  json::object answer;     ///< In API names.
  std::int64_t at_ms = 0;
};
Type describe(TokenUse*);

/// When the account was made: training plans are told from there on.
struct Beginning {
  std::int64_t at_ms = 0;
};
Type describe(Beginning*);

struct State {
  State(World& the_world, Neighbours the_neighbours);
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  World& world;
  Neighbours others;
  /// By cluster_key. Of groups without counts and status.
  Collection<api::DescribeClusterResponse> clusters;
  Collection<ClusterInternals> cluster_internals;
  Collection<SoftwareUpdate> software_updates;
  Collection<GroupInternals> groups;  ///< By child_key of the cluster and the group's name.
  /// By child_key of the cluster and the logical id.
  Collection<api::ClusterNodeDetails> nodes;
  Collection<NodeInternals> node_internals;
  Collection<api::ClusterEventDetail> events;  ///< By child_key of the cluster and a number.
  Collection<TokenUse> tokens;                 ///< By child_key of the cluster and the token.
  Collection<TagSet> tags;                     ///< By ARN of the cluster.
  Collection<Beginning> beginning;             ///< One.
};

/// "us-west-2/demo"
std::string cluster_key(std::string_view region, std::string_view name);
/// "us-west-2/demo/workers"
std::string child_key(std::string_view cluster_key, std::string_view rest);

aws::Timestamp timestamp(WallTime time);
inline aws::Timestamp now(const State& state) { return timestamp(state.world.now()); }

/// By name or ARN, as requests name clusters. ResourceNotFound.
Reply<std::string> find_cluster(const State& state, const Call& call, const std::string& name_or_arn);

bool is_continuous(const api::DescribeClusterResponse& cluster);
/// nullptr when there is none. Valid until the cluster's next change.
const api::ClusterInstanceGroupDetails* find_group(const api::DescribeClusterResponse& cluster,
                                                   std::string_view name);
/// Changes the group inside the cluster's record; nothing happens when there is none.
template <class Change>
void edit_group(State& state, const std::string& cluster_key, std::string_view name, Change change) {
  state.clusters.edit(cluster_key, [&](api::DescribeClusterResponse& cluster) {
    for (auto& group : *cluster.instance_groups) {
      if (group.instance_group_name == name) change(group);
    }
  });
}
/// The keys of all nodes of a cluster, or of one of its groups.
std::vector<std::string> node_keys(const State& state, const std::string& cluster_key,
                                   std::string_view group = "");

}  // namespace instantstart::sandbox::sagemaker
