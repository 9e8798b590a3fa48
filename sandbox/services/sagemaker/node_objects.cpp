#include "sandbox/services/sagemaker/node_objects.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/digest.h"
#include "sandbox/services/eks/versions.h"

namespace instantstart::sandbox::sagemaker {
namespace {

constexpr std::int64_t k_kib_per_mib = 1024;
constexpr std::int64_t k_hugepages_mib = 5128;  ///< Set up on instances with EFA.
constexpr std::int64_t k_root_disk_kib = 100 * 1024 * 1024;
/// "Maximum pods per node" in the EKS user guide.
constexpr std::int64_t k_small_vcpus = 30;
constexpr std::int64_t k_most_pods_small = 110;
constexpr std::int64_t k_most_pods = 250;

std::int64_t pods_of(const InstanceShape& shape) {
  const std::int64_t by_addresses = shape.interfaces * (shape.addresses_per_interface - 1) + 2;
  return std::min(by_addresses, shape.vcpus < k_small_vcpus ? k_most_pods_small : k_most_pods);
}

/// bootstrap.sh of the EKS AMI: 255 MiB and 11 MiB a pod are kept, and 100 MiB for eviction.
std::int64_t reserved_memory_mib(const InstanceShape& shape) { return 255 + 11 * pods_of(shape) + 100; }

/// Of the same: 6 % of the first core, 1 % of the second, 0.5 % of two more, 0.25 % of the others.
std::int64_t reserved_millicores(std::int64_t cpus) {
  constexpr std::array<std::int64_t, 4> k_first = {60, 10, 5, 5};
  std::int64_t quarters = 0;  // Of a thousandth.
  for (std::int64_t i = 0; i < cpus; ++i) quarters += i < 4 ? k_first[static_cast<std::size_t>(i)] * 4 : 10;
  return quarters / 4;
}

void add_devices(const InstanceShape& shape, std::map<std::string, std::string>& resources) {
  const auto add = [&resources](std::string_view name, std::int64_t count) {
    if (count > 0) resources[std::string(name)] = std::to_string(count);
  };
  add("nvidia.com/gpu", shape.gpus);
  add("aws.amazon.com/neuron", shape.neuron_devices);
  add("aws.amazon.com/neurondevice", shape.neuron_devices);
  add("aws.amazon.com/neuroncore", shape.neuron_cores);
  add("vpc.amazonaws.com/efa", shape.efa_interfaces);
}

void add_resources(const InstanceShape& shape, std::int64_t threads_per_core, NodeSpec& node) {
  const std::int64_t cpus = threads_per_core == 1 ? shape.cores : shape.vcpus;
  const std::int64_t hugepages = shape.efa_interfaces > 0 ? k_hugepages_mib : 0;
  const std::int64_t memory = shape.memory_mib * 97 / 100;  // The kernel and firmware keep some.
  node.capacity = {{"cpu", std::to_string(cpus)},
                   {"memory", fmt::format("{}Ki", memory * k_kib_per_mib)},
                   {"pods", std::to_string(pods_of(shape))},
                   {"ephemeral-storage", fmt::format("{}Ki", k_root_disk_kib)},
                   {"hugepages-1Gi", "0"},
                   {"hugepages-2Mi", hugepages > 0 ? fmt::format("{}Mi", hugepages) : "0"}};
  add_devices(shape, node.capacity);
  node.allocatable = node.capacity;
  node.allocatable["cpu"] = fmt::format("{}m", cpus * 1000 - reserved_millicores(cpus));
  node.allocatable["memory"] =
      fmt::format("{}Ki", (memory - reserved_memory_mib(shape) - hugepages) * k_kib_per_mib);
  // The kubelet keeps a tenth and 1 GiB.
  node.allocatable["ephemeral-storage"] = std::to_string((k_root_disk_kib * 9 / 10 - 1024 * 1024) * 1024);
}

/// Nodes of one group share the upper layers of the network and are a few to a rack.
void add_topology(const NodeFacts& facts, std::map<std::string, std::string>& labels) {
  const auto layer = [](std::string_view text) {
    constexpr std::size_t k_digits = 17;
    return fmt::format("nn-{}", to_hex(sha256(text)).substr(0, k_digits));
  };
  const std::string& zone = *facts.node.placement->availability_zone_id;
  const std::string spine = fmt::format("{}/{}", facts.cluster.id, zone);
  labels["topology.k8s.aws/network-node-layer-1"] = layer(zone);
  labels["topology.k8s.aws/network-node-layer-2"] = layer(spine);
  labels["topology.k8s.aws/network-node-layer-3"] =
      layer(fmt::format("{}/{}", spine, facts.node.instance_id->back()));
}

std::map<std::string, std::string> labels_of(const NodeFacts& facts) {
  std::map<std::string, std::string> labels;
  if (facts.group.kubernetes_config) labels = aws::items(facts.group.kubernetes_config->desired_labels);
  const std::string& zone = *facts.node.placement->availability_zone;
  for (const std::string_view prefix : {"", "beta."}) {
    labels[fmt::format("{}kubernetes.io/arch", prefix)] = "amd64";
    labels[fmt::format("{}kubernetes.io/os", prefix)] = "linux";
  }
  labels["kubernetes.io/hostname"] = *facts.node.private_dns_hostname;
  labels["node.kubernetes.io/instance-type"] = facts.shape.type;
  labels["beta.kubernetes.io/instance-type"] = facts.shape.type;
  labels["topology.kubernetes.io/region"] = facts.cluster.region;
  labels["topology.kubernetes.io/zone"] = zone;
  labels["failure-domain.beta.kubernetes.io/region"] = facts.cluster.region;
  labels["failure-domain.beta.kubernetes.io/zone"] = zone;
  labels["topology.k8s.aws/zone-id"] = *facts.node.placement->availability_zone_id;
  labels["sagemaker.amazonaws.com/cluster-name"] = facts.cluster.name;
  labels["sagemaker.amazonaws.com/compute-type"] = "hyperpod";
  labels["sagemaker.amazonaws.com/instance-group-name"] = *facts.group.instance_group_name;
  labels[std::string(k_health_label)] = facts.deep_checks ? k_unschedulable : k_schedulable;
  if (facts.deep_checks) labels[std::string(k_deep_check_label)] = "InProgress";
  if (facts.shape.efa_interfaces > 0) add_topology(facts, labels);
  return labels;
}

}  // namespace

std::string node_name(std::string_view instance_id) { return fmt::format("hyperpod-{}", instance_id); }

NodeTaint health_taint() {
  return {.key = std::string(k_health_label), .value = std::string(k_unschedulable), .effect = "NoSchedule"};
}

std::vector<NodeTaint> taints_of(const std::vector<api::ClusterKubernetesTaint>& taints) {
  std::vector<NodeTaint> all;
  for (const auto& taint : taints) {
    all.push_back({.key = *taint.key, .value = taint.value.value_or(""), .effect = *taint.effect});
  }
  return all;
}

NodeSpec make_node(const NodeFacts& facts) {
  const std::string& id = *facts.node.instance_id;
  const auto* version = eks::find_version(facts.cluster.kubernetes_version);
  NodeSpec node{.name = node_name(id),
                .provider_id = fmt::format("aws:///{}/sagemaker/cluster/hyperpod-{}-{}",
                                           *facts.node.placement->availability_zone_id, facts.cluster.id, id),
                .internal_ip = *facts.node.private_primary_ip,
                .hostname = *facts.node.private_dns_hostname,
                .kubelet_version = fmt::format("v{}-eks-ecaa3a6", version ? version->patch : "1.34.2"),
                .os_image = "Amazon Linux 2023",
                .labels = labels_of(facts),
                .annotations = {},
                .taints = {},
                .capacity = {},
                .allocatable = {}};
  if (facts.group.kubernetes_config) {
    node.taints = taints_of(aws::items(facts.group.kubernetes_config->desired_taints));
  }
  if (facts.deep_checks) node.taints.push_back(health_taint());
  add_resources(facts.shape, facts.group.threads_per_core.value_or(2), node);
  return node;
}

}  // namespace instantstart::sandbox::sagemaker
