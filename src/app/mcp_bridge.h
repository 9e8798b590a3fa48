// The process command `mcp`: what a host starts to reach the running server over standard input and output.
#pragma once

#include <filesystem>

namespace instantstart::app {

/// Runs until standard input ends. Returns the exit code. A server need not run: each call then says how to
/// start one.
int bridge_mcp(const std::filesystem::path& state_directory, bool verbose);

}  // namespace instantstart::app
