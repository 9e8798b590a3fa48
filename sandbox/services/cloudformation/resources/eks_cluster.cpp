// AWS::EKS::Cluster.
#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "aws/shapes/eks.h"
#include "sandbox/services/cloudformation/resources/requests.h"
#include "sandbox/services/cloudformation/resources/resource_type.h"

namespace instantstart::sandbox::cloudformation {
namespace {

namespace eks = aws::eks;

constexpr std::size_t k_longest_name = 100;

constexpr std::array<Property, 13> k_properties{{{"Name"},
                                                 {"RoleArn", Update::replacement, true},
                                                 {"ResourcesVpcConfig", Update::in_place, true},
                                                 {"Version", Update::in_place},
                                                 {"KubernetesNetworkConfig"},
                                                 {"EncryptionConfig"},
                                                 {"Logging", Update::in_place},
                                                 {"AccessConfig", Update::in_place},
                                                 {"BootstrapSelfManagedAddons"},
                                                 {"UpgradePolicy", Update::in_place},
                                                 {"ZonalShiftConfig", Update::in_place},
                                                 {"DeletionProtection", Update::in_place},
                                                 {"Tags", Update::in_place}}};
constexpr std::array<std::string_view, 7> k_attributes{"Arn",
                                                       "Endpoint",
                                                       "CertificateAuthorityData",
                                                       "ClusterSecurityGroupId",
                                                       "OpenIdConnectIssuerUrl",
                                                       "Id",
                                                       "EncryptionConfigKeyArn"};

/// {"ClusterLogging": {"EnabledTypes": [{"Type": "api"}]}}
std::vector<std::string> logged_types(const json::object& properties) {
  std::vector<std::string> types;
  const json::value* logging = properties.if_contains("Logging");
  const json::value* cluster =
      logging && logging->is_object() ? logging->get_object().if_contains("ClusterLogging") : nullptr;
  if (!cluster || !cluster->is_object()) return types;
  for (const auto& entry : objects(cluster->get_object(), "EnabledTypes")) {
    if (auto type = text(entry, "Type")) types.push_back(std::move(*type));
  }
  return types;
}

Reply<Made> create(const ResourceContext& context, const json::object& properties) {
  auto request = request_from<eks::CreateClusterRequest>(properties, {"Tags", "Logging"});
  if (!request) return std::unexpected(std::move(request.error()));
  if (!request->name) request->name = context.made_up_name(k_longest_name);
  if (const auto types = logged_types(properties); !types.empty()) {
    request->logging = eks::Logging{.cluster_logging = {{{.types = types, .enabled = true}}}};
  }
  request->tags = context.tags;
  const auto made = context.ask<eks::CreateCluster>(*request);
  if (!made) return std::unexpected(made.error());
  return Made{*request->name, {{"Arn", text_value(made->cluster->arn)}}};
}

json::object attributes_of(const eks::Cluster& cluster) {
  json::object attributes{{"Arn", text_value(cluster.arn)},
                          {"Endpoint", text_value(cluster.endpoint)},
                          {"Id", text_value(cluster.id)},
                          {"EncryptionConfigKeyArn", ""}};
  if (cluster.certificate_authority) {
    attributes.emplace("CertificateAuthorityData", text_value(cluster.certificate_authority->data));
  }
  if (cluster.resources_vpc_config) {
    attributes.emplace("ClusterSecurityGroupId",
                       text_value(cluster.resources_vpc_config->cluster_security_group_id));
  }
  if (cluster.identity && cluster.identity->oidc) {
    attributes.emplace("OpenIdConnectIssuerUrl", text_value(cluster.identity->oidc->issuer));
  }
  return attributes;
}

Reply<eks::Cluster> find(const ResourceContext& context, const std::string& name) {
  auto found = context.ask<eks::DescribeCluster>({.name = name});
  if (!found) return std::unexpected(std::move(found.error()));
  return std::move(*found->cluster);
}

Reply<Progress> check(const ResourceContext& context, const Made& made, const json::object&) {
  const auto cluster = find(context, made.physical_id);
  if (!cluster) return std::unexpected(cluster.error());
  const std::string status = cluster->status.value_or("");
  if (status == "ACTIVE") return Progress{.attributes = attributes_of(*cluster)};
  if (status != "FAILED") return Progress{.done = false};
  std::string reason = fmt::format("Cluster {} is in status FAILED.", made.physical_id);
  if (cluster->health) {
    for (const auto& issue : aws::items(cluster->health->issues)) {
      reason += fmt::format(" {}: {}", issue.code.value_or(""), issue.message.value_or(""));
    }
  }
  return fault("NotStabilized", std::move(reason));
}

bool same_set(const std::vector<std::string>& one, const std::vector<std::string>& two) {
  return std::set(one.begin(), one.end()) == std::set(two.begin(), two.end());
}

/// What UpdateClusterConfig has to be asked, one kind of change a request, as EKS takes them.
Reply<std::vector<eks::UpdateClusterConfigRequest>> wanted_changes(const eks::Cluster& cluster,
                                                                   const json::object& before,
                                                                   const json::object& after) {
  std::vector<eks::UpdateClusterConfigRequest> changes;
  auto wanted = request_from<eks::CreateClusterRequest>(after, {"Tags", "Logging"});
  if (!wanted) return std::unexpected(std::move(wanted.error()));
  const eks::VpcConfigRequest network = wanted->resources_vpc_config.value_or(eks::VpcConfigRequest{});
  const eks::VpcConfigResponse is = cluster.resources_vpc_config.value_or(eks::VpcConfigResponse{});
  if (!same_set(aws::items(network.subnet_ids), aws::items(is.subnet_ids)) ||
      !same_set(aws::items(network.security_group_ids), aws::items(is.security_group_ids))) {
    changes.push_back(
        {.resources_vpc_config = eks::VpcConfigRequest{.subnet_ids = network.subnet_ids,
                                                       .security_group_ids = network.security_group_ids}});
  }
  const bool is_public = network.endpoint_public_access.value_or(true);
  const bool is_private = network.endpoint_private_access.value_or(false);
  const auto blocks = network.public_access_cidrs.value_or(std::vector<std::string>{"0.0.0.0/0"});
  if (is_public != is.endpoint_public_access.value_or(true) ||
      is_private != is.endpoint_private_access.value_or(false) ||
      (is_public && !same_set(blocks, aws::items(is.public_access_cidrs)))) {
    eks::VpcConfigRequest access{.endpoint_public_access = is_public, .endpoint_private_access = is_private};
    if (is_public) access.public_access_cidrs = blocks;
    changes.push_back({.resources_vpc_config = std::move(access)});
  }
  if (differs(before, after, "Logging")) {
    const auto on = logged_types(after);
    const auto off = without(logged_types(before), on);
    eks::Logging logging;
    logging.cluster_logging.emplace();
    if (!on.empty()) logging.cluster_logging->push_back({.types = on, .enabled = true});
    if (!off.empty()) logging.cluster_logging->push_back({.types = off, .enabled = false});
    changes.push_back({.logging = std::move(logging)});
  }
  const auto mode = wanted->access_config ? wanted->access_config->authentication_mode : std::nullopt;
  if (mode && (!cluster.access_config || cluster.access_config->authentication_mode != mode)) {
    changes.push_back({.access_config = eks::UpdateAccessConfigRequest{.authentication_mode = mode}});
  }
  if (differs(before, after, "DeletionProtection")) {
    changes.push_back({.deletion_protection = flag(after, "DeletionProtection")});
  }
  return changes;
}

Reply<void> retag_cluster(const ResourceContext& context, const Made& made) {
  const auto arn = text(made.attributes, "Arn");
  std::vector<std::string> gone;
  for (const auto& [key, ignored] : context.tags_before) {
    if (!context.tags.contains(key)) gone.push_back(key);
  }
  if (!gone.empty()) {
    auto done = context.ask<eks::UntagResource>({.resource_arn = arn, .tag_keys = gone});
    if (!done) return std::unexpected(std::move(done.error()));
  }
  if (context.tags == context.tags_before) return {};
  auto done = context.ask<eks::TagResource>({.resource_arn = arn, .tags = context.tags});
  if (!done) return std::unexpected(std::move(done.error()));
  return {};
}

/// EKS makes one change at a time: while it is at it, it refuses the next as ResourceInUseException, so this
/// is asked again and compares with what the cluster has become.
Reply<Made> update(const ResourceContext& context, const Made& made, const json::object& before,
                   const json::object& after) {
  for (const auto* name : {"Version", "UpgradePolicy", "ZonalShiftConfig"}) {
    if (differs(before, after, name)) {
      return invalid(fmt::format("The sandbox does not simulate updates of {} of AWS::EKS::Cluster.", name));
    }
  }
  const auto cluster = find(context, made.physical_id);
  if (!cluster) return std::unexpected(cluster.error());
  auto changes = wanted_changes(*cluster, before, after);
  if (!changes) return std::unexpected(std::move(changes.error()));
  for (auto& change : *changes) {
    change.name = made.physical_id;
    auto done = context.ask<eks::UpdateClusterConfig>(change);
    if (!done) return std::unexpected(std::move(done.error()));
  }
  auto done = retag_cluster(context, made);
  if (!done) return std::unexpected(std::move(done.error()));
  return made;
}

Reply<Progress> remove(const ResourceContext& context, const Made& made, const json::object&) {
  const auto cluster = find(context, made.physical_id);
  if (!cluster) return std::unexpected(cluster.error());
  if (cluster->status == "DELETING") return Progress{.done = false};
  auto done = context.ask<eks::DeleteCluster>({.name = made.physical_id});
  if (!done) return std::unexpected(std::move(done.error()));
  return Progress{.done = false};
}

}  // namespace

std::span<const ResourceType> eks_cluster_types() {
  static constexpr std::array<ResourceType, 1> k_types{{
      {.name = "AWS::EKS::Cluster",
       .properties = k_properties,
       .attributes = k_attributes,
       .tagged = true,
       .time_to_create = std::chrono::seconds(30),
       .create = create,
       .check = check,
       .update = update,
       .remove = remove},
  }};
  return k_types;
}

}  // namespace instantstart::sandbox::cloudformation
