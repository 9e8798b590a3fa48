#include "sandbox/app/no_nodes.h"

#include <fmt/format.h>

#include "sandbox/kubernetes/api/api_servers.h"
#include "sandbox/kubernetes/api/refusals.h"

namespace instantstart::sandbox {

kubernetes::Outcome<std::unique_ptr<net::BodyStream>> NoNodes::open(const kubernetes::LogRequest& request) {
  return kubernetes::refuse(
      kubernetes::bad_request(fmt::format("pod {} does not have a host assigned", request.pod)));
}

asio::awaitable<net::Response> NoNodes::forward(kubernetes::ProxyTarget target, net::Request) {
  co_return kubernetes::ApiServers::refuse_request(
      503, fmt::format("no endpoints available for service \"{}\"", target.name));
}

}  // namespace instantstart::sandbox
