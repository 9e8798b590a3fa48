// Open streams of `subscriptions/listen` (2026-07-28).
#pragma once

#include <list>
#include <string_view>

#include "faces/mcp/exchange.h"
#include "faces/mcp/json_rpc.h"

namespace instantstart::mcp_fixtures {

/// Loop thread only.
class Listeners {
 public:
  /// Acknowledges, and returns when the client has left.
  asio::awaitable<void> serve(faces::RpcMessage request, faces::Exchange& exchange);

  /// Tells everybody who asked for it by this member of the filter ("toolsListChanged").
  void tell(std::string_view filter, std::string_view notification);

 private:
  struct Listener {
    faces::Exchange* exchange;
    faces::RpcId subscription;
    json::object filter;
  };

  std::list<Listener> listeners_;
};

}  // namespace instantstart::mcp_fixtures
