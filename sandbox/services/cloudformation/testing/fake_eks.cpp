#include "sandbox/services/cloudformation/testing/fake_eks.h"

#include <fmt/format.h>

namespace instantstart::sandbox::cloudformation {

namespace eks = aws::eks;

namespace {

std::unexpected<AwsFault> missing(std::string_view what) {
  return fault("ResourceNotFoundException", fmt::format("No {} found.", what));
}

}  // namespace

FakeEks::FakeEks() : Service(eks::service()) {
  serve_clusters();
  serve_addons();
  serve_access();
}

void FakeEks::serve_clusters() {
  on<eks::CreateCluster>([this](const Call&,
                                const eks::CreateClusterRequest& in) -> Reply<eks::CreateClusterResponse> {
    if (clusters.contains(*in.name)) {
      return fault("ResourceInUseException", fmt::format("Cluster already exists with name: {}", *in.name));
    }
    eks::Cluster cluster{.name = in.name,
                         .arn = fmt::format("arn:aws:eks:us-west-2:123456789012:cluster/{}", *in.name),
                         .role_arn = in.role_arn,
                         .logging = in.logging,
                         .status = "CREATING",
                         .tags = in.tags};
    cluster.resources_vpc_config = eks::VpcConfigResponse{
        .subnet_ids = in.resources_vpc_config->subnet_ids,
        .security_group_ids = in.resources_vpc_config->security_group_ids,
        .cluster_security_group_id = "sg-0123",
        .endpoint_public_access = in.resources_vpc_config->endpoint_public_access.value_or(true),
        .endpoint_private_access = in.resources_vpc_config->endpoint_private_access.value_or(false),
        .public_access_cidrs = {{"0.0.0.0/0"}}};
    looked_[*in.name] = 0;
    clusters[*in.name] = cluster;
    return eks::CreateClusterResponse{.cluster = cluster};
  });
  on<eks::DescribeCluster>(
      [this](const Call&, const eks::DescribeClusterRequest& in) -> Reply<eks::DescribeClusterResponse> {
        const auto found = clusters.find(*in.name);
        if (found == clusters.end()) return missing("cluster");
        eks::Cluster& cluster = found->second;
        const bool moves = cluster.status != "ACTIVE" && cluster.status != "FAILED";
        if (moves && ++looked_[*in.name] >= looks) {
          if (cluster.status == "DELETING") {
            clusters.erase(found);
            return missing("cluster");
          }
          cluster.status = failure ? "FAILED" : "ACTIVE";
          if (failure) {
            cluster.health =
                eks::ClusterHealth{.issues = {{{.code = "InternalFailure", .message = failure}}}};
          }
          failure.reset();
          cluster.endpoint = "https://127.0.0.1:6443";
          cluster.certificate_authority = eks::Certificate{.data = "Q0E="};
          cluster.identity = eks::Identity{.oidc = eks::OIDC{.issuer = "https://oidc.example/id/A"}};
        }
        return eks::DescribeClusterResponse{.cluster = cluster};
      });
  on<eks::UpdateClusterConfig>([this](const Call&, const eks::UpdateClusterConfigRequest& in)
                                   -> Reply<eks::UpdateClusterConfigResponse> {
    const auto found = clusters.find(*in.name);
    if (found == clusters.end()) return missing("cluster");
    eks::Cluster& cluster = found->second;
    if (cluster.status != "ACTIVE") return fault("ResourceInUseException", "The cluster is being updated.");
    if (in.resources_vpc_config && in.resources_vpc_config->endpoint_private_access) {
      cluster.resources_vpc_config->endpoint_private_access =
          in.resources_vpc_config->endpoint_private_access;
      cluster.resources_vpc_config->endpoint_public_access = in.resources_vpc_config->endpoint_public_access;
    }
    if (in.logging) cluster.logging = in.logging;
    cluster.status = "UPDATING";
    looked_[*in.name] = 0;
    return eks::UpdateClusterConfigResponse{};
  });
  on<eks::DeleteCluster>(
      [this](const Call&, const eks::DeleteClusterRequest& in) -> Reply<eks::DeleteClusterResponse> {
        const auto found = clusters.find(*in.name);
        if (found == clusters.end()) return missing("cluster");
        if (found->second.status == "CREATING") {
          return fault("ResourceInUseException", "Cluster has ongoing creation.");
        }
        found->second.status = "DELETING";
        looked_[*in.name] = 0;
        return eks::DeleteClusterResponse{.cluster = found->second};
      });
  on<eks::TagResource>([](const Call&, const eks::TagResourceRequest&) -> Reply<eks::TagResourceResponse> {
    return eks::TagResourceResponse{};
  });
}

void FakeEks::serve_addons() {
  on<eks::CreateAddon>(
      [this](const Call&, const eks::CreateAddonRequest& in) -> Reply<eks::CreateAddonResponse> {
        const auto cluster = clusters.find(*in.cluster_name);
        if (cluster == clusters.end() || cluster->second.status != "ACTIVE") return missing("active cluster");
        eks::Addon addon{.addon_name = in.addon_name,
                         .cluster_name = in.cluster_name,
                         .status = "ACTIVE",
                         .addon_arn = fmt::format("arn:aws:eks:us-west-2:123456789012:addon/{}/{}/a",
                                                  *in.cluster_name, *in.addon_name)};
        addons[fmt::format("{}/{}", *in.cluster_name, *in.addon_name)] = addon;
        return eks::CreateAddonResponse{.addon = addon};
      });
  on<eks::DescribeAddon>(
      [this](const Call&, const eks::DescribeAddonRequest& in) -> Reply<eks::DescribeAddonResponse> {
        const auto found = addons.find(fmt::format("{}/{}", *in.cluster_name, *in.addon_name));
        if (found == addons.end()) return missing("addon");
        return eks::DescribeAddonResponse{.addon = found->second};
      });
  on<eks::DeleteAddon>(
      [this](const Call&, const eks::DeleteAddonRequest& in) -> Reply<eks::DeleteAddonResponse> {
        const auto key = fmt::format("{}/{}", *in.cluster_name, *in.addon_name);
        if (addons.erase(key) == 0) return missing("addon");
        return eks::DeleteAddonResponse{};
      });
}

void FakeEks::serve_access() {
  on<eks::CreateAccessEntry>(
      [this](const Call&, const eks::CreateAccessEntryRequest& in) -> Reply<eks::CreateAccessEntryResponse> {
        eks::AccessEntry entry{.cluster_name = in.cluster_name,
                               .principal_arn = in.principal_arn,
                               .kubernetes_groups = in.kubernetes_groups,
                               .access_entry_arn = "arn:aws:eks:us-west-2:123456789012:access-entry/a"};
        entries[fmt::format("{}/{}", *in.cluster_name, *in.principal_arn)] = entry;
        return eks::CreateAccessEntryResponse{.access_entry = entry};
      });
  on<eks::AssociateAccessPolicy>(
      [this](const Call&,
             const eks::AssociateAccessPolicyRequest& in) -> Reply<eks::AssociateAccessPolicyResponse> {
        policies[fmt::format("{}/{}/{}", *in.cluster_name, *in.principal_arn, *in.policy_arn)] =
            in.access_scope->type.value_or("");
        return eks::AssociateAccessPolicyResponse{};
      });
  on<eks::DeleteAccessEntry>(
      [this](const Call&, const eks::DeleteAccessEntryRequest& in) -> Reply<eks::DeleteAccessEntryResponse> {
        if (entries.erase(fmt::format("{}/{}", *in.cluster_name, *in.principal_arn)) == 0)
          return missing("entry");
        return eks::DeleteAccessEntryResponse{};
      });
  on<eks::CreatePodIdentityAssociation>([this](const Call&,
                                               const eks::CreatePodIdentityAssociationRequest& in)
                                            -> Reply<eks::CreatePodIdentityAssociationResponse> {
    const std::string id = fmt::format("a-{}", associations.size());
    eks::PodIdentityAssociation made{
        .cluster_name = in.cluster_name,
        .namespace_ = in.namespace_,
        .service_account = in.service_account,
        .role_arn = in.role_arn,
        .association_arn = fmt::format("arn:aws:eks:us-west-2:123456789012:podidentityassociation/{}", id),
        .association_id = id};
    associations[id] = made;
    return eks::CreatePodIdentityAssociationResponse{.association = made};
  });
  on<eks::DeletePodIdentityAssociation>(
      [this](const Call&, const eks::DeletePodIdentityAssociationRequest& in)
          -> Reply<eks::DeletePodIdentityAssociationResponse> {
        if (associations.erase(*in.association_id) == 0) return missing("association");
        return eks::DeletePodIdentityAssociationResponse{};
      });
}

}  // namespace instantstart::sandbox::cloudformation
