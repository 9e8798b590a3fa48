// Events, as `kubectl describe` shows them: the same one again counts up; they go after an hour.
#pragma once

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

  ClusterAccess& access_;
};

}  // namespace instantstart::sandbox::kubernetes
