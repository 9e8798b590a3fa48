// The REST face: routes, queries and bodies become invocations, answers become JSON. All of it follows from
// the table of actions.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "access/dispatcher.h"
#include "contract/action.h"
#include "faces/rest/routes.h"
#include "net/http.h"

namespace instantstart::faces {

class RestFace {
 public:
  /// The table and the dispatcher must outlive this.
  RestFace(const contract::ActionTable& actions, access::Dispatcher& dispatcher,
           std::string_view server_version);

  asio::awaitable<net::Response> handle(net::Request request, contract::Caller caller);

 private:
  Task<net::Response> answer(net::Request request, contract::Caller caller);

  Routes routes_;
  access::Dispatcher& dispatcher_;
  std::string open_api_;
};

/// The arguments of a request: members of its path, of its query (GET, DELETE) or of its body. Pure. Errors:
/// `invalid_json`, `invalid_request` for a member given twice or in two places, a body that is no object, a
/// query where a body belongs.
Result<json::object> request_arguments(const RouteMatch& match, const net::Request& request);

}  // namespace instantstart::faces
