#include "sandbox/services/eks/clusters.h"

#include <array>
#include <chrono>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/digest.h"
#include "sandbox/core/arn.h"
#include "sandbox/services/eks/access_entries.h"
#include "sandbox/services/eks/addon_catalogue.h"
#include "sandbox/services/eks/addons.h"
#include "sandbox/services/eks/client_tokens.h"
#include "sandbox/services/eks/cluster_network.h"
#include "sandbox/services/eks/cluster_rules.h"
#include "sandbox/services/eks/cluster_updates.h"
#include "sandbox/services/eks/errors.h"
#include "sandbox/services/eks/paging.h"
#include "sandbox/services/eks/pod_identities.h"
#include "sandbox/services/eks/signing_keys.h"
#include "sandbox/services/eks/tags.h"
#include "sandbox/services/eks/versions.h"
#include "sandbox/services/eks/web_tokens.h"

namespace instantstart::sandbox::eks {
namespace {

using aws::eks::Cluster;

/// About what a cluster takes ("several minutes", says CreateCluster's documentation).
constexpr milliseconds k_time_to_create = std::chrono::minutes(9);
constexpr milliseconds k_time_to_delete = std::chrono::minutes(4);
constexpr std::string_view k_everywhere = "0.0.0.0/0";

/// What a cluster begins with unless bootstrapSelfManagedAddons is false.
constexpr std::array<std::string_view, 3> k_default_addons{"coredns", "kube-proxy", "vpc-cni"};

std::string make_cluster_id(World& world) {
  constexpr std::string_view k_digits = "0123456789ABCDEF";
  std::array<std::uint8_t, 32> bytes{};
  world.random().fill(bytes);
  std::string id;
  for (const auto byte : bytes) id += k_digits[byte % k_digits.size()];
  return id;
}

ControlPlaneRef ref_of(const Cluster& cluster, const ClusterInternals& internals) {
  return {.id = internals.id,
          .region = internals.region,
          .name = internals.name,
          .arn = *cluster.arn,
          .kubernetes_version = *cluster.version,
          .service_cidr = *cluster.kubernetes_network_config->service_ipv4_cidr,
          .oidc_issuer = issuer_url(internals.region, internals.id)};
}

Cluster make_record(State& state, const Call& call, const aws::eks::CreateClusterRequest& in,
                    const ClusterNetwork& network, const std::string& service_cidr) {
  const auto& asked = *in.resources_vpc_config;
  const auto& version = in.version ? *find_version(*in.version) : default_version();
  auto blocks = aws::items(asked.public_access_cidrs);
  const bool is_public = asked.endpoint_public_access.value_or(true);
  if (is_public && blocks.empty()) blocks.emplace_back(k_everywhere);
  return {
      .name = in.name,
      .arn = make_arn("eks", call.region, state.world.account(), "cluster/" + *in.name),
      .created_at = timestamp(state.world.now()),
      .version = std::string(version.version),
      .role_arn = in.role_arn,
      .resources_vpc_config =
          aws::eks::VpcConfigResponse{
              .subnet_ids = network.subnet_ids,
              .security_group_ids = network.security_group_ids,
              .cluster_security_group_id = make_cluster_group(state, call.region, *in.name, network.vpc_id),
              .vpc_id = network.vpc_id,
              .endpoint_public_access = is_public,
              .endpoint_private_access = asked.endpoint_private_access.value_or(false),
              .public_access_cidrs = std::move(blocks)},
      .kubernetes_network_config =
          aws::eks::KubernetesNetworkConfigResponse{.service_ipv4_cidr = service_cidr, .ip_family = "ipv4"},
      .logging = whole_logging(std::nullopt, in.logging),
      .status = "CREATING",
      .client_request_token = in.client_request_token,
      .platform_version = std::string(version.platform),
      .encryption_config = in.encryption_config,
      .health = aws::eks::ClusterHealth{.issues = std::vector<aws::eks::ClusterIssue>{}},
      .access_config =
          aws::eks::AccessConfigResponse{
              .authentication_mode = in.access_config
                                         ? in.access_config->authentication_mode.value_or("CONFIG_MAP")
                                         : "CONFIG_MAP"},
      .upgrade_policy =
          aws::eks::UpgradePolicyResponse{
              .support_type =
                  in.upgrade_policy ? in.upgrade_policy->support_type.value_or("EXTENDED") : "EXTENDED"},
      .deletion_protection = in.deletion_protection.value_or(false)};
}

Reply<ClusterInternals> make_internals(State& state, const Call& call,
                                       const aws::eks::CreateClusterRequest& in) {
  auto key = make_signing_key();
  if (!key) return fault("ServerException", key.error().message, 500);
  ClusterInternals internals{
      .id = make_cluster_id(state.world),
      .region = call.region,
      .name = *in.name,
      .creator_arn = permanent_principal(state, call.principal_arn),
      .signing_key = std::move(*key),
      .bootstraps_creator =
          !in.access_config || in.access_config->bootstrap_cluster_creator_admin_permissions.value_or(true),
      .bootstraps_addons = in.bootstrap_self_managed_addons.value_or(true),
      .interfaces = {}};
  if (call.fails_later) {
    internals.failure_code = call.fails_later->code;
    internals.failure_message = call.fails_later->message;
  }
  return internals;
}

void open_cluster(State& state, const std::string& key) {
  const ClusterInternals internals = *state.cluster_internals.find(key);
  const Cluster& cluster = *state.clusters.find(key);
  state.host.open(ref_of(cluster, internals));
  const std::string version = *cluster.version;
  if (!internals.bootstraps_addons) return;
  for (const auto name : k_default_addons) {
    state.host.apply_addon(internals.id, {.name = std::string(name),
                                          .version = default_addon_version(name, version),
                                          .service_account_role_arn = {},
                                          .configuration = {}});
  }
}

void finish_creation(State& state, const std::string& key) {
  const ClusterInternals& internals = *state.cluster_internals.find(key);
  if (internals.failure_code) {
    aws::eks::ClusterIssue issue{.code = internals.failure_code,
                                 .message = internals.failure_message,
                                 .resource_ids = std::vector<std::string>{}};
    state.clusters.edit(key, [&issue](Cluster& record) {
      record.status = "FAILED";
      record.health->issues->push_back(std::move(issue));
    });
    return;
  }
  open_cluster(state, key);
  state.clusters.edit(key, [](Cluster& record) { record.status = "ACTIVE"; });
}

void finish_deletion(State& state, const std::string& key) {
  const ClusterInternals internals = *state.cluster_internals.find(key);
  const Cluster cluster = *state.clusters.find(key);
  forget_addons(state, key);
  forget_pod_identities(state, key);
  forget_entries(state, key);
  forget_updates(state, key);
  for (const auto& id : internals.interfaces) state.network.remove_interface(internals.region, id);
  // The group stays, as AWS leaves it, while something of the user's is in it.
  state.network.remove_group(internals.region, *cluster.resources_vpc_config->cluster_security_group_id);
  state.host.close(internals.id);
  state.tags.erase(*cluster.arn);
  state.creation_tokens.erase(*cluster.arn);
  state.cluster_internals.erase(key);
  state.clusters.erase(key);
}

}  // namespace

void advance_cluster(State& state, const std::string& key) {
  const Cluster* cluster = state.clusters.find(key);
  if (!cluster) return;
  if (cluster->status == "CREATING") {
    finish_creation(state, key);
  } else if (cluster->status == "DELETING") {
    finish_deletion(state, key);
  }
}

Cluster shown(const State& state, const std::string& key) {
  Cluster cluster = *state.clusters.find(key);
  const ClusterInternals& internals = *state.cluster_internals.find(key);
  cluster.tags = tags_of(state, cluster.arn);
  cluster.certificate_authority.emplace();
  if (cluster.status == "CREATING" || internals.failure_code) return cluster;
  const auto endpoint = state.host.endpoint(internals.id);
  cluster.endpoint = endpoint.url;
  cluster.certificate_authority->data = to_base64(endpoint.ca_pem);
  cluster.identity =
      aws::eks::Identity{.oidc = aws::eks::OIDC{.issuer = issuer_url(internals.region, internals.id)}};
  return cluster;
}

Reply<aws::eks::CreateClusterResponse> create_cluster(State& state, const Call& call,
                                                      const aws::eks::CreateClusterRequest& in) {
  const std::string key = cluster_key(call.region, *in.name);
  const Cluster* present = state.clusters.find(key);
  if (present && !is_repeat(state, *present->arn, in)) {
    return in_use(fmt::format("Cluster already exists with name: {}", *in.name), {.cluster = *in.name});
  }
  if (!present) {
    if (auto refusal = refuse_cluster(state, call, in)) return std::unexpected(std::move(*refusal));
    const auto network = checked_network(state, call.region, *in.resources_vpc_config, *in.name);
    if (!network) return std::unexpected(network.error());
    const auto asked_cidr =
        in.kubernetes_network_config ? in.kubernetes_network_config->service_ipv4_cidr : std::nullopt;
    const auto service_cidr = checked_service_cidr(state, call.region, network->vpc_id, asked_cidr, *in.name);
    if (!service_cidr) return std::unexpected(service_cidr.error());
    auto internals = make_internals(state, call, in);
    if (!internals) return std::unexpected(std::move(internals.error()));
    Cluster record = make_record(state, call, in, *network, *service_cidr);
    auto interfaces = add_interfaces(state, call.region, *in.name, *record.resources_vpc_config);
    if (!interfaces) return std::unexpected(std::move(interfaces.error()));
    internals->interfaces = std::move(*interfaces);
    state.iam.ensure_service_linked_role(call.region, "eks.amazonaws.com");
    state.tags.put(*record.arn, {.tags = aws::items(in.tags)});
    remember_creation(state, *record.arn, in);
    const bool has_entries = record.access_config->authentication_mode != "CONFIG_MAP";
    state.cluster_internals.put(key, std::move(*internals));
    state.clusters.put(key, std::move(record));
    if (has_entries) ensure_creator_entry(state, key);
    state.world.set_timer(k_cluster_timer, key, k_time_to_create);
  }
  Cluster answer = shown(state, key);
  answer.access_config->bootstrap_cluster_creator_admin_permissions =
      state.cluster_internals.find(key)->bootstraps_creator;
  return aws::eks::CreateClusterResponse{.cluster = std::move(answer)};
}

Reply<aws::eks::DescribeClusterResponse> describe_cluster(State& state, const Call& call,
                                                          const aws::eks::DescribeClusterRequest& in) {
  const auto cluster = find_cluster(state, call.region, *in.name);
  if (!cluster) return std::unexpected(cluster.error());
  return aws::eks::DescribeClusterResponse{.cluster = shown(state, cluster_key(call.region, *in.name))};
}

Reply<aws::eks::ListClustersResponse> list_clusters(State& state, const Call& call,
                                                    const aws::eks::ListClustersRequest& in) {
  std::vector<std::pair<std::string, std::string>> sorted;
  for (const auto& [key, cluster] : state.clusters.starting_with(cluster_key(call.region, ""))) {
    sorted.emplace_back(key, *cluster.name);
  }
  auto page = page_of(std::move(sorted), in);
  if (!page) return std::unexpected(std::move(page.error()));
  return aws::eks::ListClustersResponse{.clusters = std::move(page->items),
                                        .next_token = std::move(page->next_token)};
}

Reply<aws::eks::DeleteClusterResponse> delete_cluster(State& state, const Call& call,
                                                      const aws::eks::DeleteClusterRequest& in) {
  const auto cluster = find_cluster(state, call.region, *in.name);
  if (!cluster) return std::unexpected(cluster.error());
  const std::string key = cluster_key(call.region, *in.name);
  const Subject subject{.cluster = *in.name};
  const std::string status = *(*cluster)->status;
  if (status == "DELETING") return aws::eks::DeleteClusterResponse{.cluster = shown(state, key)};
  if ((*cluster)->deletion_protection.value_or(false)) {
    return invalid_request(
        fmt::format("Cluster {} has deletion protection enabled. Disable it before deleting the cluster.",
                    *in.name),
        subject);
  }
  if (status == "CREATING" || status == "UPDATING") {
    return in_use(fmt::format("Cluster is currently {} and cannot be deleted", status), subject);
  }
  cancel_addons(state, key);
  state.clusters.edit(key, [](Cluster& record) { record.status = "DELETING"; });
  state.world.set_timer(k_cluster_timer, key, k_time_to_delete);
  return aws::eks::DeleteClusterResponse{.cluster = shown(state, key)};
}

}  // namespace instantstart::sandbox::eks
