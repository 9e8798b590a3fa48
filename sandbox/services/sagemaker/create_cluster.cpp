#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "sandbox/core/arn.h"
#include "sandbox/services/sagemaker/cluster_events.h"
#include "sandbox/services/sagemaker/cluster_run.h"
#include "sandbox/services/sagemaker/clusters.h"
#include "sandbox/services/sagemaker/errors.h"
#include "sandbox/services/sagemaker/groups.h"
#include "sandbox/services/sagemaker/limits.h"
#include "sandbox/services/sagemaker/quota_use.h"
#include "sandbox/services/sagemaker/tags.h"

namespace instantstart::sandbox::sagemaker {
namespace {

using Refusal = std::optional<AwsFault>;
using Specs = std::vector<api::ClusterInstanceGroupSpecification>;

constexpr std::string_view k_hyperpod = "hyperpod.sagemaker.amazonaws.com";
/// As HyperPod's RBAC names its service-linked role.
constexpr std::string_view k_service_user = "hyperpod-service-linked-role";

/// The letters and digits of a cluster's id.
std::string make_cluster_id(World& world) {
  constexpr std::string_view k_letters = "abcdefghijklmnopqrstuvwxyz0123456789";
  constexpr int k_length = 12;
  std::string id;
  for (int i = 0; i < k_length; ++i) id += k_letters[world.random().next() % k_letters.size()];
  return id;
}

Refusal invalid(std::string message) { return validation(std::move(message)).error(); }

/// What is refused without a look at the world.
Refusal refuse_form(const api::CreateClusterRequest& in) {
  if (!is_name(*in.cluster_name)) {
    return invalid(
        fmt::format("ClusterName {} is invalid: it must consist of letters, digits and hyphens, and begin "
                    "and end with a letter or digit.",
                    *in.cluster_name));
  }
  if (!in.orchestrator || !in.orchestrator->eks || in.orchestrator->slurm) {
    return not_simulated("HyperPod clusters with the Slurm orchestrator; give Orchestrator.Eks").error();
  }
  if (!aws::items(in.restricted_instance_groups).empty() || in.restricted_instance_groups_config) {
    return not_simulated("restricted instance groups").error();
  }
  if (aws::items(in.instance_groups).empty())
    return invalid("At least one instance group must be specified.");
  if (!in.vpc_config) return invalid("VpcConfig is required when the orchestrator is EKS.");
  return refuse_names(*in.instance_groups);
}

Reply<eks::ClusterSummary> find_eks(const State& state, const Call& call, const std::string& arn) {
  const auto cluster = state.others.eks.find_cluster(call.region, eks_name(arn));
  if (!cluster || cluster->arn != arn) {
    return validation(fmt::format("EKS cluster {} does not exist in this account and region.", arn));
  }
  if (cluster->status != "ACTIVE") {
    return validation(fmt::format("EKS cluster {} must be ACTIVE; it is {}.", arn, cluster->status));
  }
  if (cluster->authentication_mode == "CONFIG_MAP") {
    return validation(fmt::format(
        "EKS cluster {} must have the authentication mode API or API_AND_CONFIG_MAP; it has CONFIG_MAP.",
        arn));
  }
  for (const auto& [key, other] : state.clusters.starting_with(cluster_key(call.region, ""))) {
    if (other.orchestrator->eks->cluster_arn != arn) continue;
    return fault("ResourceInUse", fmt::format("EKS cluster {} is already used by the HyperPod cluster {}.",
                                              arn, *other.cluster_name));
  }
  return *cluster;
}

Refusal refuse_dependencies(const State& state, const eks::ClusterSummary& eks) {
  const auto missing = state.others.nodes.missing_dependencies(eks.id);
  if (missing.empty()) return std::nullopt;
  return invalid(fmt::format(
      "EKS cluster {} is missing one or more required dependencies: {}. Please ensure that all "
      "required dependencies are installed, with the HyperPod Helm chart for example, and try again.",
      eks.arn, fmt::join(missing, ", ")));
}

Refusal refuse_groups(const State& state, const GroupSurroundings& around, const Specs& specs) {
  std::vector<Demand> demands;
  for (const auto& spec : specs) {
    if (auto refusal = refuse_group(state, around, spec)) return refusal;
    const auto more = demand_of(group_of(spec), *spec.instance_count);
    demands.insert(demands.end(), more.begin(), more.end());
  }
  return refuse_demand(state, around.region, demands, 0);
}

api::DescribeClusterResponse record_of(const State& state, const Call& call,
                                       const api::CreateClusterRequest& in, const std::string& id) {
  api::DescribeClusterResponse cluster;
  cluster.cluster_arn =
      make_arn("sagemaker", call.region, state.world.account(), fmt::format("cluster/{}", id));
  cluster.cluster_name = in.cluster_name;
  cluster.cluster_status = "Creating";
  cluster.creation_time = now(state);
  cluster.instance_groups.emplace();
  for (const auto& spec : *in.instance_groups) cluster.instance_groups->push_back(group_of(spec));
  cluster.vpc_config = in.vpc_config;
  cluster.orchestrator = in.orchestrator;
  cluster.tiered_storage_config = in.tiered_storage_config;
  cluster.node_recovery = in.node_recovery.value_or("Automatic");
  cluster.node_provisioning_mode = in.node_provisioning_mode;
  cluster.cluster_role = in.cluster_role;
  if (in.auto_scaling) cluster.auto_scaling = autoscaling_of(*in.auto_scaling);
  return cluster;
}

bool has_entry(const State& state, const Call& call, const aws::eks::CreateAccessEntryRequest& entry) {
  const aws::eks::DescribeAccessEntryRequest question{.cluster_name = entry.cluster_name,
                                                      .principal_arn = entry.principal_arn};
  return state.others.eks.answer_now(aws::eks::DescribeAccessEntry::info(), call, &question).has_value();
}

/// Capacity that isn't there is found out group by group; anything else ends the creation as a whole.
bool is_of_capacity(std::string_view code) { return code.contains("Capacity"); }

void tell_creation(State& state, const Call& call, const std::string& key, const Specs& specs) {
  api::ClusterMetadata metadata{
      .eks_role_access_entries = std::vector<std::string>{},
      .slr_access_entry = make_global_arn(
          "iam", call.region, state.world.account(),
          fmt::format("role/aws-service-role/{}/AWSServiceRoleForSageMakerHyperPod", k_hyperpod))};
  std::set<std::string> roles;
  for (const auto& spec : specs) roles.insert(*spec.execution_role);
  metadata.eks_role_access_entries->assign(roles.begin(), roles.end());
  tell(state, key, {.description = "Cluster creation began", .metadata = {.cluster = std::move(metadata)}});
}

}  // namespace

std::string eks_name(std::string_view arn) { return std::string(arn.substr(arn.rfind('/') + 1)); }

void plan_group_failure(State& state, const Call& call, const std::string& group_key) {
  state.groups.edit(group_key, [&call](GroupInternals& group) {
    group.failure_code.reset();
    group.failure_message.reset();
    if (!call.fails_later) return;
    group.failure_code = call.fails_later->code;
    group.failure_message = call.fails_later->message;
  });
}

Refusal add_access_entries(State& state, const Call& call, const std::string& eks_cluster,
                           const Specs& groups) {
  state.others.iam.ensure_service_linked_role(call.region, k_hyperpod);
  Call on_behalf = call;
  on_behalf.invoked_by = "sagemaker.amazonaws.com";
  on_behalf.fails_later.reset();
  std::vector<aws::eks::CreateAccessEntryRequest> entries;
  entries.push_back(
      {.cluster_name = eks_cluster,
       .principal_arn = make_global_arn(
           "iam", call.region, state.world.account(),
           fmt::format("role/aws-service-role/{}/AWSServiceRoleForSageMakerHyperPod", k_hyperpod)),
       .username = std::string(k_service_user),
       .type = "STANDARD"});
  std::set<std::string> roles;
  for (const auto& spec : groups) roles.insert(*spec.execution_role);
  for (const auto& role : roles) {
    entries.push_back({.cluster_name = eks_cluster, .principal_arn = role, .type = "HYPERPOD_LINUX"});
  }
  for (const auto& entry : entries) {
    if (has_entry(state, on_behalf, entry)) continue;
    auto made = state.others.calls.call<aws::eks::CreateAccessEntry>(on_behalf, entry);
    if (!made) return std::move(made.error());
  }
  return std::nullopt;
}

Refusal refuse_autoscaling(const State& state, bool continuous, bool recovers,
                           const std::optional<api::ClusterAutoScalingConfig>& config,
                           const std::optional<std::string>& cluster_role) {
  if (!config || config->mode != "Enable") return std::nullopt;
  if (!continuous) return invalid("AutoScaling requires NodeProvisioningMode Continuous.");
  if (!recovers) return invalid("AutoScaling requires NodeRecovery Automatic.");
  if (!cluster_role) return invalid("AutoScaling requires ClusterRole.");
  if (state.others.iam.find_role(*cluster_role)) return std::nullopt;
  return invalid(fmt::format("ClusterRole {} does not exist.", *cluster_role));
}

api::ClusterAutoScalingConfigOutput autoscaling_of(const api::ClusterAutoScalingConfig& config) {
  return {.mode = config.mode,
          .auto_scaler_type = config.auto_scaler_type.value_or("Karpenter"),
          .status = "InService"};
}

Reply<api::CreateClusterResponse> create_cluster(State& state, const Call& call,
                                                 const api::CreateClusterRequest& in) {
  const std::string key = cluster_key(call.region, *in.cluster_name);
  if (state.clusters.contains(key)) {
    return fault("ResourceInUse", fmt::format("Cluster with name {} already exists.", *in.cluster_name));
  }
  if (auto refusal = refuse_form(in)) return std::unexpected(std::move(*refusal));
  if (auto refusal = refuse_tags(aws::items(in.tags), {})) return std::unexpected(std::move(*refusal));
  const auto eks = find_eks(state, call, *in.orchestrator->eks->cluster_arn);
  if (!eks) return std::unexpected(eks.error());
  const GroupSurroundings around{.region = call.region,
                                 .vpc_id = eks->vpc_id,
                                 .continuous = in.node_provisioning_mode == "Continuous",
                                 .network = *in.vpc_config};
  if (auto refusal = refuse_network(state, around, *in.vpc_config))
    return std::unexpected(std::move(*refusal));
  if (auto refusal = refuse_autoscaling(state, around.continuous, in.node_recovery != "None", in.auto_scaling,
                                        in.cluster_role)) {
    return std::unexpected(std::move(*refusal));
  }
  if (auto refusal = refuse_groups(state, around, *in.instance_groups))
    return std::unexpected(std::move(*refusal));
  if (auto refusal = refuse_dependencies(state, *eks)) return std::unexpected(std::move(*refusal));
  if (auto refusal = add_access_entries(state, call, eks_name(eks->arn), *in.instance_groups)) {
    return std::unexpected(std::move(*refusal));
  }
  const std::string id = make_cluster_id(state.world);
  api::DescribeClusterResponse record = record_of(state, call, in, id);
  const std::string arn = *record.cluster_arn;
  ClusterInternals internals{.region = call.region,
                             .name = *in.cluster_name,
                             .id = id,
                             .eks_cluster_id = eks->id,
                             .kubernetes_version = eks->kubernetes_version};
  const bool fails = call.fails_later && around.continuous && !is_of_capacity(call.fails_later->code);
  if (fails) internals.failure_message = call.fails_later->message;
  state.clusters.put(key, std::move(record));
  state.cluster_internals.put(key, std::move(internals));
  for (const auto& spec : *in.instance_groups) {
    const std::string group_key = child_key(key, *spec.instance_group_name);
    state.groups.put(group_key, {});
    plan_group_failure(state, call, group_key);
  }
  put_tags(state, arn, aws::items(in.tags));
  tell_creation(state, call, key, *in.instance_groups);
  state.world.set_timer(k_cluster_timer, key, k_time_to_set_up);
  return api::CreateClusterResponse{.cluster_arn = arn};
}

}  // namespace instantstart::sandbox::sagemaker
