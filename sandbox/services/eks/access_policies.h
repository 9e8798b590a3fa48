// Access policies: what EKS itself lets a principal do in a cluster, in all of it or in namespaces.
#pragma once

#include <string>
#include <string_view>

#include "sandbox/services/eks/state.h"

namespace instantstart::sandbox::eks {

/// "arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy" in the region's partition.
std::string access_policy_arn(std::string_view region, std::string_view name);
/// The name in such an ARN: what stands behind the last slash.
std::string_view access_policy_name(std::string_view arn);

inline constexpr std::string_view k_cluster_admin_policy = "AmazonEKSClusterAdminPolicy";

/// What the keys of an entry's policies begin with.
std::string policies_of(std::string_view entry_key);
/// In the whole cluster; no checks.
void grant_in_cluster(State& state, std::string_view entry_key, const std::string& policy_arn);

Reply<aws::eks::AssociateAccessPolicyResponse> associate_access_policy(
    State& state, const Call& call, const aws::eks::AssociateAccessPolicyRequest& in);
Reply<aws::eks::DisassociateAccessPolicyResponse> disassociate_access_policy(
    State& state, const Call& call, const aws::eks::DisassociateAccessPolicyRequest& in);
Reply<aws::eks::ListAssociatedAccessPoliciesResponse> list_associated_access_policies(
    State& state, const Call& call, const aws::eks::ListAssociatedAccessPoliciesRequest& in);

}  // namespace instantstart::sandbox::eks
