#include "sandbox/services/sagemaker/instance_choice.h"

#include <algorithm>

#include <fmt/format.h>

#include "sandbox/services/ec2/instance_types.h"

namespace instantstart::sandbox::sagemaker {
namespace {

constexpr std::string_view k_prefix = "ml.";

std::string_view ec2_name(std::string_view type) {
  if (type.starts_with(k_prefix)) type.remove_prefix(k_prefix.size());
  return type;
}

bool contains(const std::vector<std::string>& list, std::string_view value) {
  return std::ranges::find(list, value) != list.end();
}

bool is_offered_in(const aws::ec2::Subnet& subnet, std::string_view region, std::string_view type) {
  return contains(ec2::zone_ids_offering(region, ec2_name(type)), *subnet.availability_zone_id);
}

void count_accelerators(const aws::ec2::InstanceTypeInfo& info, InstanceShape& shape) {
  if (info.gpu_info) {
    for (const auto& gpu : aws::items(info.gpu_info->gpus)) shape.gpus += gpu.count.value_or(0);
  }
  if (!info.neuron_info) return;
  for (const auto& device : aws::items(info.neuron_info->neuron_devices)) {
    const std::int64_t count = device.count.value_or(0);
    shape.neuron_devices += count;
    if (device.core_info) shape.neuron_cores += count * device.core_info->count.value_or(0);
  }
}

}  // namespace

std::optional<InstanceShape> shape_of(std::string_view type) {
  if (!type.starts_with(k_prefix)) return std::nullopt;
  const auto info = ec2::find_instance_type(ec2_name(type));
  if (!info) return std::nullopt;
  InstanceShape shape{.type = std::string(type)};
  if (info->v_cpu_info) {
    shape.vcpus = info->v_cpu_info->default_v_cpus.value_or(0);
    shape.cores = info->v_cpu_info->default_cores.value_or(shape.vcpus);
  }
  if (info->memory_info) shape.memory_mib = info->memory_info->size_in_mi_b.value_or(0);
  count_accelerators(*info, shape);
  if (info->network_info) {
    const auto& network = *info->network_info;
    shape.interfaces = network.maximum_network_interfaces.value_or(0);
    shape.addresses_per_interface = network.ipv4_addresses_per_interface.value_or(0);
    if (network.efa_info) shape.efa_interfaces = network.efa_info->maximum_efa_interfaces.value_or(0);
  }
  return shape;
}

std::int64_t addresses_of(const InstanceShape& shape, bool efa_only) {
  const std::int64_t further = efa_only ? 0 : std::max<std::int64_t>(0, shape.efa_interfaces - 1);
  return std::max<std::int64_t>(1, shape.addresses_per_interface) + further;
}

std::vector<std::string> types_of(const api::ClusterInstanceGroupDetails& group) {
  if (group.instance_type) return {*group.instance_type};
  if (!group.instance_requirements) return {};
  return aws::items(group.instance_requirements->desired_instance_types);
}

const api::VpcConfig& network_of(const api::DescribeClusterResponse& cluster,
                                 const api::ClusterInstanceGroupDetails& group) {
  return group.override_vpc_config ? *group.override_vpc_config : *cluster.vpc_config;
}

Reply<Choice> choose_instance(const State& state, std::string_view region,
                              const api::DescribeClusterResponse& cluster,
                              const api::ClusterInstanceGroupDetails& group,
                              const std::vector<std::string>& zones, const std::vector<std::string>& types) {
  const bool efa_only = group.network_interface && group.network_interface->interface_type == "efa-only";
  const auto& subnets = aws::items(network_of(cluster, group).subnets);
  std::string full;
  for (const auto& type : types_of(group)) {
    const auto shape = shape_of(type);
    if (!shape || (!types.empty() && !contains(types, type))) continue;
    for (const auto& id : subnets) {
      const auto* subnet = state.others.network.find_subnet(region, id);
      if (!subnet || !is_offered_in(*subnet, region, type)) continue;
      if (!zones.empty() && !contains(zones, *subnet->availability_zone)) continue;
      const std::int64_t free = subnet->available_ip_address_count.value_or(0);
      const std::int64_t needed = addresses_of(*shape, efa_only);
      if (free >= needed) return Choice{.type = type, .subnet_id = id};
      full = fmt::format(
          "Insufficient IP addresses in subnet {}: an instance of type {} needs {}, {} are available. Free "
          "addresses in the subnet or use another subnet.",
          id, type, needed, free);
    }
  }
  if (!full.empty()) return fault("InsufficientFreeAddressesInSubnet", full);
  return fault("InsufficientInstanceCapacity",
               "We currently do not have sufficient capacity for the requested instance type(s) in the "
               "Availability Zones of the given subnets.");
}

bool is_offered(const State& state, std::string_view region, std::string_view type,
                const std::vector<std::string>& subnets) {
  return std::ranges::any_of(subnets, [&](const std::string& id) {
    const auto* subnet = state.others.network.find_subnet(region, id);
    return subnet && is_offered_in(*subnet, region, type);
  });
}

}  // namespace instantstart::sandbox::sagemaker
