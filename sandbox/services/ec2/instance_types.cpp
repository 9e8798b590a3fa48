#include "sandbox/services/ec2/instance_types.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "sandbox/services/ec2/filters.h"
#include "sandbox/services/ec2/instance_type_table.h"
#include "sandbox/services/ec2/paging.h"

namespace instantstart::sandbox::ec2 {
namespace {

using aws::ec2::InstanceTypeInfo;

constexpr FilterName k_filters[] = {
    {"auto-recovery-supported", "AutoRecoverySupported"},
    {"bare-metal", "BareMetal"},
    {"burstable-performance-supported", "BurstablePerformanceSupported"},
    {"current-generation", "CurrentGeneration"},
    {"dedicated-hosts-supported", "DedicatedHostsSupported"},
    {"ebs-info.attachment-limit-type", "EbsInfo.AttachmentLimitType"},
    {"ebs-info.maximum-ebs-attachments", "EbsInfo.MaximumEbsAttachments"},
    {"ebs-info.ebs-optimized-info.baseline-bandwidth-in-mbps",
     "EbsInfo.EbsOptimizedInfo.BaselineBandwidthInMbps"},
    {"ebs-info.ebs-optimized-info.baseline-iops", "EbsInfo.EbsOptimizedInfo.BaselineIops"},
    {"ebs-info.ebs-optimized-info.baseline-throughput-in-mbps",
     "EbsInfo.EbsOptimizedInfo.BaselineThroughputInMBps"},
    {"ebs-info.ebs-optimized-info.maximum-bandwidth-in-mbps",
     "EbsInfo.EbsOptimizedInfo.MaximumBandwidthInMbps"},
    {"ebs-info.ebs-optimized-info.maximum-iops", "EbsInfo.EbsOptimizedInfo.MaximumIops"},
    {"ebs-info.ebs-optimized-info.maximum-throughput-in-mbps",
     "EbsInfo.EbsOptimizedInfo.MaximumThroughputInMBps"},
    {"ebs-info.ebs-optimized-support", "EbsInfo.EbsOptimizedSupport"},
    {"ebs-info.encryption-support", "EbsInfo.EncryptionSupport"},
    {"ebs-info.nvme-support", "EbsInfo.NvmeSupport"},
    {"free-tier-eligible", "FreeTierEligible"},
    {"hibernation-supported", "HibernationSupported"},
    {"hypervisor", "Hypervisor"},
    {"instance-storage-info.disk.count", "InstanceStorageInfo.Disks.Count"},
    {"instance-storage-info.disk.size-in-gb", "InstanceStorageInfo.Disks.SizeInGB"},
    {"instance-storage-info.disk.type", "InstanceStorageInfo.Disks.Type"},
    {"instance-storage-info.encryption-support", "InstanceStorageInfo.EncryptionSupport"},
    {"instance-storage-info.nvme-support", "InstanceStorageInfo.NvmeSupport"},
    {"instance-storage-info.total-size-in-gb", "InstanceStorageInfo.TotalSizeInGB"},
    {"instance-storage-supported", "InstanceStorageSupported"},
    {"instance-type", "InstanceType"},
    {"memory-info.size-in-mib", "MemoryInfo.SizeInMiB"},
    {"network-info.bandwidth-weightings", "NetworkInfo.BandwidthWeightings"},
    {"network-info.efa-info.maximum-efa-interfaces", "NetworkInfo.EfaInfo.MaximumEfaInterfaces"},
    {"network-info.efa-supported", "NetworkInfo.EfaSupported"},
    {"network-info.ena-support", "NetworkInfo.EnaSupport"},
    {"network-info.flexible-ena-queues-support", "NetworkInfo.FlexibleEnaQueuesSupport"},
    {"network-info.encryption-in-transit-supported", "NetworkInfo.EncryptionInTransitSupported"},
    {"network-info.ipv4-addresses-per-interface", "NetworkInfo.Ipv4AddressesPerInterface"},
    {"network-info.ipv6-addresses-per-interface", "NetworkInfo.Ipv6AddressesPerInterface"},
    {"network-info.ipv6-supported", "NetworkInfo.Ipv6Supported"},
    {"network-info.maximum-network-cards", "NetworkInfo.MaximumNetworkCards"},
    {"network-info.maximum-network-interfaces", "NetworkInfo.MaximumNetworkInterfaces"},
    {"network-info.network-performance", "NetworkInfo.NetworkPerformance"},
    {"nitro-enclaves-support", "NitroEnclavesSupport"},
    {"nitro-tpm-support", "NitroTpmSupport"},
    {"nitro-tpm-info.supported-versions", "NitroTpmInfo.SupportedVersions"},
    {"processor-info.supported-architecture", "ProcessorInfo.SupportedArchitectures"},
    {"processor-info.sustained-clock-speed-in-ghz", "ProcessorInfo.SustainedClockSpeedInGhz"},
    {"processor-info.supported-features", "ProcessorInfo.SupportedFeatures"},
    {"reboot-migration-support", "RebootMigrationSupport"},
    {"supported-boot-mode", "SupportedBootModes"},
    {"supported-root-device-type", "SupportedRootDeviceTypes"},
    {"supported-usage-class", "SupportedUsageClasses"},
    {"supported-virtualization-type", "SupportedVirtualizationTypes"},
    {"vcpu-info.default-cores", "VCpuInfo.DefaultCores"},
    {"vcpu-info.default-threads-per-core", "VCpuInfo.DefaultThreadsPerCore"},
    {"vcpu-info.default-vcpus", "VCpuInfo.DefaultVCpus"},
    {"vcpu-info.valid-cores", "VCpuInfo.ValidCores"},
    {"vcpu-info.valid-threads-per-core", "VCpuInfo.ValidThreadsPerCore"},
};

/// All types of the region, or those that the request names, by name.
Reply<std::vector<std::string>> requested_types(const Call& call,
                                                const aws::ec2::DescribeInstanceTypesRequest& in) {
  const bool elsewhere_too = in.include_unsupported_in_region.value_or(false);
  const auto is_here = [&](std::string_view type) {
    return find_instance_type(type) && (elsewhere_too || !zone_ids_offering(call.region, type).empty());
  };
  std::vector<std::string> types;
  std::vector<std::string> unknown;
  for (const auto& type : aws::items(in.instance_types)) (is_here(type) ? types : unknown).push_back(type);
  if (!unknown.empty()) return std::unexpected(no_such_types(join(unknown, ", ")));
  if (aws::items(in.instance_types).empty()) {
    for (const TypeRow& row : type_rows()) {
      std::string type = fmt::format("{}.{}", row.family, row.size);
      if (is_here(type)) types.push_back(std::move(type));
    }
  }
  std::ranges::sort(types);
  types.erase(std::ranges::unique(types).begin(), types.end());
  return types;
}

}  // namespace

AwsFault no_such_types(std::string_view types) {
  return {.code = "InvalidInstanceType",
          .message = fmt::format("The following supplied instance types do not exist: [{}]", types)};
}

Reply<aws::ec2::DescribeInstanceTypesResult> describe_instance_types(
    State&, const Call& call, const aws::ec2::DescribeInstanceTypesRequest& in) {
  auto filters = FilterSet::make(in.filters, k_filters);
  if (!filters) return std::unexpected(std::move(filters.error()));
  auto types = requested_types(call, in);
  if (!types) return std::unexpected(std::move(types.error()));
  std::vector<std::pair<std::string, InstanceTypeInfo>> sorted;
  for (auto& type : *types) {
    InstanceTypeInfo info = *find_instance_type(type);
    if (in.include_unsupported_in_region) {
      info.supported_in_region = !zone_ids_offering(call.region, type).empty();
    }
    sorted.emplace_back(std::move(type), std::move(info));
  }
  auto page = page_of(std::move(sorted), *filters, page_request(in));
  if (!page) return std::unexpected(std::move(page.error()));
  return aws::ec2::DescribeInstanceTypesResult{.instance_types = std::move(page->items),
                                               .next_token = page->next_token};
}

}  // namespace instantstart::sandbox::ec2
