// What EKS remembers. Records are AWS's own output shapes, keyed by region and cluster; what clients don't
// see of a resource, and its tags, stand beside it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aws/shapes/eks.h"
#include "base/describe.h"
#include "sandbox/core/control_planes.h"
#include "sandbox/core/world.h"
#include "sandbox/services/ec2/network.h"
#include "sandbox/services/eks/limits.h"
#include "sandbox/services/iam/iam.h"

namespace instantstart::sandbox::eks {

/// What DescribeCluster doesn't show of a cluster.
struct ClusterInternals {
  std::string id;  ///< 32 hex digits, capital: part of the endpoint and of the issuer.
  std::string region;
  std::string name;
  std::string creator_arn;  ///< User or role (never a session) that made it.
  std::string signing_key;  ///< PKCS #8 in PEM: signs the tokens of its service accounts.
  bool bootstraps_creator = true;
  bool bootstraps_addons = true;
  std::vector<std::string> interfaces;           ///< In the user's subnets.
  std::optional<std::string> failure_code = {};  ///< How its creation is going to fail.
  std::optional<std::string> failure_message = {};
  std::optional<std::string> update_failure_code = {};  ///< How the update under way is going to fail.
  std::optional<std::string> update_failure_message = {};
};
Type describe(ClusterInternals*);

/// What DescribeAddon doesn't show of an add-on.
struct AddonInternals {
  std::string cluster_key;
  bool overwrite = false;  ///< resolveConflicts OVERWRITE
  bool preserve = false;   ///< Of its deletion.
  std::int64_t polls = 0;  ///< How often its health was asked since its last change.
  std::optional<std::string> failure_code = {};
  std::optional<std::string> failure_message = {};
  std::optional<std::string> update_key = {};  ///< Of the update under way.
};
Type describe(AddonInternals*);

struct TagSet {
  std::map<std::string, std::string> tags;
};
Type describe(TagSet*);

/// A client request token that was used for what has the key that it is kept under.
struct TokenUse {
  std::string token;
  std::string parameters;  ///< Digest of the request.
  std::string made;        ///< Key of what it made.
};
Type describe(TokenUse*);

struct State {
  State(World& the_world, iam::Iam& the_iam, ec2::Network& the_network, ControlPlaneHost& the_host,
        LimitsSource the_limits);
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  World& world;
  iam::Iam& iam;
  ec2::Network& network;
  ControlPlaneHost& host;
  LimitsSource limits;
  /// By cluster_key.
  Collection<aws::eks::Cluster> clusters;
  Collection<ClusterInternals> cluster_internals;
  Collection<aws::eks::Cluster> cluster_targets;  ///< What a cluster becomes at the end of its update.
  /// By child_key of the cluster and …
  Collection<aws::eks::Addon> addons;  ///< … the name.
  Collection<AddonInternals> addon_internals;
  Collection<aws::eks::Addon> addon_targets;         ///< What an add-on becomes at the end of its update.
  Collection<aws::eks::AccessEntry> access_entries;  ///< … the principal's ARN.
  Collection<aws::eks::AssociatedAccessPolicy>
      access_policies;                                          ///< … the principal's ARN, "|", the policy's.
  Collection<aws::eks::PodIdentityAssociation> pod_identities;  ///< … the association's id.
  Collection<aws::eks::Update> updates;  ///< … the add-on's name or "", "/", the update's id.
  Collection<TokenUse> update_tokens;    ///< … the add-on's name or "", "/", the token.
  Collection<TokenUse> creation_tokens;  ///< By the ARN of what was made.
  Collection<TagSet> tags;               ///< By ARN; there is one for each resource that can have tags.
};

/// "us-west-2/demo"
std::string cluster_key(std::string_view region, std::string_view name);
/// "us-west-2/demo/vpc-cni"
std::string child_key(std::string_view cluster_key, std::string_view rest);

/// Seconds since 1970 as the shapes carry them.
aws::Timestamp timestamp(WallTime time);

/// "No cluster found for name: demo."
Reply<const aws::eks::Cluster*> find_cluster(const State& state, std::string_view region,
                                             std::string_view name);
/// nullptr when no cluster has the id.
const ClusterInternals* find_cluster_by_id(const State& state, std::string_view id);

}  // namespace instantstart::sandbox::eks
