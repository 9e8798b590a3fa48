// Events, as `kubectl describe` shows them: the same one again counts up; they go after an hour.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "sandbox/kubernetes/cluster/cluster_access.h"

namespace instantstart::sandbox::kubernetes {

struct EventNote {
  std::string_view type;  ///< "Normal" or "Warning"
  std::string_view reason;
  std::string message;
  std::string_view component;   ///< "kubelet"
  std::string_view host = {};   ///< The node, of a kubelet's.
  std::string field_path = {};  ///< "spec.containers{main}"
};

/// Loop thread only.
class EventRecorder {
 public:
  explicit EventRecorder(ClusterAccess& access);
  void record(const std::string& cluster, const json::object& about, const EventNote& note);

 private:
  void sweep(const std::string& cluster);
  void sweep_later(const std::string& cluster);

  ClusterAccess& access_;
  std::set<std::string, std::less<>> swept_;  ///< Clusters whose next sweep is set, as far as it is known.
  std::uint64_t epoch_ = 0;
};

}  // namespace instantstart::sandbox::kubernetes
