#include "kube/eks_clusters.h"

#include <utility>

#include <fmt/core.h>

#include "aws/arn.h"
#include "base/digest.h"
#include "base/error_codes.h"

namespace instantstart::kube {
namespace {

Result<> check_account(const EksDescription& description, const std::string& account) {
  if (account.empty()) return {};
  const auto arn = aws::parse_arn(description.arn);
  if (!arn) return fail(codes::upstream_error, "EKS gave the cluster an ARN that can't be read.");
  if (arn->account == account) return {};
  return fail(codes::conflict, fmt::format("The credentials belong to the account {}, the cluster to {}.",
                                           arn->account, account));
}

}  // namespace

Result<EksDescription> to_description(const aws::eks::Cluster& cluster) {
  EksDescription description{.arn = cluster.arn.value_or(""),
                             .name = cluster.name.value_or(""),
                             .endpoint = cluster.endpoint.value_or(""),
                             .kubernetes_version = cluster.version.value_or("")};
  if (description.endpoint.empty()) {
    Error error{.code = std::string(codes::unavailable),
                .message = fmt::format("The control plane of '{}' has no address yet; it is {}.",
                                       description.name, cluster.status.value_or("in an unknown state")),
                .retryable = true};
    return fail(std::move(error));
  }
  if (cluster.certificate_authority && cluster.certificate_authority->data) {
    auto pem = from_base64(*cluster.certificate_authority->data);
    if (!pem) return fail(codes::upstream_error, "The cluster's certificate authority is no base64.");
    description.ca_pem = std::move(*pem);
  }
  if (description.ca_pem.empty()) {
    return fail(codes::upstream_error, "EKS names no certificate authority for the cluster.");
  }
  if (cluster.identity && cluster.identity->oidc) {
    description.oidc_issuer = cluster.identity->oidc->issuer.value_or("");
  }
  return description;
}

EksClusters::EksClusters(aws::Accounts& accounts, net::HttpClient& http, net::Timekeeper& time,
                         Random& random, Log log)
    : accounts_(accounts), http_(http), time_(time), random_(random), log_(std::move(log)) {}

Task<std::shared_ptr<EksCluster>> EksClusters::open(EksClusterId id, net::Deadline deadline) {
  if (const auto known = known_.find(id); known != known_.end() &&
                                          known->second.cluster->connection().answers() &&
                                          time_.steady() - known->second.described_at < k_fresh) {
    co_return known->second.cluster;
  }
  auto account = accounts_.get(id.profile, id.region);
  if (!account) co_return fail(account.error());
  auto answer = co_await (*account)->client().call<aws::eks::DescribeCluster>({.name = id.name},
                                                                              {.deadline = deadline});
  if (!answer) {
    known_.erase(id);
    co_return fail(within(fmt::format("Look at the cluster '{}'", id.name), answer.error()));
  }
  auto description = to_description(answer->cluster.value_or(aws::eks::Cluster{}));
  if (!description) co_return fail(description.error());
  if (auto checked = check_account(*description, id.account); !checked) co_return fail(checked.error());

  if (const auto known = known_.find(id);
      known != known_.end() && known->second.cluster->description() == *description) {
    known->second.described_at = time_.steady();
    co_return known->second.cluster;
  }
  auto connection =
      Connection::make({.url = description->endpoint, .ca_pem = description->ca_pem},
                       eks_token_source(**account, id.name, time_), http_, time_, random_, log_);
  if (!connection) co_return fail(connection.error());
  auto cluster = std::make_shared<EksCluster>(std::move(*description), std::move(*connection));
  known_[id] = {.cluster = cluster, .described_at = time_.steady()};
  co_return cluster;
}

}  // namespace instantstart::kube
