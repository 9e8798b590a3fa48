// What somebody may do: RBAC, united with EKS access policies.
#pragma once

#include <string_view>
#include <vector>

#include "sandbox/kubernetes/api/identity.h"
#include "sandbox/kubernetes/api/object_store.h"
#include "sandbox/kubernetes/api/policy_rule.h"
#include "sandbox/kubernetes/api/refusals.h"

namespace instantstart::sandbox::kubernetes {

/// Reads the Roles and bindings as they are at each call; loop thread only.
class Authorizer {
 public:
  explicit Authorizer(const ObjectStore& store) : store_(store) {}

  bool allows(std::string_view cluster, const Identity& who, const Attributes& wanted) const;
  /// The refusal in the API server's words.
  Outcome<> check(std::string_view cluster, const Identity& who, const Attributes& wanted) const;
  /// Every rule that holds for somebody in a namespace.
  std::vector<PolicyRule> rules(std::string_view cluster, const Identity& who,
                                std::string_view namespace_name) const;

 private:
  const ObjectStore& store_;
};

}  // namespace instantstart::sandbox::kubernetes
