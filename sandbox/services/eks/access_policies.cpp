#include "sandbox/services/eks/access_policies.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/pattern.h"
#include "base/text.h"
#include "sandbox/core/arn.h"
#include "sandbox/services/eks/access_entries.h"
#include "sandbox/services/eks/errors.h"
#include "sandbox/services/eks/paging.h"

namespace instantstart::sandbox::eks {
namespace {

using aws::eks::AccessScope;
using aws::eks::AssociatedAccessPolicy;

/// "Review access policy permissions" in the EKS user guide; the last one is HyperPod's
/// ("Setting up your HyperPod clusters for model deployment").
constexpr std::array<std::string_view, 16> k_policies{"AmazonAIOpsAssistantPolicy",
                                                      "AmazonEKSAdminPolicy",
                                                      "AmazonEKSAdminViewPolicy",
                                                      "AmazonEKSAutoNodePolicy",
                                                      "AmazonEKSBlockStorageClusterPolicy",
                                                      "AmazonEKSBlockStoragePolicy",
                                                      "AmazonEKSClusterAdminPolicy",
                                                      "AmazonEKSClusterInsightsPolicy",
                                                      "AmazonEKSComputeClusterPolicy",
                                                      "AmazonEKSComputePolicy",
                                                      "AmazonEKSEditPolicy",
                                                      "AmazonEKSLoadBalancingClusterPolicy",
                                                      "AmazonEKSLoadBalancingPolicy",
                                                      "AmazonEKSNetworkingPolicy",
                                                      "AmazonEKSViewPolicy",
                                                      "AmazonSagemakerHyperpodInferenceMonitoringPolicy"};

/// The types that policies can be given to; the others are nodes.
constexpr std::array<std::string_view, 2> k_types{"STANDARD", "EC2"};

/// A Kubernetes namespace (RFC 1123), or a part of one with a wildcard.
constexpr std::string_view k_namespace = "^[a-z0-9*]([-a-z0-9*]{0,61}[a-z0-9*])?$";

Reply<AccessScope> checked_scope(const AccessScope& scope, const Subject& subject) {
  const auto& namespaces = aws::items(scope.namespaces);
  if (!scope.type) return invalid_parameter("The accessScope type is required.", subject);
  if (*scope.type == "cluster") {
    if (namespaces.empty()) return AccessScope{.type = "cluster", .namespaces = std::vector<std::string>{}};
    return invalid_parameter("Namespaces must not be specified when the accessScope type is cluster.",
                             subject);
  }
  if (namespaces.empty()) {
    return invalid_parameter(
        "At least one namespace must be specified when the accessScope type is namespace.", subject);
  }
  static const Pattern pattern(k_namespace);
  for (const auto& name : namespaces) {
    if (pattern.matches(name)) continue;
    return invalid_parameter(fmt::format("The namespace {} is invalid.", shortened(name, 80)), subject);
  }
  return scope;
}

std::optional<AwsFault> refuse_policy(const Call& call, const std::string& arn, const Subject& subject) {
  const std::string prefix = access_policy_arn(call.region, "");
  if (!arn.starts_with(prefix)) {
    return invalid_parameter("The policyArn parameter format is not valid", subject).error();
  }
  const std::string_view name = std::string_view(arn).substr(prefix.size());
  if (std::ranges::find(k_policies, name) != k_policies.end()) return std::nullopt;
  return not_found(
             "The specified policyArn could not be found. You can view the available access policies "
             "with 'list-access-policies'.",
             subject)
      .error();
}

}  // namespace

std::string access_policy_arn(std::string_view region, std::string_view name) {
  return make_global_arn("eks", region, "aws", fmt::format("cluster-access-policy/{}", name));
}

std::string_view access_policy_name(std::string_view arn) {
  const auto slash = arn.rfind('/');
  return slash == std::string_view::npos ? arn : arn.substr(slash + 1);
}

std::string policies_of(std::string_view entry_key) { return fmt::format("{}|", entry_key); }

void grant_in_cluster(State& state, std::string_view entry_key, const std::string& policy_arn) {
  const auto now = timestamp(state.world.now());
  state.access_policies.put(
      policies_of(entry_key) + policy_arn,
      {.policy_arn = policy_arn,
       .access_scope = AccessScope{.type = "cluster", .namespaces = std::vector<std::string>{}},
       .associated_at = now,
       .modified_at = now});
}

Reply<aws::eks::AssociateAccessPolicyResponse> associate_access_policy(
    State& state, const Call& call, const aws::eks::AssociateAccessPolicyRequest& in) {
  const Subject subject{.cluster = *in.cluster_name};
  const auto entry = find_entry(state, call, *in.cluster_name, *in.principal_arn);
  if (!entry) return std::unexpected(entry.error());
  if (auto refusal = refuse_policy(call, *in.policy_arn, subject))
    return std::unexpected(std::move(*refusal));
  if (std::ranges::find(k_types, *(*entry)->type) == k_types.end()) {
    return invalid_request(
        fmt::format("Access policies can't be associated with an access entry of type {}.", *(*entry)->type),
        subject);
  }
  auto scope = checked_scope(*in.access_scope, subject);
  if (!scope) return std::unexpected(std::move(scope.error()));
  const std::string key =
      policies_of(entry_key(cluster_key(call.region, *in.cluster_name), *in.principal_arn)) + *in.policy_arn;
  const auto now = timestamp(state.world.now());
  const auto* earlier = state.access_policies.find(key);
  AssociatedAccessPolicy made{.policy_arn = in.policy_arn,
                              .access_scope = std::move(*scope),
                              .associated_at = earlier ? earlier->associated_at : now,
                              .modified_at = now};
  state.access_policies.put(key, made);
  return aws::eks::AssociateAccessPolicyResponse{.cluster_name = in.cluster_name,
                                                 .principal_arn = in.principal_arn,
                                                 .associated_access_policy = std::move(made)};
}

Reply<aws::eks::DisassociateAccessPolicyResponse> disassociate_access_policy(
    State& state, const Call& call, const aws::eks::DisassociateAccessPolicyRequest& in) {
  const Subject subject{.cluster = *in.cluster_name};
  const auto entry = find_entry(state, call, *in.cluster_name, *in.principal_arn);
  if (!entry) return std::unexpected(entry.error());
  const std::string key =
      policies_of(entry_key(cluster_key(call.region, *in.cluster_name), *in.principal_arn)) + *in.policy_arn;
  if (state.access_policies.erase(key)) return {};
  return not_found("The specified policyArn is not associated with the access entry.", subject);
}

Reply<aws::eks::ListAssociatedAccessPoliciesResponse> list_associated_access_policies(
    State& state, const Call& call, const aws::eks::ListAssociatedAccessPoliciesRequest& in) {
  const auto entry = find_entry(state, call, *in.cluster_name, *in.principal_arn);
  if (!entry) return std::unexpected(entry.error());
  std::vector<std::pair<std::string, AssociatedAccessPolicy>> sorted;
  const std::string prefix =
      policies_of(entry_key(cluster_key(call.region, *in.cluster_name), *in.principal_arn));
  for (const auto& [key, policy] : state.access_policies.starting_with(prefix))
    sorted.emplace_back(key, policy);
  auto page = page_of(std::move(sorted), in);
  if (!page) return std::unexpected(std::move(page.error()));
  return aws::eks::ListAssociatedAccessPoliciesResponse{.cluster_name = in.cluster_name,
                                                        .principal_arn = in.principal_arn,
                                                        .next_token = std::move(page->next_token),
                                                        .associated_access_policies = std::move(page->items)};
}

}  // namespace instantstart::sandbox::eks
