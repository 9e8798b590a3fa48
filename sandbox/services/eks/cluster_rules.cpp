#include "sandbox/services/eks/cluster_rules.h"

#include <array>
#include <set>

#include <fmt/format.h>

#include "base/pattern.h"
#include "base/text.h"
#include "sandbox/core/cidr.h"
#include "sandbox/services/eks/errors.h"
#include "sandbox/services/eks/tags.h"
#include "sandbox/services/eks/trust.h"
#include "sandbox/services/eks/versions.h"

namespace instantstart::sandbox::eks {
namespace {

using aws::eks::CreateClusterRequest;

constexpr std::array<std::string_view, 5> k_log_types{"api", "audit", "authenticator", "controllerManager",
                                                      "scheduler"};

std::optional<AwsFault> refuse_name(const std::string& name) {
  static const Pattern pattern("^[0-9A-Za-z][A-Za-z0-9_-]{0,99}$");
  if (pattern.matches(name)) return std::nullopt;
  return invalid_parameter(
             "The cluster name should match with the regex ^[0-9A-Za-z][A-Za-z0-9-_]* and have "
             "at most 100 characters")
      .error();
}

std::optional<AwsFault> refuse_version(const CreateClusterRequest& in) {
  if (!in.version) return std::nullopt;
  const auto* version = find_version(*in.version);
  const Subject subject{.cluster = *in.name};
  if (!version || !version->is_offered()) {
    return invalid_parameter("unsupported Kubernetes version", subject).error();
  }
  if (in.upgrade_policy && in.upgrade_policy->support_type == "STANDARD" &&
      version->status != "STANDARD_SUPPORT") {
    return invalid_parameter(
               fmt::format("The support type STANDARD is not available for the Kubernetes version {}, which "
                           "is in extended support",
                           *in.version),
               subject)
        .error();
  }
  return std::nullopt;
}

std::optional<AwsFault> refuse_role(const State& state, const CreateClusterRequest& in) {
  const auto role = state.iam.find_role(*in.role_arn);
  if (role && trusts_service(role->trust_policy, "eks.amazonaws.com")) return std::nullopt;
  return invalid_parameter(
             fmt::format("Role with arn: {}, could not be assumed because it does not exist or the trusted "
                         "entity is not correct",
                         shortened(*in.role_arn, 200)),
             {.cluster = *in.name})
      .error();
}

std::optional<AwsFault> refuse_access(const CreateClusterRequest& in) {
  if (!in.access_config) return std::nullopt;
  const auto& access = *in.access_config;
  if (access.bootstrap_cluster_creator_admin_permissions.value_or(true) ||
      access.authentication_mode.value_or("CONFIG_MAP") != "CONFIG_MAP") {
    return std::nullopt;
  }
  return invalid_parameter(
             "bootstrapClusterCreatorAdminPermissions must be true if cluster authentication "
             "mode is set to CONFIG_MAP",
             {.cluster = *in.name})
      .error();
}

/// nullptr when the sandbox has all that is asked for.
const char* unknown_feature(const CreateClusterRequest& in) {
  if (in.outpost_config) return "local clusters on Outposts";
  if (in.compute_config && in.compute_config->enabled.value_or(false)) return "EKS Auto Mode";
  if (in.storage_config && in.storage_config->block_storage &&
      in.storage_config->block_storage->enabled.value_or(false)) {
    return "EKS Auto Mode's block storage";
  }
  if (in.remote_network_config) return "hybrid nodes";
  if (in.zonal_shift_config && in.zonal_shift_config->enabled.value_or(false)) return "zonal shift";
  if (in.control_plane_scaling_config &&
      in.control_plane_scaling_config->tier.value_or("standard") != "standard") {
    return "provisioned control planes";
  }
  if (in.kube_api_server_config || in.kube_scheduler_config || in.kube_controller_manager_config) {
    return "settings of control plane components";
  }
  if (in.resources_vpc_config->control_plane_egress_mode.value_or("AWS_MANAGED") != "AWS_MANAGED") {
    return "other egress modes of the control plane than AWS_MANAGED";
  }
  if (!in.kubernetes_network_config) return nullptr;
  if (in.kubernetes_network_config->ip_family.value_or("ipv4") != "ipv4") return "IPv6 clusters";
  const auto& balancing = in.kubernetes_network_config->elastic_load_balancing;
  return balancing && balancing->enabled.value_or(false) ? "EKS Auto Mode's load balancing" : nullptr;
}

void apply(std::set<std::string>& enabled, const std::optional<aws::eks::Logging>& change) {
  if (!change) return;
  for (const auto& setup : aws::items(change->cluster_logging)) {
    for (const auto& type : aws::items(setup.types)) {
      if (setup.enabled.value_or(false)) {
        enabled.insert(type);
      } else {
        enabled.erase(type);
      }
    }
  }
}

}  // namespace

std::optional<AwsFault> refuse_cluster(const State& state, const Call& call, const CreateClusterRequest& in) {
  if (auto refusal = refuse_name(*in.name)) return refusal;
  const Subject subject{.cluster = *in.name};
  if (const char* feature = unknown_feature(in)) return not_simulated(feature, subject).error();
  if (auto refusal = refuse_version(in)) return refusal;
  if (auto refusal = refuse_role(state, in)) return refusal;
  if (auto refusal = refuse_access(in)) return refusal;
  const auto& network = *in.resources_vpc_config;
  if (auto refusal = refuse_endpoint_access(network.endpoint_public_access.value_or(true),
                                            network.endpoint_private_access.value_or(false),
                                            aws::items(network.public_access_cidrs), *in.name)) {
    return refusal;
  }
  if (auto refusal = refuse_tags(call, in.tags)) return refusal;
  const std::string region_prefix = cluster_key(call.region, "");
  std::size_t present = 0;
  for ([[maybe_unused]] const auto& cluster : state.clusters.starting_with(region_prefix)) ++present;
  if (present < state.limits(call.region).clusters) return std::nullopt;
  return fault("ResourceLimitExceededException",
               fmt::format("Cluster limit exceeded for the region {}: {}", call.region, present), 0,
               {{"clusterName", *in.name}})
      .error();
}

std::optional<AwsFault> refuse_endpoint_access(bool is_public, bool is_private,
                                               const std::vector<std::string>& public_blocks,
                                               const std::string& cluster_name) {
  const Subject subject{.cluster = cluster_name};
  if (!is_public && !is_private) {
    return invalid_parameter("Private and public endpoint access cannot be false", subject).error();
  }
  for (const auto& block : public_blocks) {
    const auto parsed = Cidr::parse(block);
    if (parsed && parsed->text() == block) continue;
    return invalid_parameter(fmt::format("The following CIDRs are invalid in publicAccessCidrs: [{}]",
                                         shortened(block, 50)),
                             subject)
        .error();
  }
  return std::nullopt;
}

aws::eks::Logging whole_logging(const std::optional<aws::eks::Logging>& before,
                                const std::optional<aws::eks::Logging>& change) {
  std::set<std::string> enabled;
  apply(enabled, before);
  apply(enabled, change);
  std::vector<std::string> on;
  std::vector<std::string> off;
  for (const auto type : k_log_types) (enabled.contains(std::string(type)) ? on : off).emplace_back(type);
  std::vector<aws::eks::LogSetup> setups;
  if (!on.empty()) setups.push_back({.types = std::move(on), .enabled = true});
  if (!off.empty()) setups.push_back({.types = std::move(off), .enabled = false});
  return {.cluster_logging = std::move(setups)};
}

}  // namespace instantstart::sandbox::eks
