// Looks at the components of a cluster: Kubernetes, EKS and IAM. It changes nothing.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "aws/accounts.h"
#include "capabilities/dependencies/cluster_target.h"
#include "capabilities/dependencies/component.h"
#include "capabilities/dependencies/component_seen.h"
#include "capabilities/dependencies/owned_object.h"
#include "kube/eks_clusters.h"
#include "kube/helm_release.h"

namespace instantstart::capabilities {

/// The type of an object that our components are made of.
kube::ResourceType type_of_object(const ObjectRef& ref);

/// Loop thread only. What it is made of outlives it and its calls. Errors of all: those of the AWS client and
/// of the Kubernetes client.
class ComponentReader {
 public:
  ComponentReader(aws::Accounts& accounts, kube::EksClusters& clusters)
      : accounts_(accounts), clusters_(clusters) {}

  Result<aws::Client*> aws_client(const ClusterTarget& cluster) const;
  Task<std::shared_ptr<kube::EksCluster>> kubernetes(ClusterTarget cluster, net::Deadline deadline) const;

  /// The component is a row of the table. With what it needs besides: identity, the version that EKS offers.
  Task<ComponentSeen> look(ClusterTarget cluster, const Component& component, std::string release,
                           net::Deadline deadline) const;

  Task<ObjectsSeen> objects(ClusterTarget cluster, const Component& component, std::string release,
                            net::Deadline deadline) const;
  Task<AddonSeen> addon(ClusterTarget cluster, const Component& component, net::Deadline deadline) const;
  Task<OidcSeen> oidc_provider(ClusterTarget cluster, net::Deadline deadline) const;
  /// `policy`: the managed policy that it shall have; empty: none is looked for.
  Task<RoleSeen> role(ClusterTarget cluster, std::string role_name, net::Deadline deadline,
                      std::string policy = {}) const;
  Task<AssociationSeen> association(ClusterTarget cluster, std::string space, std::string service_account,
                                    net::Deadline deadline) const;
  /// The release of the HyperPod chart, under whatever name; nullopt when there is none.
  Task<std::optional<kube::HelmRelease>> hyperpod_release(ClusterTarget cluster,
                                                          net::Deadline deadline) const;
  Task<bool> has_namespace(ClusterTarget cluster, std::string space, net::Deadline deadline) const;
  /// Whether there are pods in a namespace.
  Task<bool> has_pods(ClusterTarget cluster, std::string space, net::Deadline deadline) const;

 private:
  static Task<bool> has_nodes(std::shared_ptr<kube::EksCluster> cluster, net::Deadline deadline);
  Task<std::string> wanted_version(ClusterTarget cluster, std::string addon, net::Deadline deadline) const;

  aws::Accounts& accounts_;
  kube::EksClusters& clusters_;
};

}  // namespace instantstart::capabilities
