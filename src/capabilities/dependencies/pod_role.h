// The IAM role of a component's pods: its name, trust and tags, as values. Pure.
//
// It may do nothing at first, unless the component has a managed policy. Whatever gives the pods something to
// reach (a mounted bucket) adds a policy for exactly that.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "capabilities/dependencies/cluster_target.h"

namespace instantstart::capabilities {

inline constexpr std::string_view k_pod_role_path = "/instantstart/";

/// Error `invalid_request` when the cluster's name is too long for it.
Result<std::string> pod_role_name(const ClusterTarget& cluster, std::string_view purpose);
std::string pod_role_arn(const ClusterTarget& cluster, std::string_view role_name);
/// Of a managed policy of AWS, in the cluster's partition.
std::string pod_policy_arn(const ClusterTarget& cluster, std::string_view policy);

/// Of an issuer "https://oidc.eks.us-west-2.amazonaws.com/id/1".
std::string oidc_provider_arn(const ClusterTarget& cluster, std::string_view issuer);

/// EKS Pod Identity of this cluster may assume it, and nobody else.
json::object pod_role_trust(const ClusterTarget& cluster);
/// Whether a policy document, percent-encoded as IAM gives it, says the same.
bool is_pod_role_trust(std::string_view encoded_document, const ClusterTarget& cluster);

std::map<std::string, std::string> owner_tags(const ClusterTarget& cluster, const std::string& operation_id);
/// The operation in tags that name this cluster; nullopt: not ours.
std::optional<std::string> maker_of(const std::map<std::string, std::string>& tags,
                                    const ClusterTarget& cluster);

}  // namespace instantstart::capabilities
