#include "sandbox/services/sagemaker/batch_nodes.h"

#include "sandbox/services/sagemaker/testing/sagemaker_fixture.h"

namespace instantstart::sandbox::sagemaker {
namespace {

class BatchNodesTest : public SageMakerFixture {
 protected:
  static api::BatchAddClusterNodesRequest addition(const std::string& name, std::int64_t count) {
    return {.cluster_name = "pod",
            .nodes_to_add = {{{.instance_group_name = name, .increment_target_count_by = count}}}};
  }
};

constexpr const char* k_no_node = "i-00000000000000000";

TEST_F(BatchNodesTest, NodesAreAddedWithTheirLogicalIds) {
  make_cluster();
  const auto added = get<api::BatchAddClusterNodes>(addition("workers", 2));
  ASSERT_EQ(added.successful->size(), 2U);
  EXPECT_EQ(instance_group().target_count, 4);
  const auto logical = added.successful->at(0).node_logical_id;
  const auto waiting =
      get<api::DescribeClusterNode>({.cluster_name = "pod", .node_logical_id = logical}).node_details;
  EXPECT_EQ(waiting->instance_status->status, "Pending");
  EXPECT_FALSE(waiting->instance_id);
  process->pass(minutes(10));
  EXPECT_EQ(instance_group().current_count, 4);
}

TEST_F(BatchNodesTest, ATokenAddsOnce) {
  make_cluster();
  auto in = addition("workers", 1);
  in.client_token = "t";
  const auto first = get<api::BatchAddClusterNodes>(in);
  const auto second = get<api::BatchAddClusterNodes>(in);
  EXPECT_EQ(first.successful->at(0).node_logical_id, second.successful->at(0).node_logical_id);
  EXPECT_EQ(instance_group().target_count, 3);
  in.nodes_to_add->at(0).increment_target_count_by = 2;
  EXPECT_TRUE(refusal<api::BatchAddClusterNodes>(in).starts_with("ValidationException"));
  process->pass(hours(9));
  get<api::BatchAddClusterNodes>(in);
  EXPECT_EQ(instance_group().target_count, 5);
}

TEST_F(BatchNodesTest, AdditionsFailGroupByGroup) {
  make_cluster();
  struct Case {
    api::AddClusterNodeSpecification wanted;
    std::string code;
  };
  const Case cases[] = {
      {{.instance_group_name = "none", .increment_target_count_by = 1}, "InstanceGroupNotFound"},
      {{.instance_group_name = "workers",
        .increment_target_count_by = 1,
        .availability_zones = {{"us-west-2c"}}},
       "IncompatibleAvailabilityZones"},
      {{.instance_group_name = "workers",
        .increment_target_count_by = 1,
        .instance_types = {{"ml.g5.xlarge"}}},
       "IncompatibleInstanceTypes"}};
  for (const auto& [wanted, code] : cases) {
    const auto answer = get<api::BatchAddClusterNodes>({.cluster_name = "pod", .nodes_to_add = {{wanted}}});
    ASSERT_EQ(answer.failed->size(), 1U) << code;
    EXPECT_EQ(answer.failed->at(0).error_code, code);
  }
  EXPECT_TRUE(
      refusal<api::BatchAddClusterNodes>(addition("workers", 31)).starts_with("ResourceLimitExceeded"));
  EXPECT_EQ(instance_group().target_count, 2);
}

TEST_F(BatchNodesTest, NodesAreDeletedByNameAndTheCountFollows) {
  make_cluster();
  const auto first = node_id(0);
  const auto second = node_id(1);
  const auto answer =
      get<api::BatchDeleteClusterNodes>({.cluster_name = "pod", .node_ids = {{first, k_no_node}}});
  EXPECT_EQ(answer.successful->at(0), first);
  EXPECT_EQ(answer.failed->at(0).code, "NodeIdNotFound");
  EXPECT_EQ(instance_group().target_count, 1);
  EXPECT_EQ(node(first).instance_status->status, "ShuttingDown");
  EXPECT_FALSE(host.nodes.contains("hyperpod-" + first));
  EXPECT_TRUE(refusal<api::BatchDeleteClusterNodes>({.cluster_name = "pod", .node_ids = {{first}}})
                  .starts_with("ValidationException"));  // Each of them failed.
  process->pass(minutes(5));
  EXPECT_EQ(nodes().size(), 1U);
  EXPECT_EQ(node_id(), second);
}

TEST_F(BatchNodesTest, ADeletionHasItsLimits) {
  make_cluster();
  api::BatchDeleteClusterNodesRequest in{.cluster_name = "pod",
                                         .node_ids = std::vector<std::string>(100, k_no_node)};
  EXPECT_TRUE(refusal<api::BatchDeleteClusterNodes>(in).contains("At most 99"));
  EXPECT_TRUE(refusal<api::BatchDeleteClusterNodes>({.cluster_name = "pod"}).contains("At least one"));
}

TEST_F(BatchNodesTest, ARebootKeepsTheInstanceAndAReplacementDoesNot) {
  make_cluster({spec("workers", 1)});
  const auto id = node_id();
  const auto logical = nodes().at(0).node_logical_id;
  EXPECT_EQ(get<api::BatchRebootClusterNodes>({.cluster_name = "pod", .node_ids = {{id}}}).successful->size(),
            1U);
  EXPECT_FALSE(kube(id).ready);
  const auto again =
      get<api::BatchRebootClusterNodes>({.cluster_name = "pod", .node_ids = {{id, k_no_node}}});
  EXPECT_EQ(again.failed->at(0).error_code, "InstanceIdInUse");
  EXPECT_EQ(again.failed->at(1).error_code, "InstanceIdNotFound");
  process->pass(minutes(5));
  EXPECT_EQ(node_id(), id);
  EXPECT_TRUE(kube(id).ready);
  EXPECT_EQ(kube(id).label("sagemaker.amazonaws.com/node-health-status"), "Schedulable");
  get<api::BatchReplaceClusterNodes>({.cluster_name = "pod", .node_logical_ids = {{*logical}}});
  EXPECT_FALSE(host.nodes.contains("hyperpod-" + id));
  process->pass(minutes(10));
  EXPECT_EQ(statuses(), "Running");
  EXPECT_NE(node_id(), id);
  EXPECT_EQ(nodes().at(0).node_logical_id, logical);
}

TEST_F(BatchNodesTest, NodesAreListedInPages) {
  make_cluster({spec("a", 3), spec("b", 2)});
  api::ListClusterNodesRequest in{.cluster_name = "pod", .max_results = 2, .sort_by = "NAME"};
  std::string groups;
  do {
    const auto page = get<api::ListClusterNodes>(in);
    EXPECT_LE(page.cluster_node_summaries->size(), 2U);
    for (const auto& one : *page.cluster_node_summaries) groups += *one.instance_group_name;
    in.next_token = page.next_token;
  } while (in.next_token);
  EXPECT_EQ(groups, "aaabb");
  const auto only_b =
      get<api::ListClusterNodes>({.cluster_name = "pod", .instance_group_name_contains = "b"});
  EXPECT_EQ(only_b.cluster_node_summaries->size(), 2U);
  EXPECT_FALSE(only_b.cluster_node_summaries->at(0).node_logical_id);  // Shown only when asked for.
  EXPECT_TRUE(refusal<api::ListClusterNodes>({.cluster_name = "pod", .next_token = "x"})
                  .starts_with("ValidationException"));
}

TEST_F(BatchNodesTest, SoftwareIsUpdatedInBatches) {
  auto one = spec("workers", 3);
  one.image_release_version = "1.1.0";
  make_cluster({one});
  EXPECT_EQ(instance_group().image_version_status, "SecurityUpdateRequired");
  api::UpdateClusterSoftwareRequest in{.cluster_name = "pod"};
  in.deployment_config = api::DeploymentConfiguration{
      .rolling_update_policy = api::RollingDeploymentPolicy{
          .maximum_batch_size = api::CapacitySizeConfig{.type = "INSTANCE_COUNT", .value = 2}}};
  get<api::UpdateClusterSoftware>(in);
  EXPECT_EQ(status(), "SystemUpdating");
  process->pass(minutes(2));
  const std::string during = statuses();
  EXPECT_EQ(std::count(during.begin(), during.end(), 'S'), 2) << during;
  EXPECT_EQ(instance_group().status, "SystemUpdating");
  EXPECT_TRUE(refusal<api::UpdateCluster>(update({one})).starts_with("ConflictException"));
  process->pass(minutes(12));
  EXPECT_EQ(status(), "InService");
  EXPECT_EQ(instance_group().current_image_release_version, "1.3.0");
  EXPECT_EQ(instance_group().image_version_status, "UpToDate");
  EXPECT_EQ(statuses(), "Running Running Running");
  in.instance_groups = {{{.instance_group_name = "workers", .image_release_version = "9.9.9"}}};
  EXPECT_TRUE(refusal<api::UpdateClusterSoftware>(in).contains("not available"));
}

}  // namespace
}  // namespace instantstart::sandbox::sagemaker
