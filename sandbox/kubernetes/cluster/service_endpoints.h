// Which pods answer for a Service: its Endpoints and EndpointSlice.
#pragma once

#include <cstdint>
#include <optional>

#include "sandbox/kubernetes/cluster/controller.h"

namespace instantstart::sandbox::kubernetes {

class ServiceEndpoints final : public Controller {
 public:
  explicit ServiceEndpoints(ControllerParts parts) : Controller("endpoints", parts) {}
  void notice(const Change& change) override;

 private:
  void sync(const ObjectKey& key) override;
  void put(const ObjectKey& key, json::object object);
};

/// The number of a service's target port in that pod; nullopt when it names a port that the pod doesn't have.
std::optional<std::int64_t> target_port(const json::object& service_port, const json::object& pod);

}  // namespace instantstart::sandbox::kubernetes
