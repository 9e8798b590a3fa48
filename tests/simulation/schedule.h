// One schedule: a request in a house, with everything that goes wrong drawn before, until the operation has
// come to its end; and what was promised and not kept.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sandbox/core/faults.h"
#include "simulation/house.h"
#include "simulation/scenarios.h"

namespace instantstart::simulation {

/// What goes wrong.
struct Plot {
  std::uint64_t seed = 1;
  std::map<std::uint64_t, bool> crash_at_commit;  ///< By number, from 1; true: after it.
  std::set<std::uint64_t> crash_at_fault_point;   ///< By number, from 1.
  std::vector<sandbox::FaultRule> rules;          ///< Of the cloud.
  WireFaults wire;
  /// Then nothing goes wrong any more, and it must come to a good end. Zero: whatever is planned happens.
  milliseconds trouble_ends{0};
  /// Instead: as soon as somebody is needed. What is shown then goes into the verdict.
  bool until_at_rest = false;
  int asks = 1;  ///< The same request, so often.
};

/// How an operation looked when it needed somebody, or the refusal of the request.
struct Rest {
  std::string state;  ///< Of the operation; "refused" when there is none.
  std::vector<std::string> codes;
  bool has_next = false;
};

struct Verdict {
  std::vector<std::string> broken;  ///< Promises, each in a sentence.
  std::optional<Rest> rest;
  std::uint64_t commits = 0;
  std::uint64_t fault_points = 0;
  std::uint64_t crashes = 0;
  std::uint64_t retries = 0;
  std::vector<json::object> audit;     ///< Of the calls since the house began.
  std::vector<std::string> inventory;  ///< Type and state of what the operation made, sorted.
  std::map<std::string, std::int64_t> records;
  std::string story;  ///< For people: the operation at its end.
};

Verdict play(House& house, const Asked& asked, const Plot& plot);

/// Names of mutations that were carried out twice: equal but for their tokens. One that is repeated with its
/// token counts once.
std::vector<std::string> repeated(const std::vector<json::object>& audit);

/// What must be equal in a peaceful run and in one with trouble.
std::vector<std::string> differences(const Verdict& peaceful, const Verdict& troubled);

}  // namespace instantstart::simulation
