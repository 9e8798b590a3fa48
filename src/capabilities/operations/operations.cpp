#include "capabilities/operations/operations.h"

namespace instantstart::capabilities {

Type describe(OperationId*) {
  // UUIDs today; the rule is wider, so that a client never has to know.
  return text_type<OperationId>("OperationId", "Id of an operation, as a change answered it.",
                                {.min = 1, .max = 64, .pattern = Pattern("^[0-9a-zA-Z-]+$")},
                                {"01938c5e-8f00-7000-8000-000000000001"});
}

Type describe(OperationGet*) {
  return object_type<OperationGet>(
      "OperationGet", "Which operation, and how long to wait for news.",
      {field<&OperationGet::operation_id>("operation_id", "The operation."),
       field<&OperationGet::wait_seconds>(
           "wait_seconds",
           "Waits so long for a new state before it answers; 0 answers at once, 45 is the most.",
           {.defaulted = true, .rule = {.min = 0, .max = 45}})});
}

Type describe(OperationList*) {
  return object_type<OperationList>(
      "OperationList", "Which operations.",
      {field<&OperationList::subject>("subject", "Only those on this path or below it: cluster/a",
                                      {.rule = {.min = 1, .max = 512}, .examples = {"cluster/a"}}),
       field<&OperationList::state>("state", "Only those in this state."),
       field<&OperationList::kind>("kind", "Only those of this kind.", {.rule = {.min = 1, .max = 64}})});
}

Type describe(OperationListAnswer*) {
  return object_type<OperationListAnswer>(
      "OperationListAnswer", "Operations, newest first.",
      {field<&OperationListAnswer::operations>("operations", "One line each."),
       field<&OperationListAnswer::next_cursor>("next_cursor",
                                                "Pass it as cursor for the next page; absent at the end.")});
}

Type describe(OperationRetry*) {
  return object_type<OperationRetry>(
      "OperationRetry", "Which operation goes on.",
      {field<&OperationRetry::operation_id>("operation_id", "The operation."),
       field<&OperationRetry::step_id>("step_id", "Only this step; all that stopped when left out.",
                                       {.rule = {.min = 1, .max = 128}}),
       field<&OperationRetry::choice>("choice",
                                      "The answer to the step's question: the value of one of its choices.",
                                      {.rule = {.min = 1, .max = 256}})});
}

Type describe(OperationCancel*) {
  return object_type<OperationCancel>(
      "OperationCancel", "Which operation stops.",
      {field<&OperationCancel::operation_id>("operation_id", "The operation."),
       field<&OperationCancel::rollback>(
           "rollback", "Also removes what this operation made, last first, and lists what remains.",
           {.defaulted = true})});
}

}  // namespace instantstart::capabilities
