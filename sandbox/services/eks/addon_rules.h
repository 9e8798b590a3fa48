// What CreateAddon and UpdateAddon ask of their requests.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sandbox/services/eks/addon_catalogue.h"
#include "sandbox/services/eks/state.h"

namespace instantstart::sandbox::eks {

/// Where the request stands.
struct AddonPlace {
  std::string region;
  std::string cluster_name;
  std::string addon_name;
};

/// One that EKS offers for the cluster's version of Kubernetes; `asked` absent: the default.
Reply<const AddonVersion*> checked_version(const AddonKind& kind, const std::optional<std::string>& asked,
                                           const std::string& kubernetes_version, const AddonPlace& place);

/// A JSON object. EKS takes YAML too; the sandbox says that it doesn't.
std::optional<AwsFault> refuse_configuration(const std::optional<std::string>& text, const AddonPlace& place);

using AddonIdentities = std::vector<aws::eks::AddonPodIdentityAssociations>;
/// Service accounts of the add-on without an association of somebody else's, and roles that exist. `owner` is
/// the add-on's ARN, "" for a new one.
std::optional<AwsFault> refuse_identities(const State& state, const AddonKind& kind,
                                          const AddonVersion& version, const AddonIdentities& identities,
                                          const std::string& owner, const AddonPlace& place);

}  // namespace instantstart::sandbox::eks
