// Who calls an API server, and what tells it so from outside.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "sandbox/core/control_planes.h"
#include "sandbox/core/service_account_tokens.h"

namespace instantstart::sandbox::kubernetes {

struct Identity {
  std::string username;  ///< "system:anonymous"
  std::string uid;
  std::vector<std::string> groups;
  std::map<std::string, std::vector<std::string>> extra;
  std::vector<GrantedPolicy> policies;  ///< EKS access policies.
  std::string principal;                ///< For the audit: the caller's ARN, else the username.
};

inline constexpr std::string_view k_anonymous = "system:anonymous";
inline constexpr std::string_view k_masters = "system:masters";

/// Checks the presigned STS GetCallerIdentity URL of an EKS token, which was signed with the header
/// `x-k8s-aws-id: cluster_name`. The caller's ARN, or why it isn't believed.
using VerifyEksToken = std::function<std::expected<std::string, std::string>(std::string_view url,
                                                                             std::string_view cluster_name)>;

}  // namespace instantstart::sandbox::kubernetes
