#include "sandbox/services/sagemaker/node_objects.h"

#include <gtest/gtest.h>

namespace instantstart::sandbox::sagemaker {
namespace {

NodeSpec node_of(const std::string& type, bool deep_checks = false, std::int64_t threads = 2) {
  ClusterInternals cluster{.region = "us-west-2",
                           .name = "pod",
                           .id = "abc123def456",
                           .eks_cluster_id = "E",
                           .kubernetes_version = "1.34"};
  api::ClusterInstanceGroupDetails group;
  group.instance_group_name = "workers";
  group.threads_per_core = threads;
  group.kubernetes_config = api::ClusterKubernetesConfigDetails{
      .desired_labels = {{{"team", "a"}}},
      .desired_taints = {{{.key = "dedicated", .value = "x", .effect = "NoExecute"}}}};
  api::ClusterNodeDetails node;
  node.instance_id = "i-0123456789abcdef0";
  node.private_primary_ip = "10.0.1.5";
  node.private_dns_hostname = "ip-10-0-1-5.us-west-2.compute.internal";
  node.placement =
      api::ClusterInstancePlacement{.availability_zone = "us-west-2a", .availability_zone_id = "usw2-az2"};
  const InstanceShape shape = shape_of(type).value();
  return make_node(
      {.cluster = cluster, .group = group, .node = node, .shape = shape, .deep_checks = deep_checks});
}

TEST(MakeNode, HasTheNamesAndLabelsOfHyperPod) {
  const NodeSpec node = node_of("ml.p5.48xlarge");
  EXPECT_EQ(node.name, "hyperpod-i-0123456789abcdef0");
  EXPECT_EQ(node.provider_id, "aws:///usw2-az2/sagemaker/cluster/hyperpod-abc123def456-i-0123456789abcdef0");
  EXPECT_TRUE(node.kubelet_version.starts_with("v1.34."));
  const std::map<std::string, std::string> expected = {
      {"team", "a"},
      {"node.kubernetes.io/instance-type", "ml.p5.48xlarge"},
      {"topology.kubernetes.io/zone", "us-west-2a"},
      {"topology.k8s.aws/zone-id", "usw2-az2"},
      {"sagemaker.amazonaws.com/compute-type", "hyperpod"},
      {"sagemaker.amazonaws.com/instance-group-name", "workers"},
      {"sagemaker.amazonaws.com/cluster-name", "pod"},
      {"sagemaker.amazonaws.com/node-health-status", "Schedulable"},
      {"kubernetes.io/hostname", "ip-10-0-1-5.us-west-2.compute.internal"}};
  for (const auto& [key, value] : expected) EXPECT_EQ(node.labels.at(key), value) << key;
  EXPECT_TRUE(node.labels.contains("topology.k8s.aws/network-node-layer-3"));
  ASSERT_EQ(node.taints.size(), 1U);
  EXPECT_EQ(node.taints[0].effect, "NoExecute");
}

TEST(MakeNode, BeginsUnschedulableWhenDeepChecksRun) {
  const NodeSpec node = node_of("ml.g5.8xlarge", true);
  EXPECT_EQ(node.labels.at("sagemaker.amazonaws.com/node-health-status"), "Unschedulable");
  EXPECT_EQ(node.labels.at("sagemaker.amazonaws.com/deep-health-check-status"), "InProgress");
  EXPECT_EQ(node.taints.back(), health_taint());
}

TEST(MakeNode, HasTheResourcesOfItsType) {
  struct Case {
    std::string type;
    std::map<std::string, std::string> capacity;
  };
  const Case cases[] = {
      {"ml.p5.48xlarge",
       {{"cpu", "192"}, {"nvidia.com/gpu", "8"}, {"vpc.amazonaws.com/efa", "32"}, {"pods", "250"}}},
      {"ml.g5.xlarge", {{"cpu", "4"}, {"nvidia.com/gpu", "1"}, {"pods", "58"}}},
      {"ml.trn1.32xlarge",
       {{"aws.amazon.com/neuron", "16"},
        {"aws.amazon.com/neuroncore", "32"},
        {"vpc.amazonaws.com/efa", "8"}}},
      {"ml.m5.xlarge", {{"cpu", "4"}, {"memory", "16273408Ki"}}}};
  for (const auto& [type, capacity] : cases) {
    const NodeSpec node = node_of(type);
    for (const auto& [name, value] : capacity)
      EXPECT_EQ(node.capacity.at(name), value) << type << " " << name;
    EXPECT_EQ(node.capacity.size(), node.allocatable.size());
  }
  EXPECT_FALSE(node_of("ml.m5.xlarge").capacity.contains("nvidia.com/gpu"));
  EXPECT_EQ(node_of("ml.m5.xlarge").allocatable.at("cpu"), "3920m");
  EXPECT_EQ(node_of("ml.p5.48xlarge", false, 1).capacity.at("cpu"), "96");
}

TEST(AddressesOf, CountsWhatTheInstanceTakesOfItsSubnet) {
  EXPECT_EQ(addresses_of(*shape_of("ml.p5.48xlarge"), false), 81);
  EXPECT_EQ(addresses_of(*shape_of("ml.p5.48xlarge"), true), 50);
  EXPECT_EQ(addresses_of(*shape_of("ml.p4d.24xlarge"), false), 53);
  EXPECT_EQ(addresses_of(*shape_of("ml.m5.xlarge"), false), 15);
  EXPECT_FALSE(shape_of("p5.48xlarge"));
  EXPECT_FALSE(shape_of("ml.none.xlarge"));
}

}  // namespace
}  // namespace instantstart::sandbox::sagemaker
