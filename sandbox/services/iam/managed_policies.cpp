#include "sandbox/services/iam/managed_policies.h"

#include <algorithm>
#include <array>
#include <vector>

#include "sandbox/services/iam/managed_policy_documents.h"

namespace instantstart::sandbox::iam {

std::span<const ManagedPolicy> managed_policies() {
  static const std::vector<ManagedPolicy> k_all = [] {
    std::vector<ManagedPolicy> all;
    for (const auto part : {general_policies(), eks_policies(), sagemaker_policies()}) {
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }();
  return k_all;
}

const ManagedPolicy* find_managed_policy(std::string_view arn) {
  constexpr std::string_view k_middle = ":iam::aws:policy";
  const auto middle = arn.find(k_middle);
  if (!arn.starts_with("arn:aws") || middle == std::string_view::npos || arn.find(':', 4) != middle)
    return nullptr;
  const std::string_view place = arn.substr(middle + k_middle.size());
  for (const auto& policy : managed_policies()) {
    if (place.size() == policy.path.size() + policy.name.size() && place.starts_with(policy.path) &&
        place.ends_with(policy.name)) {
      return &policy;
    }
  }
  return nullptr;
}

}  // namespace instantstart::sandbox::iam
