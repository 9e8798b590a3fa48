#include "app/server.h"

#include <algorithm>
#include <exception>
#include <iterator>

#include <fmt/core.h>

#include "app/log_source.h"
#include "capabilities/catalog/catalog.h"
#include "capabilities/clusters/cluster_select.h"
#include "capabilities/clusters/clusters.h"
#include "capabilities/dependencies/dependencies.h"
#include "capabilities/environments/environments.h"
#include "capabilities/inference/inference.h"
#include "capabilities/network/network.h"
#include "capabilities/operations/operations.h"
#include "capabilities/overview/overview.h"
#include "capabilities/storage/storage.h"
#include "capabilities/training/job_logs.h"
#include "capabilities/training/training.h"
#include "faces/http/answer.h"
#include "faces/web/web.h"

namespace instantstart::app {
namespace {

/// Reading for followers goes on while a writer waits for the disk.
constexpr std::size_t k_file_threads = 3;

operations::KindRegistry all_kinds(aws::Accounts& accounts, fleet::Fleet& fleet, kube::EksClusters& clusters,
                                   const Clock& clock, access::SelectionStore& selections,
                                   workload_logs::LogKeeper& logs) {
  operations::KindRegistry kinds;
  capabilities::add_network_kinds(kinds, accounts, fleet, clock);
  capabilities::add_dependency_kinds(kinds, accounts, clusters);
  capabilities::add_cluster_kinds(kinds, accounts);
  capabilities::add_storage_kinds(kinds, accounts, clusters);
  capabilities::add_training_kinds(kinds, accounts, clusters, &logs);
  capabilities::add_inference_kinds(kinds, accounts, clusters);
  capabilities::add_environment_kinds(kinds, {.accounts = &accounts,
                                              .fleet = &fleet,
                                              .clusters = &clusters,
                                              .clock = &clock,
                                              .selections = &selections});
  return kinds;
}

asio::awaitable<net::Response> healthy(net::Request, std::string request_id) {
  co_return faces::json_response(200, json::object{{"status", "ok"}}, request_id);
}

asio::awaitable<net::Response> page_file(faces::EmbeddedFile file, net::Request request,
                                         std::string request_id) {
  co_return faces::serve_file(file, request, request_id);
}

}  // namespace

std::vector<contract::Action> all_actions(const ActionParts& parts) {
  std::vector<contract::Action> all = capabilities::catalog_actions(parts.accounts);
  std::ranges::move(capabilities::network_actions(parts.accounts, parts.fleet), std::back_inserter(all));
  std::ranges::move(capabilities::dependency_actions(parts.accounts, parts.fleet, parts.clusters),
                    std::back_inserter(all));
  std::ranges::move(capabilities::cluster_actions(parts.accounts, parts.fleet, parts.clusters),
                    std::back_inserter(all));
  all.push_back(capabilities::cluster_select_action(parts.fleet, parts.selections));
  std::ranges::move(capabilities::storage_actions(parts.accounts, parts.fleet, parts.clusters),
                    std::back_inserter(all));
  std::ranges::move(capabilities::training_actions(parts.accounts, parts.fleet, parts.clusters, parts.logs),
                    std::back_inserter(all));
  all.push_back(
      capabilities::job_logs_action(parts.accounts, parts.fleet, parts.clusters, parts.logs, parts.clock));
  std::ranges::move(capabilities::inference_actions(parts.accounts, parts.fleet, parts.clusters),
                    std::back_inserter(all));
  std::ranges::move(capabilities::overview_actions({.engine = parts.engine,
                                                    .accounts = parts.accounts,
                                                    .fleet = parts.fleet,
                                                    .clusters = parts.clusters,
                                                    .selections = parts.selections}),
                    std::back_inserter(all));
  std::ranges::move(capabilities::environment_actions({.accounts = parts.accounts,
                                                       .fleet = parts.fleet,
                                                       .clusters = parts.clusters,
                                                       .clock = parts.clock,
                                                       .selections = parts.selections}),
                    std::back_inserter(all));
  std::ranges::move(capabilities::operation_actions(parts.engine), std::back_inserter(all));
  return all;
}

std::vector<store::Migration> all_migrations() {
  std::vector<store::Migration> all;
  const auto add = [&all](std::span<const store::Migration> migrations) {
    all.insert(all.end(), migrations.begin(), migrations.end());
  };
  add(operations::Engine::migrations());
  add(fleet::Fleet::migrations());
  add(access::CredentialStore::migrations());
  add(access::ConfirmationStore::migrations());
  add(access::AnswerStore::migrations());
  add(access::SelectionStore::migrations());
  add(workload_logs::LogKeeper::migrations());
  return all;
}

Server::Server(Ground ground, ServerOptions options, operations::FaultPoint fault_point)
    : ground_(ground),
      fleet_(ground_.database),
      accounts_(ground_.environment, ground_.http, ground_.time, ground_.random, ground_.log,
                fmt::format("instantstart/{}", version())),
      clusters_(accounts_, ground_.http, ground_.time, ground_.random, ground_.log),
      selections_(ground_.database, ground_.time),
      files_(k_file_threads),
      logs_(ground_.executor, files_.get_executor(), ground_.time, ground_.random, ground_.log,
            ground_.database,
            [this](kube::EksClusterId id, net::Deadline deadline) {
              return clusters_.open(std::move(id), deadline);
            },
            {.folder = std::move(options.logs)}),
      kinds_(all_kinds(accounts_, fleet_, clusters_, ground_.time, selections_, logs_)),
      engine_(ground_.executor, ground_.time, ground_.random, ground_.log, ground_.database, kinds_,
              options.engine, std::move(fault_point)),
      credentials_(ground_.database, ground_.time, ground_.random),
      confirmations_(ground_.database, ground_.time, ground_.random),
      answers_(ground_.database, ground_.time),
      actions_(all_actions({.engine = &engine_,
                            .accounts = &accounts_,
                            .fleet = &fleet_,
                            .clusters = &clusters_,
                            .selections = &selections_,
                            .clock = &ground_.time,
                            .logs = &logs_})),
      dispatcher_(actions_, engine_, confirmations_, answers_, selections_, ground_.log),
      front_door_(credentials_, ground_.time, ground_.random, ground_.log, std::move(options.front_door)),
      session_(credentials_),
      rest_(actions_, dispatcher_, version()),
      mcp_(actions_, dispatcher_, ground_.time, ground_.random, ground_.log, version(),
           options.mcp_extension),
      events_(ground_.executor, ground_.time, ground_.log, engine_, credentials_, {}) {
  events_.add_source(std::string(k_log_topic), contract::Role::viewer,
                     log_source(accounts_, fleet_, clusters_, logs_, ground_.time));
  front_door_.mount_public("/healthz", healthy);
  front_door_.mount_public(std::string(faces::k_session_path),
                           [this](net::Request request, std::string request_id) {
                             return session_.handle(std::move(request), std::move(request_id));
                           });
  front_door_.mount(std::string(faces::k_api_prefix), contract::Face::rest, true,
                    [this](net::Request request, contract::Caller caller) {
                      return rest_.handle(std::move(request), std::move(caller));
                    });
  // A browser's session is no good here: an agent has a token of its own.
  front_door_.mount(std::string(faces::k_mcp_path), contract::Face::mcp, false,
                    [this](net::Request request, contract::Caller caller) {
                      return mcp_.handle(std::move(request), std::move(caller));
                    });
  front_door_.mount(std::string(faces::k_events_path), contract::Face::rest, true,
                    [this](net::Request request, contract::Caller caller) {
                      return events_.handle(std::move(request), std::move(caller));
                    });
  for (const auto& file : faces::embedded_files()) {
    front_door_.mount_public(std::string(file.path), [file](net::Request request, std::string request_id) {
      return page_file(file, std::move(request), std::move(request_id));
    });
  }
}

Task<> Server::start() {
  const auto migrations = all_migrations();
  auto migrated = co_await ground_.database.migrate(migrations);
  if (!migrated) co_return std::unexpected(migrated.error());
  auto logs = co_await logs_.start();
  if (!logs) co_return logs;
  auto running = co_await engine_.run();
  if (!running) co_return running;
  co_return co_await events_.start();
}

asio::awaitable<void> Server::stop() {
  co_await events_.stop();
  // What it is left by must not leave the rest running.
  std::exception_ptr broken;
  try {
    co_await engine_.stop();
  } catch (...) {
    broken = std::current_exception();
  }
  // After the engine: its steps may ask for a log to be kept.
  co_await logs_.stop();
  if (broken) std::rethrow_exception(broken);
}

}  // namespace instantstart::app
