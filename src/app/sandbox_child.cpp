#include "app/sandbox_child.h"

#include <fcntl.h>
#include <unistd.h>
#include <cstdlib>
#include <optional>
#include <string>
#include <system_error>

#include <fmt/core.h>

#include "base/decode.h"
#include "base/error_codes.h"
#include "base/json.h"
#include "net/child_process.h"
#include "store/descriptor.h"
#include "store/state_directory.h"

namespace instantstart::app {
namespace {

constexpr milliseconds k_call_time{5'000};
constexpr milliseconds k_start_time{30'000};
constexpr std::string_view k_folder = "sandbox";
constexpr std::string_view k_log_file = "sandbox.log";

Task<net::ClientResponse> control(net::HttpClient& http, net::Timekeeper& time, std::string method,
                                  std::string url) {
  // The sandbox is on this machine: a proxy would not find it.
  net::ClientRequest request{.method = std::move(method), .url = std::move(url), .use_proxy = false};
  request.idempotent = true;
  co_return co_await http.send(std::move(request), net::Deadline::in(time, k_call_time));
}

Result<sandbox::SandboxCard> parse_card(std::string_view text) {
  auto value = parse_json(text);
  if (!value) return fail(within("Read the sandbox's card", value.error()));
  return decode<sandbox::SandboxCard>(*value);
}

/// The one that runs already, if any: left by a server that was killed, or started by hand.
Task<std::optional<sandbox::SandboxCard>> find_sandbox(net::Timekeeper& time, net::HttpClient& http,
                                                       std::filesystem::path folder) {
  const auto text = store::read_private_file(folder, sandbox::k_card_file);
  if (!text) co_return std::nullopt;
  auto card = parse_card(*text);
  if (!card) co_return fail(card.error());
  const auto healthy = co_await control(http, time, "GET", card->url + "/_sandbox/health");
  if (!healthy || healthy->status != 200) co_return std::nullopt;
  co_return std::move(*card);
}

/// Its own, so that what it says survives this process.
Result<store::Descriptor> open_log(const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directory(folder, failed);
  if (!failed) std::filesystem::permissions(folder, std::filesystem::perms::owner_all, failed);
  if (failed) return fail(codes::state_unusable, fmt::format("{}: {}", folder.string(), failed.message()));
  const std::string file = folder / k_log_file;
  store::Descriptor log(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!log) return fail(codes::state_unusable, fmt::format("{} cannot be written.", file));
  return log;
}

std::vector<std::string> child_environment() {
  std::vector<std::string> environment;
  for (const char* name : {"PATH", "LANG", "TZ"}) {
    if (const char* value = std::getenv(name)) environment.push_back(fmt::format("{}={}", name, value));
  }
  return environment;
}

}  // namespace

Task<sandbox::SandboxCard> start_sandbox(asio::any_io_executor executor, net::Timekeeper& time,
                                         net::HttpClient& http, std::filesystem::path state,
                                         std::int64_t scale) {
  const std::filesystem::path folder = std::filesystem::absolute(state) / k_folder;
  auto found = co_await find_sandbox(time, http, folder);
  if (!found) co_return fail(found.error());
  if (*found) co_return std::move(**found);

  auto log = open_log(folder);
  if (!log) co_return fail(log.error());
  std::error_code failed;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (failed) co_return fail(codes::internal, "This program does not find its own file.");
  auto child = net::ChildProcess::start(
      executor, time,
      {.program = program,
       .arguments = {"sandbox", "--state-dir", folder, "--scale", std::to_string(scale)},
       .environment = child_environment(),
       .out = net::ToDescriptor{log->get()},
       .err = net::ToDescriptor{log->get()},
       .readiness_variable = sandbox::k_ready_variable,
       .detached = true});
  if (!child) co_return fail(within("Start the sandbox", child.error()));
  const auto card = co_await (*child)->ready(net::Deadline::in(time, k_start_time));
  if (!card) {
    // One that a killed server had just started holds the folder, and may be ready by now.
    auto other = co_await find_sandbox(time, http, folder);
    if (other && *other) co_return std::move(**other);
    co_return fail(
        within(fmt::format("Start the sandbox (see {})", (folder / k_log_file).string()), card.error()));
  }
  co_return parse_card(*card);
}

Task<> stop_sandbox(net::Timekeeper& time, net::HttpClient& http, std::string url) {
  const auto stopped = co_await control(http, time, "POST", url + "/_sandbox/stop");
  if (!stopped) co_return fail(within("Stop the sandbox", stopped.error()));
  co_return Result<>();
}

aws::FixedEnvironment sandbox_environment(const sandbox::SandboxCard& card) {
  aws::FixedEnvironment environment;
  for (const auto& [name, value] : card.environment) environment.variables.emplace(name, value);
  // Not to be asked for credentials: there are some, and the address would be a real machine's.
  environment.variables.emplace("AWS_EC2_METADATA_DISABLED", "true");
  return environment;
}

}  // namespace instantstart::app
