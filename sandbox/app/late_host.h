// EKS and the API servers of its clusters know each other, and one is made first: EKS gets this instead.
#pragma once

#include "sandbox/core/control_planes.h"

namespace instantstart::sandbox {

/// Hands every call on to the host that was attached; nothing may be called before.
class LateHost final : public ControlPlaneHost {
 public:
  void attach(ControlPlaneHost& host) { host_ = &host; }

  ControlPlaneEndpoint endpoint(std::string_view cluster_id) const override {
    return host_->endpoint(cluster_id);
  }
  void open(const ControlPlaneRef& cluster) override { host_->open(cluster); }
  void close(std::string_view cluster_id) override { host_->close(cluster_id); }
  void apply_addon(std::string_view cluster_id, const AddonRef& addon) override {
    host_->apply_addon(cluster_id, addon);
  }
  void remove_addon(std::string_view cluster_id, std::string_view addon_name) override {
    host_->remove_addon(cluster_id, addon_name);
  }
  AddonHealth addon_health(std::string_view cluster_id, std::string_view addon_name) const override {
    return host_->addon_health(cluster_id, addon_name);
  }

 private:
  ControlPlaneHost* host_ = nullptr;
};

}  // namespace instantstart::sandbox
