// The bearer token of an EKS API server: a presigned STS GetCallerIdentity URL that names the cluster in a
// signed header. The same as `aws eks get-token` (awscli, customizations/eks/get_token.py).
#pragma once

#include <string>
#include <string_view>

#include "aws/credentials.h"
#include "base/secret.h"
#include "base/time.h"

namespace instantstart::aws {

struct EksToken {
  Secret token;     ///< "k8s-aws-v1.…", for `Authorization: Bearer`.
  WallTime expiry;  ///< 14 minutes after signing, or when the credentials expire if that is sooner.
};

/// Where the token is to be valid.
struct EksTokenTarget {
  std::string cluster_id;    ///< The cluster's name; on Outposts its id.
  std::string region;        ///< The cluster's region, which STS is asked in.
  std::string sts_endpoint;  ///< "https://sts.us-west-2.amazonaws.com", as the endpoint table says.
};

EksToken make_eks_token(const EksTokenTarget& target, const Credentials& credentials, WallTime now);

/// The URL inside a token, as the cluster's authenticator would fetch it with `x-k8s-aws-id`; "" if it is not
/// a token.
std::string eks_token_url(std::string_view token);

}  // namespace instantstart::aws
