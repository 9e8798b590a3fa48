#include "sandbox/services/ec2/endpoint_services.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/digest.h"

namespace instantstart::sandbox::ec2 {
namespace {

/// "AWS services that integrate with AWS PrivateLink": those that clusters in private subnets use.
constexpr std::array<std::string_view, 41> k_interface_services = {"access-analyzer",
                                                                   "acm-pca",
                                                                   "aps",
                                                                   "aps-workspaces",
                                                                   "autoscaling",
                                                                   "cloudformation",
                                                                   "cloudtrail",
                                                                   "codebuild",
                                                                   "dynamodb",
                                                                   "ebs",
                                                                   "ec2",
                                                                   "ec2messages",
                                                                   "ecr.api",
                                                                   "ecr.dkr",
                                                                   "eks",
                                                                   "eks-auth",
                                                                   "elasticfilesystem",
                                                                   "elasticloadbalancing",
                                                                   "events",
                                                                   "execute-api",
                                                                   "fsx",
                                                                   "grafana",
                                                                   "grafana-workspace",
                                                                   "guardduty-data",
                                                                   "kms",
                                                                   "lambda",
                                                                   "logs",
                                                                   "monitoring",
                                                                   "s3",
                                                                   "sagemaker.api",
                                                                   "sagemaker.featurestore-runtime",
                                                                   "sagemaker.metrics",
                                                                   "sagemaker.runtime",
                                                                   "secretsmanager",
                                                                   "servicecatalog",
                                                                   "sns",
                                                                   "sqs",
                                                                   "ssm",
                                                                   "ssmmessages",
                                                                   "sts",
                                                                   "xray"};
constexpr std::array<std::string_view, 2> k_gateway_services = {"dynamodb", "s3"};

bool has(const auto& names, std::string_view name) { return std::ranges::find(names, name) != names.end(); }

}  // namespace

std::optional<EndpointService> find_endpoint_service(std::string_view region, std::string_view service_name) {
  const std::string prefix = fmt::format("com.amazonaws.{}.", region);
  if (!service_name.starts_with(prefix)) return std::nullopt;
  EndpointService service{.short_name = std::string(service_name.substr(prefix.size()))};
  service.has_gateway = has(k_gateway_services, service.short_name);
  service.has_interface = has(k_interface_services, service.short_name);
  if (!service.has_gateway && !service.has_interface) return std::nullopt;
  return service;
}

std::string prefix_list_of(std::string_view region, const EndpointService& service) {
  const Sha256 digest = sha256(fmt::format("{}/{}", region, service.short_name));
  return fmt::format("pl-{}", to_hex(std::span(digest).first(4)));
}

}  // namespace instantstart::sandbox::ec2
