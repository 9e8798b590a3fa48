// Error codes of actions that ask AWS and a cluster's Kubernetes API.
#pragma once

#include <string>
#include <vector>

namespace instantstart::capabilities {

/// Those that any such action may answer, and `more`.
std::vector<std::string> cluster_call_errors(std::vector<std::string> more = {});

}  // namespace instantstart::capabilities
