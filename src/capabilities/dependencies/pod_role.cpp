#include "capabilities/dependencies/pod_role.h"

#include "base/digest.h"
#include "domain/arn_text.h"
#include "domain/cluster_name.h"
#include "domain/ownership.h"

namespace instantstart::capabilities {

Result<std::string> pod_role_name(const ClusterTarget& cluster, std::string_view purpose) {
  return domain::role_name(domain::ClusterName{cluster.name}, cluster.region, purpose);
}

std::string pod_role_arn(const ClusterTarget& cluster, std::string_view role_name) {
  return domain::global_arn(place_of(cluster), "iam",
                            "role" + std::string(k_pod_role_path) + std::string(role_name));
}

std::string pod_policy_arn(const ClusterTarget& cluster, std::string_view policy) {
  return domain::managed_policy_arn(place_of(cluster).partition, policy);
}

std::string oidc_provider_arn(const ClusterTarget& cluster, std::string_view issuer) {
  constexpr std::string_view scheme = "https://";
  if (issuer.starts_with(scheme)) issuer.remove_prefix(scheme.size());
  return domain::global_arn(place_of(cluster), "iam", "oidc-provider/" + std::string(issuer));
}

json::object pod_role_trust(const ClusterTarget& cluster) {
  json::object statement{{"Effect", "Allow"},
                         {"Principal", {{"Service", "pods.eks.amazonaws.com"}}},
                         {"Action", json::array{"sts:AssumeRole", "sts:TagSession"}},
                         {"Condition",
                          {{"StringEquals", {{"aws:SourceAccount", cluster.account}}},
                           {"ArnEquals", {{"aws:SourceArn", cluster_arn_of(cluster)}}}}}};
  json::array statements;
  statements.push_back(std::move(statement));
  return {{"Version", "2012-10-17"}, {"Statement", std::move(statements)}};
}

bool is_pod_role_trust(std::string_view encoded_document, const ClusterTarget& cluster) {
  const auto text = percent_decode(encoded_document);
  if (!text) return false;
  const auto document = parse_json(*text);
  return document && to_canonical_text(*document) == to_canonical_text(pod_role_trust(cluster));
}

std::map<std::string, std::string> owner_tags(const ClusterTarget& cluster, const std::string& operation_id) {
  return {{std::string(domain::k_cluster_tag), domain::to_text(key_of(cluster))},
          {std::string(domain::k_operation_tag), operation_id}};
}

std::optional<std::string> maker_of(const std::map<std::string, std::string>& tags,
                                    const ClusterTarget& cluster) {
  const auto of_cluster = tags.find(std::string(domain::k_cluster_tag));
  const auto of_operation = tags.find(std::string(domain::k_operation_tag));
  if (of_cluster == tags.end() || of_operation == tags.end()) return std::nullopt;
  if (of_cluster->second != domain::to_text(key_of(cluster))) return std::nullopt;
  return of_operation->second;
}

}  // namespace instantstart::capabilities
