#include "sandbox/services/sagemaker/update_cluster.h"

#include <functional>

#include "sandbox/services/sagemaker/testing/sagemaker_fixture.h"

namespace instantstart::sandbox::sagemaker {
namespace {

class UpdateClusterTest : public SageMakerFixture {};

TEST_F(UpdateClusterTest, AGroupGrowsAndShrinksWhileTheClusterStaysInService) {
  make_cluster();
  get<api::UpdateCluster>(update({spec("workers", 3)}));
  EXPECT_EQ(status(), "InService");
  EXPECT_EQ(instance_group().target_count, 3);
  EXPECT_EQ(instance_group().current_count, 2);
  process->pass(minutes(10));
  EXPECT_EQ(instance_group().current_count, 3);
  get<api::UpdateCluster>(update({spec("workers", 1)}));
  EXPECT_EQ(instance_group().current_count, 1);
  process->pass(minutes(5));
  EXPECT_EQ(statuses(), "Running");
}

TEST_F(UpdateClusterTest, InstancesThatAreNotThereYetGoFirst) {
  make_cluster({spec("workers", 1)});
  const auto id = node_id();
  get<api::UpdateCluster>(update({spec("workers", 3)}));
  get<api::UpdateCluster>(update({spec("workers", 1)}));
  EXPECT_EQ(nodes().size(), 1U);
  EXPECT_EQ(node_id(), id);
}

TEST_F(UpdateClusterTest, AGroupIsAddedAndOneThatIsNamedIsDeleted) {
  make_cluster();
  get<api::UpdateCluster>(update({spec("more", 1, "ml.m5.xlarge")}));  // "workers" is left out, and stays.
  process->pass(minutes(10));
  EXPECT_EQ(instance_group("more").status, "InService");
  EXPECT_EQ(instance_group("workers").current_count, 2);
  auto in = update({});
  in.instance_groups_to_delete = {{"more"}};
  get<api::UpdateCluster>(in);
  EXPECT_EQ(instance_group("more").status, "Deleting");
  process->pass(minutes(5));
  EXPECT_EQ(cluster().instance_groups->size(), 1U);
  EXPECT_TRUE(has_event("Instance group more was deleted"));
}

TEST_F(UpdateClusterTest, LabelsAndTaintsReachTheNodes) {
  auto one = spec("workers", 1);
  one.kubernetes_config = api::ClusterKubernetesConfig{.labels = {{{"a", "1"}, {"b", "1"}}}};
  make_cluster({one});
  const auto id = node_id();
  EXPECT_EQ(kube(id).label("a"), "1");
  one.kubernetes_config = api::ClusterKubernetesConfig{
      .labels = {{{"a", "2"}}}, .taints = {{{.key = "dedicated", .value = "x", .effect = "NoSchedule"}}}};
  get<api::UpdateCluster>(update({one}));
  EXPECT_EQ(kube(id).label("a"), "2");
  EXPECT_EQ(kube(id).label("b"), "");
  EXPECT_TRUE(kube(id).has_taint("dedicated"));
  EXPECT_EQ(node(id).kubernetes_config->current_labels->at("a"), "2");
  get<api::UpdateCluster>(update({spec("workers", 1)}));  // What is left out is taken away.
  EXPECT_EQ(kube(id).label("a"), "");
  EXPECT_FALSE(kube(id).has_taint("dedicated"));
}

TEST_F(UpdateClusterTest, WhatIsFixedIsRefused) {
  make_cluster();
  struct Case {
    std::string what;
    std::function<void(api::UpdateClusterRequest&)> change;
    std::string expected;
  };
  const std::string other_role = make_role("other", "sagemaker.amazonaws.com");
  const Case cases[] = {
      {"type", [](auto& in) { in.instance_groups->at(0).instance_type = "ml.g5.12xlarge"; },
       "InstanceType of"},
      {"role", [&](auto& in) { in.instance_groups->at(0).execution_role = other_role; }, "ExecutionRole of"},
      {"threads", [](auto& in) { in.instance_groups->at(0).threads_per_core = 2; }, "ThreadsPerCore of"},
      {"network",
       [&](auto& in) {
         in.instance_groups->at(0).override_vpc_config =
             api::VpcConfig{.security_group_ids = {{group}}, .subnets = {{other_subnet}}};
       },
       "OverrideVpcConfig of"},
      {"spot",
       [](auto& in) {
         in.instance_groups->at(0).capacity_requirements =
             api::ClusterCapacityRequirements{.spot = api::ClusterSpotOptions{}};
       },
       "CapacityRequirements of"},
      {"interface",
       [](auto& in) {
         in.instance_groups->at(0).network_interface = api::ClusterNetworkInterface{.interface_type = "efa"};
       },
       "NetworkInterface of"},
      {"orchestrator",
       [](auto& in) {
         in.orchestrator = api::ClusterOrchestrator{.slurm = api::ClusterOrchestratorSlurmConfig{}};
       },
       "orchestrator"},
      {"last group",
       [](auto& in) {
         in.instance_groups.reset();
         in.instance_groups_to_delete = {{"workers"}};
       },
       "at least one instance group"},
      {"both", [](auto& in) { in.instance_groups_to_delete = {{"workers"}}; }, "can not be in both"},
      {"unknown", [](auto& in) { in.instance_groups_to_delete = {{"none"}}; }, "none does not exist"},
      {"quota", [](auto& in) { in.instance_groups->at(0).instance_count = 40; },
       "current utilization of 2 Instances and a request delta of 38 Instances"},
      {"role of autoscaling",
       [](auto& in) { in.auto_scaling = api::ClusterAutoScalingConfig{.mode = "Enable"}; }, "ClusterRole"},
  };
  for (const auto& [what, change, expected] : cases) {
    auto in = update({spec()});
    change(in);
    EXPECT_TRUE(refusal<api::UpdateCluster>(in).contains(expected))
        << what << ": " << refusal<api::UpdateCluster>(in);
  }
}

TEST_F(UpdateClusterTest, SettingsOfTheClusterChangeByThemselves) {
  make_cluster();
  auto in = update({});
  in.node_recovery = "None";
  in.tiered_storage_config =
      api::ClusterTieredStorageConfig{.mode = "Enable", .instance_memory_allocation_percentage = 30};
  get<api::UpdateCluster>(in);
  EXPECT_EQ(cluster().node_recovery, "None");
  EXPECT_EQ(cluster().tiered_storage_config->instance_memory_allocation_percentage, 30);
  EXPECT_EQ(instance_group().target_count, 2);
}

TEST_F(UpdateClusterTest, WithoutContinuousProvisioningThereIsOneChangeAtATime) {
  auto creation = request({spec()});
  creation.node_provisioning_mode.reset();
  get<api::CreateCluster>(creation);
  EXPECT_TRUE(refusal<api::UpdateCluster>(update({spec()})).starts_with("ConflictException"));
  process->pass(minutes(15));
  get<api::UpdateCluster>(update({spec("workers", 3)}));
  EXPECT_EQ(status(), "Updating");
  EXPECT_TRUE(refusal<api::UpdateCluster>(update({spec("workers", 4)})).starts_with("ConflictException"));
  process->pass(minutes(10));
  EXPECT_EQ(status(), "InService");
  failure = {.code = "InsufficientInstanceCapacity", .message = "No capacity."};
  get<api::UpdateCluster>(update({spec("workers", 4), spec("more", 1)}));
  process->pass(minutes(3));
  EXPECT_EQ(status(), "InService");  // Rolled back.
  EXPECT_EQ(instance_group().target_count, 3);
  EXPECT_EQ(cluster().instance_groups->size(), 1U);
  EXPECT_TRUE(cluster().failure_message->contains("No capacity."));
}

TEST_F(UpdateClusterTest, ATrainingPlanHasItsOwnInstances) {
  const auto plans = get<api::ListTrainingPlans>({}).training_plan_summaries.value();
  const auto& plan =
      *std::ranges::find(plans, "reserved-p5", [](const auto& one) { return *one.training_plan_name; });
  const std::string zone = *plan.reserved_capacity_summaries->at(0).availability_zone;
  auto one = spec("reserved", 2, "ml.p5.48xlarge");
  one.training_plan_arn = plan.training_plan_arn;
  const auto place = make_subnet("10.0.64.0/20", zone);
  one.override_vpc_config = api::VpcConfig{.security_group_ids = {{group}}, .subnets = {{place}}};
  one.instance_count = 5;
  EXPECT_TRUE(refusal<api::CreateCluster>(request({one})).contains("has 4 available instances"));
  one.instance_count = 2;
  make_cluster({one});
  EXPECT_EQ(instance_group("reserved").training_plan_status, "Active");
  const auto after = get<api::ListTrainingPlans>({.filters = {{{.name = "Status", .value = "Active"}}}});
  EXPECT_EQ(after.training_plan_summaries->at(0).in_use_instance_count, 2);
  EXPECT_EQ(get<api::ListClusters>({.training_plan_arn = plan.training_plan_arn}).cluster_summaries->size(),
            1U);
}

TEST_F(UpdateClusterTest, OfferingsFollowTheQuestion) {
  const auto found = get<api::SearchTrainingPlanOfferings>({.instance_type = "ml.p5.48xlarge",
                                                            .instance_count = 2,
                                                            .duration_hours = 48,
                                                            .target_resources = {{"hyperpod-cluster"}}});
  ASSERT_EQ(found.training_plan_offerings->size(), 3U);
  EXPECT_EQ(found.training_plan_offerings->at(0).upfront_fee, "3020.54");
  EXPECT_TRUE(get<api::SearchTrainingPlanOfferings>(
                  {.instance_type = "ml.p5.48xlarge", .target_resources = {{"endpoint"}}})
                  .training_plan_offerings->empty());
}

}  // namespace
}  // namespace instantstart::sandbox::sagemaker
