// One call of an action over the REST API.
#pragma once

#include <boost/json/object.hpp>

#include "contract/action.h"
#include "faces/cli/cli.h"
#include "net/http_client.h"
#include "net/task.h"
#include "net/time.h"

namespace instantstart::faces {

/// Longer than the server lets anything take.
inline constexpr milliseconds k_api_call_time{90'000};

/// Members in the path go there, the others into the body or the query.
net::ClientRequest to_request(const CliConnection& connection, const contract::Action& action,
                              boost::json::object arguments);

struct ApiAnswer {
  int status = 0;
  boost::json::value body;  ///< Of the action's answer, or a problem (RFC 9457) with status 400 and above.
};

/// Errors: those of the client, and `upstream_error` for an answer that is not JSON.
Task<ApiAnswer> call_api(net::HttpClient& client, net::Timekeeper& time, CliConnection connection,
                         const contract::Action& action, boost::json::object arguments);

}  // namespace instantstart::faces
