#include "operations/engine.h"

namespace instantstart::operations {

Type describe(Event*) {
  return object_type<Event>(
      "OperationEvent", "One thing that happened to an operation.",
      {field<&Event::sequence>("sequence", "Its number, in commit order: the cursor of a reader."),
       field<&Event::operation_id>("operation_id", "The operation."),
       field<&Event::subject>("subject", "What the operation works on.", {.examples = {"cluster/a"}}),
       field<&Event::at>("at", "When.", {.rule = {.format = "date-time"}}),
       field<&Event::kind>("kind", "What happened.", {.examples = {"step_done"}}),
       field<&Event::step_id>("step_id", "The step that it happened to."),
       field<&Event::message>("message", "In words."),
       field<&Event::detail>("detail", "Facts for programs.", {.defaulted = true})});
}

}  // namespace instantstart::operations
