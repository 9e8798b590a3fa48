// The order in which an operation is undone: what was made last goes first.
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "operations/step_record.h"

namespace instantstart::operations {

/// Ids of the forward steps that come after `id`, directly or over others.
std::set<std::string> dependents_of(std::span<const StepRecord> steps, const std::string& id);

/// True when everything that was built on this step is undone (or had nothing to undo).
bool may_undo(std::span<const StepRecord> steps, const std::string& id);

}  // namespace instantstart::operations
