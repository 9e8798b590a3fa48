#include "contract/answers.h"

namespace instantstart::contract {

int http_status(ChangeStatus status) {
  switch (status) {
    case ChangeStatus::planned:
    case ChangeStatus::done: return 200;
    case ChangeStatus::started:
    case ChangeStatus::joined: return 202;
    case ChangeStatus::confirm_required: return 409;
  }
  return 500;
}

Type describe(ChangeStatus*) {
  return enum_type<ChangeStatus>(
      "ChangeStatus", "What came of a change.",
      {{ChangeStatus::planned, {"planned", "A dry run: nothing was started."}},
       {ChangeStatus::started, {"started", "A new operation runs."}},
       {ChangeStatus::joined, {"joined", "The same request runs or ran already; this is its operation."}},
       {ChangeStatus::confirm_required,
        {"confirm_required", "Nothing was started: look at the plan, then repeat with confirm_token."}},
       {ChangeStatus::done, {"done", "It is made already; there is no operation."}}});
}

Type describe(ChangeAnswer*) {
  return object_type<ChangeAnswer>(
      "ChangeAnswer", "The answer of every change.",
      {field<&ChangeAnswer::status>("status", "What came of it."),
       field<&ChangeAnswer::operation_id>("operation_id", "The operation that does it."),
       field<&ChangeAnswer::plan>("plan", "What will be done, or would be."),
       field<&ChangeAnswer::confirm_token>(
           "confirm_token", "Repeat the same request with it to confirm the plan; it expires after 300 s."),
       field<&ChangeAnswer::replayed>("replayed", "True when client_token or confirm_token was seen before."),
       field<&ChangeAnswer::started_by>("started_by", "joined: the principal that started the operation."),
       field<&ChangeAnswer::cluster>("cluster", "Key of the cluster that was meant."),
       field<&ChangeAnswer::next>("next", "Actions that may follow, ready to be sent.",
                                  {.defaulted = true})});
}

Type describe(ChangeOptions*) {
  return object_type<ChangeOptions>(
      "ChangeOptions", "Members that every action but a read takes.",
      {field<&ChangeOptions::dry_run>("dry_run", "Only check and show the plan; change nothing."),
       field<&ChangeOptions::client_token>(
           "client_token", "Your own token: repeat it when you retry, and the change is made once.",
           {.rule = {.min = 1, .max = 128, .pattern = Pattern("^[ -~]+$")}, .examples = {"retry-7f3a"}}),
       field<&ChangeOptions::confirm_token>(
           "confirm_token", "From an answer with status confirm_required: confirms that plan.",
           {.secret = true, .rule = {.min = 1, .max = 512}})});
}

Type describe(PageOptions*) {
  return object_type<PageOptions>(
      "PageOptions", "Members that every list takes.",
      {field<&PageOptions::limit>("limit", "At most so many items in one answer.",
                                  {.defaulted = true, .rule = {.min = 1, .max = 1000}}),
       field<&PageOptions::cursor>("cursor", "next_cursor of the previous answer, to go on after it.",
                                   {.rule = {.min = 1, .max = 2048}})});
}

}  // namespace instantstart::contract

namespace instantstart {

Type describe(NextAction*) {
  return object_type<NextAction>(
      "NextAction", "An action that may be called now.",
      {field<&NextAction::action>("action", "Name of the action.", {.examples = {"operation_get"}}),
       field<&NextAction::arguments>("arguments", "Complete arguments for it.", {.defaulted = true}),
       field<&NextAction::why>("why", "What it is good for.", {.examples = {"See which steps are left."}})});
}

Type describe(FieldProblem*) {
  return object_type<FieldProblem>(
      "FieldProblem", "One thing that is wrong with one place of a request.",
      {field<&FieldProblem::pointer>("pointer",
                                     "JSON Pointer (RFC 6901) into the request; empty for all of it.",
                                     {.examples = {"/groups/0/count"}}),
       field<&FieldProblem::rule>("rule", "Stable name of the rule that is broken.",
                                  {.examples = {"unknown_field", "minimum"}}),
       field<&FieldProblem::message>("message", "What is wrong, in words.",
                                     {.examples = {"must be at least 1"}}),
       field<&FieldProblem::value>("value", "The offending value as JSON, shortened; secrets are not shown.",
                                   {.defaulted = true}),
       field<&FieldProblem::nearest>("nearest", "The nearest name or value that is allowed.")});
}

}  // namespace instantstart
