// What must hold after any schedule: the world, the journal and the inventory agree, and nothing happened
// twice.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "operations/testing/made_up_world.h"
#include "operations/testing/simulation.h"
#include "store/connection.h"

namespace instantstart::operations::testing {

struct Promises {
  const Scenario& scenario;
  bool cancelled = false;
  bool rollback = false;
  std::string operation_id;

  std::vector<std::string> broken(store::Connection& journal, MadeUpWorld& world) const;
};

/// The events of the journal and the audit of the world, by time.
std::vector<std::string> story(store::Connection& journal, const MadeUpWorld& world);

/// A call must be written down, as an act of an operation that runs, before it is sent; `sent` counts those
/// of the step with this one.
std::optional<std::string> complaint_about_send(store::Connection& journal, const StepContext& context,
                                                std::int64_t sent);

}  // namespace instantstart::operations::testing
