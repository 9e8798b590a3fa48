// Operations as callers see them.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "operations/child_operation.h"
#include "operations/journal.h"
#include "operations/operation.h"

namespace instantstart::operations {

/// Everything that the view of one operation is made of.
struct ViewSource {
  LoadedOperation loaded;
  std::vector<journal::StoredResource> resources;
  std::vector<journal::Child> children;
};

/// `kinds_with_undo`: names of the step kinds that can be undone, for the reasons why something remains.
OperationView view_of(const ViewSource& source, const std::set<std::string>& kinds_with_undo);

/// Of a step that fails, asks or is blocked: the one that the operation's state is about.
const StepRecord* step_in_question(const LoadedOperation& operation);
json::object outputs_of(const LoadedOperation& operation);

}  // namespace instantstart::operations
