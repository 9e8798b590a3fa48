// What the runners of operations and steps share.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include "base/log.h"
#include "base/random.h"
#include "net/task_group.h"
#include "net/watchdog.h"
#include "operations/child_operation.h"
#include "operations/engine.h"
#include "operations/lease.h"
#include "operations/notices.h"
#include "operations/policy.h"

namespace instantstart::operations {

/// Kinds by name: those that were handed to the engine, and its own for children.
class StepKinds {
 public:
  StepKinds(const KindRegistry& registry, const ChildStepKinds& children)
      : registry_(registry), children_(children) {}

  const OperationKind* operation(std::string_view name) const { return registry_.operation(name); }
  const StepKind* step(std::string_view name) const {
    const auto child = children_.find(name);
    return child == children_.end() ? registry_.step(name) : child->second.get();
  }
  /// What drives a record; nullptr when this program doesn't know it.
  const StepKind* step(const StepRecord& record) const {
    const StepKind* kind = step(record.kind);
    return kind == nullptr || record.phase == Phase::forward ? kind : kind->undo();
  }

 private:
  const KindRegistry& registry_;
  const ChildStepKinds& children_;
};

/// Loop thread only.
struct EngineParts {
  asio::any_io_executor executor;
  net::Timekeeper& time;
  Random& random;
  Log log;
  store::Database& database;
  StepKinds kinds;
  EngineOptions options;
  Pace pace;
  FaultPoint fault_point;
  Lease lease;
  Notices notices;
  net::Watchdog watchdog;
  net::TaskGroup group;
  /// Told which operations should be looked at, after a commit that concerns others than the one that is run.
  std::function<void(const std::vector<std::string>&)> wake;
  /// To be called when a write ended in an error: it may have been made nevertheless, and nobody has heard of
  /// it.
  std::function<void()> store_failed;

  bool stopping = false;
  std::set<asio::cancellation_signal*>
      looks;  ///< Observes that are under way: given up when the engine stops.

  void fault(std::string_view point, std::string_view operation_id, std::string_view step_id) const {
    if (fault_point) fault_point(point, operation_id, step_id);
  }
};

}  // namespace instantstart::operations
