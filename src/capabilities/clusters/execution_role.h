// The role that HyperPod's instances take on: its trust and what it may do, as values. Pure.
//
// The managed policy AmazonSageMakerClusterInstanceRolePolicy carries logs, metrics, Session Manager and the
// lifecycle bucket; the policy in the role adds network interfaces, images and pod identity. "*" stands only
// for calls that name no resource (Service Authorization Reference).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "capabilities/dependencies/cluster_target.h"

namespace instantstart::capabilities {

inline constexpr std::string_view k_execution_policy = "hyperpod-nodes";
inline constexpr std::string_view k_instance_role_policy = "AmazonSageMakerClusterInstanceRolePolicy";

/// Error `invalid_request` when the cluster's name is too long for it.
Result<std::string> execution_role_name(const ClusterTarget& cluster);
std::string instance_role_policy_arn(const ClusterTarget& cluster);

/// SageMaker alone, for this account's clusters alone.
json::object execution_role_trust(const ClusterTarget& cluster);
/// `kms_key`: of volumes that are encrypted with it.
json::object execution_role_policy(const ClusterTarget& cluster, std::string_view bucket,
                                   const std::optional<std::string>& kms_key);

/// Whether a policy document, percent-encoded as IAM gives it, says the same.
bool same_document(std::string_view encoded, const json::object& wanted);

/// Actions for which a policy can name no resource.
const std::vector<std::string_view>& actions_without_resource();

}  // namespace instantstart::capabilities
