// Simulated Amazon EKS: clusters, their add-ons, access entries and pod identities, and the keys that sign
// the tokens of their service accounts. What runs inside a cluster is the ControlPlaneHost's.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aws/shapes/eks.h"
#include "sandbox/core/control_planes.h"
#include "sandbox/core/role_directory.h"
#include "sandbox/core/service.h"
#include "sandbox/core/service_account_tokens.h"
#include "sandbox/services/ec2/network.h"
#include "sandbox/services/eks/state.h"
#include "sandbox/services/iam/iam.h"

namespace instantstart::sandbox::eks {

/// A cluster, as other services ask for it.
struct ClusterSummary {
  std::string id;
  std::string arn;
  std::string status;  ///< "ACTIVE"
  std::string kubernetes_version;
  std::string authentication_mode;  ///< "API_AND_CONFIG_MAP"
  std::string vpc_id;
  std::string security_group_id;  ///< The cluster's own.
};

class Eks final : public Service,
                  public AccessDirectory,
                  public IdentityProviders,
                  public ServiceAccountTokens {
 public:
  /// All of them must outlive it; none but the world is used before the first call, so the host may be made
  /// afterwards.
  Eks(
      World& world, iam::Iam& iam, ec2::Network& network, ControlPlaneHost& host,
      LimitsSource limits = [](std::string_view) { return Limits{}; });

  /// nullopt when the region has none of that name.
  std::optional<ClusterSummary> find_cluster(std::string_view region, std::string_view name) const;

  /// The role that a pod identity association gives to a service account; empty when there is none.
  std::string pod_role(std::string_view cluster_id, std::string_view namespace_name,
                       std::string_view service_account) const;

  std::optional<ClusterUser> find_user(std::string_view cluster_id,
                                       std::string_view caller_arn) const override;
  Reply<WebIdentity> verify(std::string_view token) const override;
  Result<std::string> sign(std::string_view cluster_id, const ServiceAccountTokenSpec& spec) const override;
  Result<json::object> read(std::string_view cluster_id, std::string_view token,
                            const std::vector<std::string>& audiences) const override;
  Result<json::object> key_set(std::string_view cluster_id) const override;

 protected:
  /// InvalidParameterException: EKS has no ValidationException.
  AwsFault refuse_input(const std::vector<FieldProblem>& problems) const override;

 private:
  /// `handler` is one of the functions over State.
  template <class Op>
  void serve(Reply<typename Op::Output> (*handler)(State&, const Call&, const typename Op::Input&));
  void serve_clusters();
  void serve_addons();
  void serve_access();

  State state_;
};

}  // namespace instantstart::sandbox::eks
