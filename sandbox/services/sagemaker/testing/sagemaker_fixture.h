// A simulated HyperPod in virtual time, on an EKS cluster that is ACTIVE, with what both stand on.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sandbox/core/testing/world_fixture.h"
#include "sandbox/services/ec2/ec2.h"
#include "sandbox/services/eks/testing/fake_control_planes.h"
#include "sandbox/services/logs/logs.h"
#include "sandbox/services/sagemaker/sagemaker.h"
#include "sandbox/services/sagemaker/testing/fake_node_host.h"

namespace instantstart::sandbox::sagemaker {

using std::chrono::hours;
using std::chrono::minutes;

class SageMakerFixture : public WorldFixture {
 protected:
  /// Everything but the world, which outlives it.
  struct Cloud {
    explicit Cloud(World& world, ControlPlaneHost& control_planes, NodeHost& nodes)
        : faults(world),
          calls(world, faults),
          quotas(world),
          iam(world),
          ec2(world),
          s3(world),
          logs(world),
          eks(world, iam, ec2.network(), control_planes),
          sagemaker(world, {.iam = iam,
                            .network = ec2.network(),
                            .eks = eks,
                            .s3 = s3,
                            .logs = logs,
                            .quotas = quotas,
                            .calls = calls,
                            .nodes = nodes}) {
      calls.add(eks);
    }
    FaultPlan faults;
    InternalCalls calls;
    Quotas quotas;
    iam::Iam iam;
    ec2::Ec2 ec2;
    s3::S3 s3;
    logs::Logs logs;
    eks::Eks eks;
    SageMaker sagemaker;
  };

  void SetUp() override {
    restart();
    vpc = *make<aws::ec2::CreateVpc>(cloud->ec2, {.cidr_block = "10.0.0.0/16"}).vpc->vpc_id;
    subnet = make_subnet("10.0.16.0/20", "us-west-2a");
    other_subnet = make_subnet("10.0.32.0/20", "us-west-2b");
    group = *make<aws::ec2::CreateSecurityGroup>(
                 cloud->ec2, {.description = "nodes", .group_name = "nodes", .vpc_id = vpc})
                 .group_id;
    let_members_through(group);
    role = make_role("nodes", "sagemaker.amazonaws.com");
    make<aws::iam::AttachRolePolicy>(
        cloud->iam, {.role_name = "nodes",
                     .policy_arn = "arn:aws:iam::aws:policy/AmazonSageMakerClusterInstanceRolePolicy"});
    make<aws::s3::CreateBucket>(cloud->s3,
                                {.bucket = "sagemaker-scripts",
                                 .create_bucket_configuration = {{.location_constraint = "us-west-2"}}});
    cloud->s3.write_object("sagemaker-scripts", "v1/on_create.sh", "#!/bin/bash\n");
    make_eks("demo");
  }
  void TearDown() override { cloud.reset(); }

  /// Ends the process and starts it again on what it had written.
  void restart(WorldOptions options = {}) {
    cloud.reset();
    start(std::move(options));
    cloud = std::make_unique<Cloud>(process->world(), control_planes, host);
    ASSERT_TRUE(process->load());
    process->start_timers();
  }

  Call call() const {
    Call one{.region = "us-west-2", .request_id = "r"};
    one.principal_arn = "arn:aws:iam::123456789012:user/sandbox";
    one.fails_later = failure;
    return one;
  }
  template <class Op>
  typename Op::Output make(Service& service, const typename Op::Input& input) {
    Call one = call();
    one.fails_later.reset();
    auto reply = process->ask<Op>(service, input, std::move(one));
    if (reply) return std::move(*reply);
    ADD_FAILURE() << reply.error().code << ": " << reply.error().message;
    return {};
  }
  template <class Op>
  Reply<typename Op::Output> ask(const typename Op::Input& input) {
    return process->ask<Op>(cloud->sagemaker, input, call());
  }
  /// The answer, which must be one.
  template <class Op>
  typename Op::Output get(const typename Op::Input& input) {
    auto reply = ask<Op>(input);
    if (reply) return std::move(*reply);
    ADD_FAILURE() << reply.error().code << ": " << reply.error().message;
    return {};
  }
  /// "code: message" of the refusal; "" when there is none.
  template <class Op>
  std::string refusal(const typename Op::Input& input) {
    const auto reply = ask<Op>(input);
    return reply ? "" : reply.error().code + ": " + reply.error().message;
  }

