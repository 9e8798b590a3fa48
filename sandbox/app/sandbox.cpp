#include "sandbox/app/sandbox.h"

#include <unistd.h>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/core.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/decode.h"
#include "base/json.h"
#include "base/pattern.h"
#include "sandbox/app/card.h"
#include "sandbox/app/cloud.h"
#include "sandbox/app/listener.h"
#include "sandbox/app/ports.h"
#include "store/sqlite.h"
#include "store/state_directory.h"

namespace instantstart::sandbox {
namespace {

constexpr milliseconds k_stop_time{2'000};

/// S3 sends objects in one piece, and presigned URLs with session tokens are long.
net::HttpServerOptions server_options(const SandboxOptions& options) {
  net::HttpServerOptions server;
  server.port = options.port;
  server.limits.body_bytes = k_largest_request;
  server.limits.target_bytes = 32 * 1024;
  server.limits.header_bytes = 64 * 1024;
  return server;
}

/// A process that starts this one may wait for a line on a descriptor that it left open.
std::optional<std::string_view> starter() {
  const char* text = std::getenv(k_ready_variable);
  return text ? std::optional<std::string_view>(text) : std::nullopt;
}

Result<> tell_starter(std::string_view digits, const std::string& card) {
  int descriptor = 0;
  const auto [end, failure] = std::from_chars(digits.begin(), digits.end(), descriptor);
  if (failure != std::errc() || end != digits.end() || descriptor <= STDERR_FILENO) {
    return fail("invalid_request", fmt::format("{} holds no descriptor.", k_ready_variable));
  }
  // A pipe takes a card in one piece (PIPE_BUF is 4096).
  const std::string line = card + "\n";
  const bool written = ::write(descriptor, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  ::close(descriptor);
  if (!written) return fail("unavailable", "The process that started the sandbox does not listen.");
  return {};
}

/// One run of the process: what it holds while the loop runs.
class Run {
 public:
  Run(asio::io_context& context, const SandboxOptions& options, const store::StateDirectory& state,
      store::Database& database, net::Timekeeper& time, Random& random, Log log)
      : context_(context),
        options_(options),
        state_(state),
        time_(time),
        cloud_({.executor = context.get_executor(),
                .time = time,
                .random = random,
                .log = log,
                .database = database},
               {.account = options.account, .scale = options.scale, .seed = options.seed}),
        http_(
            context.get_executor(), time, log,
            [this](net::Request request) { return cloud_.handle(std::move(request)); }, &Gateway::refuse) {}

  asio::awaitable<void> run() {
    // First: whoever is told that it is ready may already want to end it.
    asio::signal_set signals(context_, SIGTERM, SIGINT);
    cloud_.on_stop([] { std::raise(SIGTERM); });
    const auto begun = co_await begin();
    if (begun) {
      co_await signals.async_wait(asio::use_awaitable);
    } else {
      fmt::print(stderr, "instantstart sandbox: {}\n", begun.error().message);
    }
    cloud_.hurry();
    co_await http_.stop(net::Deadline::in(time_, k_stop_time));
    co_await cloud_.stop();
    succeeded_ = begun.has_value();
  }

  bool succeeded() const { return succeeded_; }

 private:
  Task<> begin() {
    auto started = co_await cloud_.start();
    if (!started) co_return started;
    const Ports last = read_ports(state_);
    if (auto listening = http_.listen(server_options(options_), last.aws); !listening) co_return listening;
    if (auto written = write_ports(state_, {.aws = http_.port()}); !written) co_return written;

    const SandboxCard card = make_card();
    const std::string text = to_text(encode(card));
    if (auto written = state_.write_private_file(k_card_file, text); !written) co_return written;
    // It knows the rest from the card; what is printed goes to a log then.
    if (const auto descriptor = starter()) co_return tell_starter(*descriptor, text);
    fmt::print("sandbox ready at {}\n", card.url);
    for (const auto& [name, value] : card.environment) fmt::print("{}={}\n", name, value);
    std::fflush(stdout);
    co_return Result<>();
  }

  SandboxCard make_card() const {
    const std::string url = fmt::format("http://127.0.0.1:{}", http_.port());
    const AccessKey& key = cloud_.root_key();
    return {.url = url,
            .account = options_.account,
            .environment = {{"AWS_ENDPOINT_URL", url},
                            {"AWS_ACCESS_KEY_ID", key.id},
                            {"AWS_SECRET_ACCESS_KEY", key.secret},
                            {"AWS_REGION", options_.region},
                            {"AWS_DEFAULT_REGION", options_.region}}};
  }

  asio::io_context& context_;
  const SandboxOptions& options_;
  const store::StateDirectory& state_;
  net::Timekeeper& time_;
  Cloud cloud_;
  Listener http_;
  bool succeeded_ = false;
};

Result<> check(const SandboxOptions& options) {
  static const Pattern account("^[0-9]{12}$");
  static const Pattern region("^[a-z]{2,}(-[a-z0-9]+)+$");
  if (!account.matches(options.account)) return fail("invalid_request", "An account has 12 digits.");
  if (!region.matches(options.region)) return fail("invalid_request", "That is no name of a region.");
  if (options.scale < 1) return fail("invalid_request", "The scale is at least 1.");
  return {};
}

int refuse(const Error& error) {
  fmt::print(stderr, "instantstart sandbox: {}\n", error.message);
  return 1;
}

}  // namespace

int run_sandbox(const SandboxOptions& options) {
  if (auto fine = check(options); !fine) return refuse(fine.error());
  auto state = store::StateDirectory::lock(options.state);
  if (!state) return refuse(state.error());

  // The card of an earlier run would lead to a port where nobody answers.
  std::error_code ignored;
  std::filesystem::remove(state->path() / k_card_file, ignored);

  asio::io_context context(1);
  net::SystemTimekeeper time;
  SystemRandom random;
  const Log log(time, options.verbose ? LogLevel::debug : LogLevel::info, log_to_descriptor(2));
  auto database = store::open_sqlite(context.get_executor(), log, {.file = state->path() / "sandbox.db"});
  if (!database) return refuse(database.error());

  Run run(context, options, *state, **database, time, random, log);
  std::exception_ptr broken;
  asio::co_spawn(context, run.run(), [&](std::exception_ptr thrown) {
    broken = std::move(thrown);
    context.stop();
  });
  context.run();
  if (broken) std::rethrow_exception(broken);
  return run.succeeded() ? 0 : 1;
}

}  // namespace instantstart::sandbox
