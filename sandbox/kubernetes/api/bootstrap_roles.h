// The ClusterRoles that every cluster has from its beginning, and the EKS access policies, which are theirs
// ("Access policy permissions", Amazon EKS User Guide).
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "sandbox/kubernetes/api/policy_rule.h"

namespace instantstart::sandbox::kubernetes {

struct BootstrapRole {
  std::string_view name;
  std::vector<PolicyRule> rules;
};

struct BootstrapBinding {
  std::string_view role;  ///< Binding and ClusterRole have one name.
  std::vector<std::string_view> groups;
};

const std::vector<BootstrapRole>& bootstrap_roles();
const std::vector<BootstrapBinding>& bootstrap_bindings();

/// Empty for a policy that grants nothing here.
const std::vector<PolicyRule>& rules_of_access_policy(std::string_view policy);

}  // namespace instantstart::sandbox::kubernetes