  std::string make_subnet(const std::string& block, const std::string& zone) {
    return *make<aws::ec2::CreateSubnet>(cloud->ec2,
                                         {.availability_zone = zone, .cidr_block = block, .vpc_id = vpc})
                .subnet->subnet_id;
  }
  /// What EFA needs of a security group.
  void let_members_through(const std::string& id) {
    const std::vector<aws::ec2::IpPermission> all{
        {.ip_protocol = "-1", .user_id_group_pairs = {{{.group_id = id}}}}};
    make<aws::ec2::AuthorizeSecurityGroupIngress>(cloud->ec2, {.group_id = id, .ip_permissions = all});
    make<aws::ec2::AuthorizeSecurityGroupEgress>(cloud->ec2, {.group_id = id, .ip_permissions = all});
  }
  std::string make_role(const std::string& name, const std::string& service) {
    const std::string trust =
        R"({"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"Service":")" + service +
        R"("},"Action":"sts:AssumeRole"}]})";
    return *make<aws::iam::CreateRole>(cloud->iam, {.role_name = name, .assume_role_policy_document = trust})
                .role->arn;
  }
  void make_eks(const std::string& name, const std::string& mode = "API_AND_CONFIG_MAP") {
    if (eks_role.empty()) eks_role = make_role("eks", "eks.amazonaws.com");
    make<aws::eks::CreateCluster>(
        cloud->eks,
        {.name = name,
         .role_arn = eks_role,
         .resources_vpc_config = aws::eks::VpcConfigRequest{.subnet_ids = {{subnet, other_subnet}}},
         .access_config = aws::eks::CreateAccessConfigRequest{.authentication_mode = mode}});
    process->pass(minutes(20));
  }

  api::ClusterInstanceGroupSpecification spec(const std::string& name = "workers", std::int64_t count = 2,
                                              const std::string& type = "ml.g5.8xlarge") const {
    api::ClusterInstanceGroupSpecification one;
    one.instance_count = count;
    one.instance_group_name = name;
    one.instance_type = type;
    one.execution_role = role;
    one.life_cycle_config = api::ClusterLifeCycleConfig{.source_s3_uri = "s3://sagemaker-scripts/v1",
                                                        .on_create = "on_create.sh"};
    return one;
  }
  api::CreateClusterRequest request(std::vector<api::ClusterInstanceGroupSpecification> groups) const {
    api::CreateClusterRequest one;
    one.cluster_name = "pod";
    one.instance_groups = std::move(groups);
    one.vpc_config = api::VpcConfig{.security_group_ids = {{group}}, .subnets = {{subnet}}};
    one.orchestrator =
        api::ClusterOrchestrator{.eks = api::ClusterOrchestratorEksConfig{
                                     .cluster_arn = "arn:aws:eks:us-west-2:123456789012:cluster/demo"}};
    one.node_recovery = "Automatic";
    one.node_provisioning_mode = "Continuous";
    return one;
  }
  /// A cluster whose nodes run.
  void make_cluster(std::vector<api::ClusterInstanceGroupSpecification> groups) {
    get<api::CreateCluster>(request(std::move(groups)));
    process->pass(minutes(15));
    ASSERT_EQ(status(), "InService");
  }
  void make_cluster() { make_cluster({spec()}); }
  api::UpdateClusterRequest update(std::vector<api::ClusterInstanceGroupSpecification> groups) const {
    api::UpdateClusterRequest one;
    one.cluster_name = "pod";
    if (!groups.empty()) one.instance_groups = std::move(groups);
    return one;
  }

  api::DescribeClusterResponse cluster() { return get<api::DescribeCluster>({.cluster_name = "pod"}); }
  std::string status() { return cluster().cluster_status.value_or(""); }
  api::ClusterInstanceGroupDetails instance_group(const std::string& name = "workers") {
    for (const auto& one : *cluster().instance_groups) {
      if (one.instance_group_name == name) return one;
    }
    return {};
  }
  /// Also those without an instance.
  std::vector<api::ClusterNodeSummary> nodes(bool logical = true) {
    api::ListClusterNodesRequest in{.cluster_name = "pod"};
    in.max_results = 100;
    if (logical) in.include_node_logical_ids = true;
    return get<api::ListClusterNodes>(in).cluster_node_summaries.value_or(
        std::vector<api::ClusterNodeSummary>{});
  }
  std::string node_id(std::size_t index = 0) { return nodes().at(index).instance_id.value_or(""); }
  api::ClusterNodeDetails node(const std::string& id) {
    return get<api::DescribeClusterNode>({.cluster_name = "pod", .node_id = id})
        .node_details.value_or(api::ClusterNodeDetails{});
  }
  /// "Running Running"
  std::string statuses() {
    std::string text;
    for (const auto& one : nodes()) text += (text.empty() ? "" : " ") + *one.instance_status->status;
    return text;
  }
  /// Descriptions, oldest first.
  std::vector<std::string> events(std::optional<std::string> level = std::nullopt) {
    std::vector<std::string> all;
    api::ListClusterEventsRequest in{.cluster_name = "pod", .sort_order = "Ascending"};
    do {
      const auto page = get<api::ListClusterEvents>(in);
      for (const auto& event : aws::items(page.events)) {
        if (!level || event.event_level == level) all.push_back(*event.description);
      }
      in.next_token = page.next_token;
    } while (in.next_token);
    return all;
  }
  bool has_event(const std::string& part) {
    for (const auto& one : events()) {
      if (one.contains(part)) return true;
    }
    return false;
  }
  FakeNodeHost::Node kube(const std::string& id) {
    const auto found = host.nodes.find("hyperpod-" + id);
    return found == host.nodes.end() ? FakeNodeHost::Node{} : found->second;
  }
  Result<> break_node(const std::string& id, NodeFaultKind kind) {
    auto broken = cloud->sagemaker.break_node({.region = {}, .cluster = "pod", .node = id, .kind = kind});
    EXPECT_TRUE(process->run(process->world().commit()));
    return broken;
  }

  eks::FakeControlPlanes control_planes;
  FakeNodeHost host;
  std::unique_ptr<Cloud> cloud;
  std::optional<PlannedFailure> failure;
  std::string vpc;
  std::string subnet;
  std::string other_subnet;
  std::string group;
  std::string role;
  std::string eks_role;
};

}  // namespace instantstart::sandbox::sagemaker
