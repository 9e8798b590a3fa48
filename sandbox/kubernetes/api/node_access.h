// What API servers get from nodes: logs of pods, and answers of programs in them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "net/http.h"
#include "sandbox/core/service.h"
#include "sandbox/kubernetes/objects/status.h"

namespace instantstart::sandbox::kubernetes {

struct LogRequest {
  std::string cluster;
  std::string namespace_name;
  std::string pod;
  std::string container;
  bool follow = false;
  bool previous = false;    ///< Of the container's earlier run.
  bool timestamps = false;  ///< Each line begins with RFC 3339 and a space.
  std::optional<std::int64_t> tail_lines;
  std::optional<std::int64_t> since_seconds;
  std::string since_time;  ///< RFC 3339
  std::optional<std::int64_t> limit_bytes;
};

/// The kubelets' side of `kubectl logs`.
class PodLogs {
 public:
  virtual ~PodLogs() = default;
  /// Text that ends when there is no more, or, if followed, with the container. Refusals: 400 for a container
  /// that has not started.
  virtual Outcome<std::unique_ptr<net::BodyStream>> open(const LogRequest& request) = 0;
};

/// Where a proxied request goes.
struct ProxyTarget {
  std::string cluster;
  std::string namespace_name;
  bool service = false;  ///< Else a pod.
  std::string name;
  std::string scheme;  ///< "http", "https"
  std::string port;    ///< Number or name; empty: the only one.
};

/// What answers in pods; streams are passed on.
class PodProxy {
 public:
  virtual ~PodProxy() = default;
  /// `request.target` is what the program sees: "/v1/models?a=b".
  virtual net::asio::awaitable<net::Response> forward(ProxyTarget target, net::Request request) = 0;
};

}  // namespace instantstart::sandbox::kubernetes
