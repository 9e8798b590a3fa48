// An EKS that makes clusters, add-ons and access entries in a short time, and remembers nothing of a restart.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "aws/shapes/eks.h"
#include "sandbox/core/service.h"

namespace instantstart::sandbox::cloudformation {

class FakeEks final : public Service {
 public:
  FakeEks();

  /// A cluster is ACTIVE, or gone, at the so-manieth look at it.
  int looks = 2;
  std::optional<std::string> failure;  ///< What the next cluster fails of.
  std::map<std::string, aws::eks::Cluster> clusters;
  std::map<std::string, aws::eks::Addon> addons;         ///< By cluster/name.
  std::map<std::string, aws::eks::AccessEntry> entries;  ///< By cluster/principal.
  std::map<std::string, std::string> policies;           ///< Of access: by cluster/principal/policy.
  std::map<std::string, aws::eks::PodIdentityAssociation> associations;  ///< By id.

 private:
  void serve_clusters();
  void serve_addons();
  void serve_access();

  std::map<std::string, int> looked_;
};

}  // namespace instantstart::sandbox::cloudformation
