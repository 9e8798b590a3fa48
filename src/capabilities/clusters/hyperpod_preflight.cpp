#include "capabilities/clusters/hyperpod_preflight.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "aws/pagination.h"
#include "aws/shapes/service_quotas.h"
#include "base/error_codes.h"
#include "base/text.h"
#include "capabilities/clusters/hyperpod_request.h"

namespace instantstart::capabilities {
namespace {

namespace ec2 = aws::ec2;
namespace quotas = aws::service_quotas;
namespace sagemaker = aws::sagemaker;

// Codes of Service Quotas, service "sagemaker".
constexpr std::string_view k_instances_per_cluster = "L-2CE978FC";
constexpr std::string_view k_instances_of_all_clusters = "L-3308CCC7";

aws::CallOptions until(net::Deadline deadline) { return {.deadline = deadline}; }

bool may_be_left_out(const Error& error) {
  return error.code == codes::access_denied || error.code == codes::not_found;
}

const std::vector<std::string>& needed_actions() {
  static const std::vector<std::string> k_actions{"sagemaker:CreateCluster",
                                                  "sagemaker:DescribeCluster",
                                                  "sagemaker:ListClusterNodes",
                                                  "sagemaker:AddTags",
                                                  "sagemaker:ListTags",
                                                  "iam:CreateRole",
                                                  "iam:TagRole",
                                                  "iam:AttachRolePolicy",
                                                  "iam:PutRolePolicy",
                                                  "iam:PassRole",
                                                  "s3:CreateBucket",
                                                  "s3:PutBucketTagging",
                                                  "s3:PutBucketPublicAccessBlock",
                                                  "s3:PutObject",
                                                  "ec2:CreateSubnet",
                                                  "ec2:CreateRouteTable",
                                                  "ec2:CreateRoute",
                                                  "ec2:AssociateRouteTable",
                                                  "ec2:ModifyVpcEndpoint",
                                                  "ec2:CreateTags",
                                                  "eks:DescribeCluster",
                                                  "eks:CreateAccessEntry",
                                                  "eks:DescribeAccessEntry",
                                                  "eks:AssociateAccessPolicy"};
  return k_actions;
}

std::string sagemaker_type(const InstanceGroup& group) {
  return domain::sagemaker_name(domain::ec2_name(group.instance_type));
}

std::string quota_name(const InstanceGroup& group) {
  return sagemaker_type(group) + (capacity_of(group) == CapacityType::spot
                                      ? " for cluster spot instance usage"
                                      : " for cluster usage");
}

ec2::Filter filter(std::string name, std::vector<std::string> values) {
  ec2::Filter made;
  made.name = std::move(name);
  made.values = std::move(values);
  return made;
}

Task<> add_type(aws::Client& client, const InstanceGroup& group, HyperpodFacts& facts,
                net::Deadline deadline) {
  const std::string type(domain::ec2_name(group.instance_type));
  ec2::DescribeInstanceTypesRequest asked;
  asked.instance_types = {type};
  auto types = co_await client.call<ec2::DescribeInstanceTypes>(std::move(asked), until(deadline));
  if (!types && (types.error().code == codes::invalid_request || types.error().code == codes::not_found)) {
    facts.type_exists = false;
    co_return Result<>{};
  }
  if (!types) co_return fail(within("Look at the instance type", types.error()));
  for (const auto& info : aws::items(types->instance_types)) {
    if (info.network_info) facts.type_has_efa = info.network_info->efa_supported.value_or(false);
  }
  ec2::DescribeInstanceTypeOfferingsRequest offered;
  offered.location_type = "availability-zone";
  offered.filters = {filter("instance-type", {type})};
  auto offerings = co_await aws::collect<ec2::DescribeInstanceTypeOfferings>(
      client, std::move(offered), &ec2::DescribeInstanceTypeOfferingsResult::instance_type_offerings,
      until(deadline));
  if (!offerings) co_return fail(within("List the zones that offer the type", offerings.error()));
  for (const auto& offering : *offerings) {
    if (offering.instance_type == type) facts.offering_zones.push_back(offering.location.value_or(""));
  }
  std::ranges::sort(facts.offering_zones);
  co_return Result<>{};
}

Task<> add_cluster_zones(aws::Client& client, const EksFacts& eks, HyperpodFacts& facts,
                         net::Deadline deadline) {
  if (eks.vpc_id.empty()) co_return Result<>{};
  ec2::DescribeSubnetsRequest asked;
  asked.filters = {filter("vpc-id", {eks.vpc_id})};
  auto subnets = co_await aws::collect<ec2::DescribeSubnets>(
      client, std::move(asked), &ec2::DescribeSubnetsResult::subnets, until(deadline));
  if (!subnets) co_return fail(within("List the VPC's subnets", subnets.error()));
  std::set<std::string> zones;
  for (const auto& subnet : *subnets) {
    const bool own = std::ranges::count(eks.subnet_ids, subnet.subnet_id.value_or("")) > 0;
    if (own) zones.insert(subnet.availability_zone.value_or(""));
  }
  facts.cluster_zones.assign(zones.begin(), zones.end());
  co_return Result<>{};
}

Task<> add_quotas(aws::Client& client, HyperpodFacts& facts, net::Deadline deadline) {
  quotas::ListServiceQuotasRequest asked;
  asked.service_code = "sagemaker";
  auto found = co_await aws::collect<quotas::ListServiceQuotas>(
      client, std::move(asked), &quotas::ListServiceQuotasResponse::quotas, until(deadline));
  if (!found && may_be_left_out(found.error())) {
    facts.warnings.emplace_back("SageMaker's quotas could not be read, so they are not checked.");
    co_return Result<>{};
  }
  if (!found) co_return fail(within("List SageMaker's quotas", found.error()));
  for (const auto& quota : *found) {
    if (!quota.value) continue;
    facts.quotas[quota.quota_name.value_or("")] = static_cast<std::int64_t>(*quota.value);
    facts.quotas[quota.quota_code.value_or("")] = static_cast<std::int64_t>(*quota.value);
  }
  co_return Result<>{};
}

void add_usage(const InstanceGroup& group, const std::vector<HyperpodDescription>& clusters,
               HyperpodFacts& facts) {
  for (const auto& cluster : clusters) {
    for (const auto& other : aws::items(cluster.instance_groups)) {
      const auto count = std::max(other.target_count.value_or(0), other.current_count.value_or(0));
      facts.all_used += count;
      const auto view = to_view(other, {});
      if (other.instance_type == sagemaker_type(group) && view.capacity == capacity_of(group)) {
        facts.type_used += count;
      }
    }
  }
}

Task<> add_plan(aws::Client& client, const InstanceGroup& group, HyperpodFacts& facts,
                net::Deadline deadline) {
  if (!group.training_plan_arn) co_return Result<>{};
  auto plans = co_await aws::collect<sagemaker::ListTrainingPlans>(
      client, {}, &sagemaker::ListTrainingPlansResponse::training_plan_summaries, until(deadline));
  if (!plans) co_return fail(within("List the training plans", plans.error()));
  for (const auto& plan : *plans) {
    if (plan.training_plan_arn == group.training_plan_arn->value) facts.plan = to_facts(plan);
  }
  co_return Result<>{};
}

Task<> add_security_groups(aws::Client& client, const EksFacts& eks, HyperpodFacts& facts,
                           net::Deadline deadline) {
  if (!facts.type_has_efa || eks.security_group_ids.empty()) co_return Result<>{};
  ec2::DescribeSecurityGroupsRequest asked;
  asked.group_ids = eks.security_group_ids;
  auto groups = co_await client.call<ec2::DescribeSecurityGroups>(std::move(asked), until(deadline));
  if (!groups) co_return fail(within("Look at the security groups", groups.error()));
  for (const auto& group : aws::items(groups->security_groups)) {
    facts.security_groups.push_back(self_rules(group));
  }
  co_return Result<>{};
}

bool allows_itself(const std::optional<std::vector<ec2::IpPermission>>& rules, const std::string& group_id) {
  return std::ranges::any_of(aws::items(rules), [&](const ec2::IpPermission& rule) {
    return rule.ip_protocol == "-1" &&
           std::ranges::any_of(aws::items(rule.user_id_group_pairs),
                               [&](const ec2::UserIdGroupPair& pair) { return pair.group_id == group_id; });
  });
}

class Problems {
 public:
  void add(std::string pointer, std::string_view rule, std::string message, std::string value = "") {
    all.push_back(
        {std::move(pointer), std::string(rule), std::move(message), std::move(value), std::nullopt});
  }
  void quota(std::string_view name, std::int64_t limit, std::int64_t used, std::int64_t needed) {
    if (used + needed <= limit) return;
    add("", codes::quota_exceeded,
        fmt::format("needs {} more of the quota '{}', and {} of {} are in use", needed, name, used, limit));
  }
  std::vector<FieldProblem> all;
};

void check_plan(const InstanceGroup& group, const HyperpodFacts& facts, Problems& problems) {
  if (!group.training_plan_arn) return;
  const std::string pointer = "/group/training_plan_arn";
  if (!facts.plan)
    return problems.add(pointer, codes::not_found, "is no training plan of this account and region");
  const auto& plan = *facts.plan;
  if (plan.status != "Active" && plan.status != "Scheduled") {
    problems.add(pointer, "state", "is " + plan.status);
  }
  if (!plan.for_hyperpod) problems.add(pointer, "target", "is not for HyperPod clusters");
  if (std::ranges::count(plan.instance_types, sagemaker_type(group)) == 0) {
    problems.add("/group/instance_type", "training_plan",
                 "must be that of the training plan: " + join(plan.instance_types, ", "));
  }
  if (plan.available < group.count) {
    problems.add("/group/count", "maximum",
                 fmt::format("is more than the {} instances left in the training plan", plan.available));
  }
  if (group.zone && !plan.zone.empty() && group.zone->value != plan.zone) {
    problems.add("/group/zone", "training_plan", "must be that of the training plan, " + plan.zone);
  }
}

void check_quotas(const InstanceGroup& group, const HyperpodFacts& facts, Problems& problems) {
  const auto of = [&](std::string_view name) { return facts.quotas.find(std::string(name)); };
  if (capacity_of(group) != CapacityType::training_plan) {
    const std::string name = quota_name(group);
    const auto found = of(name);
    if (found != facts.quotas.end()) problems.quota(name, found->second, facts.type_used, group.count);
  }
  if (const auto found = of(k_instances_per_cluster); found != facts.quotas.end()) {
    problems.quota("instances in one HyperPod cluster", found->second, 0, group.count);
  }
  if (const auto found = of(k_instances_of_all_clusters); found != facts.quotas.end()) {
    problems.quota("instances in all HyperPod clusters", found->second, facts.all_used, group.count);
  }
}

}  // namespace

SelfRules self_rules(const ec2::SecurityGroup& group) {
  const std::string id = group.group_id.value_or("");
  return {id, allows_itself(group.ip_permissions, id), allows_itself(group.ip_permissions_egress, id)};
}

PlanFacts to_facts(const sagemaker::TrainingPlanSummary& plan) {
  PlanFacts facts{.status = plan.status.value_or(""), .available = plan.available_instance_count.value_or(0)};
  const auto& targets = aws::items(plan.target_resources);
  facts.for_hyperpod = std::ranges::count(targets, "hyperpod-cluster") > 0;
  for (const auto& capacity : aws::items(plan.reserved_capacity_summaries)) {
    facts.instance_types.push_back(capacity.instance_type.value_or(""));
    if (facts.zone.empty()) facts.zone = capacity.availability_zone.value_or("");
  }
  return facts;
}

Task<HyperpodFacts> look_around_hyperpod(aws::Client& client, Identity identity, EksFacts eks,
                                         InstanceGroup group, std::vector<HyperpodDescription> clusters,
                                         net::Deadline deadline) {
  HyperpodFacts facts{.authentication_mode = eks.authentication_mode};
  auto type = co_await add_type(client, group, facts, deadline);
  if (!type) co_return fail(type.error());
  auto zones = co_await add_cluster_zones(client, eks, facts, deadline);
  if (!zones) co_return fail(zones.error());
  auto limits = co_await add_quotas(client, facts, deadline);
  if (!limits) co_return fail(limits.error());
  if (!facts.quotas.empty() && !facts.quotas.contains(quota_name(group)) &&
      capacity_of(group) != CapacityType::training_plan) {
    facts.warnings.push_back(fmt::format("There is no quota '{}', so it is not checked.", quota_name(group)));
  }
  add_usage(group, clusters, facts);
  auto plan = co_await add_plan(client, group, facts, deadline);
  if (!plan) co_return fail(plan.error());
  auto groups = co_await add_security_groups(client, eks, facts, deadline);
  if (!groups) co_return fail(groups.error());
  auto permissions = co_await look_at_permissions(client, std::move(identity), needed_actions(), deadline);
  if (!permissions) co_return fail(permissions.error());
  facts.denied = std::move(permissions->denied);
  if (!permissions->checked) {
    facts.warnings.emplace_back(
        "The caller may not simulate its own policies, so permissions are not checked.");
  }
  co_return facts;
}

std::vector<FieldProblem> hyperpod_problems(const InstanceGroup& group, const HyperpodFacts& facts) {
  Problems problems;
  if (!facts.type_exists) {
    problems.add("/group/instance_type", codes::not_found, "is no instance type of this region",
                 group.instance_type.value);
  } else if (facts.offering_zones.empty()) {
    problems.add("/group/instance_type", "zones", "is offered in no zone of this region",
                 group.instance_type.value);
  } else if (group.zone && std::ranges::count(facts.offering_zones, group.zone->value) == 0) {
    problems.add(
        "/group/zone", "zones",
        fmt::format("does not offer {}; {} do", group.instance_type.value, join(facts.offering_zones, ", ")),
        group.zone->value);
  }
  check_plan(group, facts, problems);
  check_quotas(group, facts, problems);
  if (facts.authentication_mode == "CONFIG_MAP") {
    problems.add("/cluster", "authentication_mode",
                 "has the authentication mode CONFIG_MAP; HyperPod needs API or API_AND_CONFIG_MAP");
  }
  // One group of the nodes' that has both rules is enough.
  const bool free = std::ranges::any_of(facts.security_groups,
                                        [](const SelfRules& group) { return group.ingress && group.egress; });
  if (!facts.security_groups.empty() && !free) {
    const auto& first = facts.security_groups.front();
    problems.add(
        "/cluster", first.ingress ? "efa_sg_self_egress_missing" : "efa_sg_self_ingress_missing",
        fmt::format("has the security group {0}, which EFA can't use: it needs a rule for all traffic "
                    "{1} {0} itself",
                    first.group_id, first.ingress ? "to" : "from"));
  }
  if (!facts.denied.empty()) {
    problems.add("", codes::access_denied,
                 "needs permissions that the caller does not have: " + join(facts.denied, ", "));
  }
  return std::move(problems.all);
}

std::string choose_zone(const InstanceGroup& group, const HyperpodFacts& facts) {
  if (group.zone) return group.zone->value;
  if (facts.plan && !facts.plan->zone.empty()) return facts.plan->zone;
  for (const auto& zone : facts.cluster_zones) {
    if (std::ranges::count(facts.offering_zones, zone) > 0) return zone;
  }
  return facts.offering_zones.empty() ? "" : facts.offering_zones.front();
}

}  // namespace instantstart::capabilities
