#include "app/serve.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include <fmt/core.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "app/fault_points.h"
#include "app/sandbox_child.h"
#include "app/server.h"
#include "base/error_codes.h"
#include "net/http_server.h"
#include "store/sqlite.h"
#include "store/state_directory.h"
#include "tests/mcp_fixtures/mcp_fixtures.h"

namespace instantstart::app {
namespace {

constexpr milliseconds k_stop_time{10'000};

/// The person at this machine: whoever can read the state directory.
access::Principal local_principal() {
  return {.id = "local", .kind = contract::PrincipalKind::person, .role = contract::Role::admin};
}

ServerOptions server_options(const ServeOptions& options, faces::Extension* mcp_extension) {
  ServerOptions server;
  server.mcp_extension = mcp_extension;
  server.front_door.admission.allowed_hosts = options.allowed_hosts;
  server.logs = options.state / "logs";
  server.engine.pace = options.pace.value_or(options.sandbox ? options.sandbox_scale : 1);
  return server;
}

/// One run of the server: what `serve` holds while the loop runs.
class Run {
 public:
  Run(asio::io_context& context, const ServeOptions& options, const store::StateDirectory& state,
      Ground ground, operations::FaultPoint fault_point, std::optional<sandbox::SandboxCard> sandbox,
      faces::Extension* mcp_extension)
      : context_(context),
        options_(options),
        state_(state),
        sandbox_(std::move(sandbox)),
        time_(ground.time),
        client_(ground.http),
        log_(ground.log),
        server_(ground, server_options(options, mcp_extension), std::move(fault_point)),
        http_(
            ground.executor, time_, log_, {.address = options.address, .port = options.port, .tls = {}},
            [this](net::Request request) { return server_.front_door().handle(std::move(request)); },
            [this](int status, std::string_view reason) {
              return server_.front_door().refuse(status, reason);
            }) {}

  asio::awaitable<void> run() {
    // First: whoever finds server.json may already want to end the server.
    asio::signal_set signals(context_, SIGTERM, SIGINT);
    auto begun = co_await begin();
    if (!begun) {
      fmt::print(stderr, "instantstart serve: {}\n", begun.error().message);
      co_await end();
      co_return;
    }
    co_await signals.async_wait(asio::use_awaitable);
    log_.info("stopping");
    co_await end();
    succeeded_ = true;
    if (!sandbox_) co_return;
    const auto stopped = co_await stop_sandbox(time_, client_, sandbox_->url);
    if (!stopped) log_.warning("The sandbox still runs.", {{"reason", stopped.error().message}});
  }

  bool succeeded() const { return succeeded_; }

 private:
  asio::awaitable<void> end() {
    co_await http_.stop(net::Deadline::in(time_, k_stop_time));
    co_await server_.stop();
  }

  Task<> begin() {
    auto started = co_await server_.start();
    if (!started) co_return started;
    auto token = co_await server_.credentials().issue_token(local_principal(), "state-directory");
    if (!token) co_return std::unexpected(token.error());
    if (auto written = state_.write_private_file("token", *token); !written) co_return written;

    if (auto listening = http_.listen(); !listening) co_return listening;
    const std::string host = options_.address.contains(':') ? "[" + options_.address + "]" : options_.address;
    const std::string url = fmt::format("http://{}:{}", host, http_.port());
    auto code = co_await server_.credentials().issue_login_code(local_principal());
    if (!code) co_return std::unexpected(code.error());
    // The code stands in the fragment, which browsers do not send: it is in no log and no referrer.
    fmt::print("InstantStart {} at {}\nLog in (once, within 5 minutes): {}/#login={}\n", version(), url, url,
               *code);
    if (sandbox_) print_sandbox();
    std::fflush(stdout);

    // Last: whoever finds it may call at once.
    const json::object card{{"url", url}, {"version", version()}};
    if (auto written = state_.write_private_file("server.json", to_text(card)); !written) co_return written;
    co_return Result<>();
  }

  void print_sandbox() const {
    fmt::print("A simulated AWS account, {}, answers it; for other clients of AWS:\n", sandbox_->account);
    for (const auto& [name, value] : sandbox_->environment) fmt::print("  export {}={}\n", name, value);
  }

  asio::io_context& context_;
  const ServeOptions& options_;
  const store::StateDirectory& state_;
  std::optional<sandbox::SandboxCard> sandbox_;
  net::Timekeeper& time_;
  net::HttpClient& client_;
  Log log_;
  Server server_;
  net::HttpServer http_;
  bool succeeded_ = false;
};

/// Runs a task alone on the loop, before everything else.
template <class T>
Result<T> run_first(asio::io_context& context, Task<T> task) {
  Result<T> outcome = fail(codes::internal, "The loop ended early.");
  std::exception_ptr broken;
  asio::co_spawn(context, std::move(task), [&](std::exception_ptr thrown, Result<T> value) {
    broken = thrown;
    outcome = std::move(value);
  });
  context.run();
  context.restart();
  if (broken) std::rethrow_exception(broken);
  return outcome;
}

Result<> check_address(const std::string& address) {
  if (address == "127.0.0.1" || address == "::1") return {};
  return fail(codes::invalid_request,
              "--listen beyond loopback needs TLS, which this version doesn't have; "
              "forward a port over SSM or SSH instead.");
}

/// They are for one test on one machine: nothing that other machines reach has them.
Result<> check_fixtures(const ServeOptions& options) {
  if (!options.mcp_conformance_fixtures) return {};
  if (options.allowed_hosts.empty()) return check_address(options.address);
  return fail(codes::invalid_request, "--mcp-conformance-fixtures goes with loopback names alone.");
}

}  // namespace

std::filesystem::path default_state_directory() {
  if (const char* state = std::getenv("INSTANTSTART_STATE"); state && *state) return state;
  if (const char* base = std::getenv("XDG_STATE_HOME"); base && *base) {
    return std::filesystem::path(base) / "instantstart";
  }
  const char* home = std::getenv("HOME");
  return std::filesystem::path(home && *home ? home : "/root") / ".local" / "state" / "instantstart";
}

int serve(const ServeOptions& options) {
  const auto refuse = [](const Error& error) {
    fmt::print(stderr, "instantstart serve: {}\n", error.message);
    return 1;
  };
  if (auto fine = check_address(options.address); !fine) return refuse(fine.error());
  if (auto fine = check_fixtures(options); !fine) return refuse(fine.error());
  auto state = store::StateDirectory::lock(options.state);
  if (!state) return refuse(state.error());

  asio::io_context context(1);
  net::SystemTimekeeper time;
  SystemRandom random;
  const Log log(time, options.verbose ? LogLevel::debug : LogLevel::info, log_to_descriptor(2));
  auto database =
      store::open_sqlite(context.get_executor(), log, {.file = state->path() / "instantstart.db"});
  if (!database) return refuse(database.error());

  const auto http = net::make_curl_client(context.get_executor(), time, log);
  const aws::SystemEnvironment own;
  aws::FixedEnvironment simulated;
  std::optional<sandbox::SandboxCard> sandbox;
  if (options.sandbox) {
    auto card = run_first(
        context, start_sandbox(context.get_executor(), time, *http, state->path(), options.sandbox_scale));
    if (!card) return refuse(card.error());
    simulated = sandbox_environment(*card);
    sandbox = std::move(*card);
  }
  operations::FaultPoint fault_point;
  if (options.die_at) {
    auto point = die_at(*options.die_at);
    if (!point) return refuse(point.error());
    fault_point = std::move(*point);
  }
  std::optional<mcp_fixtures::ConformanceFixtures> fixtures;
  if (options.mcp_conformance_fixtures) fixtures.emplace(time, make_token(random));
  Run run(context, options, *state,
          {.executor = context.get_executor(),
           .time = time,
           .random = random,
           .log = log,
           .database = **database,
           .http = *http,
           .environment = sandbox ? static_cast<const aws::Environment&>(simulated) : own},
          std::move(fault_point), std::move(sandbox), fixtures ? &*fixtures : nullptr);
  std::exception_ptr broken;
  asio::co_spawn(context, run.run(), [&](std::exception_ptr thrown) {
    broken = thrown;
    context.stop();
  });
  context.run();
  if (broken) std::rethrow_exception(broken);
  return run.succeeded() ? 0 : 1;
}

}  // namespace instantstart::app
