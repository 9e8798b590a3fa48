// What is seen of a component in the real world, before anything is concluded from it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/describe.h"

namespace instantstart::capabilities {

/// A DaemonSet's pods.
struct DaemonsSeen {
  bool current = false;     ///< The controller has seen the object as it is now.
  std::int64_t wanted = 0;  ///< One for each node that fits.
  std::int64_t ready = 0;
};

struct ObjectSeen {
  std::string ref;  ///< "daemonsets/kube-system/x"
  bool exists = false;
  bool going = false;                       ///< It is being deleted.
  std::optional<std::string> maker;         ///< Our operation that made it; absent: not ours.
  std::optional<std::string> helm_release;  ///< That says it owns it.
  std::optional<std::string> version;       ///< As we noted it, else the tag of its image.
  /// What of ours it lacks, as JSON Pointers; of an object that is not ours, its content alone counts.
  std::vector<std::string> differences;
  std::optional<DaemonsSeen> daemons;
};

struct ObjectsSeen {
  std::vector<ObjectSeen> objects;
  /// DaemonSets of others that run the same plugin: "daemonsets/gpu-operator/nvidia-device-plugin-daemonset".
  std::vector<std::string> copies;
  bool nodes = false;     ///< The cluster has any.
  bool occupied = false;  ///< Looked at before a namespace goes: it still holds pods.
};

struct IssueSeen {
  std::string code;  ///< EKS's: "InsufficientNumberOfReplicas"
  std::string message;
};

struct AddonSeen {
  bool exists = false;
  std::string status;  ///< EKS's: "ACTIVE"
  std::string version;
  std::vector<IssueSeen> issues;
  std::optional<std::string> maker;
  std::optional<std::string>
      installed_otherwise;  ///< The object that says that it is there without EKS's add-on.
  bool nodes = false;
};

struct OidcSeen {
  std::string issuer;  ///< Empty: the cluster has none.
  std::optional<std::string> arn;
  bool has_audience = false;  ///< sts.amazonaws.com, without which no service account gets in.
  std::optional<std::string> maker;
};

struct RoleSeen {
  std::optional<std::string> arn;
  bool trusts_pods = false;  ///< Its trust policy is the one that we write.
  bool has_policy = false;   ///< The managed policy that it shall have is attached.
  std::optional<std::string> maker;
};

struct AssociationSeen {
  std::optional<std::string> id;
  std::string role_arn;
  std::optional<std::string> maker;
};

Type describe(DaemonsSeen*);
Type describe(ObjectSeen*);
Type describe(ObjectsSeen*);
Type describe(IssueSeen*);
Type describe(AddonSeen*);
Type describe(OidcSeen*);
Type describe(RoleSeen*);
Type describe(AssociationSeen*);

/// All that was looked at for one component.
struct ComponentSeen {
  std::optional<ObjectsSeen> objects;
  std::optional<AddonSeen> addon;
  std::optional<OidcSeen> oidc;
  std::optional<RoleSeen> role;
  std::optional<AssociationSeen> association;
  std::string wanted_version;  ///< Of an add-on: EKS's default for this cluster; empty when it offers none.
};

}  // namespace instantstart::capabilities
