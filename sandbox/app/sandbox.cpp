#include "sandbox/app/sandbox.h"

#include <unistd.h>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
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
#include "sandbox/app/kubernetes_identity.h"
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

/// Watches stay open for long, so idle time is theirs to end; bodies are bounded by the API servers.
net::HttpServerOptions kubernetes_options(const SandboxOptions& options, const KubernetesIdentity& identity) {
  net::HttpServerOptions server;
  server.port = options.kubernetes_port;
  server.limits.body_bytes = kubernetes::k_largest_body;
  server.tls = net::TlsIdentity{identity.certificate_pem, identity.key_pem};
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
        ground_({.executor = context.get_executor(),
                 .time = time,
                 .random = random,
                 .log = log,
                 .database = database}),
        aws_(
            ground_.executor, time, log,
            [this](net::Request request) { return cloud_->handle(std::move(request)); }, &Gateway::refuse),
        kubernetes_(
            ground_.executor, time, log,
            [this](net::Request request) { return handle_kubernetes(std::move(request)); },
            &kubernetes::ApiServers::refuse_request) {}

  asio::awaitable<void> run() {
    // First: whoever is told that it is ready may already want to end it.
    asio::signal_set signals(context_, SIGTERM, SIGINT);
    const auto begun = co_await begin();
    if (begun) {
      co_await signals.async_wait(asio::use_awaitable);
    } else {
      fmt::print(stderr, "instantstart sandbox: {}\n", begun.error().message);
    }
    if (cloud_) cloud_->hurry();
    co_await aws_.stop(net::Deadline::in(ground_.time, k_stop_time));
    co_await kubernetes_.stop(net::Deadline::in(ground_.time, k_stop_time));
    if (cloud_) co_await cloud_->stop();
    succeeded_ = begun.has_value();
  }

  bool succeeded() const { return succeeded_; }

 private:
  Task<> begin() {
    const auto identity = kubernetes_identity(state_, ground_.time, ground_.random);
    if (!identity) co_return fail(identity.error());
    // The cloud tells where its API servers are, so that port comes first; it answers when the cloud does.
    const Ports last = read_ports(state_);
    auto listening = kubernetes_.listen(kubernetes_options(options_, *identity), last.kubernetes);
    if (!listening) co_return listening;
    auto cloud =
        Cloud::make(ground_, {.account = options_.account, .scale = options_.scale, .seed = options_.seed},
                    {.url = fmt::format("https://127.0.0.1:{}", kubernetes_.port()),
                     .authority_pem = identity->authority_pem});
    if (!cloud) co_return fail(cloud.error());
    cloud_ = std::move(*cloud);
    cloud_->on_stop([] { std::raise(SIGTERM); });
    auto started = co_await cloud_->start();
    if (!started) co_return started;
    is_started_ = true;
    listening = aws_.listen(server_options(options_), last.aws);
    if (!listening) co_return listening;
    auto written = write_ports(state_, {.aws = aws_.port(), .kubernetes = kubernetes_.port()});
    if (!written) co_return written;

    const SandboxCard card = make_card();
    const std::string text = to_text(encode(card));
    written = state_.write_private_file(k_card_file, text);
    if (!written) co_return written;
    // It knows the rest from the card; what is printed goes to a log then.
    if (const auto descriptor = starter()) co_return tell_starter(*descriptor, text);
    fmt::print("sandbox ready at {}\n", card.url);
    for (const auto& [name, value] : card.environment) fmt::print("{}={}\n", name, value);
    std::fflush(stdout);
    co_return Result<>();
  }

  asio::awaitable<net::Response> handle_kubernetes(net::Request request) {
    if (is_started_) co_return co_await cloud_->handle_kubernetes(std::move(request));
    co_return kubernetes::ApiServers::refuse_request(503, "the server is starting");
  }

  SandboxCard make_card() const {
    const std::string url = fmt::format("http://127.0.0.1:{}", aws_.port());
    const AccessKey& key = cloud_->root_key();
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
  CloudGround ground_;
  std::unique_ptr<Cloud> cloud_;
  bool is_started_ = false;
  Listener aws_;
  Listener kubernetes_;
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
