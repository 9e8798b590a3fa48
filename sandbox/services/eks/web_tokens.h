// The tokens of service accounts: JSON web tokens (RFC 7519) that a cluster's key signs, and what STS makes
// of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sandbox/core/role_directory.h"
#include "sandbox/core/service_account_tokens.h"
#include "sandbox/services/eks/state.h"

namespace instantstart::sandbox::eks {

/// "https://oidc.eks.us-west-2.amazonaws.com/id/…"
std::string issuer_url(std::string_view region, std::string_view cluster_id);

Result<std::string> sign_token(const State& state, const ClusterInternals& cluster,
                               const ServiceAccountTokenSpec& spec);
Result<json::object> read_token(const State& state, const ClusterInternals& cluster, std::string_view token,
                                const std::vector<std::string>& audiences);
Result<json::object> key_set(const ClusterInternals& cluster);

/// As IdentityProviders::verify: the issuer must be a provider that the account has in IAM.
Reply<WebIdentity> verify_web_identity(const State& state, std::string_view token);

}  // namespace instantstart::sandbox::eks
