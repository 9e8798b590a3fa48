// Figures of instance types, as DescribeInstanceTypes answers them (September 2026). Those that clusters are
// made of and a few small ones; no others exist here.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace instantstart::sandbox::ec2 {

/// What all sizes of a family share.
struct FamilyRow {
  std::string_view name;          ///< "p5"
  std::string_view manufacturer;  ///< of the processor
  double clock_ghz;
  std::string_view gpu;          ///< "H100"; empty: no GPUs.
  std::string_view neuron;       ///< "Trainium"; empty: no Neuron devices.
  std::int64_t accelerator_mib;  ///< Memory of one GPU or Neuron device.
  std::int64_t neuron_cores;     ///< of one device
  std::int64_t neuron_version;
  bool capacity_blocks;  ///< Sold in capacity blocks too.
  bool burstable;
  bool current;
};

struct NetworkRow {
  std::string_view performance;       ///< "3200 Gigabit"
  std::string_view card_performance;  ///< of each card
  double baseline_gbps;               ///< of each card
  double peak_gbps;
  std::int64_t cards;
  std::int64_t interfaces_per_card;
  std::int64_t interfaces;  ///< of the instance
  std::int64_t addresses_per_interface;
  std::int64_t efa_interfaces;  ///< 0: no EFA.
};

struct DisksRow {
  std::int64_t count;
  std::int64_t size_gb;
};

struct EbsRow {
  std::int64_t baseline_mbps;
  std::int64_t maximum_mbps;
  std::int64_t baseline_iops;
  std::int64_t maximum_iops;
  std::int64_t attachments;
};

struct TypeRow {
  std::string_view family;
  std::string_view size;
  std::int64_t vcpus;
  std::int64_t memory_gib;
  std::int64_t accelerators;  ///< GPUs or Neuron devices
  NetworkRow network;
  DisksRow disks;
  EbsRow ebs;
};

std::span<const FamilyRow> family_rows();
std::span<const TypeRow> type_rows();

}  // namespace instantstart::sandbox::ec2
