#include "capabilities/network/stack_calls.h"

#include <algorithm>
#include <set>

#include <fmt/core.h>

#include "aws/pagination.h"
#include "aws/shapes/cloudformation.h"
#include "aws/shapes/ec2.h"
#include "aws/shapes/eks.h"
#include "aws/shapes/sagemaker.h"
#include "base/decode.h"
#include "base/error_codes.h"
#include "base/text.h"

namespace instantstart::capabilities {
namespace {

namespace cfn = aws::cloudformation;
namespace ec2 = aws::ec2;
namespace eks = aws::eks;
namespace sagemaker = aws::sagemaker;

/// Events of one operation on some seventy resources; older ones are of no interest.
constexpr std::size_t k_most_events = 2'000;
constexpr std::size_t k_longest_text = 200;

aws::CallOptions until(net::Deadline deadline) { return {.deadline = deadline}; }

Task<std::vector<StackFailure>> look_at_failures(aws::Client& client, std::string stack,
                                                 net::Deadline deadline) {
  std::vector<cfn::StackEvent> events;
  std::vector<StackFailure> failures;
  const auto take = [&](cfn::DescribeStackEventsOutput& page) {
    if (page.stack_events) std::ranges::move(*page.stack_events, std::back_inserter(events));
    bool complete = false;
    failures = failures_of(events, complete);
    return !complete && events.size() < k_most_events;
  };
  cfn::DescribeStackEventsInput input;
  input.stack_name = std::move(stack);
  auto read =
      co_await aws::for_each_page<cfn::DescribeStackEvents>(client, std::move(input), take, until(deadline));
  if (!read) co_return fail(within("Read the stack's events", read.error()));
  co_return failures;
}

/// Physical ids of what the stack made, and of what type.
struct StackResources {
  std::set<std::string> ids;
  std::string vpc;  ///< Of its own; empty in an existing VPC.
  std::string security_group;
  std::int64_t done = 0;
  std::int64_t total = 0;
};

Task<StackResources> look_at_resources(aws::Client& client, std::string stack, net::Deadline deadline,
                                       bool deleting = false) {
  cfn::DescribeStackResourcesInput input;
  input.stack_name = std::move(stack);
  auto found = co_await client.call<cfn::DescribeStackResources>(std::move(input), until(deadline));
  if (!found) co_return fail(within("List the stack's resources", found.error()));
  StackResources resources;
  for (const auto& resource : aws::items(found->stack_resources)) {
    const std::string id = resource.physical_resource_id.value_or("");
    const std::string type = resource.resource_type.value_or("");
    const std::string status = resource.resource_status.value_or("");
    ++resources.total;
    if (status == (deleting ? "DELETE_COMPLETE" : "CREATE_COMPLETE") || status == "UPDATE_COMPLETE")
      ++resources.done;
    if (id.empty() || status == "DELETE_COMPLETE") continue;
    if (type == "AWS::EC2::VPC") resources.vpc = id;
    if (type == "AWS::EC2::SecurityGroup") resources.security_group = id;
    resources.ids.insert(id);
  }
  co_return resources;
}

bool failed(std::string_view status) {
  return status.find("ROLLBACK") != std::string_view::npos || status.ends_with("_FAILED");
}

ec2::Filter filter(std::string name, std::string value) {
  ec2::Filter made;
  made.name = std::move(name);
  made.values = {std::move(value)};
  return made;
}

std::string words(const std::optional<std::string>& text, std::string_view otherwise) {
  return text && !text->empty() ? shortened(without_controls(*text), k_longest_text) : std::string(otherwise);
}

/// EKS takes its own interfaces away with the control plane, CloudFormation those of NAT gateways.
bool goes_with_the_stack(const ec2::NetworkInterface& interface, const StackResources& ours,
                         const std::string& cluster) {
  const std::string description = interface.description.value_or("");
  if (description == "Amazon EKS " + cluster) return true;
  constexpr std::string_view k_nat = "Interface for NAT Gateway ";
  return description.starts_with(k_nat) && ours.ids.contains(description.substr(k_nat.size()));
}

Stranger to_stranger(const ec2::NetworkInterface& interface) {
  const std::string kind = interface.interface_type.value_or("interface");
  const std::string description = interface.description.value_or("");
  const bool balancer = description.starts_with("ELB ") || kind.ends_with("load_balancer");
  return {balancer ? "load_balancer" : "network_interface", interface.network_interface_id.value_or(""),
          words(interface.description, kind)};
}

Task<> add_interfaces(aws::Client& client, const StackResources& ours, const domain::ClusterKey& cluster,
                      std::vector<Stranger>& strangers, net::Deadline deadline) {
  ec2::DescribeNetworkInterfacesRequest input;
  // In a VPC that is not ours, only what uses our security group hangs on the stack.
  input.filters = {ours.vpc.empty() ? filter("group-id", ours.security_group) : filter("vpc-id", ours.vpc)};
  auto found = co_await aws::collect<ec2::DescribeNetworkInterfaces>(
      client, std::move(input), &ec2::DescribeNetworkInterfacesResult::network_interfaces, until(deadline));
  if (!found) co_return fail(within("List network interfaces", found.error()));
  for (const auto& interface : *found) {
    if (!goes_with_the_stack(interface, ours, cluster.name)) strangers.push_back(to_stranger(interface));
  }
  co_return Result<>{};
}

Task<> add_subnets(aws::Client& client, const StackResources& ours, std::vector<Stranger>& strangers,
                   net::Deadline deadline) {
  ec2::DescribeSubnetsRequest input;
  input.filters = {filter("vpc-id", ours.vpc)};
  auto found = co_await aws::collect<ec2::DescribeSubnets>(
      client, std::move(input), &ec2::DescribeSubnetsResult::subnets, until(deadline));
  if (!found) co_return fail(within("List subnets", found.error()));
  for (const auto& subnet : *found) {
    const std::string id = subnet.subnet_id.value_or("");
    if (!ours.ids.contains(id)) strangers.push_back({"subnet", id, words(subnet.cidr_block, "a subnet")});
  }
  co_return Result<>{};
}

Task<> add_security_groups(aws::Client& client, const StackResources& ours, const domain::ClusterKey& cluster,
                           std::vector<Stranger>& strangers, net::Deadline deadline) {
  ec2::DescribeSecurityGroupsRequest input;
  input.filters = {filter("vpc-id", ours.vpc)};
  auto found = co_await aws::collect<ec2::DescribeSecurityGroups>(
      client, std::move(input), &ec2::DescribeSecurityGroupsResult::security_groups, until(deadline));
  if (!found) co_return fail(within("List security groups", found.error()));
  for (const auto& group : *found) {
    const std::string id = group.group_id.value_or("");
    const std::string name = group.group_name.value_or("");
    // EKS names and removes its own: eks-cluster-sg-<cluster>-<number>.
    const bool of_eks = name.starts_with(fmt::format("eks-cluster-sg-{}-", cluster.name));
    if (name == "default" || of_eks || ours.ids.contains(id)) continue;
    strangers.push_back({"security_group", id, words(group.group_name, "a security group")});
  }
  co_return Result<>{};
}

Task<> add_hyperpod_clusters(aws::Client& client, const domain::ClusterKey& cluster,
                             std::vector<Stranger>& strangers, net::Deadline deadline) {
  auto listed = co_await aws::collect<sagemaker::ListClusters>(
      client, {}, &sagemaker::ListClustersResponse::cluster_summaries, until(deadline));
  if (!listed) co_return fail(within("List HyperPod clusters", listed.error()));
  for (const auto& summary : *listed) {
    sagemaker::DescribeClusterRequest input;
    input.cluster_name = summary.cluster_name;
    auto described = co_await client.call<sagemaker::DescribeCluster>(std::move(input), until(deadline));
    if (!described && described.error().code == codes::not_found) continue;
    if (!described) co_return fail(within("Look at a HyperPod cluster", described.error()));
    const auto& orchestrator = described->orchestrator;
    if (!orchestrator || !orchestrator->eks || !orchestrator->eks->cluster_arn) continue;
    if (domain::key_of_arn(*orchestrator->eks->cluster_arn) != cluster) continue;
    strangers.push_back({"hyperpod_cluster", words(summary.cluster_name, ""),
                         words(summary.cluster_status, "a HyperPod cluster")});
  }
  co_return Result<>{};
}

std::vector<cfn::Parameter> to_wire(const std::map<std::string, std::string>& parameters) {
  std::vector<cfn::Parameter> all;
  for (const auto& [key, value] : parameters) {
    auto& parameter = all.emplace_back();
    parameter.parameter_key = key;
    parameter.parameter_value = value;
  }
  return all;
}

std::vector<cfn::Tag> tags_to_wire(const std::map<std::string, std::string>& tags) {
  std::vector<cfn::Tag> all;
  for (const auto& [key, value] : tags) {
    auto& tag = all.emplace_back();
    tag.key = key;
    tag.value = value;
  }
  return all;
}

template <class Input>
Input filled(StackContent content, std::string name, const std::string& token) {
  Input input;
  input.stack_name = std::move(name);
  input.template_body = std::move(content.template_body);
  input.parameters = to_wire(content.parameters);
  input.tags = tags_to_wire(content.tags);
  input.capabilities = {"CAPABILITY_NAMED_IAM"};  // The control plane's role has a name that we look for.
  input.client_request_token = token;
  return input;
}

json::value receipt(StackRequest request, std::optional<std::string> stack_id) {
  if (stack_id) request.stack_id = std::move(*stack_id);
  return encode(request);
}

}  // namespace

Task<StackSeen> look_at_stack(aws::Client& client, std::string name, net::Deadline deadline) {
  cfn::DescribeStacksInput input;
  input.stack_name = std::move(name);
  auto found = co_await client.call<cfn::DescribeStacks>(std::move(input), until(deadline));
  if (!found && found.error().code == codes::not_found) co_return StackSeen{};
  if (!found) co_return fail(within("Look at the stack", found.error()));
  if (!found->stacks || found->stacks->empty()) co_return StackSeen{};
  StackSeen seen = to_seen(found->stacks->front());
  if (!seen.exists) co_return seen;
  if (seen.status.ends_with("_IN_PROGRESS")) {
    auto resources =
        co_await look_at_resources(client, seen.stack_id, deadline, seen.status == "DELETE_IN_PROGRESS");
    if (!resources) co_return fail(resources.error());
    seen.resources_done = resources->done;
    seen.resources_total = resources->total;
  }
  if (failed(seen.status)) {
    auto failures = co_await look_at_failures(client, seen.stack_id, deadline);
    if (!failures) co_return fail(failures.error());
    seen.failures = std::move(*failures);
  }
  co_return seen;
}

Task<std::optional<std::string>> find_eks_cluster(aws::Client& client, std::string name,
                                                  net::Deadline deadline) {
  eks::DescribeClusterRequest input;
  input.name = std::move(name);
  auto found = co_await client.call<eks::DescribeCluster>(std::move(input), until(deadline));
  if (!found && found.error().code == codes::not_found) co_return std::nullopt;
  if (!found) co_return fail(within("Look for an EKS cluster of this name", found.error()));
  co_return found->cluster ? std::optional(found->cluster->arn.value_or("")) : std::nullopt;
}

Task<std::vector<Stranger>> find_strangers(aws::Client& client, StackSeen stack, domain::ClusterKey cluster,
                                           net::Deadline deadline) {
  std::vector<Stranger> strangers;
  auto ours = co_await look_at_resources(client, stack.stack_id, deadline);
  if (!ours) co_return fail(ours.error());
  auto hyperpod = co_await add_hyperpod_clusters(client, cluster, strangers, deadline);
  if (!hyperpod) co_return fail(hyperpod.error());
  if (!ours->vpc.empty() || !ours->security_group.empty()) {
    auto interfaces = co_await add_interfaces(client, *ours, cluster, strangers, deadline);
    if (!interfaces) co_return fail(interfaces.error());
  }
  if (!ours->vpc.empty()) {
    auto subnets = co_await add_subnets(client, *ours, strangers, deadline);
    if (!subnets) co_return fail(subnets.error());
    auto groups = co_await add_security_groups(client, *ours, cluster, strangers, deadline);
    if (!groups) co_return fail(groups.error());
  }
  co_return strangers;
}

Task<json::value> send_to_stack(aws::Client& client, StackRequest request, StackContent content,
                                std::string token, net::Deadline deadline) {
  const aws::CallOptions options{.deadline = deadline, .idempotency_token = token};
  std::string name = request.call == StackCall::create_stack ? content.name : request.stack_id;
  switch (request.call) {
    case StackCall::create_stack: {
      auto input = filled<cfn::CreateStackInput>(std::move(content), std::move(name), token);
      auto made = co_await client.call<cfn::CreateStack>(std::move(input), options);
      if (!made) co_return fail(within("Create the stack", made.error()));
      co_return receipt(std::move(request), made->stack_id);
    }
    case StackCall::update_stack: {
      auto input = filled<cfn::UpdateStackInput>(std::move(content), std::move(name), token);
      auto changed = co_await client.call<cfn::UpdateStack>(std::move(input), options);
      if (!changed) co_return fail(within("Update the stack", changed.error()));
      co_return receipt(std::move(request), changed->stack_id);
    }
    case StackCall::delete_stack: {
      cfn::DeleteStackInput input;
      input.stack_name = std::move(name);
      input.client_request_token = token;
      auto gone = co_await client.call<cfn::DeleteStack>(std::move(input), options);
      if (!gone) co_return fail(within("Delete the stack", gone.error()));
      co_return receipt(std::move(request), std::nullopt);
    }
  }
  co_return fail(codes::internal, "There is no such call about a stack.");
}

}  // namespace instantstart::capabilities
