// The way from API servers into pods: logs, and requests to their programs.
#pragma once

#include "sandbox/kubernetes/api/node_access.h"
#include "sandbox/kubernetes/cluster/cluster_access.h"
#include "sandbox/kubernetes/cluster/container_logs.h"
#include "sandbox/kubernetes/cluster/kubelet.h"

namespace instantstart::sandbox::kubernetes {

/// Loop thread only.
class PodLogReader final : public PodLogs {
 public:
  PodLogReader(ClusterAccess& access, Kubelet& kubelet, ContainerLogs& logs)
      : access_(access), kubelet_(kubelet), logs_(logs) {}
  Outcome<std::unique_ptr<net::BodyStream>> open(const LogRequest& request) override;

 private:
  ClusterAccess& access_;
  Kubelet& kubelet_;
  ContainerLogs& logs_;
};

/// Loop thread only.
class PodRequests final : public PodProxy {
 public:
  PodRequests(ClusterAccess& access, Kubelet& kubelet, ContainerLogs& logs)
      : access_(access), kubelet_(kubelet), logs_(logs) {}
  asio::awaitable<net::Response> forward(ProxyTarget target, net::Request request) override;

 private:
  struct Destination {
    std::shared_ptr<Program> program;
    std::string address;
    LogRun log;
  };
  Outcome<Destination> of_pod(const ProxyTarget& target, const json::object& pod, std::int64_t port);
  Outcome<Destination> of_service(const ProxyTarget& target);
  Outcome<Destination> find(const ProxyTarget& target);

  ClusterAccess& access_;
  Kubelet& kubelet_;
  ContainerLogs& logs_;
  std::uint64_t turn_ = 0;  ///< Ready pods of a service answer in turn.
};

}  // namespace instantstart::sandbox::kubernetes
