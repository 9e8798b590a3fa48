#include "sandbox/services/eks/addon_catalogue.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "sandbox/services/eks/errors.h"
#include "sandbox/services/eks/paging.h"
#include "sandbox/services/eks/versions.h"

namespace instantstart::sandbox::eks {
namespace {

// Names, namespaces, service accounts and needs: "AWS add-ons" and "Community add-ons" in the EKS user guide,
// and the HyperPod parts of the SageMaker developer guide. Versions are ones that AWS has published; for each
// add-on an older one stands beside the default where a client might want to change versions.

constexpr std::array<AddonVersion, 2> k_training_operator{
    {{"v1.2.1-eksbuild.1", 28, 35, 28, false, false}, {"v1.2.0-eksbuild.1", 28, 35, 0, true, false}}};
constexpr std::array<AddonVersion, 2> k_inference{
    {{"v2.0.0-eksbuild.2", 30, 35, 30, false, true}, {"v1.0.0-eksbuild.1", 30, 35, 0, false, true}}};
constexpr std::array<AddonVersion, 2> k_task_governance{
    {{"v1.3.0-eksbuild.1", 28, 35, 28, false, false}, {"v1.2.2-eksbuild.1", 28, 35, 0, false, false}}};
constexpr std::array<AddonVersion, 1> k_observability{{{"v1.0.5-eksbuild.1", 30, 35, 30, true, true}}};
constexpr std::array<AddonVersion, 1> k_spaces{{{"v0.1.2-eksbuild.1", 30, 35, 30, true, false}}};
constexpr std::array<AddonVersion, 2> k_cloudwatch{
    {{"v4.5.0-eksbuild.1", 28, 35, 28, true, false}, {"v4.4.0-eksbuild.1", 28, 35, 0, true, false}}};
constexpr std::array<AddonVersion, 2> k_ebs{
    {{"v1.53.0-eksbuild.1", 28, 35, 28, true, false}, {"v1.48.0-eksbuild.1", 28, 35, 0, true, false}}};
constexpr std::array<AddonVersion, 2> k_fsx{
    {{"v1.7.0-eksbuild.1", 28, 35, 28, true, false}, {"v1.6.0-eksbuild.1", 28, 35, 0, true, false}}};
constexpr std::array<AddonVersion, 2> k_mountpoint{
    {{"v2.1.0-eksbuild.1", 30, 35, 30, true, false}, {"v1.15.0-eksbuild.1", 28, 35, 0, true, false}}};
constexpr std::array<AddonVersion, 2> k_cert_manager{
    {{"v1.19.1-eksbuild.1", 29, 35, 29, false, false}, {"v1.18.2-eksbuild.1", 28, 35, 0, false, false}}};
constexpr std::array<AddonVersion, 4> k_coredns{{{"v1.13.2-eksbuild.1", 34, 35, 35, false, false},
                                                 {"v1.12.4-eksbuild.1", 33, 35, 33, false, false},
                                                 {"v1.11.4-eksbuild.2", 30, 33, 32, false, false},
                                                 {"v1.11.3-eksbuild.1", 28, 32, 28, false, false}}};
constexpr std::array<AddonVersion, 2> k_monitoring{
    {{"v1.4.0-eksbuild.2", 28, 35, 28, false, false}, {"v1.3.0-eksbuild.2", 28, 34, 0, false, false}}};
constexpr std::array<AddonVersion, 2> k_pod_identity{
    {{"v1.3.10-eksbuild.2", 28, 35, 28, false, false}, {"v1.3.8-eksbuild.2", 28, 35, 0, false, false}}};
constexpr std::array<AddonVersion, 6> k_kube_proxy{{{"v1.35.0-eksbuild.2", 35, 35, 35, false, false},
                                                    {"v1.34.1-eksbuild.2", 34, 34, 34, false, false},
                                                    {"v1.33.5-eksbuild.2", 33, 33, 33, false, false},
                                                    {"v1.32.9-eksbuild.2", 32, 32, 32, false, false},
                                                    {"v1.31.13-eksbuild.2", 31, 31, 31, false, false},
                                                    {"v1.30.14-eksbuild.8", 30, 30, 30, false, false}}};
constexpr std::array<AddonVersion, 2> k_metrics{
    {{"v0.8.0-eksbuild.2", 28, 35, 28, false, false}, {"v0.7.2-eksbuild.4", 28, 34, 0, false, false}}};
constexpr std::array<AddonVersion, 2> k_vpc_cni{
    {{"v1.21.1-eksbuild.1", 28, 35, 0, true, false}, {"v1.20.4-eksbuild.2", 28, 35, 28, true, false}}};

constexpr std::string_view k_aws = "aws";
constexpr std::string_view k_community = "community";
constexpr std::string_view k_system = "kube-system";

constexpr std::array<AddonKind, 16> k_kinds{{
    {"amazon-cloudwatch-observability", "observability", k_aws, "amazon-cloudwatch", "cloudwatch-agent",
     k_cloudwatch},
    {"amazon-sagemaker-hyperpod-inference", "machine-learning", k_aws, "hyperpod-inference-system",
     "hyperpod-inference-controller-manager", k_inference},
    {"amazon-sagemaker-hyperpod-observability", "observability", k_aws, "hyperpod-observability",
     "hyperpod-observability-operator-otel-collector", k_observability},
    {"amazon-sagemaker-hyperpod-taskgovernance", "machine-learning", k_aws, "kueue-system", "",
     k_task_governance},
    {"amazon-sagemaker-hyperpod-training-operator", "machine-learning", k_aws, "aws-hyperpod",
     "hp-training-operator-controller-manager", k_training_operator},
    {"amazon-sagemaker-spaces", "machine-learning", k_aws, "jupyter-k8s-system",
     "jupyter-k8s-authmiddleware jupyter-k8s-controller-manager", k_spaces},
    {"aws-ebs-csi-driver", "storage", k_aws, k_system, "ebs-csi-controller-sa", k_ebs},
    {"aws-fsx-csi-driver", "storage", k_aws, k_system, "fsx-csi-controller-sa", k_fsx},
    {"aws-mountpoint-s3-csi-driver", "storage", k_aws, k_system, "s3-csi-driver-sa", k_mountpoint},
    {"cert-manager", "security", k_community, "cert-manager", "", k_cert_manager},
    {"coredns", "networking", k_aws, k_system, "", k_coredns},
    {"eks-node-monitoring-agent", "observability", k_aws, k_system, "", k_monitoring},
    {"eks-pod-identity-agent", "security", k_aws, k_system, "", k_pod_identity},
    {"kube-proxy", "networking", k_aws, k_system, "", k_kube_proxy},
    {"metrics-server", "observability", k_community, k_system, "", k_metrics},
    {"vpc-cni", "networking", k_aws, k_system, "aws-node", k_vpc_cni},
}};

/// The default for a cluster: the newest that became one at its version or before.
const AddonVersion* find_default(const AddonKind& kind, int minor) {
  for (const auto& version : kind.versions) {
    if (version.default_from != 0 && version.default_from <= minor && version.fits(minor)) return &version;
  }
  return nullptr;
}

bool is_wanted(const std::optional<std::vector<std::string>>& list, std::string_view value) {
  return !list || list->empty() || std::ranges::find(*list, value) != list->end();
}

aws::eks::AddonVersionInfo shown(const AddonKind& kind, const AddonVersion& version,
                                 const std::optional<std::string>& kubernetes) {
  std::vector<aws::eks::Compatibility> compatibilities;
  for (const auto& row : kubernetes_versions()) {
    const int minor = minor_of(row.version);
    if (!version.fits(minor) || (kubernetes && *kubernetes != row.version)) continue;
    compatibilities.push_back({.cluster_version = std::string(row.version),
                               .platform_versions = std::vector<std::string>{"*"},
                               .default_version = find_default(kind, minor) == &version});
  }
  return {.addon_version = std::string(version.version),
          .architecture = {{"amd64", "arm64"}},
          .compute_types = {{"ec2", "hybrid"}},
          .compatibilities = std::move(compatibilities),
          .requires_configuration = version.needs_configuration,
          .requires_iam_permissions = version.takes_identity};
}

aws::eks::AddonInfo shown(const AddonKind& kind, const std::optional<std::string>& kubernetes) {
  std::vector<aws::eks::AddonVersionInfo> versions;
  for (const auto& version : kind.versions) {
    auto info = shown(kind, version, kubernetes);
    if (!info.compatibilities->empty()) versions.push_back(std::move(info));
  }
  return {.addon_name = std::string(kind.name),
          .type = std::string(kind.type),
          .addon_versions = std::move(versions),
          .publisher = "eks",
          .owner = std::string(kind.owner),
          .default_namespace = std::string(kind.namespace_name)};
}

}  // namespace

std::span<const AddonKind> addon_kinds() { return k_kinds; }

const AddonKind* find_addon_kind(std::string_view name) {
  const auto found = std::ranges::find(k_kinds, name, &AddonKind::name);
  return found == k_kinds.end() ? nullptr : &*found;
}

const AddonVersion* find_addon_version(const AddonKind& kind, std::string_view version,
                                       std::string_view kubernetes_version) {
  const auto found = std::ranges::find(kind.versions, version, &AddonVersion::version);
  return found != kind.versions.end() && found->fits(minor_of(kubernetes_version)) ? &*found : nullptr;
}

std::string default_addon_version(std::string_view name, std::string_view kubernetes_version) {
  const AddonKind* kind = find_addon_kind(name);
  const AddonVersion* version = kind ? find_default(*kind, minor_of(kubernetes_version)) : nullptr;
  return version ? std::string(version->version) : std::string();
}

bool takes_role(const AddonKind& kind, std::string_view service_account) {
  return !service_account.empty() &&
         std::ranges::any_of(split(kind.service_accounts, ' '),
                             [service_account](std::string_view one) { return one == service_account; });
}

Reply<aws::eks::DescribeAddonVersionsResponse> describe_addon_versions(
    State&, const Call&, const aws::eks::DescribeAddonVersionsRequest& in) {
  if (in.kubernetes_version && !find_version(*in.kubernetes_version)) {
    return invalid_parameter(fmt::format("unsupported Kubernetes version {}", *in.kubernetes_version));
  }
  if (in.addon_name && !find_addon_kind(*in.addon_name)) {
    return not_found(fmt::format("Addon {} not found", shortened(*in.addon_name, 100)),
                     {.addon = *in.addon_name});
  }
  std::vector<std::pair<std::string, aws::eks::AddonInfo>> sorted;
  for (const auto& kind : k_kinds) {
    if (in.addon_name && *in.addon_name != kind.name) continue;
    if (!is_wanted(in.types, kind.type) || !is_wanted(in.owners, kind.owner)) continue;
    if (!is_wanted(in.publishers, "eks")) continue;
    auto info = shown(kind, in.kubernetes_version);
    if (!info.addon_versions->empty()) sorted.emplace_back(std::string(kind.name), std::move(info));
  }
  auto page = page_of(std::move(sorted), in);
  if (!page) return std::unexpected(std::move(page.error()));
  return aws::eks::DescribeAddonVersionsResponse{.addons = std::move(page->items),
                                                 .next_token = std::move(page->next_token)};
}

}  // namespace instantstart::sandbox::eks
