#include "capabilities/catalog/offers.h"

#include <gtest/gtest.h>

namespace instantstart::capabilities {
namespace {

namespace ec2 = aws::ec2;

ec2::AvailabilityZone zone(std::string name, std::string id, std::string type = "availability-zone",
                           std::string opt_in = "opt-in-not-required") {
  ec2::AvailabilityZone made;
  made.zone_name = std::move(name);
  made.zone_id = std::move(id);
  made.zone_type = std::move(type);
  made.opt_in_status = std::move(opt_in);
  made.state = "available";
  return made;
}

ec2::InstanceTypeOffering offering(std::string type, std::string where) {
  ec2::InstanceTypeOffering made;
  made.instance_type = std::move(type);
  made.location = std::move(where);
  return made;
}

TEST(Zones, LocalZonesAndThoseNotOptedIntoAreLeftOut) {
  const auto zones = to_zones({zone("us-west-2b", "usw2-az1"), zone("us-west-2a", "usw2-az2"),
                               zone("us-west-2-lax-1a", "usw2-lax1-az1", "local-zone", "opted-in"),
                               zone("us-west-2c", "usw2-az3", "availability-zone", "not-opted-in")},
                              nullptr);
  ASSERT_EQ(zones.size(), 2u);
  EXPECT_EQ(zones[0].name, "us-west-2a") << "by name";
  EXPECT_EQ(zones[1].name, "us-west-2b");
  EXPECT_FALSE(zones[0].offers_type) << "nobody asked for a type";
}

TEST(Zones, ThoseWithoutEksControlPlanesAreMarked) {
  const auto zones = to_zones({zone("us-east-1e", "use1-az3"), zone("us-east-1a", "use1-az1")}, nullptr);
  EXPECT_TRUE(zones[0].control_plane);
  EXPECT_FALSE(zones[1].control_plane);
}

TEST(Zones, EachSaysWhetherItOffersTheAskedType) {
  const std::set<std::string> offering{"us-west-2a"};
  const auto zones = to_zones({zone("us-west-2a", "usw2-az2"), zone("us-west-2b", "usw2-az1")}, &offering);
  EXPECT_EQ(zones[0].offers_type, true);
  EXPECT_EQ(zones[1].offers_type, false);
}

TEST(Offerings, ZonesAreCollectedByTypeInOrder) {
  const auto found =
      to_offerings({offering("p5.48xlarge", "b"), offering("g5.xlarge", "a"), offering("p5.48xlarge", "a")});
  EXPECT_EQ(found.at("p5.48xlarge"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(found.at("g5.xlarge"), (std::vector<std::string>{"a"}));
}

TEST(ClusterQuotas, OnlyThoseForClusterUsageCount) {
  const auto quota = [](std::string name, double value) {
    aws::service_quotas::ServiceQuota made;
    made.quota_name = std::move(name);
    made.value = value;
    return made;
  };
  const auto found = to_cluster_quotas({quota("ml.p5.48xlarge for cluster usage", 8),
                                        quota("ml.p5.48xlarge for training job usage", 3),
                                        quota("Total number of instances allowed across clusters", 100)});
  EXPECT_EQ(found, (ClusterQuotas{{"p5.48xlarge", 8}}));
}

TEST(InstanceTypeViews, GpusMemoryAndEfaAreTakenFromTheirPlaces) {
  ec2::InstanceTypeInfo info;
  info.instance_type = "p5.48xlarge";
  info.v_cpu_info.emplace().default_v_cpus = 192;
  info.memory_info.emplace().size_in_mi_b = 2097152;
  auto& gpu = info.gpu_info.emplace().gpus.emplace().emplace_back();
  gpu.manufacturer = "NVIDIA";
  gpu.name = "H100";
  gpu.count = 8;
  gpu.memory_info.emplace().size_in_mi_b = 81920;
  auto& network = info.network_info.emplace();
  network.efa_supported = true;
  network.efa_info.emplace().maximum_efa_interfaces = 32;

  const auto view = to_view(info, {{"p5.48xlarge", {"us-west-2a"}}}, {{"p5.48xlarge", 0}});
  EXPECT_EQ(view.vcpus, 192);
  EXPECT_EQ(view.memory_gib, 2048);
  EXPECT_EQ(view.accelerator, "NVIDIA H100");
  EXPECT_EQ(view.accelerators, 8);
  EXPECT_EQ(view.accelerator_memory_gib, 80);
  EXPECT_EQ(view.efa_interfaces, 32);
  EXPECT_EQ(view.quota, 0) << "a quota of zero is known";
  EXPECT_EQ(view.zones, (std::vector<std::string>{"us-west-2a"}));
}

TEST(InstanceTypeViews, WhatIsNotKnownIsAbsentAndNotZero) {
  ec2::InstanceTypeInfo info;
  info.instance_type = "m5.large";
  const auto view = to_view(info, {}, {});
  EXPECT_FALSE(view.quota);
  EXPECT_FALSE(view.accelerator);
  EXPECT_EQ(view.accelerators, 0);
  EXPECT_EQ(view.efa_interfaces, 0);
}

TEST(InstanceTypeViews, EfaThatIsNotSupportedIsNoInterface) {
  ec2::InstanceTypeInfo info;
  info.network_info.emplace().efa_supported = false;
  info.network_info->efa_info.emplace().maximum_efa_interfaces = 4;
  EXPECT_EQ(to_view(info, {}, {}).efa_interfaces, 0);
}

}  // namespace
}  // namespace instantstart::capabilities
