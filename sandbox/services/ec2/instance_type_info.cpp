// Rows of the table as EC2 shows them.
#include <algorithm>

#include <fmt/format.h>

#include "sandbox/services/ec2/instance_type_table.h"
#include "sandbox/services/ec2/instance_types.h"

namespace instantstart::sandbox::ec2 {
namespace {

using aws::ec2::InstanceTypeInfo;
using Texts = std::vector<std::string>;

constexpr std::int64_t k_mib_per_gib = 1024;
constexpr std::int64_t k_threads_per_core = 2;

aws::ec2::NetworkInfo network_info(const NetworkRow& row) {
  std::vector<aws::ec2::NetworkCardInfo> cards;
  for (std::int64_t index = 0; index < row.cards; ++index) {
    cards.push_back({.network_card_index = index,
                     .network_performance = std::string(row.card_performance),
                     .maximum_network_interfaces = row.interfaces_per_card,
                     .baseline_bandwidth_in_gbps = row.baseline_gbps,
                     .peak_bandwidth_in_gbps = row.peak_gbps,
                     .interface_types = row.efa_interfaces > 0 ? Texts{"interface", "efa", "efa-only"}
                                                               : Texts{"interface"}});
  }
  aws::ec2::NetworkInfo info{.network_performance = std::string(row.performance),
                             .maximum_network_interfaces = row.interfaces,
                             .maximum_network_cards = row.cards,
                             .default_network_card_index = 0,
                             .network_cards = std::move(cards),
                             .ipv4_addresses_per_interface = row.addresses_per_interface,
                             .ipv6_addresses_per_interface = row.addresses_per_interface,
                             .ipv6_supported = true,
                             .ena_support = "required",
                             .efa_supported = row.efa_interfaces > 0,
                             .encryption_in_transit_supported = row.efa_interfaces > 0};
  if (row.efa_interfaces > 0) info.efa_info = aws::ec2::EfaInfo{.maximum_efa_interfaces = row.efa_interfaces};
  return info;
}

aws::ec2::EbsInfo ebs_info(const EbsRow& row) {
  constexpr double k_bits_per_byte = 8;
  return {.ebs_optimized_support = "default",
          .encryption_support = "supported",
          .ebs_optimized_info =
              aws::ec2::EbsOptimizedInfo{
                  .baseline_bandwidth_in_mbps = row.baseline_mbps,
                  .baseline_throughput_in_m_bps = static_cast<double>(row.baseline_mbps) / k_bits_per_byte,
                  .baseline_iops = row.baseline_iops,
                  .maximum_bandwidth_in_mbps = row.maximum_mbps,
                  .maximum_throughput_in_m_bps = static_cast<double>(row.maximum_mbps) / k_bits_per_byte,
                  .maximum_iops = row.maximum_iops},
          .nvme_support = "required",
          .maximum_ebs_attachments = row.attachments};
}

void add_accelerators(const FamilyRow& family, std::int64_t count, InstanceTypeInfo& info) {
  const std::int64_t total = count * family.accelerator_mib;
  if (!family.gpu.empty()) {
    info.gpu_info = aws::ec2::GpuInfo{
        .gpus = {{{.name = std::string(family.gpu),
                   .manufacturer = "NVIDIA",
                   .count = count,
                   .logical_gpu_count = count,
                   .gpu_partition_size = 1.0,
                   .workloads = family.capacity_blocks ? Texts{"ml-ai"} : Texts{"ml-ai", "graphics"},
                   .memory_info = aws::ec2::GpuDeviceMemoryInfo{.size_in_mi_b = family.accelerator_mib}}}},
        .total_gpu_memory_in_mi_b = total};
  }
  if (!family.neuron.empty()) {
    info.neuron_info = aws::ec2::NeuronInfo{
        .neuron_devices = {{{.count = count,
                             .name = std::string(family.neuron),
                             .core_info = aws::ec2::NeuronDeviceCoreInfo{.count = family.neuron_cores,
                                                                         .version = family.neuron_version},
                             .memory_info =
                                 aws::ec2::NeuronDeviceMemoryInfo{.size_in_mi_b = family.accelerator_mib}}}},
        .total_neuron_device_memory_in_mi_b = total};
  }
}

void add_disks(const DisksRow& row, InstanceTypeInfo& info) {
  info.instance_storage_supported = row.count > 0;
  if (row.count == 0) return;
  info.instance_storage_info = aws::ec2::InstanceStorageInfo{
      .total_size_in_gb = row.count * row.size_gb,
      .disks = {{{.size_in_gb = row.size_gb, .count = row.count, .type = "ssd"}}},
      .nvme_support = "required",
      .encryption_support = "required"};
}

const FamilyRow& family_of(const TypeRow& row) {
  return *std::ranges::find(family_rows(), row.family, &FamilyRow::name);
}

InstanceTypeInfo info_of(const TypeRow& row) {
  const FamilyRow& family = family_of(row);
  InstanceTypeInfo info{
      .instance_type = fmt::format("{}.{}", row.family, row.size),
      .current_generation = family.current,
      .free_tier_eligible = false,
      .supported_usage_classes =
          family.capacity_blocks ? Texts{"capacity-block", "on-demand", "spot"} : Texts{"on-demand", "spot"},
      .supported_root_device_types = Texts{"ebs"},
      .supported_virtualization_types = Texts{"hvm"},
      .bare_metal = false,
      .hypervisor = "nitro",
      .processor_info = aws::ec2::ProcessorInfo{.supported_architectures = Texts{"x86_64"},
                                                .sustained_clock_speed_in_ghz = family.clock_ghz,
                                                .manufacturer = std::string(family.manufacturer)},
      .v_cpu_info = aws::ec2::VCpuInfo{.default_v_cpus = row.vcpus,
                                       .default_cores = row.vcpus / k_threads_per_core,
                                       .default_threads_per_core = k_threads_per_core,
                                       .valid_threads_per_core = {{1, k_threads_per_core}}},
      .memory_info = aws::ec2::MemoryInfo{.size_in_mi_b = row.memory_gib * k_mib_per_gib},
      .ebs_info = ebs_info(row.ebs),
      .network_info = network_info(row.network),
      .placement_group_info =
          aws::ec2::PlacementGroupInfo{.supported_strategies = family.burstable
                                                                   ? Texts{"partition", "spread"}
                                                                   : Texts{"cluster", "partition", "spread"}},
      .burstable_performance_supported = family.burstable,
      .auto_recovery_supported = row.disks.count == 0,
      .supported_boot_modes = Texts{"legacy-bios", "uefi"}};
  add_disks(row.disks, info);
  add_accelerators(family, row.accelerators, info);
  return info;
}

}  // namespace

std::optional<InstanceTypeInfo> find_instance_type(std::string_view name) {
  for (const TypeRow& row : type_rows()) {
    if (name == fmt::format("{}.{}", row.family, row.size)) return info_of(row);
  }
  return std::nullopt;
}

}  // namespace instantstart::sandbox::ec2
