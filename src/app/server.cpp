#include "app/server.h"

#include <algorithm>
#include <iterator>

#include <fmt/core.h>

#include "capabilities/catalog/catalog.h"
#include "capabilities/clusters/clusters.h"
#include "capabilities/dependencies/dependencies.h"
#include "capabilities/network/network.h"
#include "capabilities/operations/operations.h"
#include "capabilities/storage/storage.h"
#include "faces/http/answer.h"
#include "faces/web/web.h"

namespace instantstart::app {
namespace {

operations::KindRegistry all_kinds(aws::Accounts& accounts, fleet::Fleet& fleet, kube::EksClusters& clusters,
                                   const Clock& clock) {
  operations::KindRegistry kinds;
  capabilities::add_network_kinds(kinds, accounts, fleet, clock);
  capabilities::add_dependency_kinds(kinds, accounts, clusters);
  capabilities::add_cluster_kinds(kinds, accounts);
  capabilities::add_storage_kinds(kinds, accounts, clusters);
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
  std::ranges::move(capabilities::storage_actions(parts.accounts, parts.fleet, parts.clusters),
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
  return all;
}

Server::Server(Ground ground, ServerOptions options, operations::FaultPoint fault_point)
    : ground_(ground),
      fleet_(ground_.database),
      accounts_(ground_.environment, ground_.http, ground_.time, ground_.random, ground_.log,
                fmt::format("instantstart/{}", version())),
      clusters_(accounts_, ground_.http, ground_.time, ground_.random, ground_.log),
      kinds_(all_kinds(accounts_, fleet_, clusters_, ground_.time)),
      engine_(ground_.executor, ground_.time, ground_.random, ground_.log, ground_.database, kinds_,
              options.engine, std::move(fault_point)),
      credentials_(ground_.database, ground_.time, ground_.random),
      confirmations_(ground_.database, ground_.time, ground_.random),
      answers_(ground_.database, ground_.time),
      actions_(all_actions(
          {.engine = &engine_, .accounts = &accounts_, .fleet = &fleet_, .clusters = &clusters_})),
      dispatcher_(actions_, engine_, confirmations_, answers_, ground_.log),
      front_door_(credentials_, ground_.time, ground_.random, ground_.log, std::move(options.front_door)),
      session_(credentials_),
      rest_(actions_, dispatcher_, version()),
      mcp_(actions_, dispatcher_, ground_.time, ground_.random, ground_.log, version()),
      events_(ground_.executor, ground_.time, ground_.log, engine_, credentials_, {}) {
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
  auto running = co_await engine_.run();
  if (!running) co_return running;
  co_return co_await events_.start();
}

asio::awaitable<void> Server::stop() {
  co_await events_.stop();
  co_await engine_.stop();
}

}  // namespace instantstart::app
