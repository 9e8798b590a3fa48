#include "capabilities/catalog/offers.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/core.h>

namespace instantstart::capabilities {
namespace {

constexpr double k_mib_per_gib = 1024;
/// Service Quotas' own words for HyperPod's limits.
constexpr std::string_view k_quota_suffix = " for cluster usage";
constexpr std::string_view k_quota_prefix = "ml.";

/// Two digits after the point: 15.61 GiB, not 15.609375.
double to_gib(std::int64_t mib) { return std::round(static_cast<double>(mib) / k_mib_per_gib * 100) / 100; }

void add_accelerators(InstanceTypeView& view, const aws::ec2::InstanceTypeInfo& info) {
  if (info.gpu_info) {
    for (const auto& gpu : aws::items(info.gpu_info->gpus)) {
      view.accelerator = fmt::format("{} {}", gpu.manufacturer.value_or(""), gpu.name.value_or("GPU"));
      view.accelerators += gpu.count.value_or(0);
      if (gpu.memory_info && gpu.memory_info->size_in_mi_b) {
        view.accelerator_memory_gib = to_gib(*gpu.memory_info->size_in_mi_b);
      }
    }
  } else if (info.neuron_info) {
    for (const auto& device : aws::items(info.neuron_info->neuron_devices)) {
      view.accelerator = fmt::format("AWS {}", device.name.value_or("Neuron"));
      view.accelerators += device.count.value_or(0);
      if (device.memory_info && device.memory_info->size_in_mi_b) {
        view.accelerator_memory_gib = to_gib(*device.memory_info->size_in_mi_b);
      }
    }
  }
}

std::int64_t efa_interfaces(const aws::ec2::InstanceTypeInfo& info) {
  if (!info.network_info || !info.network_info->efa_supported.value_or(false)) return 0;
  const auto& efa = info.network_info->efa_info;
  return efa ? efa->maximum_efa_interfaces.value_or(1) : 1;
}

}  // namespace

bool zone_takes_control_plane(std::string_view zone_id) {
  constexpr auto k_refused = std::to_array<std::string_view>({"use1-az3", "usw1-az2", "cac1-az3"});
  return std::ranges::find(k_refused, zone_id) == k_refused.end();
}

std::vector<Zone> to_zones(const std::vector<aws::ec2::AvailabilityZone>& zones,
                           const std::set<std::string>* offering) {
  std::vector<Zone> answer;
  for (const auto& zone : zones) {
    if (zone.zone_type.value_or("availability-zone") != "availability-zone") continue;
    if (zone.opt_in_status.value_or("") == "not-opted-in") continue;
    auto& view = answer.emplace_back(Zone{.name = zone.zone_name.value_or(""),
                                          .id = zone.zone_id.value_or(""),
                                          .state = zone.state.value_or("")});
    view.control_plane = zone_takes_control_plane(view.id);
    if (offering) view.offers_type = offering->contains(view.name);
  }
  std::ranges::sort(answer, {}, &Zone::name);
  return answer;
}

Offerings to_offerings(const std::vector<aws::ec2::InstanceTypeOffering>& offerings) {
  Offerings by_type;
  for (const auto& offering : offerings) {
    by_type[offering.instance_type.value_or("")].push_back(offering.location.value_or(""));
  }
  for (auto& [type, zones] : by_type) std::ranges::sort(zones);
  return by_type;
}

ClusterQuotas to_cluster_quotas(const std::vector<aws::service_quotas::ServiceQuota>& quotas) {
  ClusterQuotas by_type;
  for (const auto& quota : quotas) {
    const std::string_view name = quota.quota_name ? std::string_view(*quota.quota_name) : std::string_view();
    if (!quota.value || !name.starts_with(k_quota_prefix) || !name.ends_with(k_quota_suffix)) continue;
    const auto type =
        name.substr(k_quota_prefix.size(), name.size() - k_quota_prefix.size() - k_quota_suffix.size());
    by_type[std::string(type)] = static_cast<std::int64_t>(*quota.value);
  }
  return by_type;
}

InstanceTypeView to_view(const aws::ec2::InstanceTypeInfo& info, const Offerings& offerings,
                         const ClusterQuotas& quotas) {
  InstanceTypeView view{.name = info.instance_type.value_or("")};
  if (info.v_cpu_info) view.vcpus = info.v_cpu_info->default_v_cpus.value_or(0);
  if (info.memory_info) view.memory_gib = to_gib(info.memory_info->size_in_mi_b.value_or(0));
  add_accelerators(view, info);
  view.efa_interfaces = efa_interfaces(info);
  if (const auto quota = quotas.find(view.name); quota != quotas.end()) view.quota = quota->second;
  if (const auto zones = offerings.find(view.name); zones != offerings.end()) view.zones = zones->second;
  return view;
}

}  // namespace instantstart::capabilities
