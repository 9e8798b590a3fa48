// A simulated cloud and the product's processes in one virtual time. A house can be kept as a snapshot, and
// many houses begin from one.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <boost/json/value.hpp>

#include "app/server.h"
#include "aws/environment.h"
#include "net/testing/virtual_time.h"
#include "sandbox/app/cloud.h"
#include "simulation/wire.h"
#include "store/testing/inline_database.h"

namespace instantstart::simulation {

/// What both have stored at one instant, when nothing was under way.
struct Snapshot {
  std::unique_ptr<store::MemoryStore> cloud;
  std::unique_ptr<store::MemoryStore> product;
  WallTime at;
};

/// Of nothing but an account.
Snapshot empty_snapshot();

/// Loop thread only, as all in it.
class House {
 public:
  House(const Snapshot& from, std::uint64_t seed);
  ~House();
  House(const House&) = delete;
  House& operator=(const House&) = delete;

  net::VirtualTime& time() { return time_; }
  sandbox::Cloud& cloud() { return *cloud_; }
  store::MemoryStore& product_store() { return *product_store_; }
  const aws::Environment& environment() const { return environment_; }

  /// When no process lives.
  Snapshot snapshot();

  /// Replaces the cloud's fault plan.
  asio::awaitable<void> set_faults(std::vector<sandbox::FaultRule> rules);
  /// Rows of the cloud's audit after the one with this number.
  std::vector<json::object> audit(std::int64_t after = 0);
  /// The number of the last row that is written; in a house that has just begun, of the last of all.
  std::int64_t last_audit_row();
  /// How many records the cloud keeps of each kind, but for Events and Endpoints: two houses in which the
  /// same holds have the same.
  std::map<std::string, std::int64_t> records();

 private:
  net::VirtualTime time_;
  std::unique_ptr<store::MemoryStore> cloud_store_;
  std::unique_ptr<store::MemoryStore> product_store_;
  store::MemoryDatabase cloud_database_;
  SeededRandom cloud_random_;
  std::unique_ptr<sandbox::Cloud> cloud_;
  aws::FixedEnvironment environment_;
};

/// One process of the product, from its start to its death.
struct Life {
  Life(House& house, const operations::testing::CommitHooks& hooks, std::uint64_t& commits,
       const WireFaults& faults, std::uint64_t seed, std::function<void(Process&)> on_fault_point);

  void die() {
    process.die();
    wire.wake();
  }

  store::MemoryDatabase memory;
  Process process;
  SeededRandom random;
  SeededRandom wire_random;
  Wire wire;
  app::Server server;
  int callers = 0;  ///< Coroutines of others that are inside the server.
};

}  // namespace instantstart::simulation
