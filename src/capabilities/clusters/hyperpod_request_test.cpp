#include "capabilities/clusters/hyperpod_request.h"

#include <gtest/gtest.h>

#include "base/decode.h"
#include "capabilities/clusters/hyperpod_plan.h"
#include "capabilities/clusters/hyperpod_preflight.h"

namespace instantstart::capabilities {
namespace {

namespace sagemaker = aws::sagemaker;

InstanceGroup group_of(std::string type, std::int64_t count = 2) {
  InstanceGroup group;
  group.instance_type = {{std::move(type)}};
  group.count = count;
  return group;
}

HyperpodInput input_of(InstanceGroup group) {
  return {.cluster = {"demo", "us-west-2", "123456789012", std::nullopt},
          .name = "demo",
          .eks_arn = "arn:aws:eks:us-west-2:123456789012:cluster/demo",
          .role_name = "demo-nodes",
          .security_group_ids = {"sg-1"},
          .group = std::move(group)};
}

sagemaker::ClusterInstanceGroupDetails described() {
  sagemaker::ClusterInstanceGroupDetails group;
  group.instance_group_name = "a";
  group.instance_type = "ml.g5.xlarge";
  group.target_count = 3;
  group.current_count = 2;
  group.min_count = 1;
  group.execution_role = "role";
  group.threads_per_core = 1;
  group.training_plan_arn = "plan";
  group.on_start_deep_health_checks = {"InstanceStress"};
  group.desired_image_id = "ami-2";
  group.current_image_id = "ami-1";
  group.desired_image_release_version = "1.2.3";
  group.life_cycle_config.emplace().source_s3_uri = "s3://b";
  group.kubernetes_config.emplace();
  group.kubernetes_config->desired_labels.emplace()["team"] = "a";
  group.kubernetes_config->desired_taints = {{.key = "k", .value = "v", .effect = "NoSchedule"}};
  group.capacity_requirements.emplace().spot.emplace();
  group.network_interface.emplace().interface_type = "efa-only";
  group.override_vpc_config.emplace().subnets = {"subnet-9"};
  group.instance_storage_configs.emplace().emplace_back().ebs_volume_config.emplace().volume_size_in_gb = 500;
  group.scheduled_update_config.emplace().schedule_expression = "cron(0 0 * * ? *)";
  group.auto_patch_config.emplace().patching_strategy = "WhenIdle";
  return group;
}

TEST(ToSpecification, EveryFieldOfAGroupSurvivesAnUpdate) {
  const auto kept = to_specification(described());
  EXPECT_EQ(kept.instance_group_name, "a");
  EXPECT_EQ(kept.instance_type, "ml.g5.xlarge");
  EXPECT_EQ(kept.instance_count, 3);
  EXPECT_EQ(kept.min_instance_count, 1);
  EXPECT_EQ(kept.execution_role, "role");
  EXPECT_EQ(kept.threads_per_core, 1);
  EXPECT_EQ(kept.training_plan_arn, "plan");
  EXPECT_EQ(kept.on_start_deep_health_checks->front(), "InstanceStress");
  EXPECT_EQ(kept.image_id, "ami-2");
  EXPECT_EQ(kept.image_release_version, "1.2.3");
  EXPECT_EQ(kept.life_cycle_config->source_s3_uri, "s3://b");
  EXPECT_EQ(kept.kubernetes_config->labels->at("team"), "a");
  EXPECT_EQ(kept.kubernetes_config->taints->front().effect, "NoSchedule");
  EXPECT_TRUE(kept.capacity_requirements->spot);
  EXPECT_EQ(kept.network_interface->interface_type, "efa-only");
  EXPECT_EQ(kept.override_vpc_config->subnets->front(), "subnet-9");
  EXPECT_EQ(kept.instance_storage_configs->front().ebs_volume_config->volume_size_in_gb, 500);
  EXPECT_EQ(kept.scheduled_update_config->schedule_expression, "cron(0 0 * * ? *)");
  EXPECT_EQ(kept.auto_patch_config->patching_strategy, "WhenIdle");
}

TEST(UpdateRequest, ChangesTheNamedGroupAloneAndNeverTakesNodesAway) {
  sagemaker::DescribeClusterResponse cluster;
  cluster.cluster_arn = "arn";
  cluster.instance_groups = {described(), described()};
  cluster.instance_groups->at(1).instance_group_name = "workers";
  const auto more = update_request(input_of(group_of("g5.xlarge", 5)), cluster);
  EXPECT_EQ(more.instance_groups->at(0).instance_count, 3);
  EXPECT_EQ(more.instance_groups->at(1).instance_count, 5);
  EXPECT_EQ(more.node_recovery, "Automatic");
  EXPECT_EQ(update_request(input_of(group_of("g5.xlarge", 1)), cluster).instance_groups->at(1).instance_count,
            3);
}

TEST(CreateRequest, IsContinuousRecoversAndCarriesOurTags) {
  auto group = group_of("ml.p5.48xlarge");
  group.capacity = CapacityType::spot;
  group.volume_gib = 500;
  group.deep_health_checks = true;
  group.interface_mode = InterfaceMode::efa_only;
  const auto wanted = create_request(input_of(group), "subnet-1", "op-1");
  EXPECT_EQ(wanted.node_recovery, "Automatic");
  EXPECT_EQ(wanted.node_provisioning_mode, "Continuous");
  EXPECT_EQ(wanted.orchestrator->eks->cluster_arn, "arn:aws:eks:us-west-2:123456789012:cluster/demo");
  EXPECT_EQ(wanted.vpc_config->subnets, std::vector<std::string>{"subnet-1"});
  ASSERT_EQ(wanted.instance_groups->size(), 1);
  const auto& first = wanted.instance_groups->front();
  EXPECT_EQ(first.instance_type, "ml.p5.48xlarge");
  EXPECT_EQ(first.threads_per_core, 2);
  EXPECT_TRUE(first.capacity_requirements->spot);
  EXPECT_EQ(first.network_interface->interface_type, "efa-only");
  EXPECT_EQ(first.on_start_deep_health_checks->size(), 2);
  EXPECT_EQ(first.execution_role, "arn:aws:iam::123456789012:role/instantstart/demo-nodes");
  EXPECT_TRUE(first.life_cycle_config->source_s3_uri->starts_with("s3://sagemaker-"));
  std::map<std::string, std::string> tags;
  for (const auto& tag : *wanted.tags) tags[*tag.key] = *tag.value;
  EXPECT_EQ(tags.at("instantstart:operation"), "op-1");
  EXPECT_EQ(tags.at("instantstart:cluster"), "demo.us-west-2.123456789012");
  EXPECT_EQ(tags.at("SageMaker"), "true") << "the training operator looks at such clusters alone";
}

TEST(ToView, TellsCapacityPlaceAndDrift) {
  auto group = described();
  group.training_plan_arn.reset();
  const auto view = to_view(group, {"subnet-1"});
  EXPECT_EQ(view.capacity, CapacityType::spot);
  EXPECT_EQ(view.subnet_ids, std::vector<std::string>{"subnet-9"});
  EXPECT_EQ(view.drift, (std::vector<std::string>{"image", "labels", "taints", "count"}));
}

TEST(FixedProblems, NameWhatCantBeChanged) {
  auto wanted = group_of("p5.48xlarge", 1);
  wanted.capacity = CapacityType::on_demand;
  std::vector<std::string> pointers;
  for (const auto& problem : fixed_problems(wanted, to_view(described(), {})))
    pointers.push_back(problem.pointer);
  EXPECT_EQ(pointers, (std::vector<std::string>{"/group/instance_type", "/group/capacity", "/group/count"}));
}

TEST(HyperpodProblems, AQuotaThatIsTooSmallIsNamedWithItsNumbers) {
  HyperpodFacts facts;
  facts.offering_zones = {"us-west-2a"};
  facts.quotas = {{"ml.p5.48xlarge for cluster usage", 3}};
  facts.type_used = 2;
  const auto problems = hyperpod_problems(group_of("p5.48xlarge"), facts);
  ASSERT_EQ(problems.size(), 1);
  EXPECT_EQ(problems[0].rule, "quota_exceeded");
  EXPECT_NE(problems[0].message.find("2 of 3"), std::string::npos);
  facts.type_used = 1;
  EXPECT_TRUE(hyperpod_problems(group_of("p5.48xlarge"), facts).empty());
}

TEST(HyperpodProblems, EfaNeedsBothRulesOfTheSecurityGroup) {
  HyperpodFacts facts;
  facts.offering_zones = {"us-west-2a"};
  facts.security_groups = {{.group_id = "sg-1", .ingress = true, .egress = false}};
  const auto problems = hyperpod_problems(group_of("p5.48xlarge"), facts);
  ASSERT_EQ(problems.size(), 1);
  EXPECT_EQ(problems[0].rule, "efa_sg_self_egress_missing");
  facts.security_groups[0].egress = true;
  EXPECT_TRUE(hyperpod_problems(group_of("p5.48xlarge"), facts).empty());
}

TEST(ChooseZone, TheRequestThenThePlanThenTheClustersOwnZones) {
  HyperpodFacts facts;
  facts.offering_zones = {"us-west-2a", "us-west-2b", "us-west-2c"};
  facts.cluster_zones = {"us-west-2b"};
  auto group = group_of("p5.48xlarge");
  EXPECT_EQ(choose_zone(group, facts), "us-west-2b");
  facts.plan = PlanFacts{.status = "Active", .zone = "us-west-2c"};
  EXPECT_EQ(choose_zone(group, facts), "us-west-2c");
  group.zone = domain::ZoneName{{"us-west-2a"}};
  EXPECT_EQ(choose_zone(group, facts), "us-west-2a");
}

TEST(InstanceGroup, RulesBetweenMembersAreChecked) {
  const auto problems = [](json::object group) {
    const auto decoded = decode<InstanceGroup>(std::move(group));
    return decoded ? std::string() : decoded.error().problems.front().pointer;
  };
  EXPECT_EQ(problems({{"instance_type", "p5.48xlarge"}}), "");
  EXPECT_EQ(problems({{"instance_type", "p5.48xlarge"}, {"capacity", "training_plan"}}),
            "/training_plan_arn");
  EXPECT_EQ(problems({{"instance_type", "p5.48xlarge"}, {"count", 1}, {"min_count", 2}}), "/min_count");
}

}  // namespace
}  // namespace instantstart::capabilities
