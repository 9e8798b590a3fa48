#include "app/mcp_bridge.h"

#include <csignal>
#include <exception>

#include <fmt/core.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "faces/cli/cli.h"
#include "faces/mcp/stdio_bridge.h"
#include "net/http_client.h"

namespace instantstart::app {

int bridge_mcp(const std::filesystem::path& state_directory, bool verbose) {
  std::signal(SIGPIPE, SIG_IGN);  // a host that went away ends the bridge by a failed write
  asio::io_context context(1);
  net::SystemTimekeeper time;
  const Log log(time, verbose ? LogLevel::debug : LogLevel::warning, log_to_descriptor(2));
  const auto client = net::make_curl_client(context.get_executor(), time, log);
  const auto find_server = [&state_directory]() -> Result<faces::BridgeTarget> {
    auto connection = faces::find_server(state_directory);
    if (!connection) return std::unexpected(connection.error());
    return faces::BridgeTarget{std::move(connection->url), std::move(connection->token)};
  };
  std::exception_ptr broken;
  Result<> outcome;
  asio::co_spawn(context,
                 faces::run_stdio_bridge({.executor = context.get_executor(),
                                          .client = *client,
                                          .time = time,
                                          .log = log,
                                          .find_server = find_server}),
                 [&](std::exception_ptr thrown, Result<> ended) {
                   broken = thrown;
                   outcome = std::move(ended);
                   context.stop();
                 });
  context.run();
  if (broken) std::rethrow_exception(broken);
  if (outcome) return 0;
  fmt::print(stderr, "instantstart mcp: {}\n", outcome.error().message);
  return 1;
}

}  // namespace instantstart::app
