// The inside of the engine.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "operations/child_operation.h"
#include "operations/engine.h"
#include "operations/engine_parts.h"
#include "operations/scheduler.h"
#include "operations/views.h"

namespace instantstart::operations {

/// The journal refused for a reason, and wrote nothing. Any other error of a write leaves open whether it was
/// made.
bool is_refusal(const Error& error);

struct Engine::Impl final : ChildOperations {
  Impl(asio::any_io_executor executor, net::Timekeeper& time, Random& random, Log log,
       store::Database& database, const KindRegistry& kinds, EngineOptions options, FaultPoint fault_point);

  // engine_claims.cpp: who holds what.
  Task<> begin();
  Task<> claim();
  asio::awaitable<void> beat();
  asio::awaitable<void> begin_again();
  void store_failed();
  asio::awaitable<void> look_at_everything();
  asio::awaitable<void> end();
  std::optional<std::string> owner() const;

  // engine_children.cpp: what child steps need.
  Task<std::vector<ChildSeen>> look(std::string parent_id, std::string step_id) override;
  Task<> start(journal::Parent parent, contract::Plan plan, json::object input,
               std::string principal) override;
  Task<> roll_back(std::string id) override;

  // engine.cpp: what callers ask.
  Result<journal::NewOperation> new_operation(contract::Plan plan, json::object input,
                                              std::string principal) const;
  Task<Started> accept(journal::NewOperation wanted);
  Task<OperationView> view(std::string id);
  Task<OperationView> after_request(Result<journal::Requested> made, std::string id);
  void take(const journal::Requested& made);
  /// Of a write: unless the journal itself refused, it may have been made.
  void note_failure(const Error& error);
  /// How long a wait may rely on hearing of changes: other replicas tell us nothing.
  net::Deadline poll(net::Deadline deadline) const;

  ChildStepKinds child_kinds;
  EngineParts parts;
  Scheduler scheduler;
  std::uint64_t store_failures = 0;
  bool looks_at_everything = false;
};

}  // namespace instantstart::operations
