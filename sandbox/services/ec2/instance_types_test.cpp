#include "sandbox/services/ec2/instance_types.h"

#include "sandbox/services/ec2/instance_type_table.h"
#include "sandbox/services/ec2/testing/ec2_fixture.h"

namespace instantstart::sandbox::ec2 {
namespace {

struct TypeCase {
  std::string_view name;
  std::int64_t vcpus, memory_gib, gpus, gpu_mib, neurons, efa, interfaces;
};

TEST(InstanceTypes, HaveAwsFigures) {
  constexpr TypeCase k_cases[] = {
      {"p4d.24xlarge", 96, 1152, 8, 40960, 0, 4, 60},
      {"p4de.24xlarge", 96, 1152, 8, 81920, 0, 4, 60},
      {"p5.48xlarge", 192, 2048, 8, 81920, 0, 32, 64},
      {"p5e.48xlarge", 192, 2048, 8, 144384, 0, 32, 64},
      {"p5en.48xlarge", 192, 2048, 8, 144384, 0, 16, 64},
      {"p6-b200.48xlarge", 192, 2048, 8, 183359, 0, 8, 32},
      {"g5.xlarge", 4, 16, 1, 22888, 0, 0, 4},
      {"g5.48xlarge", 192, 768, 8, 22888, 0, 1, 7},
      {"g6.12xlarge", 48, 192, 4, 22888, 0, 1, 8},
      {"g6e.48xlarge", 192, 1536, 8, 45776, 0, 4, 40},
      {"trn1.32xlarge", 128, 512, 0, 0, 16, 8, 40},
      {"trn2.48xlarge", 192, 2048, 0, 0, 16, 16, 32},
      {"m5.large", 2, 8, 0, 0, 0, 0, 3},
      {"c5.18xlarge", 72, 144, 0, 0, 0, 0, 15},
      {"t3.medium", 2, 4, 0, 0, 0, 0, 3},
  };
  for (const auto& expected : k_cases) {
    const auto type = find_instance_type(expected.name);
    ASSERT_TRUE(type) << expected.name;
    EXPECT_EQ(type->v_cpu_info->default_v_cpus, expected.vcpus) << expected.name;
    EXPECT_EQ(type->memory_info->size_in_mi_b, expected.memory_gib * 1024) << expected.name;
    EXPECT_EQ(type->gpu_info ? *type->gpu_info->gpus->at(0).count : 0, expected.gpus) << expected.name;
    EXPECT_EQ(type->gpu_info ? *type->gpu_info->gpus->at(0).memory_info->size_in_mi_b : 0, expected.gpu_mib);
    EXPECT_EQ(type->neuron_info ? *type->neuron_info->neuron_devices->at(0).count : 0, expected.neurons);
    EXPECT_EQ(*type->network_info->efa_supported, expected.efa > 0) << expected.name;
    EXPECT_EQ(type->network_info->efa_info ? *type->network_info->efa_info->maximum_efa_interfaces : 0,
              expected.efa);
    EXPECT_EQ(type->network_info->maximum_network_interfaces, expected.interfaces) << expected.name;
  }
  for (const std::string_view none :
       {"p5", "p5.", ".48xlarge", "p5.48xlarge ", "p548xlarge", "p5x48xlarge", ""}) {
    EXPECT_FALSE(find_instance_type(none)) << none;
  }
}

TEST(InstanceTypes, EveryRowOfTheTableIsWhole) {
  std::set<std::string> names;
  for (const TypeRow& row : type_rows()) {
    const std::string name = fmt::format("{}.{}", row.family, row.size);
    EXPECT_TRUE(names.insert(name).second) << name;
    const auto type = find_instance_type(name);
    ASSERT_TRUE(type) << name;
    EXPECT_EQ(type->instance_type, name);
    EXPECT_EQ(std::ssize(*type->network_info->network_cards), row.network.cards) << name;
    EXPECT_LE(row.network.interfaces, row.network.cards * row.network.interfaces_per_card) << name;
    EXPECT_EQ(row.accelerators > 0, type->gpu_info.has_value() || type->neuron_info.has_value()) << name;
    bool is_somewhere = false;
    for (const std::string_view region : {"us-east-1", "us-east-2", "us-west-2"}) {
      is_somewhere = is_somewhere || !zone_ids_offering(region, name).empty();
    }
    EXPECT_TRUE(is_somewhere) << name;
  }
  EXPECT_GE(names.size(), 30U);
}

TEST(InstanceTypes, AreOfferedInSomeZones) {
  using Ids = std::vector<std::string>;
  EXPECT_EQ(zone_ids_offering("us-west-2", "p5e.48xlarge"), Ids{"usw2-az3"});
  EXPECT_EQ(zone_ids_offering("us-east-1", "p5en.48xlarge"), (Ids{"use1-az2", "use1-az6"}));
  EXPECT_EQ(zone_ids_offering("us-east-1", "m5.large").size(), 5U);  // Not in use1-az3.
  EXPECT_EQ(zone_ids_offering("eu-west-1", "p4d.24xlarge"), Ids{"euw1-az2"});
  EXPECT_TRUE(zone_ids_offering("eu-west-1", "p5.48xlarge").empty());
  EXPECT_TRUE(zone_ids_offering("eu-central-1", "p6-b200.48xlarge").empty());
  EXPECT_EQ(zone_ids_offering("eu-central-1", "t3.large").size(), 3U);
  EXPECT_TRUE(zone_ids_offering("us-east-1", "x9.huge").empty());
}

class InstanceTypeCallsTest : public Ec2Fixture {};

TEST_F(InstanceTypeCallsTest, AreDescribedByNameAndFilter) {
  const auto one =
      get<api::DescribeInstanceTypes>({.instance_types = {{"p5.48xlarge"}}}).instance_types.value();
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(one[0].gpu_info->gpus->at(0).name, "H100");
  const auto unknown = ask<api::DescribeInstanceTypes>({.instance_types = {{"p5.48xlarge", "x9.huge"}}});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, "InvalidInstanceType");
  EXPECT_EQ(unknown.error().message, "The following supplied instance types do not exist: [x9.huge]");
  EXPECT_EQ(code<api::DescribeInstanceTypes>({.instance_types = {{"p5.48xlarge"}}}, "eu-west-1"),
            "InvalidInstanceType");
  const auto elsewhere = get<api::DescribeInstanceTypes>(
      {.instance_types = {{"p5.48xlarge"}}, .include_unsupported_in_region = true}, "eu-west-1");
  EXPECT_FALSE(*elsewhere.instance_types->at(0).supported_in_region);
  const auto names = [this](std::string name, std::string value) {
    std::string text;
    for (const auto& type :
         *get<api::DescribeInstanceTypes>({.filters = {{{std::move(name), {{std::move(value)}}}}}})
              .instance_types) {
      text += *type.instance_type + " ";
    }
    return text;
  };
  EXPECT_EQ(names("instance-type", "p5*"), "p5.48xlarge p5.4xlarge p5e.48xlarge p5en.48xlarge ");
  EXPECT_EQ(names("network-info.efa-info.maximum-efa-interfaces", "32"), "p5.48xlarge p5e.48xlarge ");
  EXPECT_EQ(names("burstable-performance-supported", "true"), "t3.2xlarge t3.large t3.medium t3.xlarge ");
  EXPECT_EQ(names("vcpu-info.default-vcpus", "128"), "trn1.32xlarge ");
  EXPECT_EQ(names("instance-storage-info.disk.size-in-gb", "474"), "trn1.2xlarge ");
}

TEST_F(InstanceTypeCallsTest, OfferingsNameThePlace) {
  const auto locations = [this](std::string kind, std::string type) {
    std::string text;
    for (const auto& offering :
         *get<api::DescribeInstanceTypeOfferings>(
              {.location_type = std::move(kind), .filters = {{{"instance-type", {{std::move(type)}}}}}})
              .instance_type_offerings) {
      text += *offering.location + " ";
    }
    return text;
  };
  EXPECT_EQ(locations("region", "p5e.48xlarge"), "us-west-2 ");
  EXPECT_EQ(locations("availability-zone", "p5e.48xlarge"), "us-west-2c ");
  EXPECT_EQ(locations("availability-zone-id", "p5e.48xlarge"), "usw2-az3 ");
  EXPECT_EQ(locations("outpost", "p5e.48xlarge"), "");
  EXPECT_EQ(code<api::DescribeInstanceTypeOfferings>({.location_type = "moon"}), "InvalidParameterValue");
  api::DescribeInstanceTypeOfferingsRequest request{.location_type = "availability-zone", .max_results = 50};
  std::set<std::string> seen;
  do {
    const auto page = get<api::DescribeInstanceTypeOfferings>(request);
    for (const auto& offering : *page.instance_type_offerings) {
      EXPECT_TRUE(seen.insert(*offering.instance_type + *offering.location).second);
    }
    request.next_token = page.next_token;
  } while (request.next_token);
  EXPECT_GT(seen.size(), 150U);
}

}  // namespace
}  // namespace instantstart::sandbox::ec2
