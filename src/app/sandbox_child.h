// The simulated AWS that `serve --sandbox` calls: a process of its own, which outlives the server's death.
#pragma once

#include <filesystem>
#include <string>

#include <boost/asio/any_io_executor.hpp>

#include "app/serve.h"
#include "aws/environment.h"
#include "base/log.h"
#include "net/http_client.h"
#include "net/task.h"
#include "net/time.h"
#include "sandbox/app/card.h"

namespace instantstart::app {

/// Finds the sandbox of this state directory, or starts one from this program's own file and waits until it
/// can be called. The caller holds the state directory, so nobody else starts one there.
Task<sandbox::SandboxCard> start_sandbox(asio::any_io_executor executor, net::Timekeeper& time,
                                         net::HttpClient& http, std::filesystem::path state,
                                         std::int64_t scale);

/// Asks it to end, and returns when it said yes.
Task<> stop_sandbox(net::Timekeeper& time, net::HttpClient& http, std::string url);

/// What AWS clients read their configuration from: the sandbox's variables and nothing of this machine, so
/// that no call can go to a real account.
aws::FixedEnvironment sandbox_environment(const sandbox::SandboxCard& card);

}  // namespace instantstart::app
