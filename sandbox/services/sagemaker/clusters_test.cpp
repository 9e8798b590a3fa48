#include "sandbox/services/sagemaker/clusters.h"

#include <functional>
#include <regex>

#include "sandbox/services/sagemaker/testing/sagemaker_fixture.h"

namespace instantstart::sandbox::sagemaker {
namespace {

class ClustersTest : public SageMakerFixture {};

TEST_F(ClustersTest, IsCreatedAndItsNodesAppearOneAfterAnother) {
  const auto made = get<api::CreateCluster>(request({spec()}));
  EXPECT_TRUE(std::regex_match(*made.cluster_arn,
                               std::regex("arn:aws:sagemaker:us-west-2:123456789012:cluster/[a-z0-9]{12}")));
  EXPECT_EQ(status(), "Creating");
  EXPECT_EQ(instance_group().status, "Creating");
  process->pass(minutes(3));
  EXPECT_EQ(status(), "InService");  // Continuous provisioning doesn't wait for instances.
  EXPECT_EQ(instance_group().current_count, 0);
  EXPECT_EQ(instance_group().target_count, 2);
  EXPECT_EQ(instance_group().active_operations->at("Scaling"), 1);
  EXPECT_EQ(statuses(), "Pending Pending");
  EXPECT_TRUE(nodes(false).empty());
  process->pass(minutes(6));
  EXPECT_EQ(statuses(), "Running Running");
  EXPECT_EQ(instance_group().current_count, 2);
  EXPECT_FALSE(instance_group().active_operations);
  EXPECT_EQ(get<api::DescribeCluster>({.cluster_name = made.cluster_arn}).cluster_name, "pod");
}

TEST_F(ClustersTest, TheScaleDividesItsTime) {
  restart({.scale = 10});
  get<api::CreateCluster>(request({spec()}));
  process->pass(minutes(1));
  EXPECT_EQ(statuses(), "Running Running");
}

TEST_F(ClustersTest, ANodeHasItsPlaceInTheNetwork) {
  make_cluster({spec("workers", 1, "ml.p5.48xlarge")});
  const auto id = node_id();
  const auto details = node(id);
  EXPECT_TRUE(details.private_primary_ip->starts_with("10.0."));
  EXPECT_TRUE(details.private_dns_hostname->starts_with("ip-10-0-"));
  EXPECT_EQ(details.placement->availability_zone, "us-west-2a");
  EXPECT_EQ(details.capacity_type, "OnDemand");
  const auto interfaces = make<aws::ec2::DescribeNetworkInterfaces>(
      cloud->ec2, {.filters = {{{.name = "attachment.instance-id", .values = {{id}}}}}});
  EXPECT_EQ(interfaces.network_interfaces->size(), 32U);
  const auto* place = cloud->ec2.network().find_subnet("us-west-2", subnet);
  // 81 for the instance, and what EKS took of the /20.
  EXPECT_LE(*place->available_ip_address_count, 4091 - 81);
  EXPECT_GE(*place->available_ip_address_count, 4091 - 81 - 4);
}

TEST_F(ClustersTest, EfaOnlyInterfacesTakeNoFurtherAddresses) {
  auto one = spec("workers", 1, "ml.p5.48xlarge");
  one.network_interface = api::ClusterNetworkInterface{.interface_type = "efa-only"};
  make_cluster({one});
  const auto interfaces = make<aws::ec2::DescribeNetworkInterfaces>(
      cloud->ec2, {.filters = {{{.name = "attachment.instance-id", .values = {{node_id()}}}}}});
  EXPECT_EQ(interfaces.network_interfaces->size(), 1U);
}

TEST_F(ClustersTest, RefusesWhatAWSRefuses) {
  struct Case {
    std::string what;
    std::function<void(api::CreateClusterRequest&)> change;
    std::string expected;
  };
  const std::string stranger = make_role("stranger", "ec2.amazonaws.com");
  const auto foreign_vpc = *make<aws::ec2::CreateVpc>(cloud->ec2, {.cidr_block = "10.9.0.0/16"}).vpc->vpc_id;
  const auto foreign_subnet =
      *make<aws::ec2::CreateSubnet>(cloud->ec2, {.cidr_block = "10.9.0.0/24", .vpc_id = foreign_vpc})
           .subnet->subnet_id;
  make_eks("configmap", "CONFIG_MAP");
  const Case cases[] = {
      {"slurm",
       [](auto& in) {
         in.orchestrator = api::ClusterOrchestrator{.slurm = api::ClusterOrchestratorSlurmConfig{}};
       },
       "Slurm"},
      {"no orchestrator", [](auto& in) { in.orchestrator.reset(); }, "Slurm"},
      {"name", [](auto& in) { in.cluster_name = "-pod"; }, "ClusterName -pod is invalid"},
      {"eks",
       [](auto& in) { in.orchestrator->eks->cluster_arn = "arn:aws:eks:us-west-2:123456789012:cluster/no"; },
       "does not exist"},
      {"mode",
       [](auto& in) {
         in.orchestrator->eks->cluster_arn = "arn:aws:eks:us-west-2:123456789012:cluster/configmap";
       },
       "authentication mode"},
      {"no network", [](auto& in) { in.vpc_config.reset(); }, "VpcConfig is required"},
      {"subnet", [](auto& in) { in.vpc_config->subnets = {{"subnet-0"}}; }, "The subnet ID 'subnet-0'"},
      {"other vpc", [&](auto& in) { in.vpc_config->subnets = {{foreign_subnet}}; }, "is not in the VPC"},
      {"group", [](auto& in) { in.vpc_config->security_group_ids = {{"sg-0"}}; },
       "The security group 'sg-0'"},
      {"role", [&](auto& in) { in.instance_groups->at(0).execution_role = stranger; },
       "Could not assume role"},
      {"no groups", [](auto& in) { in.instance_groups.reset(); }, "At least one instance group"},
      {"twice", [](auto& in) { in.instance_groups->push_back(in.instance_groups->at(0)); }, "more than once"},
      {"minimum", [](auto& in) { in.instance_groups->at(0).min_instance_count = 3; }, "MinInstanceCount"},
      {"minimum, classic",
       [](auto& in) {
         in.instance_groups->at(0).min_instance_count = 1;
         in.node_provisioning_mode.reset();
       },
       "requires NodeProvisioningMode Continuous"},
      {"spot, classic",
       [](auto& in) {
         in.instance_groups->at(0).capacity_requirements =
             api::ClusterCapacityRequirements{.spot = api::ClusterSpotOptions{}};
         in.node_provisioning_mode.reset();
       },
       "requires NodeProvisioningMode Continuous"},
      {"no EFA",
       [](auto& in) {
         in.instance_groups->at(0).instance_type = "ml.g5.xlarge";
         in.instance_groups->at(0).network_interface = api::ClusterNetworkInterface{.interface_type = "efa"};
       },
       "does not support the network interface type efa"},
      {"type not there", [](auto& in) { in.instance_groups->at(0).instance_type = "ml.g7e.48xlarge"; },
       "is not supported in the Availability Zones"},
      {"no type", [](auto& in) { in.instance_groups->at(0).instance_type.reset(); },
       "Exactly one of InstanceType"},
      {"plan",
       [](auto& in) {
         in.instance_groups->at(0).training_plan_arn =
             "arn:aws:sagemaker:us-west-2:123456789012:training-plan/none";
       },
       "does not exist"},
      {"image", [](auto& in) { in.instance_groups->at(0).image_release_version = "0.0.1"; }, "not available"},
      {"autoscaling", [](auto& in) { in.auto_scaling = api::ClusterAutoScalingConfig{.mode = "Enable"}; },
       "AutoScaling requires ClusterRole"},
      {"tags", [](auto& in) { in.tags = {{{.key = "aws:x", .value = "y"}}}; }, "reserved"},
      {"quota", [](auto& in) { in.instance_groups->at(0).instance_count = 33; },
       "ResourceLimitExceeded: The account-level service limit 'ml.g5.8xlarge for cluster usage' is 32 "
       "Instances, "
       "with current utilization of 0 Instances and a request delta of 33 Instances."},
  };
  for (const auto& [what, change, expected] : cases) {
    auto in = request({spec()});
    change(in);
    EXPECT_TRUE(refusal<api::CreateCluster>(in).contains(expected))
        << what << ": " << refusal<api::CreateCluster>(in);
  }
  EXPECT_TRUE(get<api::ListClusters>({}).cluster_summaries->empty());
}

TEST_F(ClustersTest, NeedsItsDependenciesInTheCluster) {
  host.missing = {"health-monitoring-agent", "deep-health-check"};
  EXPECT_TRUE(refusal<api::CreateCluster>(request({spec()}))
                  .contains("missing one or more required dependencies: health-monitoring-agent, "
                            "deep-health-check"));
}

TEST_F(ClustersTest, ANameAndAnEksClusterAreUsedOnce) {
  make_cluster();
  EXPECT_TRUE(refusal<api::CreateCluster>(request({spec()})).starts_with("ResourceInUse: "));
  auto second = request({spec()});
  second.cluster_name = "pod2";
  EXPECT_TRUE(refusal<api::CreateCluster>(second).starts_with("ResourceInUse: EKS cluster"));
}

TEST_F(ClustersTest, LetsItsRolesIntoTheEksCluster) {
  make_cluster();
  const auto entries =
      make<aws::eks::ListAccessEntries>(cloud->eks, {.cluster_name = "demo"}).access_entries.value();
  EXPECT_NE(std::ranges::find(entries, role), entries.end());
  const auto service = make<aws::eks::DescribeAccessEntry>(
      cloud->eks,
      {.cluster_name = "demo",
       .principal_arn = "arn:aws:iam::123456789012:role/aws-service-role/hyperpod.sagemaker.amazonaws.com/"
                        "AWSServiceRoleForSageMakerHyperPod"});
  EXPECT_EQ(service.access_entry->username, "hyperpod-service-linked-role");
}

TEST_F(ClustersTest, LifecycleLogsAreWritten) {
  make_cluster({spec("workers", 1)});
  const std::string arn = *cluster().cluster_arn;
  const std::string log_group = "/aws/sagemaker/Clusters/pod/" + arn.substr(arn.rfind('/') + 1);
  const auto lines = make<aws::logs::GetLogEvents>(
      cloud->logs, {.log_group_name = log_group, .log_stream_name = "LifecycleConfig/workers/" + node_id()});
  EXPECT_TRUE(lines.events->back().message->contains("exit code 0"));
}

TEST_F(ClustersTest, AMissingScriptIsToldAndTriedAgain) {
  struct Case {
    std::string uri;
    std::string log_part;
  };
  for (const auto& [uri, log_part] :
       {Case{"s3://sagemaker-scripts/none", "NoSuchKey"}, Case{"s3://sagemaker-none/v1", "NoSuchBucket"}}) {
    auto one = spec("workers", 1);
    one.life_cycle_config->source_s3_uri = uri;
    get<api::CreateCluster>(request({one}));
    process->pass(minutes(9));
    EXPECT_EQ(statuses(), "Pending");
    EXPECT_TRUE(
        nodes().at(0).instance_status->message->contains("Lifecycle scripts did not run successfully"));
    EXPECT_TRUE(has_event("Lifecycle scripts failed"));
    EXPECT_EQ(instance_group().status, "Degraded");
    const std::string arn = *cluster().cluster_arn;
    const auto found = make<aws::logs::FilterLogEvents>(
        cloud->logs, {.log_group_name = "/aws/sagemaker/Clusters/pod/" + arn.substr(arn.rfind('/') + 1),
                      .filter_pattern = log_part});
    EXPECT_EQ(found.events->size(), 1U) << log_part;
    get<api::DeleteCluster>({.cluster_name = "pod"});
    process->pass(minutes(5));
  }
}

TEST_F(ClustersTest, AScriptThatComesLaterRepairsTheGroup) {
  auto one = spec("workers", 1);
  one.life_cycle_config->source_s3_uri = "s3://sagemaker-scripts/later/";
  get<api::CreateCluster>(request({one}));
  process->pass(minutes(9));
  cloud->s3.write_object("sagemaker-scripts", "later/on_create.sh", "#!/bin/bash\n");
  process->pass(minutes(20));
  EXPECT_EQ(statuses(), "Running");
  EXPECT_EQ(instance_group().status, "InService");
}

TEST_F(ClustersTest, ABucketThatTheRoleMayNotReadFailsTheScript) {
  make<aws::s3::CreateBucket>(
      cloud->s3, {.bucket = "mine", .create_bucket_configuration = {{.location_constraint = "us-west-2"}}});
  cloud->s3.write_object("mine", "on_create.sh", "#!/bin/bash\n");
  auto one = spec("workers", 1);
  one.life_cycle_config->source_s3_uri = "s3://mine";
  get<api::CreateCluster>(request({one}));
  process->pass(minutes(9));
  EXPECT_EQ(statuses(), "Pending");
  make<aws::iam::PutRolePolicy>(
      cloud->iam, {.role_name = "nodes",
                   .policy_name = "read",
                   .policy_document = R"({"Version":"2012-10-17","Statement":[{"Effect":"Allow",)"
                                      R"("Action":["s3:GetObject","s3:ListBucket"],"Resource":"*"}]})"});
  process->pass(minutes(20));
  EXPECT_EQ(statuses(), "Running");
}

TEST_F(ClustersTest, EfaNeedsAGroupWhoseMembersReachEachOther) {
  const auto closed = *make<aws::ec2::CreateSecurityGroup>(
                           cloud->ec2, {.description = "closed", .group_name = "closed", .vpc_id = vpc})
                           .group_id;
  auto in = request({spec("workers", 1), spec("plain", 1, "ml.m5.xlarge")});
  in.vpc_config->security_group_ids = {{closed}};
  get<api::CreateCluster>(in);
  process->pass(minutes(10));
  EXPECT_EQ(instance_group("workers").current_count, 0);
  EXPECT_EQ(instance_group("plain").current_count, 1);
  EXPECT_TRUE(has_event("EFA health checks failed"));
  let_members_through(closed);
  process->pass(minutes(15));
  EXPECT_EQ(instance_group("workers").current_count, 1);
}

TEST_F(ClustersTest, SpotHasQuotasOfItsOwn) {
  auto one = spec("workers", 33);
  one.capacity_requirements = api::ClusterCapacityRequirements{.spot = api::ClusterSpotOptions{}};
  EXPECT_TRUE(refusal<api::CreateCluster>(request({one}))
                  .contains("'ml.g5.8xlarge for cluster spot instance usage' is 32 Instances"));
  EXPECT_TRUE(refusal<api::CreateCluster>(request({spec("a", 20), spec("b", 20)}))
                  .contains("a request delta of 40 Instances"));
}

TEST_F(ClustersTest, AFlexibleGroupTakesTheFirstTypeThatIsThere) {
  auto one = spec("workers", 1);
  one.instance_type.reset();
  one.instance_requirements = api::ClusterInstanceRequirements{
      .instance_types = {{"ml.g7e.48xlarge", "ml.g5.8xlarge", "ml.g5.xlarge"}}};
  make_cluster({one});
  EXPECT_EQ(nodes().at(0).instance_type, "ml.g5.8xlarge");
  EXPECT_EQ(instance_group().instance_type_details->at(0).current_count, 1);
}

TEST_F(ClustersTest, CapacityThatIsNotThereIsToldByEvents) {
  failure = {.code = "InsufficientInstanceCapacity",
             .message = "We currently do not have sufficient capacity."};
  get<api::CreateCluster>(request({spec("workers", 1)}));
  failure.reset();
  process->pass(minutes(15));
  EXPECT_EQ(status(), "InService");
  EXPECT_EQ(instance_group().status, "Degraded");
  EXPECT_EQ(instance_group().current_count, 0);
  EXPECT_GE(events("Error").size(), 2U);                  // It is tried again and again.
  get<api::UpdateCluster>(update({spec("workers", 1)}));  // There is capacity from now on.
  process->pass(minutes(15));
  EXPECT_EQ(statuses(), "Running");
}

TEST_F(ClustersTest, AFullSubnetIsToldByEvents) {
  const auto small = make_subnet("10.0.0.0/28", "us-west-2a");
  auto in = request({spec("workers", 1)});
  in.vpc_config->subnets = {{small}};
  get<api::CreateCluster>(in);
  process->pass(minutes(10));
  EXPECT_EQ(instance_group().current_count, 0);
  EXPECT_TRUE(
      nodes().at(0).instance_status->message->contains("Insufficient IP addresses in subnet " + small));
}

TEST_F(ClustersTest, AnotherPlannedFailureEndsTheCreation) {
  failure = {.code = "InternalError", .message = "Something broke."};
  get<api::CreateCluster>(request({spec()}));
  process->pass(minutes(10));
  EXPECT_EQ(status(), "Failed");
  EXPECT_EQ(cluster().failure_message, "Something broke.");
  get<api::DeleteCluster>({.cluster_name = "pod"});
  process->pass(minutes(5));
  EXPECT_TRUE(get<api::ListClusters>({}).cluster_summaries->empty());
}

TEST_F(ClustersTest, WithoutContinuousProvisioningItWaitsForAllAndRollsBack) {
  auto in = request({spec()});
  in.node_provisioning_mode.reset();
  get<api::CreateCluster>(in);
  process->pass(minutes(5));
  EXPECT_EQ(status(), "Creating");
  process->pass(minutes(6));
  EXPECT_EQ(status(), "InService");
  EXPECT_TRUE(refusal<api::ListClusterEvents>({.cluster_name = "pod"}).starts_with("ValidationException"));
  get<api::DeleteCluster>({.cluster_name = "pod"});
  process->pass(minutes(5));
  in.instance_groups->at(0).life_cycle_config->source_s3_uri = "s3://sagemaker-scripts/none";
  get<api::CreateCluster>(in);
  process->pass(minutes(9));
  EXPECT_EQ(status(), "RollingBack");
  process->pass(minutes(5));
  EXPECT_EQ(status(), "Failed");
  EXPECT_TRUE(cluster().failure_message->contains("Lifecycle scripts did not run successfully"));
}

TEST_F(ClustersTest, AMinimumHoldsTheClusterInCreatingAndEndsAfterThreeHours) {
  auto one = spec("workers", 2);
  one.min_instance_count = 2;
  get<api::CreateCluster>(request({one}));
  process->pass(minutes(4));
  EXPECT_EQ(status(), "Creating");
  process->pass(minutes(6));
  EXPECT_EQ(status(), "InService");
  get<api::DeleteCluster>({.cluster_name = "pod"});
  process->pass(minutes(5));
  one.life_cycle_config->source_s3_uri = "s3://sagemaker-scripts/none";
  get<api::CreateCluster>(request({one}));
  process->pass(hours(2));
  EXPECT_EQ(status(), "Creating");
  process->pass(hours(2));
  EXPECT_EQ(status(), "Failed");
}

TEST_F(ClustersTest, DeepHealthChecksComeBeforeRunning) {
  auto one = spec("workers", 1);
  one.on_start_deep_health_checks = {{"InstanceStress"}};
  get<api::CreateCluster>(request({one}));
  process->pass(minutes(15));
  EXPECT_EQ(statuses(), "DeepHealthCheckInProgress");
  const auto id = node_id();
  EXPECT_EQ(kube(id).label("sagemaker.amazonaws.com/deep-health-check-status"), "InProgress");
  EXPECT_TRUE(kube(id).has_taint("sagemaker.amazonaws.com/node-health-status"));
  EXPECT_TRUE(refusal<api::UpdateCluster>(update({one})).contains("deep health checks are in progress"));
  process->pass(minutes(90));
  EXPECT_EQ(statuses(), "Running");
  EXPECT_EQ(kube(id).label("sagemaker.amazonaws.com/deep-health-check-status"), "Passed");
  EXPECT_FALSE(kube(id).has_taint("sagemaker.amazonaws.com/node-health-status"));
}

TEST_F(ClustersTest, ADeletionTakesEverythingAway) {
  make_cluster();
  const auto free = [this] {
    return *cloud->ec2.network().find_subnet("us-west-2", subnet)->available_ip_address_count;
  };
  const auto before = free();
  get<api::DeleteCluster>({.cluster_name = "pod"});
  EXPECT_EQ(status(), "Deleting");
  EXPECT_TRUE(refusal<api::DeleteCluster>({.cluster_name = "pod"}).starts_with("ConflictException"));
  EXPECT_TRUE(host.nodes.empty());
  process->pass(minutes(5));
  EXPECT_TRUE(refusal<api::DescribeCluster>({.cluster_name = "pod"}).starts_with("ResourceNotFound"));
  EXPECT_GT(free(), before);
}

TEST_F(ClustersTest, GoesOnAfterARestart) {
  get<api::CreateCluster>(request({spec()}));
  process->pass(minutes(4));
  restart();
  process->pass(minutes(10));
  EXPECT_EQ(statuses(), "Running Running");
}

TEST_F(ClustersTest, EventsCanBeFilteredPagedAndDescribed) {
  make_cluster();
  const auto all = events();
  EXPECT_GE(all.size(), 10U);
  EXPECT_EQ(all.front(), "Cluster creation began");
  const auto of_node = get<api::ListClusterEvents>({.cluster_name = "pod", .node_id = node_id()});
  for (const auto& event : *of_node.events) EXPECT_EQ(event.resource_type, "Instance");
  EXPECT_EQ(of_node.events->front().description, "Instance is running");  // Newest first.
  const auto detail =
      get<api::DescribeClusterEvent>({.event_id = of_node.events->front().event_id, .cluster_name = "pod"});
  EXPECT_TRUE(
      detail.event_details->event_details->event_metadata->instance->customer_eni->starts_with("eni-"));
  const auto of_cluster = get<api::ListClusterEvents>({.cluster_name = "pod", .resource_type = "Cluster"});
  EXPECT_EQ(of_cluster.events->size(), 2U);
  EXPECT_TRUE(refusal<api::DescribeClusterEvent>(
                  {.event_id = "00000000-0000-0000-0000-000000000000", .cluster_name = "pod"})
                  .starts_with("ResourceNotFound"));
}

TEST_F(ClustersTest, ClustersAreListedAndTagged) {
  auto in = request({spec()});
  in.tags = {{{.key = "team", .value = "a"}}};
  const auto arn = get<api::CreateCluster>(in).cluster_arn;
  EXPECT_EQ(get<api::ListClusters>({.name_contains = "po"}).cluster_summaries->size(), 1U);
  EXPECT_EQ(get<api::ListClusters>({.name_contains = "x"}).cluster_summaries->size(), 0U);
  get<api::AddTags>({.resource_arn = arn, .tags = {{{.key = "b", .value = "c"}}}});
  get<api::DeleteTags>({.resource_arn = arn, .tag_keys = {{"team"}}});
  const auto tags = get<api::ListTags>({.resource_arn = arn}).tags.value();
  ASSERT_EQ(tags.size(), 1U);
  EXPECT_EQ(tags[0].key, "b");
}

}  // namespace
}  // namespace instantstart::sandbox::sagemaker
