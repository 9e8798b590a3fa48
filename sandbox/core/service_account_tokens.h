// Tokens of Kubernetes service accounts: the API servers of clusters ask for them, EKS has the keys that sign
// them, and STS believes them (role_directory.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "base/json.h"
#include "base/result.h"
#include "base/time.h"

namespace instantstart::sandbox {

/// What a token is to say; the claims are those of the TokenRequest API.
struct ServiceAccountTokenSpec {
  std::string namespace_name;
  std::string service_account;
  std::string service_account_uid;
  std::vector<std::string> audiences;  ///< At least one: "sts.amazonaws.com".
  seconds lifetime{3600};
  std::optional<std::string> pod_name = {};  ///< Of a projected token.
  std::optional<std::string> pod_uid = {};
};

class ServiceAccountTokens {
 public:
  virtual ~ServiceAccountTokens() = default;
  /// A JSON web token (RFC 7519, RS256). Errors: `not_found` when there is no such cluster.
  virtual Result<std::string> sign(std::string_view cluster_id,
                                   const ServiceAccountTokenSpec& spec) const = 0;
  /// The claims of a token that this cluster's key has signed, for one of `audiences`, and that holds now.
  /// Errors: `unauthenticated`.
  virtual Result<json::object> read(std::string_view cluster_id, std::string_view token,
                                    const std::vector<std::string>& audiences) const = 0;
  /// The cluster's JSON web key set (RFC 7517). Errors: `not_found`.
  virtual Result<json::object> key_set(std::string_view cluster_id) const = 0;
};

}  // namespace instantstart::sandbox
