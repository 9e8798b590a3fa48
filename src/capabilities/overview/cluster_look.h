// What is counted in a cluster, from its objects. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "capabilities/overview/overview.h"

namespace instantstart::capabilities {

/// Takes objects one by one, so that a list of 100,000 pods is counted as it streams.
class ClusterCounter {
 public:
  /// Nodes before pods: what a pod uses counts where its node is.
  void node(const json::object& node);
  void pod(const json::object& pod);
  /// A HyperPodPyTorchJob.
  void job(const json::object& job);
  /// A Deployment that was made here.
  void deployment(const json::object& deployment);

  ClusterLook look(std::string cluster) const;

 private:
  struct Node {
    std::int64_t accelerators = 0;
    std::int64_t in_use = 0;
    bool usable = false;
  };
  std::map<std::string, Node, std::less<>> nodes_;
  ClusterLook look_;
};

/// What needs somebody, in words.
std::vector<std::string> alarms_of(const OverviewAnswer& answer);
/// What to do next: mend what is wrong, else go on from where one is.
std::vector<NextAction> next_of(const OverviewAnswer& answer);

}  // namespace instantstart::capabilities
