// What EKS and the Kubernetes of its clusters know of each other.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/core/service.h"

namespace instantstart::sandbox {

/// A cluster, where both sides speak of it.
struct ControlPlaneRef {
  std::string id;      ///< 32 hex digits, capital: unique for ever, part of the endpoint and the OIDC issuer.
  std::string region;  ///< "us-west-2"
  std::string name;    ///< As given to CreateCluster.
  std::string arn;
  std::string kubernetes_version;  ///< "1.34"
  std::string service_cidr;        ///< "172.20.0.0/16"
  std::string oidc_issuer;         ///< "https://oidc.eks.us-west-2.amazonaws.com/id/…"
};

struct ControlPlaneEndpoint {
  std::string url;     ///< "https://127.0.0.1:6443/clusters/…": clients append "/api/v1/…".
  std::string ca_pem;  ///< What its certificate is signed with.
};

/// An add-on as EKS wants it in the cluster; the Kubernetes side makes its objects and says how they do.
struct AddonRef {
  std::string name;     ///< "vpc-cni"
  std::string version;  ///< "v1.20.4-eksbuild.2"
  std::string service_account_role_arn;
  std::string configuration;  ///< JSON or YAML text as given.
  bool overwrite = false;     ///< Takes fields that others own, instead of a ConfigurationConflict.
};

struct AddonHealth {
  bool healthy = false;
  std::string code;  ///< "InsufficientNumberOfReplicas" where it is not healthy.
  std::string message;
};

/// The Kubernetes side. Calls change the world like a handler does and become durable with its commit.
class ControlPlaneHost {
 public:
  virtual ~ControlPlaneHost() = default;
  /// Equal at every call and after a restart. Valid also before the cluster is opened.
  virtual ControlPlaneEndpoint endpoint(std::string_view cluster_id) const = 0;
  /// The cluster becomes ACTIVE: its API answers from now on, with what a new cluster has.
  virtual void open(const ControlPlaneRef& cluster) = 0;
  /// It is gone with everything in it. Nothing happens when it is unknown.
  virtual void close(std::string_view cluster_id) = 0;
  virtual void apply_addon(std::string_view cluster_id, const AddonRef& addon) = 0;
  virtual void remove_addon(std::string_view cluster_id, std::string_view addon_name) = 0;
  virtual AddonHealth addon_health(std::string_view cluster_id, std::string_view addon_name) const = 0;
};

/// "cluster" or the namespaces that an EKS access policy holds in.
struct GrantedPolicy {
  std::string name;                     ///< "AmazonEKSClusterAdminPolicy"
  std::vector<std::string> namespaces;  ///< Empty: the whole cluster.
};

/// Who an AWS principal is in a cluster, by its access entry.
struct ClusterUser {
  std::string username;
  std::vector<std::string> groups;
  std::vector<GrantedPolicy> policies;
  std::string principal_arn;  ///< Of the entry: the role behind an assumed-role session.
};

/// The EKS side, as the API servers of its clusters ask it.
class AccessDirectory {
 public:
  virtual ~AccessDirectory() = default;
  /// nullopt when the cluster has no entry for the caller: the API server answers 401.
  virtual std::optional<ClusterUser> find_user(std::string_view cluster_id,
                                               std::string_view caller_arn) const = 0;
};

}  // namespace instantstart::sandbox
