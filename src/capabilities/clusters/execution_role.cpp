#include "capabilities/clusters/execution_role.h"

#include <initializer_list>

#include <fmt/core.h>

#include "base/digest.h"
#include "domain/arn_text.h"
#include "domain/cluster_name.h"

namespace instantstart::capabilities {
namespace {

json::object statement(std::string_view id, std::initializer_list<std::string_view> actions,
                       std::vector<std::string> resources) {
  json::array names;
  for (const auto action : actions) names.emplace_back(action);
  json::array arns;
  for (const auto& resource : resources) arns.emplace_back(resource);
  return {{"Sid", id}, {"Effect", "Allow"}, {"Action", std::move(names)}, {"Resource", std::move(arns)}};
}

json::object document(json::array statements) {
  return {{"Version", "2012-10-17"}, {"Statement", std::move(statements)}};
}

}  // namespace

Result<std::string> execution_role_name(const ClusterTarget& cluster) {
  return domain::role_name(domain::ClusterName{cluster.name}, cluster.region, "nodes");
}

std::string instance_role_policy_arn(const ClusterTarget& cluster) {
  return domain::managed_policy_arn(place_of(cluster).partition, k_instance_role_policy);
}

json::object execution_role_trust(const ClusterTarget& cluster) {
  json::object statement{{"Effect", "Allow"},
                         {"Principal", {{"Service", "sagemaker.amazonaws.com"}}},
                         {"Action", "sts:AssumeRole"},
                         {"Condition", {{"StringEquals", {{"aws:SourceAccount", cluster.account}}}}}};
  json::array statements;
  statements.push_back(std::move(statement));
  return document(std::move(statements));
}

json::object execution_role_policy(const ClusterTarget& cluster, std::string_view bucket,
                                   const std::optional<std::string>& kms_key) {
  const auto place = place_of(cluster);
  const auto ec2 = [&](std::string_view what) {
    return domain::regional_arn(place, "ec2", fmt::format("{}/*", what));
  };
  // The instances run in an account of SageMaker's, the interfaces in ours.
  const std::string instances = fmt::format("arn:{}:ec2:{}:*:instance/*", place.partition, place.region);
  // Images of AWS's agents come from registries of its accounts.
  const std::string repositories = fmt::format("arn:{}:ecr:*:*:repository/*", place.partition);
  const std::string bucket_arn = fmt::format("arn:{}:s3:::{}", place.partition, bucket);
  json::array all;
  all.push_back(
      statement("Interfaces",
                {"ec2:AssignPrivateIpAddresses", "ec2:AttachNetworkInterface", "ec2:CreateNetworkInterface",
                 "ec2:CreateNetworkInterfacePermission", "ec2:DeleteNetworkInterface",
                 "ec2:DeleteNetworkInterfacePermission", "ec2:DetachNetworkInterface",
                 "ec2:ModifyNetworkInterfaceAttribute", "ec2:UnassignPrivateIpAddresses"},
                {ec2("network-interface"), ec2("subnet"), ec2("security-group"), instances}));
  all.push_back(statement("InterfaceTags", {"ec2:CreateTags"}, {ec2("network-interface")}));
  all.push_back(
      statement("Look",
                {"ec2:DescribeDhcpOptions", "ec2:DescribeInstances", "ec2:DescribeInstanceTypes",
                 "ec2:DescribeNetworkInterfaces", "ec2:DescribeSecurityGroups", "ec2:DescribeSubnets",
                 "ec2:DescribeTags", "ec2:DescribeVpcs", "ecr:GetAuthorizationToken"},
                {"*"}));
  all.push_back(statement(
      "Images", {"ecr:BatchCheckLayerAvailability", "ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"},
      {repositories}));
  all.push_back(statement("PodIdentity", {"eks-auth:AssumeRoleForPodIdentity"}, {cluster_arn_of(cluster)}));
  all.push_back(statement("Alarms", {"cloudwatch:DescribeAlarms"},
                          {domain::regional_arn(place, "cloudwatch", "alarm:*")}));
  all.push_back(statement("LifecycleBucket", {"s3:ListBucket"}, {bucket_arn}));
  all.push_back(statement("LifecycleScripts", {"s3:GetObject"}, {bucket_arn + "/*"}));
  if (kms_key) {
    all.push_back(statement(
        "VolumeKey",
        {"kms:CreateGrant", "kms:Decrypt", "kms:DescribeKey", "kms:GenerateDataKeyWithoutPlaintext"},
        {*kms_key}));
  }
  return document(std::move(all));
}

bool same_document(std::string_view encoded, const json::object& wanted) {
  const auto text = percent_decode(encoded);
  if (!text) return false;
  const auto found = parse_json(*text);
  return found && to_canonical_text(*found) == to_canonical_text(wanted);
}

const std::vector<std::string_view>& actions_without_resource() {
  static const std::vector<std::string_view> k_actions{
      "ec2:DescribeDhcpOptions",    "ec2:DescribeInstances",
      "ec2:DescribeInstanceTypes",  "ec2:DescribeNetworkInterfaces",
      "ec2:DescribeSecurityGroups", "ec2:DescribeSubnets",
      "ec2:DescribeTags",           "ec2:DescribeVpcs",
      "ecr:GetAuthorizationToken"};
  return k_actions;
}

}  // namespace instantstart::capabilities
