#include "sandbox/services/sagemaker/node_recovery.h"

#include "sandbox/services/sagemaker/testing/sagemaker_fixture.h"

namespace instantstart::sandbox::sagemaker {
namespace {

constexpr const char* k_health = "sagemaker.amazonaws.com/node-health-status";
constexpr const char* k_types = "sagemaker.amazonaws.com/fault-types";

class NodeRecoveryTest : public SageMakerFixture {
 protected:
  void make_spot_cluster() {
    auto one = spec("workers", 1);
    one.capacity_requirements = api::ClusterCapacityRequirements{.spot = api::ClusterSpotOptions{}};
    make_cluster({one});
  }
  void stop_recovery() {
    auto in = update({});
    in.node_recovery = "None";
    get<api::UpdateCluster>(in);
  }
};

TEST_F(NodeRecoveryTest, ANodeThatHangsIsRebooted) {
  make_cluster({spec("workers", 1)});
  const auto id = node_id();
  ASSERT_TRUE(break_node(id, NodeFaultKind::hang));
  EXPECT_FALSE(kube(id).ready);
  process->pass(seconds(90));
  EXPECT_EQ(kube(id).label(k_health), "UnschedulablePendingReboot");
  EXPECT_EQ(kube(id).label(k_types), "NvidiaErrorReboot");
  EXPECT_TRUE(kube(id).has_taint(k_health));
  EXPECT_TRUE(kube(id).cordoned);
  EXPECT_EQ(kube(id).conditions.at("NvidiaErrorReboot").reason, "GpuHang");
  process->pass(minutes(6));
  EXPECT_EQ(node_id(), id);
  EXPECT_EQ(statuses(), "Running");
  EXPECT_TRUE(kube(id).ready);
  EXPECT_EQ(kube(id).label(k_health), "Schedulable");
  EXPECT_EQ(kube(id).label(k_types), "");
  EXPECT_FALSE(kube(id).has_taint(k_health));
  EXPECT_FALSE(kube(id).cordoned);
  EXPECT_TRUE(kube(id).conditions.empty());
  EXPECT_TRUE(has_event("it is going to be rebooted"));
  EXPECT_TRUE(has_event("Instance was rebooted"));
}

TEST_F(NodeRecoveryTest, ANodeWithABrokenGpuIsDrainedAndReplaced) {
  make_cluster({spec("workers", 1)});
  const auto id = node_id();
  host.drained = false;
  ASSERT_TRUE(break_node(id, NodeFaultKind::xid));
  EXPECT_TRUE(kube(id).ready);
  process->pass(minutes(4));
  EXPECT_EQ(node_id(), id);
  EXPECT_EQ(kube(id).label(k_health), "UnschedulablePendingReplacement");
  EXPECT_TRUE(
      kube(id).spec.annotations.at("sagemaker.amazonaws.com/fault-details").contains("XidHardwareFailure"));
  host.drained = true;
  process->pass(minutes(10));
  EXPECT_EQ(statuses(), "Running");
  EXPECT_NE(node_id(), id);
  EXPECT_FALSE(host.nodes.contains("hyperpod-" + id));
}

TEST_F(NodeRecoveryTest, ANodeThatCanNotBeDrainedIsReplacedAllTheSame) {
  make_cluster({spec("workers", 1)});
  const auto id = node_id();
  host.drained = false;
  ASSERT_TRUE(break_node(id, NodeFaultKind::xid));
  process->pass(minutes(30));
  EXPECT_NE(node_id(), id);
}

TEST_F(NodeRecoveryTest, ALostInstanceIsReplaced) {
  make_cluster({spec("workers", 1)});
  const auto id = node_id();
  ASSERT_TRUE(break_node(id, NodeFaultKind::lost));
  process->pass(minutes(10));
  EXPECT_EQ(statuses(), "Running");
  EXPECT_NE(node_id(), id);
}

TEST_F(NodeRecoveryTest, ASpotInstanceGoesAfterItsNotice) {
  make_spot_cluster();
  const auto id = node_id();
  EXPECT_EQ(node(id).capacity_type, "Spot");
  ASSERT_TRUE(break_node(id, NodeFaultKind::spot_interruption));
  EXPECT_TRUE(kube(id).has_taint(k_health));
  EXPECT_TRUE(kube(id).cordoned);
  process->pass(minutes(1));
  EXPECT_TRUE(host.nodes.contains("hyperpod-" + id));
  process->pass(minutes(2));
  EXPECT_FALSE(host.nodes.contains("hyperpod-" + id));
  process->pass(minutes(8));
  EXPECT_EQ(statuses(), "Running");
  EXPECT_TRUE(has_event("Spot instance was interrupted"));
}

TEST_F(NodeRecoveryTest, WithoutRecoveryNothingIsDone) {
  make_cluster();
  stop_recovery();
  const auto broken = node_id(0);
  const auto lost = node_id(1);
  ASSERT_TRUE(break_node(broken, NodeFaultKind::xid));
  ASSERT_TRUE(break_node(lost, NodeFaultKind::lost));
  process->pass(hours(1));
  EXPECT_EQ(node(broken).instance_status->status, "Running");
  EXPECT_EQ(kube(broken).label(k_health), "Unschedulable");
  EXPECT_EQ(node(lost).instance_status->status, "Failure");
  EXPECT_EQ(get<api::BatchReplaceClusterNodes>({.cluster_name = "pod", .node_ids = {{broken, lost}}})
                .successful->size(),
            2U);
  process->pass(minutes(10));
  EXPECT_EQ(statuses(), "Running Running");
}

TEST_F(NodeRecoveryTest, ARebootDoesNotMendHardware) {
  make_cluster({spec("workers", 1)});
  stop_recovery();
  const auto id = node_id();
  ASSERT_TRUE(break_node(id, NodeFaultKind::xid));
  process->pass(minutes(3));
  get<api::BatchRebootClusterNodes>({.cluster_name = "pod", .node_ids = {{id}}});
  process->pass(minutes(10));
  EXPECT_EQ(kube(id).label(k_health), "Unschedulable");
}

TEST_F(NodeRecoveryTest, AFailedDeepHealthCheckEndsInReplacement) {
  auto one = spec("workers", 1);
  one.on_start_deep_health_checks = {{"InstanceStress"}};
  make_cluster({one});
  const auto id = node_id();
  ASSERT_TRUE(break_node(id, NodeFaultKind::xid));
  process->pass(hours(3));
  EXPECT_EQ(statuses(), "Running");
  EXPECT_NE(node_id(), id);
  EXPECT_TRUE(has_event("Deep health checks failed"));
}

TEST_F(NodeRecoveryTest, ALabelAsksForAReboot) {
  make_cluster({spec("workers", 1)});
  const auto id = node_id();
  const auto eks_id = cloud->eks.find_cluster("us-west-2", "demo")->id;
  cloud->sagemaker.health_status_labelled(eks_id, "hyperpod-" + id, "UnschedulablePendingReboot");
  process->pass(minutes(2));
  EXPECT_EQ(statuses(), "Pending");
  process->pass(minutes(5));
  EXPECT_EQ(statuses(), "Running");
  stop_recovery();
  cloud->sagemaker.health_status_labelled(eks_id, "hyperpod-" + id, "UnschedulablePendingReplacement");
  process->pass(minutes(2));
  EXPECT_EQ(node_id(), id);
}

TEST_F(NodeRecoveryTest, OnlyWhatCanBreakBreaks) {
  make_cluster({spec("workers", 1)});
  EXPECT_EQ(break_node("i-00000000000000000", NodeFaultKind::xid).error().code, "not_found");
  EXPECT_EQ(break_node(node_id(), NodeFaultKind::spot_interruption).error().code, "conflict");
  ASSERT_TRUE(break_node(node_id(), NodeFaultKind::xid));
  EXPECT_EQ(break_node(node_id(), NodeFaultKind::hang).error().code, "conflict");
  EXPECT_EQ(cloud->sagemaker.break_node({.region = {}, .cluster = "none", .node = "x"}).error().code,
            "not_found");
}

}  // namespace
}  // namespace instantstart::sandbox::sagemaker
