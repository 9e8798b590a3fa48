// ARNs that we write ourselves. The partition is always an argument: a cluster in China or GovCloud has
// another than "aws", and a literal would only show there.
#pragma once

#include <string>
#include <string_view>

namespace instantstart::domain {

/// What every ARN of one account and region begins with, as the caller's identity says it.
struct Place {
  std::string partition;  ///< "aws", "aws-cn", "aws-us-gov" …
  std::string region;     ///< "us-west-2"
  std::string account;    ///< Twelve digits.
};

/// "arn:aws-cn:eks:cn-north-1:123456789012:cluster/a"
std::string regional_arn(const Place& place, std::string_view service, std::string_view resource);
/// IAM has no region: "arn:aws:iam::123456789012:role/instantstart/a".
std::string global_arn(const Place& place, std::string_view service, std::string_view resource);
/// A policy that AWS keeps: "arn:aws:iam::aws:policy/AmazonEKSClusterPolicy".
std::string managed_policy_arn(std::string_view partition, std::string_view name);

}  // namespace instantstart::domain
