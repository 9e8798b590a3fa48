// What the simulation asks of the product: one request of each kind of operation, in a world in which it
// makes sense.
#pragma once

#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "base/json.h"

namespace instantstart::simulation {

/// A call of an action.
struct Asked {
  std::string action;
  json::object arguments;
};

struct Scenario {
  std::string name;           ///< The operation's kind.
  std::vector<Asked> before;  ///< Done in peace, in order.
  Asked asked;
};

/// By name, each once.
const std::vector<Scenario>& scenarios();
/// Throws when there is none.
const Scenario& scenario_named(std::string_view name);

}  // namespace instantstart::simulation
