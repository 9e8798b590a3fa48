// MCP over standard input and output for hosts that start their servers themselves: a thin bridge to the
// running server's /mcp, so that all agents and people see the same operations. It keeps no state but the
// session of a handshake.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include <boost/asio/any_io_executor.hpp>

#include "base/log.h"
#include "net/http_client.h"
#include "net/task.h"
#include "net/time.h"

namespace instantstart::faces {

/// Where the server is and who we are.
struct BridgeTarget {
  std::string url;  ///< "http://127.0.0.1:3099"
  std::string token;
};

struct BridgeOptions {
  std::size_t max_line_bytes = 1024 * 1024;        ///< Longer lines are refused and skipped.
  std::size_t max_answer_bytes = 4 * 1024 * 1024;  ///< Of one answer, or of one event of a stream.
  std::size_t parallel = 32;                       ///< More requests under way hold back the input.
  milliseconds answer_time{90'000};                ///< Longer than the server lets anything take.
  milliseconds drain{5'000};                       ///< For requests under way when the input ends.
};

/// What a bridge stands on. Client and time must outlive it; the descriptors stay open.
struct BridgeGround {
  asio::any_io_executor executor;
  net::HttpClient& client;
  net::Timekeeper& time;
  Log log;
  /// Asked before every call, so that a server may start, or start again, meanwhile. Its error says how to
  /// start one, and is the answer to the call.
  std::function<Result<BridgeTarget>()> find_server;
  int input = 0;
  int output = 1;  ///< Nothing but answers, one a line, goes there.
};

/// Runs until the input ends or nobody reads the output. `notifications/cancelled` closes the request of that
/// id; no answer to it follows. After a restart of the server the session is begun again by itself.
Task<> run_stdio_bridge(BridgeGround ground, BridgeOptions options = {});

}  // namespace instantstart::faces
