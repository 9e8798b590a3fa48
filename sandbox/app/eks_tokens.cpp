#include "sandbox/app/eks_tokens.h"

#include <algorithm>

#include "aws/shapes/sts.h"
#include "net/http.h"
#include "sandbox/gateway/authentication.h"

namespace instantstart::sandbox {
namespace {

constexpr std::string_view k_cluster_header = "x-k8s-aws-id";
constexpr std::size_t k_longest_url = 16 * 1024;

/// The request that the URL stands for; nullopt when it is none.
std::optional<net::Request> request_of(std::string_view url, std::string_view cluster_name) {
  const auto scheme = url.find("://");
  if (scheme == std::string_view::npos || url.size() > k_longest_url) return std::nullopt;
  const std::string_view rest = url.substr(scheme + 3);
  const auto path = rest.find('/');
  if (path == std::string_view::npos || path == 0) return std::nullopt;
  return net::Request{.method = "GET",
                      .target = std::string(rest.substr(path)),
                      .headers = {{"Host", std::string(rest.substr(0, path))},
                                  {std::string(k_cluster_header), std::string(cluster_name)}},
                      .body = {},
                      .peer = {}};
}

bool asks_who_i_am(const net::Request& request) {
  const auto query = net::parse_query(request.query());
  if (!query || request.path() != "/") return false;
  const auto is_action = [](const auto& pair) { return pair.first == "Action"; };
  return std::ranges::count_if(*query, is_action) == 1 &&
         std::ranges::find_if(*query, is_action)->second == "GetCallerIdentity";
}

}  // namespace

std::expected<std::string, std::string> verify_eks_token(std::string_view url, std::string_view cluster_name,
                                                         const AccessKeys& keys, WallTime now) {
  const auto request = request_of(url, cluster_name);
  if (!request || !asks_who_i_am(*request)) return std::unexpected("it holds no GetCallerIdentity request");
  const auto claim = read_claim(*request);
  if (!claim) return std::unexpected(claim.error().message);
  if (!*claim || !(*claim)->presigned) return std::unexpected("its request is not presigned");
  if (std::ranges::find((*claim)->signed_headers, k_cluster_header) == (*claim)->signed_headers.end()) {
    return std::unexpected("its signature does not cover the cluster's name");
  }
  const auto identity =
      authenticate(*request, *claim, aws::sts::service(), &aws::sts::GetCallerIdentity::info(), keys, now);
  if (!identity) return std::unexpected(identity.error().message);
  return identity->principal_arn;
}

}  // namespace instantstart::sandbox
