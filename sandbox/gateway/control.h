// The control API under /_sandbox/: what no cloud has. JSON, unsigned, for programs on this machine only.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <boost/json/value.hpp>

#include "base/json.h"
#include "net/http.h"
#include "net/task.h"
#include "sandbox/core/access_keys.h"
#include "sandbox/core/faults.h"
#include "sandbox/core/world.h"

namespace instantstart::sandbox {

inline constexpr std::string_view k_control_prefix = "/_sandbox/";

struct ControlRequest {
  std::map<std::string, std::string> query;
  json::value body;  ///< null when there is none
};

/// What a control call does; its value is the answer's body.
using ControlHandler = std::function<Task<json::value>(ControlRequest)>;

/// GET health; GET audit?after=&limit=; GET and PUT faults; POST reset; POST expire-sessions, and what is
/// mounted. Errors are {code, message, problems}. Loop thread only.
class ControlApi {
 public:
  ControlApi(World& world, FaultPlan& faults, AccessKeys& keys);

  /// Adds a call: ("PUT", "quotas").
  void mount(std::string method, std::string name, ControlHandler handler);

  /// For paths that begin with k_control_prefix. A peer elsewhere, a host name that isn't this machine's, or
  /// a page in a browser is refused: a page on the web may reach this port by a name that it made up.
  asio::awaitable<net::Response> handle(net::Request request);

 private:
  Task<json::value> call(const net::Request& request);
  Task<json::value> audit(ControlRequest request);
  Task<json::value> replace_faults(ControlRequest request);

  World& world_;
  FaultPlan& faults_;
  AccessKeys& keys_;
  std::map<std::pair<std::string, std::string>, ControlHandler> handlers_;  ///< By name and method.
};

}  // namespace instantstart::sandbox
