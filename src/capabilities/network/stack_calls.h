// The calls about a stack: look at it, change it, find what others put where it would go.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "aws/client.h"
#include "capabilities/network/stack.h"
#include "domain/cluster_key.h"

namespace instantstart::capabilities {

/// A stack that is not there is an answer, not an error. While it changes, with its progress; when something
/// failed, with the failures. `name` may be the stack's ARN.
Task<StackSeen> look_at_stack(aws::Client& client, std::string name, net::Deadline deadline);

/// The ARN of the EKS cluster of that name; nullopt when there is none.
Task<std::optional<std::string>> find_eks_cluster(aws::Client& client, std::string name,
                                                  net::Deadline deadline);

/// What of others is in the network, or hangs on the cluster, that this stack made.
Task<std::vector<Stranger>> find_strangers(aws::Client& client, StackSeen stack, domain::ClusterKey cluster,
                                           net::Deadline deadline);

struct StackContent {
  std::string name;
  std::string template_body;
  std::map<std::string, std::string> parameters;
  std::map<std::string, std::string> tags;  ///< CloudFormation hands them on to everything in the stack.
};

/// The receipt is the request with the stack's ARN. `token` makes repeats one call.
Task<json::value> send_to_stack(aws::Client& client, StackRequest request, StackContent content,
                                std::string token, net::Deadline deadline);

}  // namespace instantstart::capabilities
