// What AWS knows of clusters: EKS, HyperPod, their events and logs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "aws/accounts.h"
#include "aws/client.h"
#include "aws/shapes/sagemaker.h"
#include "capabilities/clusters/hyperpod_failure.h"
#include "capabilities/dependencies/cluster_target.h"

namespace instantstart::capabilities {

/// An EKS cluster, as far as others build on it.
struct EksFacts {
  std::string name;
  std::string arn;
  std::string status;
  std::string version;
  std::string platform_version;
  std::string vpc_id;
  std::vector<std::string> subnet_ids;
  /// Those that were given to the control plane; without any, the one that EKS made.
  std::vector<std::string> security_group_ids;
  std::string authentication_mode;
  std::map<std::string, std::string> tags;
};

/// nullopt when there is none.
Task<std::optional<EksFacts>> look_at_eks(aws::Client& client, std::string name, net::Deadline deadline);

using HyperpodDescription = aws::sagemaker::DescribeClusterResponse;

/// The ARN of the EKS cluster that it is on; empty on Slurm.
std::string eks_arn_of(const HyperpodDescription& cluster);

/// By name or ARN; nullopt when there is none.
Task<std::optional<HyperpodDescription>> look_at_hyperpod(aws::Client& client, std::string name,
                                                          net::Deadline deadline);
/// All of the account and region, each described.
Task<std::vector<HyperpodDescription>> all_hyperpod(aws::Client& client, net::Deadline deadline);
/// Those on one EKS cluster.
Task<std::vector<HyperpodDescription>> hyperpod_of(aws::Client& client, std::string eks_arn,
                                                   net::Deadline deadline);

Task<std::map<std::string, std::string>> tags_of_hyperpod(aws::Client& client, std::string arn,
                                                          net::Deadline deadline);

/// Events of level Warn and Error, newest first, at most one page. A cluster without continuous provisioning
/// has none. What the caller may not read is left out.
Task<std::vector<ClusterEvent>> hyperpod_troubles(aws::Client& client, std::string arn,
                                                  net::Deadline deadline);

/// The end of the newest lifecycle log, of the instance when one is named.
Task<LifecycleLog> lifecycle_log(aws::Client& client, std::string name, std::string arn,
                                 std::optional<std::string> instance_id, net::Deadline deadline);

}  // namespace instantstart::capabilities
