// AWS's managed policies that clusters on EKS and HyperPod, and those who run them, use. No others exist
// here.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace instantstart::sandbox::iam {

struct ManagedPolicy {
  std::string_view name;      ///< "AmazonEKSClusterPolicy"
  std::string_view path;      ///< "/", "/service-role/"
  std::string_view version;   ///< "v10"
  std::string_view created;   ///< RFC 3339
  std::string_view updated;   ///< RFC 3339
  std::string_view document;  ///< As AWS publishes it; empty for those too long to keep.
};

std::span<const ManagedPolicy> managed_policies();
/// nullptr when there is none. "arn:aws:iam::aws:policy/service-role/AmazonEBSCSIDriverPolicy", in any
/// partition.
const ManagedPolicy* find_managed_policy(std::string_view arn);

}  // namespace instantstart::sandbox::iam
