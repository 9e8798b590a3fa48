// Worlds in which scenarios begin, made once; and what shall go wrong in a schedule, drawn from its seed.
#pragma once

#include <cstdint>

#include "simulation/schedule.h"

namespace instantstart::simulation {

struct Prepared {
  Snapshot begin;    ///< Where every schedule of the scenario begins.
  Verdict peaceful;  ///< When nothing goes wrong.
};

/// Throws when what comes before the scenario does not end well.
Prepared prepare(const Scenario& scenario);

/// A third of the seeds crash at each commit in turn, a third lose the reply of each call in turn; the rest
/// do several things at once.
Plot drawn_plot(const Verdict& peaceful, std::uint64_t seed);

}  // namespace instantstart::simulation
