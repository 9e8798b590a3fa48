// Deaths on demand: what proves that no crash repeats or loses a change.
#pragma once

#include <string_view>

#include "base/result.h"
#include "operations/engine.h"

namespace instantstart::app {

/// "after_intent" or "after_intent:3": the process kills itself, as a power failure would, when the engine
/// passes that point for the third time. `invalid_request` for an unknown point.
Result<operations::FaultPoint> die_at(std::string_view specification);

}  // namespace instantstart::app
