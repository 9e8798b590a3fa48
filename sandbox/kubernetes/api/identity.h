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

/// A token of a service account.
struct ServiceAccountClaims {
  std::string namespace_name;
  std::string name;
  std::string uid;
  std::vector<std::string> audiences;
  std::string pod_name;  ///< Empty unless the token is bound to a pod.
  std::string pod_uid;
  WallTime expires;
};

struct IssuedToken {
  std::string token;
  WallTime expires;
};

/// EKS signs the tokens of service accounts and knows its own.
class ServiceAccountTokens {
 public:
  virtual ~ServiceAccountTokens() = default;
  /// `claims.expires` is what was asked for.
  virtual IssuedToken issue(std::string_view cluster_id, const ServiceAccountClaims& claims) = 0;
  /// nullopt when it is no good, whatever the reason: signature, issuer, time.
  virtual std::optional<ServiceAccountClaims> verify(std::string_view cluster_id, std::string_view token) = 0;
};

}  // namespace instantstart::sandbox::kubernetes
