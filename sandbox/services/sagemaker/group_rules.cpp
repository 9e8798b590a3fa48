#include "sandbox/services/sagemaker/group_rules.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/pattern.h"
#include "sandbox/core/record.h"
#include "sandbox/services/eks/trust.h"
#include "sandbox/services/sagemaker/errors.h"
#include "sandbox/services/sagemaker/groups.h"
#include "sandbox/services/sagemaker/images.h"
#include "sandbox/services/sagemaker/instance_choice.h"
#include "sandbox/services/sagemaker/quota_use.h"
#include "sandbox/services/sagemaker/training_plans.h"

namespace instantstart::sandbox::sagemaker {
namespace {

using api::ClusterInstanceGroupDetails;
using api::ClusterInstanceGroupSpecification;
using Refusal = std::optional<AwsFault>;

Refusal invalid(std::string message) { return validation(std::move(message)).error(); }

std::vector<std::string> types_in(const ClusterInstanceGroupSpecification& spec) {
  if (spec.instance_type) return {*spec.instance_type};
  return spec.instance_requirements ? aws::items(spec.instance_requirements->instance_types)
                                    : std::vector<std::string>();
}

bool wants_spot(const ClusterInstanceGroupSpecification& spec) {
  return spec.capacity_requirements && spec.capacity_requirements->spot;
}

Refusal refuse_continuous_fields(const GroupSurroundings& around,
                                 const ClusterInstanceGroupSpecification& spec) {
  const std::string& name = *spec.instance_group_name;
  if (spec.min_instance_count && *spec.min_instance_count > *spec.instance_count) {
    return invalid(
        fmt::format("MinInstanceCount of instance group {} must not exceed its InstanceCount.", name));
  }
  if (around.continuous) return std::nullopt;
  const auto needs = [&name](std::string_view field) {
    return invalid(
        fmt::format("{} of instance group {} requires NodeProvisioningMode Continuous.", field, name));
  };
  if (spec.min_instance_count) return needs("MinInstanceCount");
  if (spec.instance_requirements) return needs("InstanceRequirements");
  if (wants_spot(spec)) return needs("CapacityRequirements.Spot");
  return std::nullopt;
}

Refusal refuse_types(const State& state, const GroupSurroundings& around,
                     const ClusterInstanceGroupSpecification& spec) {
  const std::string& name = *spec.instance_group_name;
  if (spec.instance_type.has_value() == spec.instance_requirements.has_value()) {
    return invalid(fmt::format(
        "Exactly one of InstanceType and InstanceRequirements must be specified for instance group {}.",
        name));
  }
  const auto& network = spec.override_vpc_config ? *spec.override_vpc_config : around.network;
  const auto& subnets = aws::items(network.subnets);
  const auto types = types_in(spec);
  const bool offered = std::ranges::any_of(types, [&](const std::string& type) {
    return shape_of(type) && is_offered(state, around.region, type, subnets);
  });
  if (!offered) {
    return invalid(
        fmt::format("Instance type {} of instance group {} is not supported in the Availability Zones of the "
                    "subnets {}.",
                    fmt::join(types, ", "), name, fmt::join(subnets, ", ")));
  }
  const bool wants_efa = spec.network_interface && spec.network_interface->interface_type.has_value();
  const bool has_efa = std::ranges::all_of(types, [](const std::string& type) {
    const auto shape = shape_of(type);
    return !shape || shape->efa_interfaces > 0;
  });
  if (wants_efa && !has_efa) {
    return invalid(
        fmt::format("Instance group {}: the instance type {} does not support the network interface "
                    "type {}.",
                    name, fmt::join(types, ", "), *spec.network_interface->interface_type));
  }
  return std::nullopt;
}

Refusal refuse_storage(const State& state, const GroupSurroundings& around,
                       const ClusterInstanceGroupSpecification& spec) {
  for (const auto& storage : aws::items(spec.instance_storage_configs)) {
    if (!storage.ebs_volume_config) continue;
    const auto& volume = *storage.ebs_volume_config;
    const bool root = volume.root_volume.value_or(false);
    if (root && (!volume.volume_kms_key_id || volume.volume_size_in_gb)) {
      return invalid("A root volume needs VolumeKmsKeyId and takes no VolumeSizeInGB.");
    }
    if (!root && !volume.volume_size_in_gb) return invalid("VolumeSizeInGB of an EBS volume is required.");
    if (root) continue;
    if (auto refusal = refuse_volume(state, around.region, *volume.volume_size_in_gb)) return refusal;
  }
  return std::nullopt;
}

Refusal refuse_image(const ClusterInstanceGroupSpecification& spec) {
  if (spec.image_release_version && !is_release(*spec.image_release_version)) {
    return invalid(fmt::format("Image release version {} is not available.", *spec.image_release_version));
  }
  if (spec.life_cycle_config && spec.life_cycle_config->source_s3_uri && !spec.life_cycle_config->on_create &&
      !spec.life_cycle_config->on_init_complete) {
    return invalid("LifeCycleConfig needs OnCreate or OnInitComplete with SourceS3Uri.");
  }
  if (spec.slurm_config) return invalid("SlurmConfig is not supported with the EKS orchestrator.");
  return std::nullopt;
}

Refusal refuse_plan(const State& state, const GroupSurroundings& around,
                    const ClusterInstanceGroupSpecification& spec, std::int64_t present) {
  if (!spec.training_plan_arn) return std::nullopt;
  const auto plan = find_plan(state, around.region, *spec.training_plan_arn);
  if (!plan) return invalid(fmt::format("Training plan {} does not exist.", *spec.training_plan_arn));
  const auto& capacity = plan->reserved_capacity_summaries->front();
  if (spec.instance_type != capacity.instance_type) {
    return invalid(fmt::format("Training plan {} is for the instance type {}.", *plan->training_plan_name,
                               *capacity.instance_type));
  }
  if (plan->status != "Active" && plan->status != "Scheduled") {
    return invalid(fmt::format("Training plan {} is {}.", *plan->training_plan_name, *plan->status));
  }
  if (*spec.instance_count - present > *plan->available_instance_count) {
    return invalid(fmt::format("Training plan {} has {} available instances; {} more were requested.",
                               *plan->training_plan_name, *plan->available_instance_count,
                               *spec.instance_count - present));
  }
  const auto& network = spec.override_vpc_config ? *spec.override_vpc_config : around.network;
  const auto& subnets = aws::items(network.subnets);
  const bool in_zone = std::ranges::any_of(subnets, [&](const std::string& id) {
    const auto* subnet = state.others.network.find_subnet(around.region, id);
    return subnet && subnet->availability_zone == capacity.availability_zone;
  });
  if (!in_zone) {
    return invalid(fmt::format("Training plan {} is in {}, where instance group {} has no subnet.",
                               *plan->training_plan_name, *capacity.availability_zone,
                               *spec.instance_group_name));
  }
  return wants_spot(spec) ? invalid("A training plan can't be used with Spot instances.") : std::nullopt;
}

template <class T>
bool differs(const std::optional<T>& present, const std::optional<T>& wanted) {
  return wanted && record_to_json(wanted.value()) != (present ? record_to_json(*present) : json::object());
}
bool differs(const std::optional<std::string>& present, const std::optional<std::string>& wanted) {
  return wanted && present != wanted;
}

}  // namespace

Refusal refuse_network(const State& state, const GroupSurroundings& around, const api::VpcConfig& network) {
  for (const auto& id : aws::items(network.subnets)) {
    const auto* subnet = state.others.network.find_subnet(around.region, id);
    if (!subnet) return invalid(fmt::format("The subnet ID '{}' does not exist", id));
    if (subnet->vpc_id != around.vpc_id) {
      return invalid(fmt::format("Subnet {} is not in the VPC {} of the EKS cluster.", id, around.vpc_id));
    }
  }
  for (const auto& id : aws::items(network.security_group_ids)) {
    const auto* group = state.others.network.find_group(around.region, id);
    if (!group) return invalid(fmt::format("The security group '{}' does not exist", id));
    if (group->vpc_id != around.vpc_id) {
      return invalid(
          fmt::format("Security group {} is not in the VPC {} of the EKS cluster.", id, around.vpc_id));
    }
  }
  return std::nullopt;
}

Refusal refuse_role(const State& state, const std::string& role_arn) {
  const auto role = state.others.iam.find_role(role_arn);
  if (role && eks::trusts_service(role->trust_policy, "sagemaker.amazonaws.com")) return std::nullopt;
  return invalid(
      fmt::format("Could not assume role {}. Please ensure that the role exists and allows principal "
                  "'sagemaker.amazonaws.com' to assume the role.",
                  role_arn));
}

Refusal refuse_group(const State& state, const GroupSurroundings& around,
                     const ClusterInstanceGroupSpecification& spec, std::int64_t present) {
  if (auto refusal = refuse_continuous_fields(around, spec)) return refusal;
  if (auto refusal = refuse_role(state, *spec.execution_role)) return refusal;
  if (spec.override_vpc_config) {
    if (auto refusal = refuse_network(state, around, *spec.override_vpc_config)) return refusal;
  }
  if (auto refusal = refuse_types(state, around, spec)) return refusal;
  if (auto refusal = refuse_storage(state, around, spec)) return refusal;
  if (auto refusal = refuse_image(spec)) return refusal;
  return refuse_plan(state, around, spec, present);
}

bool is_name(const std::string& text) {
  constexpr std::size_t k_longest = 63;
  static const Pattern k_pattern("^[a-zA-Z0-9](-*[a-zA-Z0-9])*$");
  return text.size() <= k_longest && k_pattern.matches(text);
}

Refusal refuse_names(const std::vector<ClusterInstanceGroupSpecification>& specs) {
  std::set<std::string> names;
  for (const auto& spec : specs) {
    if (!is_name(*spec.instance_group_name)) {
      return invalid(
          fmt::format("InstanceGroupName {} is invalid: it must consist of letters, digits and "
                      "hyphens, and begin and end with a letter or digit.",
                      *spec.instance_group_name));
    }
    if (names.insert(*spec.instance_group_name).second) continue;
    return invalid(fmt::format("Instance group name {} is used more than once.", *spec.instance_group_name));
  }
  return std::nullopt;
}

Refusal refuse_changes(const ClusterInstanceGroupDetails& present,
                       const ClusterInstanceGroupSpecification& spec) {
  const auto fixed = [&spec](std::string_view field) {
    return invalid(
        fmt::format("{} of instance group {} can not be updated.", field, *spec.instance_group_name));
  };
  const ClusterInstanceGroupDetails wanted = group_of(spec);
  if (present.instance_type.has_value() != wanted.instance_type.has_value() ||
      differs(present.instance_type, wanted.instance_type)) {
    return fixed("InstanceType");
  }
  if (differs(present.execution_role, wanted.execution_role)) return fixed("ExecutionRole");
  if (spec.threads_per_core && present.threads_per_core != spec.threads_per_core)
    return fixed("ThreadsPerCore");
  if (differs(present.override_vpc_config, wanted.override_vpc_config)) return fixed("OverrideVpcConfig");
  if (differs(present.network_interface, wanted.network_interface)) return fixed("NetworkInterface");
  if (differs(present.training_plan_arn, wanted.training_plan_arn)) return fixed("TrainingPlanArn");
  if (spec.capacity_requirements && is_spot(present) != is_spot(wanted)) return fixed("CapacityRequirements");
  return std::nullopt;
}

}  // namespace instantstart::sandbox::sagemaker
