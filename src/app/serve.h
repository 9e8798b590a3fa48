// The process command `serve`: one port, one state directory, until it is told to stop.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace instantstart::app {

/// At which the main job takes about a minute.
inline constexpr std::int64_t k_sandbox_scale = 60;

struct ServeOptions {
  std::filesystem::path state;        ///< The state directory.
  std::string address = "127.0.0.1";  ///< Loopback; anything else is refused until TLS is there.
  std::uint16_t port = 3099;  ///< 0 takes a free one; `server.json` in the state directory says which.
  std::vector<std::string> allowed_hosts;  ///< Host header values beside loopback names.
  /// Divides poll, settle and cool-down intervals. Absent: 1, or what suits the simulated AWS.
  std::optional<std::int64_t> pace;
  bool verbose = false;  ///< Debug lines in the log.
  /// Start a simulated AWS beside the server, or find the one that an earlier server left, and call nothing
  /// else. It keeps its state below the state directory.
  bool sandbox = false;
  std::int64_t sandbox_scale = k_sandbox_scale;  ///< Divides the durations of what is simulated.
  /// What the MCP conformance suite calls for by name, beside the tools of the product.
  bool mcp_conformance_fixtures = false;
  std::optional<std::string> die_at;  ///< For tests; see fault_points.h.
};

/// Runs until SIGTERM or SIGINT, then lets running acts finish. Prints the address and a login link on
/// standard output, log lines on standard error. Returns the exit code: 0, or 1 with the reason printed.
int serve(const ServeOptions& options);

/// Where state lives when nobody says otherwise: $INSTANTSTART_STATE, $XDG_STATE_HOME/instantstart or
/// ~/.local/state/instantstart.
std::filesystem::path default_state_directory();

}  // namespace instantstart::app
