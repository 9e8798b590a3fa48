// The scheduler: pods without a node get the best one that fits, or are told why there is none.
//
// Nodes and what they hold are kept in memory, brought forward by each change. A kind of pod that found no
// node isn't tried again until something was freed or joined.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sandbox/kubernetes/cluster/controller.h"
#include "sandbox/kubernetes/cluster/node_filters.h"

namespace instantstart::sandbox::kubernetes {

class Scheduler final : public Controller {
 public:
  explicit Scheduler(ControllerParts parts) : Controller("scheduler", parts) {}
  void notice(const Change& change) override;
  void due(const ObjectKey& key, std::string_view purpose) override;
  void forget() override;

 private:
  struct Waiting {
    PodDemands demands;
    std::string signature;
    std::vector<std::string> claims;
    std::int64_t priority = 0;
    std::string created;
  };
  struct Placed {
    std::string node;
    Amounts requests;
  };
  struct Cluster {
    std::map<std::string, NodeView, std::less<>> nodes;
    std::map<ObjectKey, Placed> placed;
    std::map<ObjectKey, Waiting> waiting;
    std::map<std::string, std::string, std::less<>> hopeless;  ///< Signature to the words why.
    std::string next_node;    ///< Where the search goes on, so that it doesn't always begin with the same.
    bool says_later = false;  ///< A timer for it is set.
    bool says_now = false;
  };

  void sync(const ObjectKey& key) override;
  void notice_node(const Change& change);
  void notice_pod(const Change& change);
  void place(Cluster& cluster, const ObjectKey& key, const json::object& pod, const std::string& node);
  void unplace(Cluster& cluster, const ObjectKey& key);
  void look_again(const std::string& cluster);
  void try_all(const std::string& cluster_id);
  /// The words why not; nullopt when it has a node now.
  std::optional<std::string> schedule(Cluster& cluster, const ObjectKey& key, const Waiting& waiting);
  std::optional<std::string> claim_problem(const ObjectKey& key, const Waiting& waiting) const;
  NodeView* choose(Cluster& cluster, const PodDemands& demands, std::map<std::string, std::int64_t>& reasons);
  void bind(Cluster& cluster, const ObjectKey& key, const Waiting& waiting, const std::string& node);
  /// True when its status was written.
  bool say(Cluster& cluster, const ObjectKey& key, const std::string& message);

  std::map<std::string, Cluster, std::less<>> clusters_;
};

/// "0/3 nodes are available: …" in kube-scheduler's words.
std::string unschedulable_message(std::int64_t nodes, const std::map<std::string, std::int64_t>& reasons);

}  // namespace instantstart::sandbox::kubernetes
