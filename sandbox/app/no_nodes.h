// What API servers get from nodes while clusters have none.
#pragma once

#include <memory>
#include <utility>

#include "sandbox/kubernetes/api/node_access.h"

namespace instantstart::sandbox {

/// Every pod is pending, and no service has an endpoint.
class NoNodes final : public kubernetes::PodLogs, public kubernetes::PodProxy {
 public:
  kubernetes::Outcome<std::unique_ptr<net::BodyStream>> open(const kubernetes::LogRequest& request) override;
  asio::awaitable<net::Response> forward(kubernetes::ProxyTarget target, net::Request request) override;
};

}  // namespace instantstart::sandbox
