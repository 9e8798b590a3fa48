// Looking at operations, and telling them to go on or to stop.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/describe.h"
#include "contract/action.h"
#include "operations/engine.h"

namespace instantstart::capabilities {

struct OperationId : Text<OperationId> {};

struct OperationGet {
  OperationId operation_id;
  std::int32_t wait_seconds = 0;  ///< At most 45: longer than that, proxies and agents give up.
};

struct OperationList {
  std::optional<std::string> subject;
  std::optional<operations::OperationState> state;
  std::optional<std::string> kind;
};

struct OperationListAnswer {
  std::vector<operations::OperationSummary> operations;
  std::optional<std::string> next_cursor;
};

struct OperationRetry {
  OperationId operation_id;
  std::optional<std::string> step_id;
  std::optional<std::string> choice;
};

struct OperationCancel {
  OperationId operation_id;
  bool rollback = false;
};

Type describe(OperationId*);
Type describe(OperationGet*);
Type describe(OperationList*);
Type describe(OperationListAnswer*);
Type describe(OperationRetry*);
Type describe(OperationCancel*);

/// The rows of the contract. The engine must outlive the table; it may be null where rows are only read
/// (command line, docs).
std::vector<contract::Action> operation_actions(operations::Engine* engine);

}  // namespace instantstart::capabilities
