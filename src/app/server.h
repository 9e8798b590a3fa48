// The composition: everything is made here, in order, and handed down by constructor. Nothing is global, so a
// test makes a whole server of its own, in virtual time or real.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/thread_pool.hpp>

#include "access/confirmation_store.h"
#include "access/credential_store.h"
#include "access/dispatcher.h"
#include "access/selection_store.h"
#include "aws/accounts.h"
#include "aws/environment.h"
#include "base/log.h"
#include "base/random.h"
#include "contract/action.h"
#include "faces/events/events.h"
#include "faces/http/front_door.h"
#include "faces/http/session.h"
#include "faces/mcp/mcp.h"
#include "faces/rest/rest.h"
#include "fleet/fleet.h"
#include "kube/eks_clusters.h"
#include "net/http_client.h"
#include "net/time.h"
#include "operations/engine.h"
#include "store/database.h"
#include "workload_logs/log_keeper.h"

namespace instantstart::app {

/// The version that every face shows.
std::string_view version();

struct ServerOptions {
  faces::FrontDoorOptions front_door;
  operations::EngineOptions engine;
  std::filesystem::path logs = {};  ///< Where logs of workloads are kept; empty: nowhere.
  /// MCP methods beside the action table; must outlive the server. Never set in production.
  faces::Extension* mcp_extension = nullptr;
};

/// What a server stands on; all of it must outlive the server.
struct Ground {
  asio::any_io_executor executor;
  net::Timekeeper& time;
  Random& random;
  Log log;
  store::Database& database;
  net::HttpClient& http;                ///< For calls to AWS.
  const aws::Environment& environment;  ///< What AWS configuration is read from.
};

/// Loop thread only.
class Server {
 public:
  Server(Ground ground, ServerOptions options, operations::FaultPoint fault_point = {});

  /// Migrates the store and starts the engine. The store must be held by this server alone.
  Task<> start();
  asio::awaitable<void> stop();

  faces::FrontDoor& front_door() { return front_door_; }
  access::CredentialStore& credentials() { return credentials_; }
  access::Dispatcher& dispatcher() { return dispatcher_; }
  operations::Engine& engine() { return engine_; }
  const contract::ActionTable& actions() const { return actions_; }

 private:
  Ground ground_;
  fleet::Fleet fleet_;
  aws::Accounts accounts_;
  kube::EksClusters clusters_;
  access::SelectionStore selections_;
  asio::thread_pool files_;  ///< What waits for the disk, but for the store.
  workload_logs::LogKeeper logs_;
  operations::KindRegistry kinds_;
  operations::Engine engine_;
  access::CredentialStore credentials_;
  access::ConfirmationStore confirmations_;
  access::AnswerStore answers_;
  contract::ActionTable actions_;
  access::Dispatcher dispatcher_;
  faces::FrontDoor front_door_;
  faces::SessionFace session_;
  faces::RestFace rest_;
  faces::McpFace mcp_;
  faces::EventsFace events_;
};

/// What handlers of actions work with.
struct ActionParts {
  operations::Engine* engine = nullptr;
  aws::Accounts* accounts = nullptr;
  fleet::Fleet* fleet = nullptr;
  kube::EksClusters* clusters = nullptr;
  access::SelectionStore* selections = nullptr;
  const Clock* clock = nullptr;
  workload_logs::LogKeeper* logs = nullptr;
};

/// All rows of the contract. Without parts they can be read but not called: that is what the command line
/// does.
std::vector<contract::Action> all_actions(const ActionParts& parts = {});

/// The migrations of every room that stores something, in the order of the rooms.
std::vector<store::Migration> all_migrations();

}  // namespace instantstart::app
