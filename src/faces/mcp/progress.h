// What an operation's view says about how far it is, as MCP progress. Pure.
#pragma once

#include <string>

#include "faces/mcp/json_rpc.h"

namespace instantstart::faces {

struct Progress {
  double done = 0;   ///< Steps
  double total = 0;  ///< 0: unknown
  std::string message;

  bool operator==(const Progress&) const = default;
};

/// Of an operation_get answer; of anything else nothing but the state, if it has one.
Progress progress_of(const json::object& view);

/// `notifications/progress`. MCP wants every value above the one before: `last` is that, and is moved on.
json::object progress_notification(const json::value& token, const Progress& progress, double& last);

}  // namespace instantstart::faces
