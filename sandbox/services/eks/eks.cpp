#include "sandbox/services/eks/eks.h"

#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "sandbox/services/eks/access_directory.h"
#include "sandbox/services/eks/access_entries.h"
#include "sandbox/services/eks/access_policies.h"
#include "sandbox/services/eks/addon_catalogue.h"
#include "sandbox/services/eks/addons.h"
#include "sandbox/services/eks/cluster_updates.h"
#include "sandbox/services/eks/clusters.h"
#include "sandbox/services/eks/pod_identities.h"
#include "sandbox/services/eks/tags.h"
#include "sandbox/services/eks/versions.h"
#include "sandbox/services/eks/web_tokens.h"

namespace instantstart::sandbox::eks {

namespace api = aws::eks;

namespace {

Result<const ClusterInternals*> cluster_with_id(const State& state, std::string_view id) {
  const auto* cluster = find_cluster_by_id(state, id);
  if (cluster) return cluster;
  return fail(codes::not_found, fmt::format("There is no cluster with the id {}.", id));
}

}  // namespace

Eks::Eks(World& world, iam::Iam& iam, ec2::Network& network, ControlPlaneHost& host, LimitsSource limits)
    : Service(api::service()), state_(world, iam, network, host, std::move(limits)) {
  world.on_timer(std::string(k_cluster_timer),
                 [this](const std::string& key) { advance_cluster(state_, key); });
  world.on_timer(std::string(k_update_timer),
                 [this](const std::string& key) { finish_cluster_update(state_, key); });
  world.on_timer(std::string(k_addon_timer), [this](const std::string& key) { advance_addon(state_, key); });
  serve_clusters();
  serve_addons();
  serve_access();
}

template <class Op>
void Eks::serve(Reply<typename Op::Output> (*handler)(State&, const Call&, const typename Op::Input&)) {
  on<Op>([this, handler](const Call& call, const typename Op::Input& in) -> Reply<typename Op::Output> {
    return handler(state_, call, in);
  });
}

void Eks::serve_clusters() {
  serve<api::CreateCluster>(&create_cluster);
  serve<api::DescribeCluster>(&describe_cluster);
  serve<api::ListClusters>(&list_clusters);
  serve<api::DeleteCluster>(&delete_cluster);
  serve<api::UpdateClusterConfig>(&update_cluster_config);
  serve<api::DescribeUpdate>(&describe_update);
  serve<api::DescribeClusterVersions>(&describe_cluster_versions);
  serve<api::TagResource>(&tag_resource);
  serve<api::UntagResource>(&untag_resource);
  serve<api::ListTagsForResource>(&list_tags_for_resource);
}

void Eks::serve_addons() {
  serve<api::CreateAddon>(&create_addon);
  serve<api::DescribeAddon>(&describe_addon);
  serve<api::ListAddons>(&list_addons);
  serve<api::UpdateAddon>(&update_addon);
  serve<api::DeleteAddon>(&delete_addon);
  serve<api::DescribeAddonVersions>(&describe_addon_versions);
}

void Eks::serve_access() {
  serve<api::CreateAccessEntry>(&create_access_entry);
  serve<api::DescribeAccessEntry>(&describe_access_entry);
  serve<api::ListAccessEntries>(&list_access_entries);
  serve<api::UpdateAccessEntry>(&update_access_entry);
  serve<api::DeleteAccessEntry>(&delete_access_entry);
  serve<api::AssociateAccessPolicy>(&associate_access_policy);
  serve<api::DisassociateAccessPolicy>(&disassociate_access_policy);
  serve<api::ListAssociatedAccessPolicies>(&list_associated_access_policies);
  serve<api::CreatePodIdentityAssociation>(&create_pod_identity_association);
  serve<api::DescribePodIdentityAssociation>(&describe_pod_identity_association);
  serve<api::ListPodIdentityAssociations>(&list_pod_identity_associations);
  serve<api::UpdatePodIdentityAssociation>(&update_pod_identity_association);
  serve<api::DeletePodIdentityAssociation>(&delete_pod_identity_association);
}

AwsFault Eks::refuse_input(const std::vector<FieldProblem>& problems) const {
  AwsFault refusal = Service::refuse_input(problems);
  refusal.code = "InvalidParameterException";
  return refusal;
}

std::optional<ClusterSummary> Eks::find_cluster(std::string_view region, std::string_view name) const {
  const std::string key = cluster_key(region, name);
  const auto* cluster = state_.clusters.find(key);
  if (!cluster) return std::nullopt;
  return ClusterSummary{.id = state_.cluster_internals.find(key)->id,
                        .arn = *cluster->arn,
                        .status = *cluster->status,
                        .kubernetes_version = *cluster->version,
                        .authentication_mode = *cluster->access_config->authentication_mode,
                        .vpc_id = *cluster->resources_vpc_config->vpc_id,
                        .security_group_id = *cluster->resources_vpc_config->cluster_security_group_id};
}

std::string Eks::pod_role(std::string_view cluster_id, std::string_view namespace_name,
                          std::string_view service_account) const {
  const ClusterInternals* cluster = find_cluster_by_id(state_, cluster_id);
  if (!cluster) return {};
  const auto* association =
      find_association(state_, cluster_key(cluster->region, cluster->name), namespace_name, service_account);
  return association ? association->role_arn.value_or("") : std::string();
}

std::optional<ClusterUser> Eks::find_user(std::string_view cluster_id, std::string_view caller_arn) const {
  return eks::find_user(state_, cluster_id, caller_arn);
}

Reply<WebIdentity> Eks::verify(std::string_view token) const { return verify_web_identity(state_, token); }

Result<std::string> Eks::sign(std::string_view cluster_id, const ServiceAccountTokenSpec& spec) const {
  const auto cluster = cluster_with_id(state_, cluster_id);
  if (!cluster) return std::unexpected(cluster.error());
  return sign_token(state_, **cluster, spec);
}

Result<json::object> Eks::read(std::string_view cluster_id, std::string_view token,
                               const std::vector<std::string>& audiences) const {
  const auto cluster = find_cluster_by_id(state_, cluster_id);
  if (!cluster) return fail(codes::unauthenticated, "The token is none of this cluster.");
  return read_token(state_, *cluster, token, audiences);
}

Result<json::object> Eks::key_set(std::string_view cluster_id) const {
  const auto cluster = cluster_with_id(state_, cluster_id);
  if (!cluster) return std::unexpected(cluster.error());
  return eks::key_set(**cluster);
}

}  // namespace instantstart::sandbox::eks
