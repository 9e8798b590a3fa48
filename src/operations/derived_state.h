// Where an operation stands, worked out from its steps: never set by hand.
#pragma once

#include <cstdint>
#include <span>

#include "operations/operation.h"
#include "operations/step_record.h"

namespace instantstart::operations {

struct StepCount {
  Phase phase;
  StepState state;
  bool unsettled;
  std::int64_t count;
};

struct OperationFacts {
  bool cancel_requested = false;
  bool rollback = false;
  std::int64_t active_children = 0;
  /// The runner has looked: no step is in motion, none can start, and what is to be undone has its records.
  bool exhausted = false;
};

OperationState derived_state(const OperationFacts& facts, std::span<const StepCount> steps);

}  // namespace instantstart::operations
