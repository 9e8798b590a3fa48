#include "sandbox/services/service_quotas/quota_table.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "aws/shapes/sagemaker.h"
#include "base/digest.h"

namespace instantstart::sandbox {
namespace {

constexpr std::string_view k_sagemaker = "sagemaker";
constexpr std::string_view k_sagemaker_name = "Amazon SageMaker";

/// AWS General Reference, "endpoints and quotas" of VPC, EC2 and EKS; the codes are what
/// `aws service-quotas list-aws-default-service-quotas` shows.
std::vector<Quota> quotas_of_other_services() {
  constexpr std::string_view k_vpc = "Amazon Virtual Private Cloud (Amazon VPC)";
  constexpr std::string_view k_ec2 = "Amazon Elastic Compute Cloud (Amazon EC2)";
  constexpr std::string_view k_eks = "Amazon Elastic Kubernetes Service (Amazon EKS)";
  return {
      {"ec2", k_ec2, "L-0263D0A3", "EC2-VPC Elastic IPs", 5, 20},
      {"eks", k_eks, "L-1194D53C", "Clusters", 100, 100},
      {"eks", k_eks, "L-6D54EA21", "Managed node groups per cluster", 30, 30},
      {"eks", k_eks, "L-BD136A63", "Nodes per managed node group", 450, 450},
      {"eks", k_eks, "L-33415657", "Fargate profiles per cluster", 10, 10},
      {"vpc", k_vpc, "L-F678F1CE", "VPCs per Region", 5, 20},
      {"vpc", k_vpc, "L-407747CB", "Subnets per VPC", 200, 200},
      {"vpc", k_vpc, "L-83CA0A9D", "IPv4 CIDR blocks per VPC", 5, 5},
      {"vpc", k_vpc, "L-589F43AA", "Route tables per VPC", 200, 200},
      {"vpc", k_vpc, "L-93826ACB", "Routes per route table", 50, 50},
      {"vpc", k_vpc, "L-A4707A72", "Internet gateways per Region", 5, 20},
      {"vpc", k_vpc, "L-FE5A380F", "NAT gateways per Availability Zone", 5, 20},
      {"vpc", k_vpc, "L-E79EC296", "VPC security groups per Region", 2500, 2500},
      {"vpc", k_vpc, "L-0EA8095F", "Inbound or outbound rules per security group", 60, 60},
      {"vpc", k_vpc, "L-DF5E4CA3", "Network interfaces per Region", 5000, 5000},
      {"vpc", k_vpc, "L-29B6F2EB", "Interface VPC endpoints per VPC", 50, 50},
      {"vpc", k_vpc, "L-1B52E74A", "Gateway VPC endpoints per Region", 20, 20},
  };
}

/// Stands for a code that isn't documented: of the right form, and always the same for a name.
std::string made_up_code(std::string_view name) {
  const Sha256 hash = sha256(fmt::format("{}/{}", k_sagemaker, name));
  return fmt::format("L-{:02X}{:02X}{:02X}{:02X}", hash[0], hash[1], hash[2], hash[3]);
}

/// As API names it in CreateCluster: the list grows with the model.
std::span<const std::string_view> cluster_instance_types() {
  const aws::sagemaker::ClusterInstanceGroupSpecification* group = nullptr;
  return aws::sagemaker::shape_info(group).member("InstanceType")->shape->values;
}

/// Everything begins at zero in a real account. This one was granted enough to work with, except of the
/// newest accelerators, so that a missing quota can be met as well.
double granted_instances(std::string_view type) {
  constexpr std::array<std::string_view, 11> k_accelerated = {
      "ml.p4", "ml.p5", "ml.trn", "ml.g4", "ml.g5", "ml.g6", "ml.g7", "ml.gr6", "ml.inf", "ml.dl", "ml.p3"};
  if (type.starts_with("ml.p6")) return 0;
  const bool accelerated = std::ranges::any_of(
      k_accelerated, [type](std::string_view family) { return type.starts_with(family); });
  return accelerated ? 32 : 200;
}

void add_cluster_usage(std::vector<Quota>& quotas, std::string_view type) {
  const double granted = granted_instances(type);
  std::string on_demand = cluster_usage_name(type);
  std::string spot = fmt::format("{} for cluster spot instance usage", type);
  for (std::string* name : {&on_demand, &spot}) {
    quotas.push_back({k_sagemaker, k_sagemaker_name, made_up_code(*name), std::move(*name), 0, granted});
  }
}

std::vector<Quota> quotas_of_sagemaker() {
  const std::string spot_total = "Total number of Spot instances allowed across SageMaker HyperPod clusters";
  std::vector<Quota> quotas{
      {k_sagemaker, k_sagemaker_name, "L-2CE978FC",
       "Maximum number of instances allowed per SageMaker HyperPod cluster", 20, 1000},
      {k_sagemaker, k_sagemaker_name, "L-3308CCC7",
       "Total number of instances allowed across SageMaker HyperPod clusters", 30, 2000},
      {k_sagemaker, k_sagemaker_name, made_up_code(spot_total), spot_total, 0, 500},
      {k_sagemaker, k_sagemaker_name, "L-E13DF72A",
       "Maximum size of EBS volume in GB for a SageMaker HyperPod cluster instance", 1024, 16384},
  };
  for (const auto type : cluster_instance_types()) add_cluster_usage(quotas, type);
  std::ranges::sort(quotas, {}, &Quota::name);
  return quotas;
}

std::vector<Quota> make_table() {
  std::vector<Quota> quotas = quotas_of_other_services();
  std::ranges::move(quotas_of_sagemaker(), std::back_inserter(quotas));
  return quotas;
}

}  // namespace

std::span<const Quota> all_quotas() {
  static const std::vector<Quota> quotas = make_table();
  return quotas;
}

const Quota* find_quota(std::string_view service_code, std::string_view quota_code) {
  const auto quotas = all_quotas();
  const auto found = std::ranges::find_if(quotas, [&](const Quota& quota) {
    return quota.service_code == service_code && quota.code == quota_code;
  });
  return found == quotas.end() ? nullptr : &*found;
}

std::string cluster_usage_name(std::string_view instance_type) {
  return fmt::format("{} for cluster usage", instance_type);
}

}  // namespace instantstart::sandbox
