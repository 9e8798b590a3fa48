// The process command `sandbox`: a simulated AWS on one port, with a state directory of its own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace instantstart::sandbox {

struct SandboxOptions {
  std::filesystem::path state;  ///< The state directory.
  std::uint16_t port = 0;       ///< 0 takes a free one; `sandbox.json` in the state directory says which.
  std::uint16_t kubernetes_port = 0;     ///< Of the API servers, likewise.
  std::int64_t scale = 1;                ///< Divides durations of what is simulated, at least 1.
  std::uint64_t seed = 1;                ///< Decides what faults with a probability hit.
  std::string region = "us-west-2";      ///< Only what is printed: the sandbox answers for every region.
  std::string account = "123456789012";  ///< 12 digits; must be the one of the state.
  bool verbose = false;                  ///< Debug lines in the log.
};

/// Runs until SIGTERM or SIGINT. When it can be called it prints "sandbox ready at http://127.0.0.1:PORT" and
/// AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION, AWS_DEFAULT_REGION as NAME=value
/// lines on standard output, and writes the same to `sandbox.json` (mode 0600) in the state directory. Log
/// lines go to standard error. Listens on loopback only. Returns the exit code: 0, or 1 with the reason
/// printed.
int run_sandbox(const SandboxOptions& options);

}  // namespace instantstart::sandbox
