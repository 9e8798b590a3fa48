// Clients of the Kubernetes API of EKS clusters. Where a cluster answers is EKS's to say, so it is asked for,
// kept a while and asked for again: a cluster that was made anew under its old name has another address and
// another authority.
#pragma once

#include <compare>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "aws/accounts.h"
#include "aws/shapes/eks.h"
#include "kube/client.h"
#include "kube/connection.h"

namespace instantstart::kube {

struct EksClusterId {
  std::string name;
  std::string region;
  std::string account = {};  ///< Twelve digits; empty: whichever the profile belongs to.
  std::optional<std::string> profile = {};

  auto operator<=>(const EksClusterId&) const = default;
};

/// What EKS says of a cluster that can be talked to.
struct EksDescription {
  std::string arn;
  std::string name;
  std::string endpoint;
  std::string ca_pem;
  std::string kubernetes_version;  ///< "1.34"
  std::string oidc_issuer;         ///< "https://oidc.eks.…"; empty when it has none.

  bool operator==(const EksDescription&) const = default;
};

/// Errors: `unavailable` (retryable) while it has no address yet, `upstream_error` when its authority can't
/// be read.
Result<EksDescription> to_description(const aws::eks::Cluster& cluster);

/// One cluster that can be talked to. Loop thread only.
class EksCluster {
 public:
  EksCluster(EksDescription description, std::unique_ptr<Connection> connection)
      : description_(std::move(description)), connection_(std::move(connection)), client_(*connection_) {}

  const EksDescription& description() const { return description_; }
  Connection& connection() { return *connection_; }
  Client& client() { return client_; }

 private:
  EksDescription description_;
  std::unique_ptr<Connection> connection_;
  Client client_;
};

/// Loop thread only. What it is made of outlives it, and it outlives the clusters that it gave.
class EksClusters {
 public:
  /// How long a description is believed while the server there answers.
  static constexpr seconds k_fresh{60};

  EksClusters(aws::Accounts& accounts, net::HttpClient& http, net::Timekeeper& time, Random& random, Log log);

  /// Hold it as long as calls run: a newer one may take its place meanwhile. Errors: those of Accounts::get
  /// and of DescribeCluster, those of `to_description`, and `conflict` when the profile belongs to another
  /// account.
  Task<std::shared_ptr<EksCluster>> open(EksClusterId id, net::Deadline deadline);

 private:
  struct Known {
    std::shared_ptr<EksCluster> cluster;
    SteadyTime described_at{};
  };

  aws::Accounts& accounts_;
  net::HttpClient& http_;
  net::Timekeeper& time_;
  Random& random_;
  Log log_;
  std::map<EksClusterId, Known> known_;
};

}  // namespace instantstart::kube
