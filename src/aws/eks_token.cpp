#include "aws/eks_token.h"

#include <algorithm>

#include <fmt/core.h>

#include "aws/sigv4.h"
#include "aws/url.h"
#include "base/digest.h"

namespace instantstart::aws {
namespace {

constexpr std::string_view k_prefix = "k8s-aws-v1.";
/// aws-iam-authenticator accepts a URL for 15 minutes after X-Amz-Date, whatever X-Amz-Expires says.
constexpr std::chrono::minutes k_lifetime{14};
constexpr std::chrono::seconds k_url_expires{60};

}  // namespace

EksToken make_eks_token(const EksTokenTarget& target, const Credentials& credentials, WallTime now) {
  const auto endpoint = parse_url(target.sts_endpoint).value_or(UrlParts{});
  std::string path = endpoint.path;
  if (!path.ends_with('/')) path += '/';
  const net::Headers headers{{"x-k8s-aws-id", target.cluster_id}};
  const SigningRequest request{.method = "GET",
                               .host = endpoint.authority,
                               .path = path,
                               .query = "Action=GetCallerIdentity&Version=2011-06-15",
                               .headers = headers,
                               .body = ""};
  const auto signed_query = presign(request, credentials, target.region, "sts", now, k_url_expires).query;
  const std::string url =
      fmt::format("{}://{}{}?{}", endpoint.scheme, endpoint.authority, path, signed_query);

  EksToken token{.token = Secret(std::string(k_prefix) + to_base64url(url)), .expiry = now + k_lifetime};
  if (credentials.expiry) token.expiry = std::min(token.expiry, *credentials.expiry);
  return token;
}

std::string eks_token_url(std::string_view token) {
  if (!token.starts_with(k_prefix)) return "";
  return from_base64url(token.substr(k_prefix.size())).value_or("");
}

}  // namespace instantstart::aws
