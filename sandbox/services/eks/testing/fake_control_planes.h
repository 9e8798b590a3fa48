// A Kubernetes side that remembers what it was told, and whose add-ons do as a test says.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "sandbox/core/control_planes.h"

namespace instantstart::sandbox::eks {

class FakeControlPlanes final : public ControlPlaneHost {
 public:
  ControlPlaneEndpoint endpoint(std::string_view cluster_id) const override {
    return {.url = fmt::format("https://127.0.0.1:6443/clusters/{}", cluster_id), .ca_pem = "certificate"};
  }
  void open(const ControlPlaneRef& cluster) override { opened[cluster.id] = cluster; }
  void close(std::string_view cluster_id) override {
    opened.erase(std::string(cluster_id));
    addons.erase(std::string(cluster_id));
  }
  void apply_addon(std::string_view cluster_id, const AddonRef& addon) override {
    addons[std::string(cluster_id)][addon.name] = addon;
  }
  void remove_addon(std::string_view cluster_id, std::string_view addon_name) override {
    addons[std::string(cluster_id)].erase(std::string(addon_name));
  }
  AddonHealth addon_health(std::string_view, std::string_view addon_name) const override {
    const auto found = troubles.find(std::string(addon_name));
    if (found == troubles.end()) return {.healthy = true, .code = {}, .message = {}};
    return {.healthy = false, .code = found->second, .message = "because"};
  }

  std::map<std::string, ControlPlaneRef> opened;
  std::map<std::string, std::map<std::string, AddonRef>> addons;  ///< By cluster's id and name.
  std::map<std::string, std::string> troubles;                    ///< Codes of add-ons that aren't healthy.
};

}  // namespace instantstart::sandbox::eks
