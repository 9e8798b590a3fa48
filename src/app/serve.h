// The process command `serve`: one port, one state directory, until it is told to stop.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace instantstart::app {

struct ServeOptions {
  std::filesystem::path state;        ///< The state directory.
  std::string address = "127.0.0.1";  ///< Loopback; anything else is refused until TLS is there.
  std::uint16_t port = 3099;  ///< 0 takes a free one; `server.json` in the state directory says which.
  std::vector<std::string> allowed_hosts;  ///< Host header values beside loopback names.
  std::int64_t pace = 1;                   ///< Divides poll, settle and cool-down intervals.
  bool verbose = false;                    ///< Debug lines in the log.
};

/// Runs until SIGTERM or SIGINT, then lets running acts finish. Prints the address and a login link on
/// standard output, log lines on standard error. Returns the exit code: 0, or 1 with the reason printed.
int serve(const ServeOptions& options);

/// Where state lives when nobody says otherwise: $INSTANTSTART_STATE, $XDG_STATE_HOME/instantstart or
/// ~/.local/state/instantstart.
std::filesystem::path default_state_directory();

}  // namespace instantstart::app
