// Runs one operation of a made-up world through a seeded schedule of crashes, lost replies, repeats and
// cancellations in virtual time, and says which promises were broken.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/log.h"
#include "contract/plan.h"
#include "store/testing/inline_database.h"

namespace instantstart::operations::testing {

enum class Cancelling { never, sometimes, with_rollback };

struct Scenario {
  std::string name;
  contract::Plan plan;
  Cancelling cancelling = Cancelling::sometimes;
  bool two_owners =
      false;  ///< Two processes with leases, which are paused and killed; else one after another.
  std::vector<std::string> given;  ///< Things that are there before.
};

/// Chains, branches, long waits, families, calls that can't be repeated, removals.
std::vector<Scenario> scenarios();
/// A step that claims that its call keeps tokens, which it doesn't: the simulation must notice.
Scenario lying_scenario();

struct Verdict {
  std::vector<std::string> broken;  ///< Promises, in words; empty when all hold.
  std::vector<std::string> story;   ///< What happened, in order; told when something is broken.
  std::uint64_t commits = 0;
  std::uint64_t crashes = 0;
  std::uint64_t sends = 0;
  std::uint64_t mutations = 0;
  std::string final_state;
};

class Simulator {
 public:
  /// `sink` gets the log of the engines.
  explicit Simulator(Log::Sink sink = {});

  /// The same seed gives the same schedule.
  Verdict run(const Scenario& scenario, std::uint64_t seed);

 private:
  Log::Sink sink_;
  store::MemoryStore store_;  ///< Emptied for each schedule: making a new one takes longer than a schedule.
};

}  // namespace instantstart::operations::testing
