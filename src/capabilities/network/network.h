// The network and the EKS control plane of a cluster: one CloudFormation stack, tagged as ours, and the
// record that the cluster is managed here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aws/accounts.h"
#include "base/describe.h"
#include "capabilities/network/recent_blocks.h"
#include "contract/action.h"
#include "domain/cidr.h"
#include "domain/cluster_key.h"
#include "domain/cluster_name.h"
#include "domain/kubernetes_version.h"
#include "domain/names.h"
#include "fleet/fleet.h"
#include "operations/kind.h"

namespace instantstart::capabilities {

enum class NatMode {
  single,    ///< One NAT gateway for all zones: cheaper, gone with its zone.
  per_zone,  ///< One in each zone.
};

enum class EndpointAccess {
  public_and_private,  ///< The API server answers on the internet (to who may authenticate) and inside the
                       ///< VPC.
  public_only,         ///< … also to nodes, through the internet.
  private_only,        ///< Inside the VPC only: this program must run where it can reach it.
};

struct VpcId : Text<VpcId> {};
struct SubnetId : Text<SubnetId> {};
/// The ARN of an IAM role or user.
struct PrincipalArn : Text<PrincipalArn> {};

/// A VPC that exists already, with subnets in at least two zones that reach AWS (by NAT or endpoints).
struct ExistingVpc {
  VpcId vpc_id;
  std::vector<SubnetId> subnet_ids;
};

/// What is left out is chosen: of a cluster that exists, as it is; of a new one, as the docs of the member
/// say.
struct ControlPlaneCreate {
  domain::ClusterName name;
  std::optional<domain::Region> region;
  std::optional<domain::Profile> profile;
  std::optional<domain::ClusterTag> tag;
  std::optional<domain::KubernetesVersion> kubernetes_version;
  std::optional<domain::CidrText> vpc_cidr;
  std::optional<std::vector<domain::CidrText>>
      avoid_cidrs;  ///< Ranges elsewhere that the VPC must not overlap.
  std::optional<std::vector<domain::ZoneName>> zones;
  std::optional<NatMode> nat;
  std::optional<ExistingVpc> vpc;
  std::optional<EndpointAccess> endpoint_access;
  std::optional<std::vector<domain::CidrText>> public_access_cidrs;
  std::optional<std::vector<PrincipalArn>> administrators;
};

struct ControlPlaneDelete {
  domain::ClusterReference cluster;
  std::optional<domain::Profile> profile;  ///< For a cluster that is not, or not yet, managed.
};

struct KubernetesVersionList {
  std::optional<domain::Region> region;
  std::optional<domain::Profile> profile;
  bool extended = false;  ///< Also those in extended support, which cost more.
};

struct KubernetesVersionView {
  std::string version;
  std::string support;  ///< "standard" or "extended"
  bool is_default = false;
  std::optional<std::string> released_at;  ///< RFC 3339, as all times.
  std::optional<std::string> standard_support_ends_at;
  std::optional<std::string> extended_support_ends_at;
};

struct KubernetesVersionListAnswer {
  std::string region;
  std::vector<KubernetesVersionView> versions;
};

Type describe(NatMode*);
Type describe(EndpointAccess*);
Type describe(VpcId*);
Type describe(SubnetId*);
Type describe(PrincipalArn*);
Type describe(ExistingVpc*);
Type describe(ControlPlaneCreate*);
Type describe(ControlPlaneDelete*);
Type describe(KubernetesVersionList*);
Type describe(KubernetesVersionView*);
Type describe(KubernetesVersionListAnswer*);

/// Operation kinds; equal to the actions that start them.
inline constexpr std::string_view k_control_plane_create = "control_plane_create";
inline constexpr std::string_view k_control_plane_delete = "control_plane_delete";

/// The rows of the contract. Accounts and fleet must outlive the table; null where rows are only read.
std::vector<contract::Action> network_actions(aws::Accounts* accounts, fleet::Fleet* fleet);

/// The operation and step kinds behind them. All three outlive the registry's engine.
void add_network_kinds(operations::KindRegistry& kinds, aws::Accounts& accounts, fleet::Fleet& fleet,
                       const Clock& clock);

/// The plans, for operations that run these as a part. Nothing is changed. `recent` keeps two that are
/// planned at once apart.
Task<contract::Plan> plan_control_plane_create(aws::Accounts& accounts, fleet::Fleet& fleet,
                                               contract::Caller caller, ControlPlaneCreate request,
                                               RecentBlocks* recent = nullptr);
Task<contract::Plan> plan_control_plane_delete(aws::Accounts& accounts, fleet::Fleet& fleet,
                                               contract::Caller caller, ControlPlaneDelete request);

}  // namespace instantstart::capabilities
