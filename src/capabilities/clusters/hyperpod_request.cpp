#include "capabilities/clusters/hyperpod_request.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/core.h>

#include "base/text.h"
#include "base/time.h"
#include "capabilities/clusters/lifecycle_script.h"
#include "capabilities/dependencies/pod_role.h"

namespace instantstart::capabilities {
namespace {

namespace sagemaker = aws::sagemaker;

const std::vector<std::string>& deep_checks() {
  static const std::vector<std::string> k_checks{"InstanceStress", "InstanceConnectivity"};
  return k_checks;
}

std::string to_wire(TaintEffect effect) {
  switch (effect) {
    case TaintEffect::no_schedule: return "NoSchedule";
    case TaintEffect::prefer_no_schedule: return "PreferNoSchedule";
    case TaintEffect::no_execute: return "NoExecute";
  }
  return "";
}

std::optional<sagemaker::ClusterKubernetesConfig> kubernetes_config(const InstanceGroup& group) {
  if (!group.labels && !group.taints) return std::nullopt;
  sagemaker::ClusterKubernetesConfig config;
  config.labels = group.labels;
  if (!group.taints) return config;
  config.taints.emplace();
  for (const auto& taint : *group.taints) {
    config.taints->push_back({.key = taint.key, .value = taint.value, .effect = to_wire(taint.effect)});
  }
  return config;
}

std::optional<std::string> text_of(const std::optional<aws::Timestamp>& time) {
  if (!time) return std::nullopt;
  return to_rfc3339(std::chrono::floor<milliseconds>(time->time));
}

bool same(const std::vector<sagemaker::ClusterKubernetesTaint>& a,
          const std::vector<sagemaker::ClusterKubernetesTaint>& b) {
  const auto text = [](const sagemaker::ClusterKubernetesTaint& taint) {
    return std::tie(taint.key, taint.value, taint.effect);
  };
  return std::ranges::is_permutation(a, b, {}, text, text);
}

/// Where nodes are not yet what their group wants.
std::vector<std::string> drift_of(const sagemaker::ClusterInstanceGroupDetails& group) {
  std::vector<std::string> drift;
  const auto differ = [&](std::string_view what, const auto& current, const auto& desired) {
    if (desired && current && current != desired) drift.emplace_back(what);
  };
  differ("image", group.current_image_id, group.desired_image_id);
  differ("image_version", group.current_image_release_version, group.desired_image_release_version);
  if (group.kubernetes_config) {
    const auto& config = *group.kubernetes_config;
    if (aws::items(config.current_labels) != aws::items(config.desired_labels)) drift.emplace_back("labels");
    if (!same(aws::items(config.current_taints), aws::items(config.desired_taints))) {
      drift.emplace_back("taints");
    }
  }
  if (group.current_count.value_or(0) != group.target_count.value_or(0)) drift.emplace_back("count");
  return drift;
}

template <class Node>
NodeView common_view(const Node& node) {
  NodeView view{.instance_id = node.instance_id,
                .logical_id = node.node_logical_id,
                .group = node.instance_group_name.value_or(""),
                .instance_type = node.instance_type,
                .launched_at = text_of(node.launch_time),
                .image_version = node.current_image_release_version};
  if (node.instance_status) {
    view.status = node.instance_status->status.value_or("");
    if (node.instance_status->message) {
      view.message = shortened(without_controls(*node.instance_status->message), 600);
    }
  }
  // HyperPod registers its nodes under their instance id (HyperPod guide, "Node names").
  if (node.instance_id) view.kubernetes_name = "hyperpod-" + *node.instance_id;
  return view;
}

}  // namespace

std::int64_t threads_per_core(const InstanceGroup& group) {
  if (group.threads_per_core) return *group.threads_per_core;
  const auto type = domain::ec2_name(group.instance_type);
  const bool wants_two =
      group.training_plan_arn || type.starts_with("p4") || type.starts_with("p5") || type.starts_with("p6");
  return wants_two ? 2 : 1;
}

bool has_deep_checks(const InstanceGroup& group) { return group.deep_health_checks.value_or(false); }

CapacityType capacity_of(const InstanceGroup& group) {
  if (group.capacity) return *group.capacity;
  return group.training_plan_arn ? CapacityType::training_plan : CapacityType::on_demand;
}

sagemaker::ClusterInstanceGroupSpecification to_specification(
    const InstanceGroup& group, const std::string& role_arn, const std::string& lifecycle_uri,
    const std::vector<std::string>& security_group_ids, const std::string& subnet_id) {
  sagemaker::ClusterInstanceGroupSpecification wanted;
  wanted.instance_group_name = group.name.value;
  wanted.instance_type = domain::sagemaker_name(domain::ec2_name(group.instance_type));
  wanted.instance_count = group.count;
  wanted.min_instance_count = group.min_count;
  wanted.execution_role = role_arn;
  wanted.threads_per_core = threads_per_core(group);
  wanted.life_cycle_config.emplace();
  wanted.life_cycle_config->source_s3_uri = lifecycle_uri;
  wanted.life_cycle_config->on_create = std::string(k_on_create);
  if (group.volume_gib) {
    sagemaker::ClusterInstanceStorageConfig storage;
    storage.ebs_volume_config.emplace();
    storage.ebs_volume_config->volume_size_in_gb = *group.volume_gib;
    if (group.volume_kms_key) storage.ebs_volume_config->volume_kms_key_id = group.volume_kms_key->value;
    wanted.instance_storage_configs = {std::move(storage)};
  }
  if (has_deep_checks(group)) wanted.on_start_deep_health_checks = deep_checks();
  if (group.training_plan_arn) wanted.training_plan_arn = group.training_plan_arn->value;
  if (capacity_of(group) == CapacityType::spot) {
    wanted.capacity_requirements.emplace();
    wanted.capacity_requirements->spot.emplace();
  }
  if (group.interface_mode) {
    wanted.network_interface.emplace();
    wanted.network_interface->interface_type =
        *group.interface_mode == InterfaceMode::efa ? "efa" : "efa-only";
  }
  wanted.kubernetes_config = kubernetes_config(group);
  if (!subnet_id.empty()) {
    wanted.override_vpc_config.emplace();
    wanted.override_vpc_config->security_group_ids = security_group_ids;
    wanted.override_vpc_config->subnets = {subnet_id};
  }
  return wanted;
}

sagemaker::ClusterInstanceGroupSpecification to_specification(
    const sagemaker::ClusterInstanceGroupDetails& group) {
  sagemaker::ClusterInstanceGroupSpecification kept;
  kept.instance_count = group.target_count;
  kept.min_instance_count = group.min_count;
  kept.instance_group_name = group.instance_group_name;
  kept.instance_type = group.instance_type;
  if (group.instance_requirements) {
    const auto& types = group.instance_requirements->desired_instance_types
                            ? group.instance_requirements->desired_instance_types
                            : group.instance_requirements->current_instance_types;
    kept.instance_requirements.emplace();
    kept.instance_requirements->instance_types = types;
    kept.instance_type.reset();  // Either of the two.
  }
  kept.life_cycle_config = group.life_cycle_config;
  kept.execution_role = group.execution_role;
  kept.threads_per_core = group.threads_per_core;
  kept.instance_storage_configs = group.instance_storage_configs;
  kept.on_start_deep_health_checks = group.on_start_deep_health_checks;
  kept.training_plan_arn = group.training_plan_arn;
  kept.override_vpc_config = group.override_vpc_config;
  kept.scheduled_update_config = group.scheduled_update_config;
  kept.image_id = group.desired_image_id;
  kept.image_release_version = group.desired_image_release_version;
  if (group.auto_patch_config) {
    kept.auto_patch_config.emplace();
    kept.auto_patch_config->patching_strategy = group.auto_patch_config->patching_strategy;
    kept.auto_patch_config->deployment_config = group.auto_patch_config->deployment_config;
    kept.auto_patch_config->idle_wait_window_in_seconds =
        group.auto_patch_config->idle_wait_window_in_seconds;
    kept.auto_patch_config->drain_policy = group.auto_patch_config->drain_policy;
    if (group.auto_patch_config->desired_patch_schedule) {
      kept.auto_patch_config->patch_schedule.emplace();
      kept.auto_patch_config->patch_schedule->next_patch_date =
          group.auto_patch_config->desired_patch_schedule->next_patch_date;
    }
  }
  if (group.kubernetes_config) {
    kept.kubernetes_config.emplace();
    kept.kubernetes_config->labels = group.kubernetes_config->desired_labels;
    kept.kubernetes_config->taints = group.kubernetes_config->desired_taints;
  }
  if (group.slurm_config) {
    kept.slurm_config.emplace();
    kept.slurm_config->node_type = group.slurm_config->node_type;
    kept.slurm_config->partition_names = group.slurm_config->partition_names;
  }
  kept.capacity_requirements = group.capacity_requirements;
  if (group.network_interface) {
    kept.network_interface.emplace();
    kept.network_interface->interface_type = group.network_interface->interface_type;
  }
  return kept;
}

sagemaker::CreateClusterRequest create_request(const HyperpodInput& input, const std::string& subnet_id,
                                               const std::string& operation_id) {
  sagemaker::CreateClusterRequest wanted;
  wanted.cluster_name = input.name;
  wanted.orchestrator.emplace();
  wanted.orchestrator->eks.emplace();
  wanted.orchestrator->eks->cluster_arn = input.eks_arn;
  wanted.node_recovery = "Automatic";
  wanted.node_provisioning_mode = "Continuous";
  wanted.vpc_config.emplace();
  wanted.vpc_config->security_group_ids = input.security_group_ids;
  wanted.vpc_config->subnets = {subnet_id};
  wanted.instance_groups = {to_specification(input.group, pod_role_arn(input.cluster, input.role_name),
                                             lifecycle_uri(input.cluster), {}, "")};
  wanted.tags.emplace();
  for (const auto& [key, value] : owner_tags(input.cluster, operation_id)) {
    wanted.tags->push_back({.key = key, .value = value});
  }
  // AmazonSageMakerHyperPodTrainingOperatorAccess lets the training operator look at nodes of clusters that
  // have it, and of no others.
  wanted.tags->push_back({.key = "SageMaker", .value = "true"});
  return wanted;
}

sagemaker::UpdateClusterRequest update_request(const HyperpodInput& input,
                                               const sagemaker::DescribeClusterResponse& cluster) {
  sagemaker::UpdateClusterRequest wanted;
  wanted.cluster_name = cluster.cluster_arn;
  wanted.node_recovery = "Automatic";
  wanted.instance_groups.emplace();
  for (const auto& group : aws::items(cluster.instance_groups)) {
    auto kept = to_specification(group);
    if (group.instance_group_name == input.group.name.value) {
      // Never fewer: SageMaker would choose the nodes that go by chance.
      kept.instance_count = std::max(kept.instance_count.value_or(0), input.group.count);
      if (input.group.deep_health_checks) {
        kept.on_start_deep_health_checks =
            has_deep_checks(input.group) ? deep_checks() : std::vector<std::string>();
      }
    }
    wanted.instance_groups->push_back(std::move(kept));
  }
  return wanted;
}

GroupView to_view(const sagemaker::ClusterInstanceGroupDetails& group,
                  const std::vector<std::string>& cluster_subnets) {
  GroupView view{.name = group.instance_group_name.value_or(""),
                 .instance_type = group.instance_type,
                 .status = group.status.value_or(""),
                 .target = group.target_count.value_or(0),
                 .current = group.current_count.value_or(0),
                 .min_count = group.min_count,
                 .training_plan_arn = group.training_plan_arn,
                 .subnet_ids = cluster_subnets,
                 .deep_health_checks = aws::items(group.on_start_deep_health_checks),
                 .image_version = group.current_image_release_version,
                 .drift = drift_of(group)};
  if (group.capacity_requirements && group.capacity_requirements->spot) view.capacity = CapacityType::spot;
  if (group.training_plan_arn) view.capacity = CapacityType::training_plan;
  if (group.network_interface) view.interface_mode = group.network_interface->interface_type;
  if (group.override_vpc_config) view.subnet_ids = aws::items(group.override_vpc_config->subnets);
  return view;
}

HyperpodView to_view(const sagemaker::DescribeClusterResponse& cluster, bool ours) {
  HyperpodView view{.name = cluster.cluster_name.value_or(""),
                    .arn = cluster.cluster_arn.value_or(""),
                    .status = cluster.cluster_status.value_or(""),
                    .created_at = text_of(cluster.creation_time),
                    .orchestrator = cluster.orchestrator && cluster.orchestrator->eks ? "eks" : "slurm",
                    .node_recovery = cluster.node_recovery,
                    .provisioning = cluster.node_provisioning_mode,
                    .ours = ours};
  std::vector<std::string> subnets;
  if (cluster.vpc_config) subnets = aws::items(cluster.vpc_config->subnets);
  for (const auto& group : aws::items(cluster.instance_groups)) {
    view.groups.push_back(to_view(group, subnets));
  }
  std::ranges::sort(view.groups, {}, &GroupView::name);
  return view;
}

NodeView to_view(const sagemaker::ClusterNodeSummary& node) { return common_view(node); }

NodeView to_view(const sagemaker::ClusterNodeDetails& node) { return common_view(node); }

}  // namespace instantstart::capabilities
