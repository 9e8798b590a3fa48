// The add-ons that EKS offers, as far as a HyperPod cluster uses them.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sandbox/services/eks/state.h"

namespace instantstart::sandbox::eks {

/// A version of an add-on, and the minor versions of Kubernetes 1 that it is for.
struct AddonVersion {
  std::string_view version;  ///< "v1.20.4-eksbuild.2"
  int first_minor = 0;
  int last_minor = 0;
  int default_from = 0;         ///< Default for clusters from this minor version on; 0: for none.
  bool takes_identity = false;  ///< requiresIamPermissions: only then it takes pod identities.
  bool needs_configuration = false;

  bool fits(int minor) const { return minor >= first_minor && minor <= last_minor; }
};

struct AddonKind {
  std::string_view name;
  std::string_view type;
  std::string_view owner;           ///< "aws" or "community"; the publisher is always "eks".
  std::string_view namespace_name;  ///< Where it is installed.
  /// Those that take an IAM role, separated by spaces.
  std::string_view service_accounts;
  std::span<const AddonVersion> versions;  ///< Newest first.
};

/// By name.
std::span<const AddonKind> addon_kinds();
/// nullptr when EKS doesn't offer it.
const AddonKind* find_addon_kind(std::string_view name);
/// nullptr when there is no such version, or not for this version of Kubernetes.
const AddonVersion* find_addon_version(const AddonKind& kind, std::string_view version,
                                       std::string_view kubernetes_version);
/// What CreateAddon takes when the request says nothing; "" when the add-on isn't for that Kubernetes.
std::string default_addon_version(std::string_view name, std::string_view kubernetes_version);
bool takes_role(const AddonKind& kind, std::string_view service_account);

Reply<aws::eks::DescribeAddonVersionsResponse> describe_addon_versions(
    State& state, const Call& call, const aws::eks::DescribeAddonVersionsRequest& in);

}  // namespace instantstart::sandbox::eks
