#include "sandbox/services/iam/service_linked_roles.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "sandbox/core/arn.h"
#include "sandbox/services/iam/role_rules.h"
#include "sandbox/services/iam/roles.h"

namespace instantstart::sandbox::iam {
namespace {

enum class Suffix { none, optional, required };

struct ServiceRole {
  std::string_view service;
  std::string_view name;    ///< "AWSServiceRoleForAmazonEKS"
  std::string_view policy;  ///< The managed policy that it has.
  Suffix suffix = Suffix::none;
};

/// "AWS services that work with IAM", those with a service-linked role that clusters need.
constexpr std::array<ServiceRole, 15> k_services{
    {{"eks.amazonaws.com", "AWSServiceRoleForAmazonEKS", "AmazonEKSServiceRolePolicy"},
     {"eks-nodegroup.amazonaws.com", "AWSServiceRoleForAmazonEKSNodegroup",
      "AWSServiceRoleForAmazonEKSNodegroup"},
     {"eks-fargate.amazonaws.com", "AWSServiceRoleForAmazonEKSForFargate", ""},
     {"eks-connector.amazonaws.com", "AWSServiceRoleForAmazonEKSConnector", ""},
     {"hyperpod.sagemaker.amazonaws.com", "AWSServiceRoleForSageMakerHyperPod",
      "AmazonSageMakerHyperPodServiceRolePolicy"},
     {"autoscaling.amazonaws.com", "AWSServiceRoleForAutoScaling", "", Suffix::optional},
     {"elasticloadbalancing.amazonaws.com", "AWSServiceRoleForElasticLoadBalancing", ""},
     {"spot.amazonaws.com", "AWSServiceRoleForEC2Spot", ""},
     {"spotfleet.amazonaws.com", "AWSServiceRoleForEC2SpotFleet", ""},
     {"fsx.amazonaws.com", "AWSServiceRoleForAmazonFSx", ""},
     {"s3.data-source.lustre.fsx.amazonaws.com", "AWSServiceRoleForFSxS3Access", "", Suffix::required},
     {"ssm.amazonaws.com", "AWSServiceRoleForAmazonSSM", ""},
     {"grafana.amazonaws.com", "AWSServiceRoleForAmazonGrafana", ""},
     {"scraper.aps.amazonaws.com", "AWSServiceRoleForAmazonPrometheusScraper", "", Suffix::optional},
     {"servicequotas.amazonaws.com", "AWSServiceRoleForServiceQuotas", ""}}};

const ServiceRole* find_service(std::string_view service) {
  const auto found = std::ranges::find(k_services, service, &ServiceRole::service);
  return found == k_services.end() ? nullptr : &*found;
}

std::unexpected<AwsFault> invalid(std::string message) { return fault("InvalidInput", std::move(message)); }

std::string trust_policy_of(std::string_view service) {
  return to_text(json::object{
      {"Version", "2012-10-17"},
      {"Statement",
       {{{"Effect", "Allow"}, {"Principal", {{"Service", service}}}, {"Action", "sts:AssumeRole"}}}}});
}

void attach_policy(State& state, std::string_view region, const std::string& role_name,
                   std::string_view policy) {
  if (policy.empty()) return;
  std::string arn = make_global_arn("iam", region, "aws", fmt::format("policy/aws-service-role/{}", policy));
  std::string key = fmt::format("{}/{}", role_key(role_name), arn);
  state.attached_policies.put(std::move(key),
                              {.policy_name = std::string(policy), .policy_arn = std::move(arn)});
}

const aws::iam::Role& make_service_role(State& state, std::string_view region, const ServiceRole& service,
                                        const std::string& name,
                                        const std::optional<std::string>& description) {
  attach_policy(state, region, name, service.policy);
  return make_role(state, region,
                   {.path = fmt::format("/aws-service-role/{}/", service.service),
                    .name = name,
                    .trust_policy = trust_policy_of(service.service),
                    .description = description});
}

}  // namespace

bool ensure_service_linked_role(State& state, std::string_view region, std::string_view service) {
  const ServiceRole* known = find_service(service);
  if (!known || known->suffix == Suffix::required) return false;
  const std::string name(known->name);
  if (!state.roles.contains(role_key(name))) make_service_role(state, region, *known, name, std::nullopt);
  return true;
}

Reply<aws::iam::CreateServiceLinkedRoleResponse> create_service_linked_role(
    State& state, const Call& call, const aws::iam::CreateServiceLinkedRoleRequest& in) {
  const ServiceRole* service = find_service(*in.aws_service_name);
  if (!service) {
    return invalid(
        fmt::format("{} does not have a service-linked role in the sandbox.", *in.aws_service_name));
  }
  std::string name(service->name);
  if (in.custom_suffix) {
    if (service->suffix == Suffix::none)
      return invalid("Custom suffix is not allowed for " + *in.aws_service_name);
    if (auto refusal = refuse_name(*in.custom_suffix, "customSuffix"))
      return std::unexpected(std::move(*refusal));
    name += "_" + *in.custom_suffix;
  } else if (service->suffix == Suffix::required) {
    return invalid("Custom suffix is required for " + *in.aws_service_name);
  }
  if (state.roles.contains(role_key(name))) {
    return invalid(fmt::format(
        "Service role name {} has been taken in this account, please try a different suffix.", name));
  }
  return aws::iam::CreateServiceLinkedRoleResponse{
      .role = shown(make_service_role(state, call.region, *service, name, in.description))};
}

}  // namespace instantstart::sandbox::iam
