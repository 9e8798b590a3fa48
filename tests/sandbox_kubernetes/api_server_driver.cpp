// Serves one simulated cluster until SIGTERM: api_server_driver STATE_FOLDER. Its first line is the server's
// URL; the tokens of "admin", "viewer" and "guest" follow, a line each. `ca.pem` in the folder is what the
// server's certificate is signed with.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <memory>
#include <string>

#include <fmt/core.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "net/http_server.h"
#include "net/task_group.h"
#include "net/tls_identity.h"
#include "sandbox/kubernetes/api/api_servers.h"
#include "sandbox/kubernetes/api/testing/stand_ins.h"
#include "store/sqlite.h"
#include "store/state_directory.h"

namespace instantstart::sandbox::kubernetes {
namespace {

class Driver {
 public:
  Driver(asio::io_context& context, store::Database& database, net::Timekeeper& time, Random& random, Log log)
      : context_(context),
        time_(time),
        world_(database, time, random, log, {.scale = 100}),
        faults_(world_),
        tokens_(time),
        database_(database),
        background_(context.get_executor(), time, log),
        log_(log) {}

  Result<> make() {
    const net::CertificateValidity validity{.not_before = time_.wall() - std::chrono::hours(1),
                                            .not_after = time_.wall() + std::chrono::hours(24)};
    auto authority = net::make_authority("kubernetes", validity, world_.random());
    if (!authority) return std::unexpected(std::move(authority.error()));
    auto identity =
        net::issue(*authority, {.dns = {"localhost"}, .ip = {"127.0.0.1"}}, validity, world_.random());
    if (!identity) return std::unexpected(std::move(identity.error()));
    identity_ = std::move(*identity);
    ca_pem_ = authority->certificate_pem;
    auto made = ApiServers::make({.world = world_,
                                  .faults = faults_,
                                  .directory = directory_,
                                  .tokens = tokens_,
                                  .logs = logs_,
                                  .proxy = proxy_,
                                  .verify_eks_token = &verify_test_token,
                                  .log = log_,
                                  .base_url = "https://127.0.0.1",
                                  .ca_pem = ca_pem_});
    if (!made) return std::unexpected(std::move(made.error()));
    servers_ = std::move(*made);
    return {};
  }

  const std::string& ca_pem() const { return ca_pem_; }

  asio::awaitable<void> run() {
    net::HttpServerOptions options{.address = "127.0.0.1", .port = 0};
    options.limits.body_bytes = k_largest_body + 1;
    options.tls = identity_;
    net::HttpServer http(
        context_.get_executor(), time_, log_, options,
        [this](net::Request request) { return servers_->handle(std::move(request)); },
        &ApiServers::refuse_request);
    const auto begun = co_await begin(http);
    if (begun) {
      fmt::print("https://127.0.0.1:{}/clusters/{}\n", http.port(), k_test_cluster);
      for (const auto* user : {"admin", "viewer", "guest"}) fmt::print("{}\n", test_token(user));
      std::fflush(stdout);
      asio::signal_set signals(context_, SIGTERM, SIGINT);
      co_await signals.async_wait(asio::use_awaitable);
    } else {
      fmt::print(stderr, "{}\n", begun.error().message);
    }
    servers_->hurry();
    co_await http.stop(net::Deadline::in(time_, milliseconds(1000)));
    co_await background_.stop();
    const auto flushed = co_await world_.flush();
    if (!flushed) fmt::print(stderr, "{}\n", flushed.error().message);
  }

 private:
  Task<> begin(net::HttpServer& http) {
    auto migrated = co_await database_.migrate(World::migrations());
    if (!migrated) co_return migrated;
    auto loaded = co_await world_.load();
    if (!loaded) co_return loaded;
    background_.spawn("simulated time", world_.run_timers());
    servers_->open(test_cluster());
    servers_->apply_addon(k_test_cluster, {.name = "coredns", .version = "v1.12.4-eksbuild.1"});
    servers_->apply_addon(k_test_cluster, {.name = "vpc-cni", .version = "v1.20.4-eksbuild.2"});
    auto committed = co_await world_.commit();
    if (!committed) co_return committed;
    co_return http.listen();
  }

  asio::io_context& context_;
  net::Timekeeper& time_;
  World world_;
  FaultPlan faults_;
  TestDirectory directory_;
  TestTokens tokens_;
  TestLogs logs_;
  TestProxy proxy_;
  store::Database& database_;
  net::TaskGroup background_;
  Log log_;
  net::TlsIdentity identity_;
  std::string ca_pem_;
  std::unique_ptr<ApiServers> servers_;
};

int serve(const std::string& folder) {
  auto state = store::StateDirectory::lock(folder);
  if (!state) return fmt::print(stderr, "{}\n", state.error().message), 1;
  asio::io_context context(1);
  net::SystemTimekeeper time;
  SystemRandom random;
  const Log log(time, LogLevel::info, log_to_descriptor(2));
  auto database = store::open_sqlite(context.get_executor(), log, {.file = state->path() / "sandbox.db"});
  if (!database) return fmt::print(stderr, "{}\n", database.error().message), 1;
  Driver driver(context, **database, time, random, log);
  if (auto made = driver.make(); !made) return fmt::print(stderr, "{}\n", made.error().message), 1;
  if (auto written = state->write_private_file("ca.pem", driver.ca_pem()); !written) {
    return fmt::print(stderr, "{}\n", written.error().message), 1;
  }
  std::exception_ptr broken;
  asio::co_spawn(context, driver.run(), [&](std::exception_ptr thrown) {
    broken = std::move(thrown);
    context.stop();
  });
  context.run();
  if (broken) std::rethrow_exception(broken);
  return 0;
}

}  // namespace
}  // namespace instantstart::sandbox::kubernetes

int main(int count, char** words) {
  if (count != 2) {
    std::fputs("usage: api_server_driver STATE_FOLDER\n", stderr);
    return 2;
  }
  return instantstart::sandbox::kubernetes::serve(words[1]);
}
