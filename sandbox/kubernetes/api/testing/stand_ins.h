// What stands for EKS, nodes and STS where the API servers are tried alone.
#pragma once

#include <string>
#include <vector>

#include "sandbox/core/control_planes.h"
#include "sandbox/kubernetes/api/identity.h"
#include "sandbox/kubernetes/api/node_access.h"

namespace instantstart::sandbox::kubernetes {

inline constexpr std::string_view k_test_cluster = "0123456789ABCDEF0123456789ABCDEF";

ControlPlaneRef test_cluster(std::string id = std::string(k_test_cluster), std::string name = "one");

/// "k8s-aws-v1.…", of a URL that names the user; `verify_test_token` believes it when it is for the cluster.
std::string test_token(std::string_view user, std::string_view cluster_name = "one");
std::expected<std::string, std::string> verify_test_token(std::string_view url,
                                                          std::string_view cluster_name);

/// "admin" is of system:masters; "viewer" has AmazonEKSViewPolicy in the namespace default; "guest" has an
/// entry and no rights; nobody else has an entry.
class TestDirectory final : public AccessDirectory {
 public:
  std::optional<ClusterUser> find_user(std::string_view cluster_id,
                                       std::string_view caller_arn) const override;
};

/// Tokens that anybody could make, good until they expire.
class TestTokens final : public ServiceAccountTokens {
 public:
  explicit TestTokens(const Clock& clock) : clock_(clock) {}
  Result<std::string> sign(std::string_view cluster_id, const ServiceAccountTokenSpec& spec) const override;
  Result<json::object> read(std::string_view cluster_id, std::string_view token,
                            const std::vector<std::string>& audiences) const override;
  /// There are no keys.
  Result<json::object> key_set(std::string_view cluster_id) const override;

 private:
  const Clock& clock_;
};

/// Three lines of every container.
class TestLogs final : public PodLogs {
 public:
  Outcome<std::unique_ptr<net::BodyStream>> open(const LogRequest& request) override;
};

/// Answers with where a request went.
class TestProxy final : public PodProxy {
 public:
  asio::awaitable<net::Response> forward(ProxyTarget target, net::Request request) override;
};

}  // namespace instantstart::sandbox::kubernetes
